import type { Pool } from '#lib/db/connection/pool';

/** The models that their providers no longer have. */
export async function findMissingModels<Target extends { providerId: string; modelId: string }>(
  pool: Pool,
  targets: readonly Target[],
): Promise<Target[]> {
  const { rows } = await pool.query<{ ordinal: number }>(
    `SELECT u.ordinal::int FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider_id, model_id, ordinal)
     WHERE NOT EXISTS (SELECT 1 FROM model m WHERE m.provider_id = u.provider_id AND m.model_id = u.model_id)
     ORDER BY u.ordinal`,
    [targets.map(({ providerId }) => providerId), targets.map(({ modelId }) => modelId)],
  );
  return rows.map(({ ordinal }) => targets[ordinal - 1]!);
}
