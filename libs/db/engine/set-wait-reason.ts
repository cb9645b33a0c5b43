import { WAITING_FOR } from '#lib/contracts/values/jobs';
import type { Pool } from '../connection/pool.js';
import type { LaneLimits } from '../catalogue/lane-limits.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { toMinute } from '../rests.js';

/** A longer list of waiting models would not be useful. */
const MAX_DETAIL_CHARACTERS = 2000;

/**
 * Sets or clears the wait reason in the detail of the jobs that have work on a lane: what blocks the lane; if all
 * models of the run there rest, or nothing blocks the lane, which of them rest and until when. Leaves a detail that
 * another lane has set.
 * @param what ends the sentence "Waiting for <providers, or models with limits of their own> ..."; undefined when
 *   nothing blocks the lane
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
     ), asked AS (
       SELECT t.run_id, t.active_for, t.provider_key, t.provider_key || '::' || t.model_id AS name, m.lane_id AS own,
         rest.until, ${toMinute('rest.until')} AS shown, rest.why
       FROM target t LEFT JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
         LEFT JOIN resting_model rest ON rest.provider_id = t.provider_id AND rest.model_id = t.model_id
           AND rest.until > now() AND t.active_for IS NOT NULL
       WHERE t.lane_id = $1 AND t.run_id IN (SELECT run_id FROM works)
     ), waits AS (
       SELECT r.job_id, r.status, array_agg($2 || asked.name || ' ') AS starts,
         $2 || string_agg(DISTINCT CASE WHEN own = $1 THEN asked.name ELSE provider_key END, ', ') || ' ' AS start,
         $2 || string_agg(DISTINCT asked.name || ' until ' || shown || ': ' || why, '; ') AS rests,
         bool_and(until IS NOT NULL) FILTER (WHERE active_for IS NOT NULL) AS all_rest
       FROM run r JOIN asked ON asked.run_id = r.id WHERE r.status IN ('queued', 'running') GROUP BY r.id
     ), said AS (
       SELECT job_id, start, starts, left(CASE WHEN all_rest THEN rests
         ELSE coalesce(CASE WHEN status = 'running' THEN start || $3::text END, rests) END, $4) AS detail
       FROM waits
     ), held AS (
       SELECT j.id, s.detail FROM job j JOIN said s ON s.job_id = j.id
       WHERE j.status IN ('queued', 'running')
         AND (starts_with(j.detail, s.start) OR (SELECT bool_or(starts_with(j.detail, one)) FROM unnest(s.starts) one)
           OR (s.detail IS NOT NULL AND j.detail IS NULL))
         AND j.detail IS DISTINCT FROM s.detail
       ORDER BY j.id FOR NO KEY UPDATE OF j
     )
     UPDATE job j SET detail = held.detail FROM held WHERE held.id = j.id RETURNING j.id`,
    [id, WAITING_FOR, what ?? null, MAX_DETAIL_CHARACTERS],
  );
  return rows.map((row) => row.id);
}
