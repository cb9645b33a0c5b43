import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import type { Rescore } from '#lib/contracts/rescore';
import type { Pool } from '../connection/pool.js';
import { summariesOf } from './summaries.js';

interface RescoreRow {
  id: string;
  run_id: string;
  job_id: string;
  status: JobStatus;
  options: string;
  scoring_version: number;
  score: number | null;
  summaries: string;
  created_at: Date;
}

const toRescore = ({ run_id, options, summaries, created_at, ...row }: RescoreRow): Rescore => ({
  ...row,
  eval_id: run_id,
  options: parseJson(options) as JsonObject,
  summaries: summariesOf(summaries),
  created_at: created_at.toISOString(),
});

/** The rescores of a run, newest first. The caller has checked that the run is the team's. */
export async function listRescores(
  pool: Pool,
  runId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Rescore>> {
  const { rows } = await pool.query<RescoreRow>(
    `SELECT s.id, s.run_id, s.job_id, j.status, s.options, s.scoring_version, s.score, s.summaries, s.created_at
     FROM rescore s JOIN job j ON j.id = s.job_id
     WHERE s.run_id = $1 AND ($2::uuid IS NULL OR s.id < $2) ORDER BY s.id DESC LIMIT $3`,
    [runId, cursor ?? null, limit + 1],
  );
  return { items: rows.slice(0, limit).map(toRescore), next_cursor: rows.length > limit ? rows[limit - 1]!.id : null };
}

export async function findRescore(
  pool: Pool,
  runId: string,
  rescoreId: string,
): Promise<{ status: JobStatus } | undefined> {
  const { rows } = await pool.query<{ status: JobStatus }>(
    'SELECT j.status FROM rescore s JOIN job j ON j.id = s.job_id WHERE s.run_id = $1 AND s.id = $2',
    [runId, rescoreId],
  );
  return rows[0];
}
