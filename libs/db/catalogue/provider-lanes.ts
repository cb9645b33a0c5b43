import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';

/** The lane of a team with this fingerprint. A new one has this name, and the default limits. */
export async function findOrCreateLane(
  client: PoolClient,
  teamId: string,
  name: string,
  fingerprint: string,
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency) VALUES ($1, $2, $3, $4, 8)
     ON CONFLICT (team_id, fingerprint) DO UPDATE SET name = lane.name RETURNING id`,
    [newId(), teamId, name, fingerprint],
  );
  return rows[0]!.id;
}

/** Gives lanes of credentials the strictest limits of the providers that share them. */
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
