import type { Pool } from '../connection/pool.js';

/** A lane that has work or is paused, and what waits there. */
export interface LaneLoad {
  id: string;
  name: string;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  paused: boolean;
  /** Items that are not settled. */
  backlog: number;
  queued: number;
  claimed: number;
  /** How long the item that waits longest has been queued; 0 when none is. */
  oldestQueuedS: number;
}

/** What all lanes have to do now. Reads targets of unfinished runs and what is in flight, never results. */
export async function readLaneLoads(pool: Pool): Promise<LaneLoad[]> {
  const { rows } = await pool.query<LaneLoad>({
    name: 'lane_loads',
    text: `WITH work AS (
        SELECT t.lane_id, sum(t.n - t.settled)::int AS backlog FROM target t JOIN run r ON r.id = t.run_id
        WHERE t.finished_at IS NULL AND r.status IN ('queued', 'running') GROUP BY t.lane_id
      ), flight AS (
        SELECT lane_id, count(*) FILTER (WHERE worker IS NULL)::int AS queued, count(worker)::int AS claimed,
          extract(epoch FROM now() - min(queued_at) FILTER (WHERE worker IS NULL
            AND isfinite(queued_at)))::float8 AS oldest
        FROM in_flight GROUP BY lane_id
      )
      SELECT l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at IS NOT NULL AS
        paused,
        coalesce(w.backlog, 0) AS backlog, coalesce(f.queued, 0) AS queued, coalesce(f.claimed, 0) AS claimed,
          greatest(0, coalesce(f.oldest, 0)) AS "oldestQueuedS"
      FROM lane l LEFT JOIN work w ON w.lane_id = l.id LEFT JOIN flight f ON f.lane_id = l.id
      WHERE w.lane_id IS NOT NULL OR f.lane_id IS NOT NULL OR l.paused_at IS NOT NULL ORDER BY l.id`,
  });
  return rows;
}

/** A lane, not paused, whose items have been queued for longer than a free worker needs to claim them. */
export interface WaitingLane {
  id: string;
  /** Whom its requests go to. */
  providers: string;
  queued: number;
}

export async function waitingLanes(pool: Pool): Promise<WaitingLane[]> {
  const { rows } = await pool.query<WaitingLane>(
    `SELECT l.id, count(*)::int AS queued, coalesce((SELECT string_agg(p.key, ', ' ORDER BY p.key) FROM provider p
      WHERE p.lane_id = l.id), l.name) AS providers
     FROM in_flight i JOIN lane l ON l.id = i.lane_id
     WHERE i.worker IS NULL AND i.queued_at < now() - interval '2 s' AND l.paused_at IS NULL GROUP BY l.id`,
  );
  return rows;
}
