import type { Pool } from '../../connection/pool.js';
import { LANE_OF_ITEM } from '../../lane-of-item.js';

/** A lane that is not paused, with items of this level queued for longer than an idle worker needs to claim them. */
export interface WaitingLane {
  id: string;
  /** Keys of the providers it sends to. */
  providers: string;
  queued: number;
}

/** Those of the given lanes that wait. */
export async function waitingLanes(pool: Pool, laneIds: readonly string[]): Promise<WaitingLane[]> {
  if (laneIds.length === 0) return [];
  const { rows } = await pool.query<WaitingLane>(
    `SELECT l.id, count(*)::int AS queued, coalesce((SELECT string_agg(p.key, ', ' ORDER BY p.key) FROM provider p
      WHERE p.lane_id = l.id), l.name) AS providers
     FROM in_flight i JOIN lane l ON l.id = ${LANE_OF_ITEM}
     WHERE ${LANE_OF_ITEM} = ANY ($1) AND i.worker IS NULL AND i.worker_level <= (SELECT level_of_session())
       AND i.queued_at < now() - interval '2 s' AND l.paused_at IS NULL GROUP BY l.id`,
    [laneIds],
  );
  return rows;
}
