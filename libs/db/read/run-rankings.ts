import type { Ranking } from '#lib/contracts/ranking';
import type { Pool, PoolClient } from '../connection/pool.js';

/** The rankings that were kept of these runs, by their ids. A run that was resumed since has none. */
export async function readRankings(
  db: Pool | PoolClient,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Ranking>> {
  const { rows } = await db.query<{ id: string; ranking: string }>(
    `SELECT r.id, f.ranking FROM unnest($1::uuid[]) AS ids (id)
       JOIN run r ON r.id = ids.id AND r.team_id = $2
       JOIN run_figures f ON f.run_id = r.id AND f.scoring_id = r.id AND f.generation = r.generation
     WHERE f.counted_at IS NOT NULL AND f.ranking IS NOT NULL`,
    [runIds, teamId],
  );
  return new Map(rows.map(({ id, ranking }) => [id, JSON.parse(ranking) as Ranking]));
}
