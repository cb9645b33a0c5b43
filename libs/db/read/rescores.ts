import { ProblemError } from '#lib/contracts/input/problem';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Rescore, Unmatched } from '#lib/contracts/rescore';
import { toPage } from '../catalogue/page.js';
import { jsonColumn } from '../connection/json-column.js';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { parseSummaries } from './summaries.js';

interface RescoreRow {
  id: string;
  run_id: string;
  job_id: string;
  status: JobStatus;
  options: string;
  scoring_version: number;
  score: number | null;
  summaries: string;
  suite_version: number;
  unmatched: string | null;
  created_at: Date;
}

const toRescore = ({ run_id, options, summaries, unmatched, created_at, ...row }: RescoreRow): Rescore => ({
  ...row,
  eval_id: run_id,
  options: parseJson(options) as JsonObject,
  summaries: parseSummaries(summaries),
  unmatched: unmatched === null ? null : jsonColumn<Unmatched>(unmatched),
  created_at: created_at.toISOString(),
});

/** The rescores of a team's runs. */
export class RescoreRepository extends TeamScoped<Pool> {
  async list(runId: string, { limit, cursor }: PageQuery): Promise<Page<Rescore>> {
    const { rows } = await this.db.query<RescoreRow>(
      `SELECT s.id, s.run_id, s.job_id, j.status, s.options, s.scoring_version, s.score, s.summaries, s.created_at,
         s.unmatched, coalesce(v.version, r.suite_version) AS suite_version
       FROM rescore s JOIN job j ON j.id = s.job_id JOIN run r ON r.id = s.run_id
         LEFT JOIN suite_version v ON v.id = s.suite_version_id
       WHERE s.run_id = $1 AND s.team_id = $2 AND ($3::uuid IS NULL OR s.id < $3) ORDER BY s.id DESC LIMIT $4`,
      [runId, this.teamId, cursor ?? null, limit + 1],
    );
    return toPage(rows.map(toRescore), limit);
  }

  /** @throws ProblemError 422 when the run has no such rescore, 409 when it is not completed */
  async requireCompleted(runId: string, rescoreId: string): Promise<void> {
    const { rows } = await this.db.query<{ status: JobStatus }>(
      `SELECT j.status FROM rescore s JOIN job j ON j.id = s.job_id
        WHERE s.run_id = $1 AND s.id = $2 AND s.team_id = $3`,
      [runId, rescoreId, this.teamId],
    );
    const status = rows[0]?.status;
    if (!status)
      throw new ProblemError(422, `The run has no rescore with id "${rescoreId}".`, [
        { path: '/rescore_id', message: 'does not exist' },
      ]).as('unknown_rescore', { id: rescoreId, run_id: runId });
    if (status !== 'completed')
      throw new ProblemError(409, `The rescore is ${status}. Its verdicts are available once it is completed.`).as(
        'rescore_unfinished',
        { rescore_id: rescoreId, status },
      );
  }
}
