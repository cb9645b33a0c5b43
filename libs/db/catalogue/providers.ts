import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { LEARNED_FOR_MS, learnedNow } from '#lib/contracts/learned';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Limits, Provider, ProviderKind } from '#lib/contracts/provider';
import type { Model as ModelRow, Provider as ProviderRow } from '../generated/client.js';
import type { Prisma } from '../connection/prisma.js';
import type { TeamScoped } from '../team-isolation.js';

export type StoredProvider = ProviderRow & { models: ModelRow[] };

/** An answer names, and a 404 compares the unknown key with, this many of the team's keys. */
const MAX_COMPARED = 1000;

/**
 * The providers of a team. They are changed by `ProviderChanges`, in the transaction of a request, which Prisma
 * cannot join.
 */
export class ProviderRepository implements TeamScoped {
  constructor(
    readonly prisma: Prisma,
    readonly teamId: string,
  ) {}

  async list({ limit, cursor }: PageQuery): Promise<Page<Provider>> {
    const rows = await this.prisma.provider.findMany({
      where: { team_id: this.teamId, ...(cursor && { id: { lt: cursor } }) },
      include: { models: { orderBy: { position: 'asc' } } },
      orderBy: { id: 'desc' },
      take: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const keys = await this.#keysByLane(shown);
    return {
      items: shown.map((row) => toProvider(row, keys.get(row.lane_id) ?? [])),
      next_cursor: rows.length > limit ? rows[limit - 1]!.id : null,
    };
  }

  /** The key, format and address of each provider, the newest first. */
  async addresses(): Promise<{ key: string; kind: ProviderKind; baseUrl: string }[]> {
    const rows = await this.prisma.provider.findMany({
      where: { team_id: this.teamId },
      select: { key: true, kind: true, base_url: true },
      orderBy: { id: 'desc' },
      take: MAX_COMPARED,
    });
    return rows.map(({ key, kind, base_url: baseUrl }) => ({ key, kind: kind as ProviderKind, baseUrl }));
  }

  /** @throws ProblemError 404 */
  async read(key: string): Promise<Provider> {
    const found = await this.find(key);
    return toProvider(found, (await this.#keysByLane([found])).get(found.lane_id) ?? []);
  }

  /** The keys of the providers that use the lanes of these, in order. */
  async #keysByLane(providers: readonly StoredProvider[]): Promise<Map<string, string[]>> {
    const found = await this.prisma.provider.findMany({
      where: { team_id: this.teamId, lane_id: { in: providers.map((provider) => provider.lane_id) } },
      select: { key: true, lane_id: true },
      orderBy: { key: 'asc' },
      take: MAX_COMPARED,
    });
    const byLane = Map.groupBy(found, (provider) => provider.lane_id);
    return new Map([...byLane].map(([lane, ofLane]) => [lane, ofLane.map(({ key }) => key)]));
  }

  /** @throws ProblemError 404 */
  async find(key: string): Promise<StoredProvider> {
    const provider = await this.prisma.provider.findUnique({
      where: { team_id_key: { team_id: this.teamId, key } },
      include: { models: { orderBy: { position: 'asc' } } },
    });
    if (!provider) throw await this.unknown(key);
    return provider;
  }

  /** The 404 for a key that no provider of the team has, with the keys that are spelled most like it. */
  async unknown(key: string): Promise<ProblemError> {
    const known = await this.prisma.provider.findMany({
      where: { team_id: this.teamId },
      select: { key: true },
      orderBy: { key: 'asc' },
      take: MAX_COMPARED,
    });
    const nearest = suggestNames(
      key,
      known.map((provider) => provider.key),
      'its providers',
    );
    return new ProblemError(404, `No provider "${key}" in this team. ${nearest}`);
  }
}

/** @param ofLane keys of the providers that use its lane */
export function toProvider(row: StoredProvider, ofLane: readonly string[]): Provider {
  return {
    key: row.key,
    name: row.name,
    kind: row.kind,
    base_url: row.base_url,
    api_key_set: row.sealed_key !== null,
    api_key_last4: row.key_last4,
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
      learnedNow(model.learned).map(([setting, { way, said, at }]) => ({
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
