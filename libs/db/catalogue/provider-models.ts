import { ProblemError } from '#lib/contracts/input/problem';
import type { ModelInput } from '#lib/contracts/provider';
import { newId } from '#lib/runtime/ids';
import type { Sealer } from '#lib/runtime/seal';
import type { PoolClient } from '../connection/pool.js';
import { findOrCreateLane } from './provider-lanes.js';

interface ProviderOfModels {
  id: string;
  key: string;
  teamId: string;
}

/**
 * Replaces the models of a provider. A model that stays in the list keeps what was learned about it. Set the limits of
 * their lanes afterwards (`syncModelLanes`).
 * @throws ProblemError 422 when a model is listed twice
 */
export async function replaceModels(
  client: PoolClient,
  sealer: Sealer,
  provider: ProviderOfModels,
  models: readonly ModelInput[],
): Promise<void> {
  refuseRepeated(models);
  await client.query('DELETE FROM model WHERE provider_id = $1 AND NOT model_id = ANY ($2)', [
    provider.id,
    models.map((model) => model.id),
  ]);
  for (const [position, model] of models.entries()) {
    const laneId = model.limits && (await laneOfModel(client, sealer, provider, model.id));
    await client.query(
      `INSERT INTO model (id, provider_id, position, model_id, name, input_cost_per_mtok, output_cost_per_mtok,
         unsupported_params, default_params, limits, lane_id, cache_read_cost_per_mtok, cache_write_5m_cost_per_mtok,
         cache_write_1h_cost_per_mtok)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       ON CONFLICT (provider_id, model_id) DO UPDATE SET position = excluded.position, name = excluded.name,
         input_cost_per_mtok = excluded.input_cost_per_mtok, output_cost_per_mtok = excluded.output_cost_per_mtok,
         unsupported_params = excluded.unsupported_params, default_params = excluded.default_params,
         limits = excluded.limits, lane_id = excluded.lane_id,
         cache_read_cost_per_mtok = excluded.cache_read_cost_per_mtok,
         cache_write_5m_cost_per_mtok = excluded.cache_write_5m_cost_per_mtok,
         cache_write_1h_cost_per_mtok = excluded.cache_write_1h_cost_per_mtok`,
      [
        newId(),
        provider.id,
        position,
        model.id,
        model.name ?? model.id,
        model.input_cost_per_mtok,
        model.output_cost_per_mtok,
        model.unsupported_params,
        JSON.stringify(model.default_params),
        model.limits && JSON.stringify(model.limits),
        laneId,
        model.cache_read_cost_per_mtok,
        model.cache_write_5m_cost_per_mtok,
        model.cache_write_1h_cost_per_mtok,
      ],
    );
  }
}

/** The lane of a model with its own limits. */
function laneOfModel(
  client: PoolClient,
  sealer: Sealer,
  { id, key, teamId }: ProviderOfModels,
  modelId: string,
): Promise<string> {
  return findOrCreateLane(client, teamId, `${key}::${modelId}`, sealer.fingerprint('model', id, modelId));
}

/** Sets the limits of the lanes of a provider's models, after its targets have moved (`lockUser`). */
export async function syncModelLanes(client: PoolClient, providerId: string): Promise<void> {
  await client.query(
    `UPDATE lane SET requests_per_minute = (m.limits::json ->> 'requests_per_minute')::int,
       tokens_per_minute = (m.limits::json ->> 'tokens_per_minute')::int,
       max_concurrency = (m.limits::json ->> 'max_concurrency')::int
     FROM model m WHERE m.provider_id = $1 AND m.lane_id = lane.id AND m.limits IS NOT NULL`,
    [providerId],
  );
}

function refuseRepeated(models: readonly ModelInput[]): void {
  const repeated = models.findIndex(({ id }, index) => models.findIndex((other) => other.id === id) < index);
  if (repeated < 0) return;
  throw new ProblemError(422, `The model "${models[repeated]!.id}" is listed twice.`, [
    { path: `/models/${repeated}/id`, message: 'is listed earlier' },
  ]);
}
