import type { LaneLimits } from '../catalogue/lane-limits.js';
import type { Pool } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { IS_RESTING } from '../rests.js';

/** A lane that has work or is paused, and the amount of its waiting work. */
export interface LaneLoad extends LaneLimits {
  /** Unsettled items, without those of resting models. */
  backlog: number;
  queued: number;
  claimed: number;
  /** Seconds since its oldest waiting item was queued; 0 when no item waits. */
  oldestQueuedS: number;
}

/**
 * The load of every lane of every team, for the operator's metrics. It reads the targets of unfinished runs and the
 * in-flight items, never results.
 */
export async function readLaneLoads(pool: Pool): Promise<LaneLoad[]> {
  const { rows } = await pool.query<LaneLoad>({
    name: 'lane_loads',
    text: `WITH work AS (
        SELECT t.lane_id, sum(t.n - t.settled)::int AS backlog FROM target t JOIN run r ON r.id = t.run_id
        WHERE t.finished_at IS NULL AND r.status IN ('queued', 'running') AND NOT ${IS_RESTING} GROUP BY t.lane_id
      ), flight AS (
        SELECT ${LANE_OF_ITEM} AS lane_id,
          count(*) FILTER (WHERE worker IS NULL)::int AS queued, count(worker)::int AS claimed,
          extract(epoch FROM now() - min(queued_at) FILTER (WHERE worker IS NULL
            AND isfinite(queued_at)))::float8 AS oldest
        FROM in_flight i GROUP BY 1
      )
      SELECT l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at,
        coalesce(w.backlog, 0) AS backlog, coalesce(f.queued, 0) AS queued, coalesce(f.claimed, 0) AS claimed,
          greatest(0, coalesce(f.oldest, 0)) AS "oldestQueuedS"
      FROM lane l LEFT JOIN work w ON w.lane_id = l.id LEFT JOIN flight f ON f.lane_id = l.id
      WHERE w.lane_id IS NOT NULL OR f.lane_id IS NOT NULL OR l.paused_at IS NOT NULL ORDER BY l.id`,
  });
  return rows;
}
