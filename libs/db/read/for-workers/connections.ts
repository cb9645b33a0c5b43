import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { LaneLimits } from '../../catalogue/lane-limits.js';
import type { Pool } from '../../connection/pool.js';

/** A model as its provider describes it now: address, key and price may change while a run is active. */
export interface Connection {
  providerId: string;
  modelId: string;
  kind: ProviderKind;
  baseUrl: string;
  sealedKey: string | null;
  lane: LaneLimits;
  inputCostPerMtok: number | null;
  outputCostPerMtok: number | null;
  unsupportedParams: string[];
  defaultParams: JsonObject;
  refusesRequired: boolean;
}

/** The connections of these models, without those whose provider or model entry was deleted. */
export async function loadConnections(
  pool: Pool,
  models: readonly Pick<Connection, 'providerId' | 'modelId'>[],
): Promise<Connection[]> {
  const { rows } = await pool.query<
    Omit<Connection, 'defaultParams' | 'lane'> & LaneLimits & { defaultParams: string }
  >({
    name: 'load_connections',
    text: `SELECT p.id AS "providerId", m.model_id AS "modelId", p.kind, p.base_url AS "baseUrl", p.sealed_key AS
      "sealedKey",
       m.input_cost_per_mtok AS "inputCostPerMtok", m.output_cost_per_mtok AS "outputCostPerMtok",
         m.unsupported_params AS "unsupportedParams",
       m.default_params AS "defaultParams", m.refuses_required AS "refusesRequired",
       l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at
     FROM unnest($1::uuid[], $2::text[]) AS u(provider, model) JOIN provider p ON p.id = u.provider
       JOIN model m ON m.provider_id = p.id AND m.model_id = u.model
       JOIN lane l ON l.id = coalesce(m.lane_id, p.lane_id)`,
    values: [models.map((one) => one.providerId), models.map((one) => one.modelId)],
  });
  return rows.map(
    ({ id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at, defaultParams, ...model }) => ({
      ...model,
      defaultParams: parseJson(defaultParams) as JsonObject,
      lane: { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at },
    }),
  );
}

/** Remembers that a model refuses `tool_choice: "required"`, so that later requests send "auto". */
export async function rememberRefusesRequired(pool: Pool, providerId: string, modelId: string): Promise<void> {
  await pool.query('UPDATE model SET refuses_required = true WHERE provider_id = $1 AND model_id = $2', [
    providerId,
    modelId,
  ]);
}
