import type { Pool } from '../connection/pool.js';

/** A worker of which Postgres has heard lately. */
export interface LiveWorker {
  id: string;
  /** The level of its sessions, which is what it finds work by. */
  level: number;
  /** Whether it reached Redis when it was last heard of. */
  hasRedis: boolean;
}

/** A worker that Postgres has not heard of for this long counts as gone. */
export const MAX_SILENCE_S = 8;

export interface Pulse {
  /** The level of the sessions of this worker: a pooler may drop it. */
  level: number;
  /** The other workers that are alive. */
  others: LiveWorker[];
  /** Seconds since each of the keys was last served; a key without an entry never was. */
  idleS: Record<string, number>;
}

/**
 * Tells the other workers that this one is alive and what it has served, and reads the same of them. Only the clock of
 * Postgres counts.
 * @param served what this worker has served since its last call: `step <name>` or `lane <id>`
 * @param keys what to read the time of
 */
export async function pulse(
  pool: Pool,
  { id, hasRedis }: Omit<LiveWorker, 'level'>,
  served: readonly string[],
  keys: readonly string[],
): Promise<Pulse> {
  const { rows } = await pool.query<Pulse>({
    name: 'pulse',
    // Keys in order: workers that serve the same ones do not wait for each other in a circle.
    text: `WITH me AS (
        INSERT INTO worker (id, level, has_redis, seen_at) VALUES ($1, level_of_session(), $2, now())
        ON CONFLICT (id) DO UPDATE
          SET level = excluded.level, has_redis = excluded.has_redis, seen_at = excluded.seen_at
      ), noted AS (
        INSERT INTO served (key, at) SELECT key, now() FROM unnest($3::text[]) AS key ORDER BY key
        ON CONFLICT (key) DO UPDATE SET at = excluded.at
      )
      SELECT level_of_session() AS level, coalesce((
          SELECT json_agg(json_build_object('id', id, 'level', level, 'hasRedis', has_redis)) FROM worker
          WHERE seen_at > now() - $5 * interval '1 s' AND id <> $1
        ), '[]') AS others,
        coalesce((
          SELECT json_object_agg(key, extract(epoch FROM now() - at)) FROM served WHERE key = ANY ($4)
        ), '{}') AS "idleS"`,
    values: [id, hasRedis, served, keys, MAX_SILENCE_S],
  });
  return rows[0]!;
}

/** Records that a worker takes no more work. */
export async function leaveFleet(pool: Pool, workerId: string): Promise<void> {
  await pool.query('DELETE FROM worker WHERE id = $1', [workerId]);
}

/** Forgets workers that ended without saying so, and what nobody has served for a day. */
export async function forgetSilentWorkers(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM worker WHERE seen_at < now() - interval '10 min'`);
  await pool.query(`DELETE FROM served WHERE at < now() - interval '1 day'`);
}
