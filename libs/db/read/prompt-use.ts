import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import { MAX_RUNS_COUNTED } from '#lib/contracts/prompt-version';
import type { Pool, PoolClient } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { RunRepository } from './runs.js';

/** SQL: the prompt version of the run `run`, as text. An index has the same expression. */
export const PROMPT_VERSION_OF_RUN = `substring(run.config from '"prompt_version_id":"([0-9a-f-]{36})"')`;

/** What runs of a team have measured of its prompt versions. */
export class PromptUseRepository extends TeamScoped<Pool | PoolClient> {
  /** Adds to each version how many runs used it, and the score of the newest. */
  async addUse<Version extends { id: string }>(
    versions: readonly Version[],
  ): Promise<(Version & Pick<PromptVersionHead, 'used'>)[]> {
    const { rows } = await this.db.query<{ id: string; runs: number; newest: string | null }>(
      `SELECT v.id,
         (SELECT count(*)::int FROM (SELECT 1 FROM run WHERE ${PROMPT_VERSION_OF_RUN} = v.id AND run.listed
           AND run.team_id = $1 LIMIT ${MAX_RUNS_COUNTED}) counted) AS runs,
         (SELECT run.id FROM run WHERE ${PROMPT_VERSION_OF_RUN} = v.id AND run.listed AND run.team_id = $1
           AND run.status = 'completed' AND run.score IS NOT NULL ORDER BY run.id DESC LIMIT 1) AS newest
       FROM unnest($2::text[]) AS v (id)`,
      [this.teamId, versions.map(({ id }) => id)],
    );
    const newest = await new RunRepository(this.db, this.teamId).readScores(rows.flatMap((row) => row.newest ?? []));
    const useOf = new Map(rows.map((row) => [row.id, row]));
    return versions.map((version) => {
      const { runs, newest: runId } = useOf.get(version.id)!;
      return { ...version, used: { runs, newest: (runId !== null && newest.get(runId)) || null } };
    });
  }
}
