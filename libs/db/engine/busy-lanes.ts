import type { LaneLimits } from '../catalogue/lane-limits.js';
import type { Pool } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';

/** A lane with items to dispatch or in flight that workers of this level can play. */
export interface BusyLane extends LaneLimits {
  team_id: string;
  /** The levels of its items. */
  levels: number[];
}

/** How full a lane is. */
export interface LoadedLane extends BusyLane {
  /** Whether it has items to dispatch. */
  waiting: boolean;
  /** Items queued or claimed. */
  in_flight: number;
}

/** A lane's items have one level, or two during an upgrade. Bits, because they are added up faster than arrays. */
const levelsOf = (bits: number): number[] => Array.from({ length: 31 }, (_, n) => n).filter((n) => bits & (1 << n));

const LIMITS = 'l.id, l.name, l.team_id, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at';

/**
 * SQL: the next pair of a lane and a level after `last`, from an index. Each pair costs one probe, however many rows
 * have it: Postgres would otherwise read all of them.
 */
const next = (from: string, where: string, lane: string, level: string): string =>
  `SELECT ${lane} AS lane_id, ${level}::int AS level FROM ${from} WHERE ${where} ORDER BY ${lane}, ${level} LIMIT 1`;
function pairsOf(from: string, where: string, lane: string, level: string): string {
  const isLater = `${where} AND (${lane}, ${level}) > (last.lane_id, last.level)`;
  return `(${next(from, where, lane, level)})
    UNION ALL SELECT found.* FROM pairs last CROSS JOIN LATERAL (${next(from, isLater, lane, level)}) found`;
}

/**
 * The lanes of all teams that have work. It costs as much as there are such lanes, whatever is in flight in them.
 * @returns with the seconds since a worker last served each; null when none ever did
 */
export async function busyLanes(pool: Pool): Promise<(BusyLane & { idleS: number | null })[]> {
  const { rows } = await pool.query<Omit<BusyLane, 'levels'> & { bits: number; idleS: number | null }>({
    name: 'busy_lanes',
    text: `WITH work AS (
        SELECT lane_id, bit_or(1 << level) AS bits FROM (
          (WITH RECURSIVE pairs AS (${pairsOf('target t', 't.active_for IS NOT NULL', 't.lane_id', 't.active_for')})
            SELECT * FROM pairs)
          UNION ALL
          (WITH RECURSIVE pairs AS (${pairsOf('in_flight i', 'true', LANE_OF_ITEM, 'i.worker_level')})
            SELECT * FROM pairs)
        ) pair WHERE level <= (SELECT level_of_session()) GROUP BY lane_id
      )
      SELECT ${LIMITS}, work.bits, extract(epoch FROM now() - s.at)::float8 AS "idleS"
      FROM work JOIN lane l ON l.id = work.lane_id LEFT JOIN served s ON s.key = 'lane ' || l.id`,
  });
  return rows.map(({ bits, ...lane }) => ({ ...lane, levels: levelsOf(bits) }));
}

/** How full these lanes are, without those that have no work. */
export async function laneLoads(pool: Pool, laneIds: readonly string[]): Promise<LoadedLane[]> {
  const { rows } = await pool.query<Omit<LoadedLane, 'levels'> & { bits: number }>({
    name: 'loads_of_lanes',
    text: `SELECT ${LIMITS}, work.bits IS NOT NULL AS waiting, flight.n AS in_flight,
        coalesce(work.bits, 0) | coalesce(flight.bits, 0) AS bits
      FROM lane l CROSS JOIN LATERAL (
        SELECT bit_or(1 << t.active_for) AS bits FROM target t
        WHERE t.lane_id = l.id AND t.active_for <= (SELECT level_of_session())
      ) work CROSS JOIN LATERAL (
        SELECT count(*)::int AS n, bit_or(1 << i.worker_level) AS bits FROM in_flight i
        WHERE ${LANE_OF_ITEM} = l.id AND i.worker_level <= (SELECT level_of_session())
      ) flight
      WHERE l.id = ANY ($1) AND (work.bits IS NOT NULL OR flight.n > 0)`,
    values: [laneIds],
  });
  return rows.map(({ bits, ...lane }) => ({ ...lane, levels: levelsOf(bits) }));
}

/** The lanes in which a run still has items to dispatch. */
export async function lanesOfRuns(pool: Pool, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ lane_id: string }>(
    'SELECT DISTINCT lane_id FROM target WHERE run_id = ANY ($1) AND active_for IS NOT NULL',
    [runIds],
  );
  return rows.map((row) => row.lane_id);
}
