import type { Lane } from '#lib/contracts/lane';
import { RECORDED } from '#lib/contracts/recorded';
import { newId } from '#lib/runtime/ids';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

type StoredLane = Omit<Lane, 'now'>;

/** The lanes of a team that a provider uses or that have work, by name. */
export async function listLanes(pool: Pool | PoolClient, teamId: string, laneId?: string): Promise<StoredLane[]> {
  const { rows } = await pool.query<
    Omit<StoredLane, 'limits' | 'paused_at'> & StoredLane['limits'] & { paused_at: Date | null }
  >(
    `WITH used AS (
       SELECT p.lane_id, p.key FROM provider p WHERE p.team_id = $1 UNION SELECT m.lane_id, p.key FROM provider p
         JOIN model m ON m.provider_id = p.id WHERE p.team_id = $1 AND m.lane_id IS NOT NULL
     )
     SELECT l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at,
       ARRAY(SELECT key FROM used u WHERE u.lane_id = l.id ORDER BY key) AS providers, f.in_flight, f.waiting,
       (SELECT coalesce(sum(t.n - t.settled), 0)::int FROM target t JOIN run r ON r.id = t.run_id
         WHERE t.lane_id = l.id AND t.finished_at IS NULL AND r.status IN ('queued', 'running')) AS backlog
     FROM lane l CROSS JOIN LATERAL (SELECT count(*)::int AS in_flight, count(*) FILTER (WHERE worker IS NULL)::int
       AS waiting FROM in_flight i WHERE i.lane_id = l.id) f
     WHERE l.team_id = $1 AND ($2::uuid IS NULL OR l.id = $2) AND (l.id IN (SELECT lane_id
       FROM used) OR f.in_flight > 0
       OR EXISTS (SELECT 1 FROM target t WHERE t.lane_id = l.id AND t.finished_at IS NULL)) ORDER BY l.name, l.id`,
    [teamId, laneId ?? null],
  );
  return rows.map(({ requests_per_minute, tokens_per_minute, max_concurrency, paused_at, ...lane }) => ({
    ...lane,
    limits: { requests_per_minute, tokens_per_minute, max_concurrency },
    paused_at: paused_at?.toISOString() ?? null,
  }));
}

/** @returns whether the team has such a lane */
export async function pauseLane(
  pool: Pool | PoolClient,
  teamId: string,
  laneId: string,
  paused: boolean,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE lane SET paused_at = CASE WHEN $3 THEN coalesce(paused_at, now()) END WHERE id = $1 AND team_id = $2',
    [laneId, teamId, paused],
  );
  return rowCount === 1;
}

/** Items of recorded runs that are scored at a time, in all processes: each may hold a reply of megabytes. */
const RECORDED_AT_ONCE = 64;

/**
 * The lane of a team's recorded replies. Nobody is asked there, and nothing limits it; without work it is removed
 * like any that no provider uses.
 */
export async function recordedLane(client: PoolClient, teamId: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency) VALUES ($1, $2, $3, $3, $4)
     ON CONFLICT (team_id, fingerprint) DO UPDATE SET name = lane.name RETURNING id`,
    [newId(), teamId, RECORDED, RECORDED_AT_ONCE],
  );
  return rows[0]!.id;
}
