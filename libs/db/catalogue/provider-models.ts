import { ProblemError } from '#lib/contracts/input/problem';
import type { Limits, ModelInput } from '#lib/contracts/provider';
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
 * Replaces the models of a provider. A model that stays in the list keeps what was learned about it.
 * @throws ProblemError 422 when a model is listed twice
 */
export async function replaceModels(
  client: PoolClient,
  sealer: Sealer,
  provider: ProviderOfModels,
  models: readonly ModelInput[],
): Promise<void> {
  refuseRepeated(models);
  // What waits for a model that rests ends when it is removed.
  for (const table of ['model', 'resting_model'])
    await client.query(`DELETE FROM ${table} WHERE provider_id = $1 AND NOT model_id = ANY ($2)`, [
      provider.id,
      models.map((model) => model.id),
    ]);
  for (const [position, model] of models.entries()) {
    const laneId = model.limits && (await laneOfModel(client, sealer, provider, model.id, model.limits));
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

/** The lane of a model that has limits of its own. */
async function laneOfModel(
  client: PoolClient,
  sealer: Sealer,
  provider: ProviderOfModels,
  modelId: string,
  limits: Limits,
): Promise<string> {
  const fingerprint = sealer.fingerprint('model', provider.id, modelId);
  const laneId = await findOrCreateLane(client, provider.teamId, `${provider.key}::${modelId}`, fingerprint);
  await client.query(
    'UPDATE lane SET requests_per_minute = $2, tokens_per_minute = $3, max_concurrency = $4 WHERE id = $1',
    [laneId, limits.requests_per_minute, limits.tokens_per_minute, limits.max_concurrency],
  );
  return laneId;
}

function refuseRepeated(models: readonly ModelInput[]): void {
  const repeated = models.findIndex(({ id }, index) => models.findIndex((other) => other.id === id) < index);
  if (repeated < 0) return;
  throw new ProblemError(422, `The model "${models[repeated]!.id}" is listed twice.`, [
    { path: `/models/${repeated}/id`, message: 'is listed before' },
  ]);
}
