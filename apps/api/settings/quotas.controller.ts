import { Body, Controller, Get, Inject, Put, Query } from '@nestjs/common';
import { ProblemError } from '#lib/contracts/input/problem';
import { Quotas, QuotasInput, QuotasQuery } from '#lib/contracts/quotas';
import { audit } from '#lib/db/catalogue/audit';
import { auditWork } from '#lib/db/audit-work';
import { isOperator, type Caller } from '#lib/db/catalogue/callers';
import { ALL_TEAMS, readQuotas, setQuotas } from '#lib/db/catalogue/quotas';
import { findTeamName } from '#lib/db/catalogue/teams';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { takeTurn } from '#lib/db/connection/take-turn';
import { startPendingJobs } from '#lib/db/engine/start-pending-jobs';
import type { Redis } from '#lib/runtime/redis';
import { About, Answers, Changes, Me, Needs, type Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';

/** How much a team may have. Owners of the team `default` set it, for each team or for all. */
@Controller('api/settings/quotas')
export class QuotasController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  @Get()
  @About(
    'Read the quotas of a team',
    'How much the team may have, and how much it has. Owners of the team `default` read those of any team.',
  )
  @Answers(200, Quotas, 403, 404)
  async read(@Me() caller: Caller, @Query({ schema: QuotasQuery }) { team_id }: QuotasQuery): Promise<Quotas> {
    const teamId = teamOf(caller, team_id);
    if (teamId !== caller.teamId) checkOperator(caller);
    return quotasOf(this.pool, teamId);
  }

  /** Jobs that no longer need to wait have started when it returns; those of other teams start within seconds. */
  @Put()
  @About(
    'Set quotas',
    'For owners of the team `default`. What a team has stays when a quota falls below it, and can be changed and ' +
      'deleted: it only cannot grow. A higher one holds at once.',
  )
  @Needs('owner')
  @Answers(200, Quotas, 403, 404)
  async set(
    @Me() caller: Caller,
    @Query({ schema: QuotasQuery }) { team_id }: QuotasQuery,
    @Body({ schema: QuotasInput }) { quotas }: QuotasInput,
    @Changes() change: Change,
  ): Promise<Quotas> {
    checkOperator(caller);
    const teamId = teamOf(caller, team_id);
    const answer = await change(async (client) => {
      await takeTurn(client, 'quotas', teamId);
      const before = await quotasOf(client, teamId);
      await setQuotas(client, teamId, quotas);
      const after = await quotasOf(client, teamId);
      const change = { before: limitsOf(before), after: limitsOf(after) };
      await audit(client, caller, 'settings.quotas', teamId === ALL_TEAMS ? 'all' : teamId, change);
      if (teamId !== ALL_TEAMS && teamId !== caller.teamId)
        await auditWork(client, teamId, 'settings.quotas', teamId, {
          ...change,
          cause: 'an owner of the team "default"',
        });
      return after;
    });
    if (quotas.running_jobs !== undefined && teamId !== ALL_TEAMS) {
      const { jobs, lanes } = await startPendingJobs(this.pool, teamId);
      notifyOfJobs(this.redis, jobs, lanes);
    }
    return answer;
  }
}

const teamOf = ({ teamId }: Caller, asked: QuotasQuery['team_id']): string =>
  asked === 'all' ? ALL_TEAMS : (asked ?? teamId);

/** @throws ProblemError 403 */
function checkOperator(caller: Caller): void {
  if (isOperator(caller)) return;
  throw new ProblemError(403, 'Only owners of the team "default" read and set the quotas of other teams.');
}

/** @throws ProblemError 404 */
async function quotasOf(db: Pool | PoolClient, teamId: string): Promise<Quotas> {
  const isOfAll = teamId === ALL_TEAMS;
  const team = isOfAll ? null : await findTeamName(db, teamId);
  if (team === undefined) throw new ProblemError(404, `No team with id "${teamId}".`);
  return { team_id: isOfAll ? null : teamId, team, quotas: await readQuotas(db, teamId) };
}

const limitsOf = ({ quotas }: Quotas): Record<string, number> =>
  Object.fromEntries(quotas.map(({ name, limit }) => [name, limit]));
