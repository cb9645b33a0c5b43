import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Page } from '#lib/contracts/page';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { findReservedParams } from '#lib/contracts/params';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';
import type {
  DiscoveredModels,
  ModelInput,
  Provider,
  ProviderInput,
  ProviderKind,
  ProviderPatch,
  ProviderTest,
} from '#lib/contracts/provider';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { forgetLearned, learnSetting } from '#lib/db/catalogue/learned-settings';
import { ProviderChanges } from '#lib/db/engine/provider-changes';
import { ProviderRepository, type StoredProvider } from '#lib/db/catalogue/providers';
import { endRest } from '#lib/db/engine/resting-models';
import type { Pool } from '#lib/db/connection/pool';
import { notify, type Notification } from '#lib/events/notifications';
import { baseUrlProblem, discoverModels, probeProvider } from '#lib/providers/probe';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { Sealer } from '#lib/runtime/seal';
import type { Change } from '../platform/decorators.js';
import { ENV, POOL, REDIS } from '../platform/stores.js';

/** Concurrent provider requests per team for tests and model lists. */
const AT_ONCE_PER_TEAM = 2;
const MAX_WAITING = 10;

/** Manages providers. Workers are notified of a change once it is committed. */
@Injectable()
export class ProviderService {
  readonly #turns = new KeyedSemaphore(
    AT_ONCE_PER_TEAM,
    MAX_WAITING,
    `Your team is querying ${AT_ONCE_PER_TEAM} providers, and ${MAX_WAITING} more are queued. Try again soon.`,
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    @Inject(ENV) readonly env: Env,
    readonly sealer: Sealer,
  ) {}

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Provider>> {
    return this.#providersOf(caller).list({ limit, cursor });
  }

  read(caller: Caller, key: string): Promise<Provider> {
    return this.#providersOf(caller).read(key);
  }

  async create(caller: Caller, input: ProviderInput, change: Change): Promise<Provider> {
    this.#checkBaseUrl(input.base_url);
    checkDefaultParams(input.models);
    return change(async (client) => {
      const provider = await new ProviderChanges(client, caller.teamId, this.sealer).create(input);
      await audit(client, caller, 'provider.create', input.key);
      return provider;
    });
  }

  async update(caller: Caller, key: string, patch: ProviderPatch, change: Change): Promise<Provider> {
    if (patch.base_url) this.#checkBaseUrl(patch.base_url);
    checkDefaultParams(patch.models ?? []);
    let notifications: Notification[] = [];
    const provider = await change(async (client) => {
      const updated = await new ProviderChanges(client, caller.teamId, this.sealer).update(key, patch);
      if (!updated) throw await new ProviderRepository(client, caller.teamId).unknown(key);
      await audit(client, caller, 'provider.update', key);
      const { lanes, jobs } = updated.moved;
      notifications = [
        { topic: 'provider', id: key },
        ...lanes.map((id): Notification => ({ topic: 'lane', id })),
        ...jobs.map((id): Notification => ({ topic: 'job', id })),
      ];
      return updated.provider;
    });
    for (const notification of notifications) void notify(this.redis, notification);
    return provider;
  }

  async delete(caller: Caller, key: string, change: Change): Promise<void> {
    await change(async (client) => {
      const outcome = await new ProviderChanges(client, caller.teamId, this.sealer).delete(key);
      if (outcome === 'not-found') throw await new ProviderRepository(client, caller.teamId).unknown(key);
      if (outcome === 'in-use')
        throw new ProblemError(409, `An unfinished run uses "${key}". Cancel it, or wait for it to end.`);
      await audit(client, caller, 'provider.delete', key);
    });
    void notify(this.redis, { topic: 'provider', id: key });
  }

  /**
   * Sends a small request to a model, by default the first one. What was learned about the model is forgotten and
   * learned again. A failing provider is a result, not an error.
   */
  async test(caller: Caller, key: string, modelId: string | undefined): Promise<z.infer<typeof ProviderTest>> {
    const provider = await this.#providersOf(caller).find(key);
    const model = modelOf(provider, modelId);
    const learned: z.infer<typeof ProviderTest>['learned'] = [];
    const target = {
      ...this.#endpoint(provider),
      modelId: model.model_id,
      unsupportedParams: model.unsupported_params,
      defaultParams: parseJson(model.default_params) as JsonObject,
    };
    const { ok, latencyMs, error } = await this.#turns.run(caller.teamId, async () => {
      await forgetLearned(this.pool, provider.id, model.model_id);
      return probeProvider(target, async (refusal) => {
        const { setting, way, said } = refusal;
        learned.push({ setting, sent: way, said });
        await learnSetting(this.pool, provider.id, model.model_id, refusal);
      });
    });
    if (ok) await endRest(this.pool, provider.id, model.model_id);
    void notify(this.redis, { topic: 'provider', id: key });
    return { ok, latency_ms: latencyMs, error, learned };
  }

  /** Forgets what was learned about one model or all: they are sent requests as runs specify them again. */
  async forget(caller: Caller, key: string, modelId: string | undefined, change: Change): Promise<void> {
    const provider = await this.#providersOf(caller).find(key);
    if (modelId !== undefined) modelOf(provider, modelId);
    await change(async (client) => {
      await forgetLearned(client, provider.id, modelId);
      await audit(client, caller, 'provider.forget', key);
    });
    void notify(this.redis, { topic: 'provider', id: key });
  }

  async discoverModels(caller: Caller, key: string): Promise<z.infer<typeof DiscoveredModels>> {
    const provider = await this.#providersOf(caller).find(key);
    const endpoint = this.#endpoint(provider);
    const asked = (): Promise<string[]> =>
      discoverModels(endpoint).catch((error: Error) => {
        const wayOut = `Models can be added by their ids with PATCH /api/providers/${key}.`;
        throw new ProblemError(422, `"${key}" lists no models: ${endWithPeriod(error.message)} ${wayOut}`);
      });
    const models = await this.#turns.run(caller.teamId, asked);
    return { models: models.map((id) => ({ id })) };
  }

  #providersOf({ teamId }: Caller): ProviderRepository {
    return new ProviderRepository(this.pool, teamId);
  }

  #endpoint(provider: StoredProvider) {
    return {
      kind: provider.kind as ProviderKind,
      baseUrl: provider.base_url,
      apiKey: provider.sealed_key && this.sealer.open(provider.sealed_key, provider.id),
      allowPrivateNetworks: this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS,
    };
  }

  #checkBaseUrl(baseUrl: string): void {
    const problem = baseUrlProblem(baseUrl, this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS);
    if (problem) throw new ProblemError(422, problem, [{ path: '/base_url', message: problem }]);
  }
}

/**
 * @param modelId the first model if undefined
 * @throws ProblemError 422 when the provider has no such model
 */
function modelOf({ key, models }: StoredProvider, modelId: string | undefined): StoredProvider['models'][number] {
  const model = modelId === undefined ? models[0] : models.find((one) => one.model_id === modelId);
  if (model) return model;
  if (modelId === undefined)
    throw new ProblemError(422, `"${key}" has no models to test with. Add one with PATCH /api/providers/${key}.`);
  const ids = models.map((one) => one.model_id);
  throw new ProblemError(422, `"${key}" has no model "${modelId}". ${suggestNames(modelId, ids, 'its models')}`);
}

/** @throws ProblemError 422 when default parameters include one that runs set themselves */
function checkDefaultParams(models: readonly ModelInput[]): void {
  const errors = models.flatMap((model, index) =>
    findReservedParams(model.default_params, 'models', index, 'default_params'),
  );
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}
