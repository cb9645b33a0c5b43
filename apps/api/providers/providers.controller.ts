import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import {
  DiscoveredModels,
  Provider,
  ProviderInput,
  ProviderPatch,
  ProviderQuery,
  ProviderTemplates,
  ProviderTest,
  type ModelInput,
  type ProviderKind,
} from '#lib/contracts/provider';
import type { Caller } from '#lib/db/catalogue/callers';
import { PROVIDER_TEMPLATES } from '#lib/providers/templates';
import { About, Answers, Changes, idCursor, Me, Needs, TakesUpTo, type Change } from '../platform/decorators.js';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { findReservedParams } from '#lib/contracts/params';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { forgetLearned, learnSetting } from '#lib/db/catalogue/learned-settings';
import { ProviderChanges } from '#lib/db/engine/provider-changes';
import { ProviderRepository, type StoredProvider } from '#lib/db/catalogue/providers';
import { endRest } from '#lib/db/engine/resting-models';
import { accessOf } from '#lib/db/catalogue/provider-access';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { notify, type Notification } from '#lib/events/notifications';
import { egressOf } from '#lib/egress/egress';
import { openAccess } from '#lib/providers/access';
import { baseUrlProblem, discoverModels, probeProvider } from '#lib/providers/probe';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { Redis } from '#lib/runtime/redis';
import type { KeyRefs } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { ENV, KEY_REFS, POOL, REDIS } from '../platform/stores.js';

/** Concurrent provider requests per team for tests and model lists. */
const AT_ONCE_PER_TEAM = 2;

/** Enough for a thousand models with their prices. */
const MODELS_BYTES = 2 ** 20;

type ModelOfProvider = z.infer<typeof ProviderQuery>;

/** Manages providers. Workers are notified of a change once it is committed. */
@Controller('api/providers')
export class ProvidersController {
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
    @Inject(KEY_REFS) readonly keyRefs: KeyRefs,
  ) {}

  @Get()
  @About('List providers', 'The newest first. Keys are never returned.')
  @Answers(200, pageOf(Provider))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType): Promise<Page<Provider>> {
    return this.#providersOf(caller).list({ limit, cursor: idCursor(cursor) });
  }

  @Post()
  @TakesUpTo(MODELS_BYTES, ProviderInput)
  @About('Register a provider', 'Sends it no requests: `POST /api/providers/{key}/test` tries it.')
  @Needs('owner')
  @Answers(201, Provider, 409)
  async create(@Me() caller: Caller, @Body({ schema: ProviderInput }) input: ProviderInput, @Changes() change: Change) {
    this.#checkBaseUrl(input.base_url);
    checkDefaultParams(input.models);
    return change(async (client) => {
      const made = await this.#changesOf(client, caller).create(input);
      await audit(client, caller, 'provider.create', input.key, made.change);
      return made.provider;
    });
  }

  @Get('templates')
  @About('List provider templates', 'Base URLs and quirks of common hosts, by their public documentation.')
  @Answers(200, ProviderTemplates)
  templates() {
    return { items: PROVIDER_TEMPLATES };
  }

  @Get(':key')
  @About('Read a provider', 'One provider with its limits and models.')
  @Answers(200, Provider, 404)
  read(@Me() caller: Caller, @Param('key') key: string): Promise<Provider> {
    return this.#providersOf(caller).read(key);
  }

  @Patch(':key')
  @TakesUpTo(MODELS_BYTES, ProviderPatch)
  @About(
    'Change a provider',
    'Fields that you leave out stay. Active runs continue with the new values. Key, headers and ' +
      'client certificate do not move to another origin by themselves.',
  )
  @Needs('owner')
  @Answers(200, Provider, 404, 422)
  async update(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Body({ schema: ProviderPatch }) patch: ProviderPatch,
    @Changes() change: Change,
  ): Promise<Provider> {
    if (patch.base_url) this.#checkBaseUrl(patch.base_url);
    checkDefaultParams(patch.models ?? []);
    let notifications: Notification[] = [];
    const provider = await change(async (client) => {
      const updated = await this.#changesOf(client, caller).update(key, patch);
      if (!updated) throw await new ProviderRepository(client, caller.teamId).unknown(key);
      await audit(client, caller, 'provider.update', key, updated.change);
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

  @Delete(':key')
  @About('Delete a provider', 'Refused with 409 while an unfinished run uses it. Results of earlier runs stay.')
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  async remove(@Me() caller: Caller, @Param('key') key: string, @Changes() change: Change): Promise<void> {
    await change(async (client) => {
      const outcome = await this.#changesOf(client, caller).delete(key);
      if (outcome === 'not-found') throw await new ProviderRepository(client, caller.teamId).unknown(key);
      if (outcome === 'in-use')
        throw new ProblemError(409, `An unfinished run uses "${key}". Cancel it, or wait for it to end.`).as(
          'provider_in_use',
          { key },
        );
      await audit(client, caller, 'provider.delete', key, outcome);
    });
    void notify(this.redis, { topic: 'provider', id: key });
  }

  /**
   * Sends a small request to a model, by default the first one. What was learned about the model is forgotten and
   * learned again. A failing provider is a result, not an error.
   */
  @Post(':key/test')
  @About(
    'Test a provider',
    'Sends a model what a run sends by default, with one small tool. It answers 200 also when the provider fails, ' +
      'with the error of the provider. What was learned about the model is forgotten and learned again.',
  )
  @HttpCode(200)
  @Answers(200, ProviderTest, 404, 422)
  async test(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Query({ schema: ProviderQuery }) { model: modelId }: ModelOfProvider,
  ): Promise<z.infer<typeof ProviderTest>> {
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
  @Delete(':key/learned')
  @About(
    'Forget refused parameters',
    'Sends models, or one of them, the parameters they refused again. Otherwise a refusal is forgotten a day ' +
      'after it was learned.',
  )
  @Needs('owner')
  @Answers(204, undefined, 404, 422)
  async forget(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Query({ schema: ProviderQuery }) { model }: ModelOfProvider,
    @Changes() change: Change,
  ): Promise<void> {
    const provider = await this.#providersOf(caller).find(key);
    if (model !== undefined) modelOf(provider, model);
    await change(async (client) => {
      await forgetLearned(client, provider.id, model);
      await audit(client, caller, 'provider.forget', key, { before: { model: model ?? 'all' } });
    });
    void notify(this.redis, { topic: 'provider', id: key });
  }

  /** Needs an editor because, like a test, it sends a request with the team's key. */
  @Get(':key/discover')
  @About('List the models of an endpoint', 'Asks the endpoint for its models. None of them is added to the provider.')
  @Needs('editor')
  @Answers(200, DiscoveredModels, 404)
  async discover(@Me() caller: Caller, @Param('key') key: string): Promise<z.infer<typeof DiscoveredModels>> {
    const provider = await this.#providersOf(caller).find(key);
    const endpoint = this.#endpoint(provider);
    const asked = (): Promise<string[]> =>
      discoverModels(endpoint).catch((error: Error) => {
        const why = endWithPeriod(error.message);
        throw new ProblemError(422, `"${key}" lists no models: ${why} Models can be added by their ids.`).as(
          'models_not_listed',
          { key },
        );
      });
    const models = await this.#turns.run(caller.teamId, asked);
    return { models: models.map((id) => ({ id })) };
  }

  #providersOf({ teamId }: Caller): ProviderRepository {
    return new ProviderRepository(this.pool, teamId);
  }

  #changesOf(client: PoolClient, { teamId }: Caller): ProviderChanges {
    return new ProviderChanges(client, teamId, { sealer: this.sealer, keyRefs: this.keyRefs });
  }

  /** @throws UnsealError, KeyRefProblem */
  #endpoint(provider: StoredProvider) {
    return {
      ...openAccess(accessOf(provider), { sealer: this.sealer, keyRefs: this.keyRefs }),
      kind: provider.kind as ProviderKind,
      egress: egressOf(this.env),
    };
  }

  #checkBaseUrl(baseUrl: string): void {
    const problem = baseUrlProblem(baseUrl, egressOf(this.env));
    if (problem) throw new ProblemError(422, problem, [{ path: '/base_url', message: problem }]);
  }
}

const MAX_WAITING = 10;

/**
 * @param modelId the first model if undefined
 * @throws ProblemError 422 when the provider has no such model
 */
function modelOf({ key, models }: StoredProvider, modelId: string | undefined): StoredProvider['models'][number] {
  const model = modelId === undefined ? models[0] : models.find((one) => one.model_id === modelId);
  if (model) return model;
  if (modelId === undefined)
    throw new ProblemError(422, `"${key}" has no models to test with. Add one first.`).as('provider_without_models', {
      key,
    });
  const ids = models.map((one) => one.model_id);
  const nearest = suggestNames(modelId, ids, 'its models');
  throw new ProblemError(422, `"${key}" has no model "${modelId}". ${nearest}`).as('unknown_model', { model: modelId });
}

/** @throws ProblemError 422 when default parameters include one that runs set themselves */
function checkDefaultParams(models: readonly ModelInput[]): void {
  const errors = models.flatMap((model, index) =>
    findReservedParams(model.default_params, 'models', index, 'default_params'),
  );
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}
