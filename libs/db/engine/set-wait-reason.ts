import type { Pool } from '../connection/pool.js';
import type { LaneLimits } from '../catalogue/lane-limits.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';

/** How the detail of a job begins that waits for a provider. */
export const WAITING_FOR = 'Waiting for ';

/**
 * Sets, in the jobs that have work on a lane, the detail that says what they wait for, or clears it. Leaves a detail
 * that another lane has set.
 * @param what ends the sentence "Waiting for <providers, or models with limits of their own> ..."; undefined when
 *   nothing keeps the lane
 * @returns the jobs whose detail changed
 */
export async function setWaitReason(
  pool: Pool,
  { id }: Pick<LaneLimits, 'id'>,
  what: string | undefined,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH works AS (
       SELECT run_id FROM in_flight i WHERE ${LANE_OF_ITEM} = $1
       UNION SELECT run_id FROM target WHERE lane_id = $1 AND active_for IS NOT NULL
     ), waits AS (
       SELECT r.job_id, $2 || string_agg(DISTINCT
         CASE WHEN m.lane_id = $1 THEN t.provider_key || '::' || t.model_id ELSE t.provider_key END, ', '
       ) || ' ' AS start
       FROM run r JOIN target t ON t.run_id = r.id AND t.lane_id = $1
         LEFT JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
       WHERE r.id IN (SELECT run_id FROM works) AND r.status = 'running' GROUP BY r.id
     )
     UPDATE job j SET detail = w.start || $3::text FROM waits w
     WHERE w.job_id = j.id AND j.status = 'running'
       AND (starts_with(j.detail, w.start) OR ($3::text IS NOT NULL AND j.detail IS NULL))
       AND j.detail IS DISTINCT FROM w.start || $3::text
     RETURNING j.id`,
    [id, WAITING_FOR, what ?? null],
  );
  return rows.map((row) => row.id);
}
