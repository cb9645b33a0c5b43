import type { LaneLimits } from './dispatch-lane.js';
import type { Pool } from './pool.js';

/**
 * Says in the jobs that have work on a lane what they wait for, or takes that away. What another lane says is left alone.
 * @param what ends the sentence "Waiting for <lane> ..."; undefined when nothing keeps the lane
 * @returns the jobs that say something else now
 */
export async function tellWaiting(pool: Pool, { id, name }: Pick<LaneLimits, 'id' | 'name'>, what: string | undefined): Promise<string[]> {
  const start = `Waiting for ${name} `;
  const { rows } = await pool.query<{ id: string }>(
    `UPDATE job j SET detail = $3::text FROM run r
     WHERE r.job_id = j.id AND r.status = 'running' AND j.status = 'running' AND (starts_with(j.detail, $2) OR ($3::text IS NOT NULL AND j.detail IS NULL))
       AND j.detail IS DISTINCT FROM $3::text
       AND r.id IN (SELECT run_id FROM in_flight WHERE lane_id = $1 UNION SELECT run_id FROM target WHERE lane_id = $1)
     RETURNING j.id`, [id, start, what === undefined ? null : start + what]);
  return rows.map((row) => row.id);
}
