import type { ModelPrices } from '#lib/contracts/cost';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { readSettingChanges, type SettingChanges } from '#lib/contracts/learned';
import type { LaneLimits } from '../../catalogue/lane-limits.js';
import { ACCESS_COLUMNS, type ProviderAccess } from '../../catalogue/provider-access.js';
import type { Pool } from '../../connection/pool.js';

/** SQL of the prices of the model `m`. */
export const PRICE_COLUMNS = `m.input_cost_per_mtok AS "inputCostPerMtok",
  m.output_cost_per_mtok AS "outputCostPerMtok", m.cache_read_cost_per_mtok AS "cacheReadCostPerMtok",
  m.cache_write_5m_cost_per_mtok AS "cacheWrite5mCostPerMtok",
  m.cache_write_1h_cost_per_mtok AS "cacheWrite1hCostPerMtok"`;

/** The current configuration of a model at its provider: address, key and price may change while a run is active. */
export interface Connection extends ModelPrices, ProviderAccess {
  modelId: string;
  kind: ProviderKind;
  lane: LaneLimits;
  unsupportedParams: string[];
  defaultParams: JsonObject;
  /** Settings that it has recently refused, and how they are sent to it instead. */
  learned: SettingChanges;
}

/** The connections of these models, without those whose provider or model entry was deleted. */
export async function loadConnections(
  pool: Pool,
  models: readonly Pick<Connection, 'providerId' | 'modelId'>[],
): Promise<Connection[]> {
  const { rows } = await pool.query<
    Omit<Connection, 'defaultParams' | 'lane' | 'learned'> & LaneLimits & { defaultParams: string; learned: string }
  >({
    name: 'load_connections',
    text: `SELECT m.model_id AS "modelId", p.kind, ${ACCESS_COLUMNS},
       ${PRICE_COLUMNS}, m.unsupported_params AS "unsupportedParams",
       m.default_params AS "defaultParams", m.learned,
       l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at
     FROM unnest($1::uuid[], $2::text[]) AS u(provider, model) JOIN provider p ON p.id = u.provider
       JOIN model m ON m.provider_id = p.id AND m.model_id = u.model
       JOIN lane l ON l.id = coalesce(m.lane_id, p.lane_id)`,
    values: [models.map((one) => one.providerId), models.map((one) => one.modelId)],
  });
  return rows.map(
    ({
      id,
      name,
      requests_per_minute,
      tokens_per_minute,
      max_concurrency,
      paused_at,
      defaultParams,
      learned,
      ...model
    }) => ({
      ...model,
      defaultParams: parseJson(defaultParams) as JsonObject,
      learned: readSettingChanges(learned),
      lane: { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at },
    }),
  );
}
