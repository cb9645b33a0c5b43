import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { LEARNED_FOR_MS, readLearnedSettings } from '#lib/contracts/learned';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import { ClientCertificate, type Limits, type Provider, type ProviderKind } from '#lib/contracts/provider';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Model as ModelRow, Provider as ProviderRow } from '../generated/client.js';
import { TeamScoped } from '../team-isolation.js';
import { toPage } from './page.js';

export type StoredProvider = ProviderRow & { models: ModelRow[] };

/** Maximum number of the team's keys that a response lists, and that a 404 compares the unknown key with. */
const MAX_COMPARED = 1000;

/** The providers of a team. `ProviderChanges` changes them. */
export class ProviderRepository extends TeamScoped {
  async list({ limit, cursor }: PageQuery): Promise<Page<Provider>> {
    const { rows } = await this.db.query<ProviderRow>(
      'SELECT * FROM provider WHERE team_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3',
      [this.teamId, cursor ?? null, limit + 1],
    );
    const { items, next_cursor } = toPage(rows, limit);
    const keys = await this.#keysByLane(items);
    const providers = await withModels(this.db, items);
    return { items: providers.map((row) => toProvider(row, keys.get(row.lane_id) ?? [])), next_cursor };
  }

  /** All providers with their models, by key. */
  async all(): Promise<StoredProvider[]> {
    const { rows } = await this.db.query<ProviderRow>('SELECT * FROM provider WHERE team_id = $1 ORDER BY key', [
      this.teamId,
    ]);
    return withModels(this.db, rows);
  }

  /** The key, format and address of each provider, newest first. */
  async addresses(): Promise<{ key: string; kind: ProviderKind; baseUrl: string }[]> {
    const { rows } = await this.db.query<{ key: string; kind: ProviderKind; baseUrl: string }>(
      'SELECT key, kind, base_url AS "baseUrl" FROM provider WHERE team_id = $1 ORDER BY id DESC LIMIT $2',
      [this.teamId, MAX_COMPARED],
    );
    return rows;
  }

  /** @throws ProblemError 404 */
  async read(key: string): Promise<Provider> {
    const found = await this.find(key);
    return toProvider(found, (await this.#keysByLane([found])).get(found.lane_id) ?? []);
  }

  /** The keys of the providers that share lanes with these, in order. */
  async #keysByLane(providers: readonly ProviderRow[]): Promise<Map<string, string[]>> {
    const { rows } = await this.db.query<{ key: string; lane_id: string }>(
      'SELECT key, lane_id FROM provider WHERE team_id = $1 AND lane_id = ANY ($2) ORDER BY key LIMIT $3',
      [this.teamId, providers.map((provider) => provider.lane_id), MAX_COMPARED],
    );
    const byLane = Map.groupBy(rows, (provider) => provider.lane_id);
    return new Map([...byLane].map(([lane, ofLane]) => [lane, ofLane.map(({ key }) => key)]));
  }

  /** @throws ProblemError 404 */
  async find(key: string): Promise<StoredProvider> {
    const { rows } = await this.db.query<ProviderRow>('SELECT * FROM provider WHERE team_id = $1 AND key = $2', [
      this.teamId,
      key,
    ]);
    const [provider] = await withModels(this.db, rows);
    if (!provider) throw await this.unknown(key);
    return provider;
  }

  /** The 404 for an unknown provider key, with the team's most similar keys. */
  async unknown(key: string): Promise<ProblemError> {
    const { rows } = await this.db.query<{ key: string }>(
      'SELECT key FROM provider WHERE team_id = $1 ORDER BY key LIMIT $2',
      [this.teamId, MAX_COMPARED],
    );
    const known = rows.map((provider) => provider.key);
    return new ProblemError(404, `No provider "${key}" in this team. ${suggestNames(key, known, 'its providers')}`);
  }
}

/** Adds each provider's models, in their order. */
export async function withModels(db: Pool | PoolClient, providers: readonly ProviderRow[]): Promise<StoredProvider[]> {
  if (providers.length === 0) return [];
  const { rows } = await db.query<ModelRow>('SELECT * FROM model WHERE provider_id = ANY ($1) ORDER BY position', [
    providers.map(({ id }) => id),
  ]);
  const byProvider = Map.groupBy(rows, (model) => model.provider_id);
  return providers.map((provider) => ({ ...provider, models: byProvider.get(provider.id) ?? [] }));
}

/** A provider for the audit. @param sealed tells secrets apart */
export const auditedProvider = (
  { name, kind, base_url, api_key_last4, api_key_ref, headers, client_certificate, limits, models }: Provider,
  sealed: Pick<ProviderRow, 'sealed_key' | 'sealed_headers'>,
) => ({
  ...{ name, kind, base_url, api_key: sealed.sealed_key, api_key_last4, api_key_ref, client_certificate, limits },
  header_names: headers.length === 0 ? null : headers.map((header) => `${header.name} (${header.kind})`),
  header_values: sealed.sealed_headers,
  models: Object.fromEntries(models.map(({ id, ...model }) => [id, model])),
});

/** @param ofLane keys of the providers that share its lane */
export function toProvider(row: StoredProvider, ofLane: readonly string[]): Provider {
  return {
    key: row.key,
    name: row.name,
    kind: row.kind,
    base_url: row.base_url,
    api_key_set: row.sealed_key !== null,
    api_key_last4: row.key_last4,
    api_key_ref: row.api_key_ref,
    headers: (JSON.parse(row.headers) as Provider['headers']).map(({ name, kind }) => ({ name, kind })),
    client_certificate:
      row.client_certificate === null ? null : ClientCertificate.parse(JSON.parse(row.client_certificate)),
    limits: {
      requests_per_minute: row.requests_per_minute,
      tokens_per_minute: row.tokens_per_minute,
      max_concurrency: row.max_concurrency,
    },
    models: row.models.map((model) => ({
      id: model.model_id,
      name: model.name,
      input_cost_per_mtok: model.input_cost_per_mtok,
      output_cost_per_mtok: model.output_cost_per_mtok,
      cache_read_cost_per_mtok: model.cache_read_cost_per_mtok,
      cache_write_5m_cost_per_mtok: model.cache_write_5m_cost_per_mtok,
      cache_write_1h_cost_per_mtok: model.cache_write_1h_cost_per_mtok,
      unsupported_params: model.unsupported_params,
      default_params: parseJson(model.default_params) as JsonObject,
      limits: model.limits === null ? null : (JSON.parse(model.limits) as Limits),
    })),
    learned: row.models.flatMap((model) =>
      readLearnedSettings(model.learned).map(([setting, { way, said, at }]) => ({
        model: model.model_id,
        setting,
        sent: way,
        said,
        until: new Date(Date.parse(at) + LEARNED_FOR_MS).toISOString(),
      })),
    ),
    shares_limits_with: ofLane.filter((key) => key !== row.key),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
