import { newId } from '#lib/runtime/ids';
import type { Pool, PoolClient } from '../connection/pool.js';

/**
 * The lane of a team with this fingerprint. A new one gets this name and the default limits. It cannot be removed until
 * the transaction ends, and may be changed: lanes are locked for a change after targets.
 */
export async function findOrCreateLane(
  client: Pool | PoolClient,
  teamId: string,
  name: string,
  fingerprint: string,
  maxConcurrency = 8,
): Promise<string> {
  for (;;) {
    const found = await client.query<{ id: string }>(
      'SELECT id FROM lane WHERE team_id = $1 AND fingerprint = $2 FOR KEY SHARE',
      [teamId, fingerprint],
    );
    if (found.rows[0]) return found.rows[0].id;
    const made = await client.query<{ id: string }>(
      `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (team_id, fingerprint) DO NOTHING RETURNING id`,
      [newId(), teamId, name, fingerprint, maxConcurrency],
    );
    if (made.rows[0]) return made.rows[0].id;
  }
}

const LANES = `SELECT lane_id FROM provider WHERE id = $1
  UNION SELECT lane_id FROM model WHERE provider_id = $1 AND lane_id IS NOT NULL`;

/** The lanes of a provider and its models. */
export async function lanesOfProvider(client: PoolClient, providerId: string): Promise<string[]> {
  return (await client.query<{ lane_id: string }>(LANES, [providerId])).rows.map((row) => row.lane_id);
}

/** How many lanes a provider has that it had not before, and that no other provider uses. */
export async function countNewLanes(
  client: PoolClient,
  { providerId, before }: { providerId: string; before: readonly string[] },
): Promise<number> {
  const { rows } = await client.query<{ lanes: number }>(
    `SELECT count(*)::int AS lanes FROM (${LANES}) own WHERE lane_id <> ALL ($2)
       AND NOT EXISTS (SELECT 1 FROM provider p WHERE p.lane_id = own.lane_id AND p.id <> $1)`,
    [providerId, before],
  );
  return rows[0]!.lanes;
}

/** Gives each lane of shared credentials the strictest limits of the providers that use it. */
export async function syncLaneLimits(client: PoolClient, laneIds: string[]): Promise<void> {
  await client.query(
    `UPDATE lane SET requests_per_minute = s.rpm, tokens_per_minute = s.tpm, max_concurrency = s.concurrency
     FROM (
       SELECT lane_id, min(requests_per_minute) AS rpm, min(tokens_per_minute) AS tpm,
         min(max_concurrency) AS concurrency
       FROM provider WHERE lane_id = ANY ($1) GROUP BY lane_id
     ) s WHERE lane.id = s.lane_id`,
    [laneIds],
  );
}
