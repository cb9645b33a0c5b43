import type { Pool } from '../../connection/pool.js';

/** Approximate time an item waits before its next attempt. */
const BACKOFF_MS = 4000;

/**
 * How long recent items of a lane held their slots, without waiting for its budget: the 95th percentile over the last
 * results of each active run. Undefined while unknown.
 */
export async function laneLatencyMs(pool: Pool, laneId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY last.latency_ms + (last.attempts - 1) * ${BACKOFF_MS}) AS ms
     FROM (SELECT DISTINCT t.run_id, r.generation FROM target t JOIN run r ON r.id = t.run_id WHERE t.lane_id = $1
       AND t.active_for IS NOT NULL LIMIT 20) busy
     CROSS JOIN LATERAL (
       SELECT r.target, r.latency_ms, r.attempts, r.cached FROM result r WHERE r.run_id = busy.run_id
         AND r.generation = busy.generation ORDER BY r.seq DESC LIMIT 40) last
     JOIN target t ON t.run_id = busy.run_id AND t.ordinal = last.target
     WHERE t.lane_id = $1 AND last.latency_ms IS NOT NULL AND NOT last.cached`,
    [laneId],
  );
  return rows[0]?.ms ?? undefined;
}
