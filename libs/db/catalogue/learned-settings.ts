import type { Refusal } from '#lib/contracts/learned';
import { toStorable } from '#lib/contracts/json/storable';
import type { Pool, PoolClient } from '../connection/pool.js';

/** Maximum number of settings learned per model; more would be made up by a host. */
const MAX_LEARNED = 40;

/** Stores for a model how a setting must be sent, so that later requests are not rejected for it. */
export async function learnSetting(
  pool: Pool,
  providerId: string,
  modelId: string,
  { setting, way, said }: Refusal,
): Promise<void> {
  await pool.query(
    `UPDATE model SET learned = (learned::jsonb || jsonb_build_object($3::text,
       jsonb_build_object('way', $4::text, 'said', $5::text, 'at', $6::text)))::text
     WHERE provider_id = $1 AND model_id = $2
       AND (learned::jsonb ? $3 OR (SELECT count(*) FROM jsonb_object_keys(learned::jsonb)) < ${MAX_LEARNED})`,
    [providerId, modelId, setting, way, toStorable(said), new Date().toISOString()],
  );
}

/**
 * Forgets what was learned about a provider's model, or about all of them, so that requests follow the run's settings
 * again.
 */
export async function forgetLearned(db: Pool | PoolClient, providerId: string, modelId?: string): Promise<void> {
  await db.query(
    `UPDATE model SET learned = '{}'
     WHERE provider_id = $1 AND model_id = coalesce($2, model_id) AND learned <> '{}'`,
    [providerId, modelId ?? null],
  );
}
