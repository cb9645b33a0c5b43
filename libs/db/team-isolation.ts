import type { Pool, PoolClient } from './connection/pool.js';

/**
 * Isolation of teams.
 *
 * - A request belongs to the team of its token, which `apps/api/platform/auth.ts` looks up before it reads the body. No
 *   route takes a team from its path, query or body, except from the operator: quotas and the audit of any team.
 * - The API reads and writes a team's data through repositories that are created for one team, such as
 *   `new SuiteRepository(pool, caller.teamId)` (`catalogue/`, `read/`). Each of their statements names the team, even
 *   where an id alone would find the row: the id of another team's row counts as an id that does not exist.
 * - The transitions of a run that users start (`engine/`: submit, record, resume, rescore, cancel) take the team along
 *   with the id, and check both in the statement that locks the row.
 * - Lanes, keys and cached replies belong to one team, so teams share no rate limit, credential or reply.
 * - Tokens that are limited to some suites of a team are held to them by `apps/api/platform/token-limits.ts`, before a
 *   repository is asked; only lists filter by suites themselves (`catalogue/named-suites.ts`).
 * - Workers and housekeeping serve every team. They find rows by run or lane, in `read/for-workers/`, `engine/` and
 *   `upkeep/`. The API may not import `read/for-workers/` (`.dependency-cruiser.cjs`).
 *
 * `apps/api/teams/teams.int.spec.ts` sends the ids of one team to every route of the OpenAPI document with the token of
 * another team.
 */
export abstract class TeamScoped<Db extends Pool | PoolClient = Pool | PoolClient> {
  constructor(
    readonly db: Db,
    readonly teamId: string,
  ) {}
}
