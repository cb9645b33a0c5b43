import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Prisma } from '#lib/db/connection/prisma';
import type { Env } from '#lib/runtime/env';
import { Sealer } from '#lib/runtime/seal';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { findReservedParams } from '#lib/contracts/params';
import { ProblemError } from '#lib/contracts/problem';
import {
  DiscoveredModels,
  type ModelInput,
  Provider,
  ProviderInput,
  ProviderPatch,
  ProviderTemplates,
  ProviderTest,
  type ProviderKind,
} from '#lib/contracts/provider';
import { audit } from '#lib/db/catalogue/audit';
import { ProviderChanges } from '#lib/db/catalogue/provider-changes';
import { ProviderRepository, toProvider, type StoredProvider } from '#lib/db/catalogue/providers';
import type { Caller } from '#lib/db/catalogue/callers';
import { notify, type Notification } from '#lib/events/notifications';
import { discoverModels, probeProvider, baseUrlProblem } from '#lib/providers/probe';
import { PROVIDER_TEMPLATES } from '#lib/providers/templates';
import { PRISMA, REDIS, ENV } from '../platform/stores.js';
import { About, Answers, Changes, idCursor, Me, Needs, type Change } from '../platform/decorators.js';

@Controller('api/providers')
export class ProvidersController {
  constructor(
    @Inject(PRISMA) readonly prisma: Prisma,
    @Inject(REDIS) readonly redis: Redis,
    @Inject(ENV) readonly env: Env,
    readonly sealer: Sealer,
  ) {}

  @Get()
  @About('List providers', 'The newest first. Keys are never answered.')
  @Answers(200, pageOf(Provider))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.#providers(caller).list({ limit, cursor: idCursor(cursor) });
  }

  @Post()
  @About('Register a provider', 'Nothing is asked of it yet: `POST /api/providers/{key}/test` tries it.')
  @Needs('owner')
  @Answers(201, Provider, 409)
  async create(@Me() caller: Caller, @Body({ schema: ProviderInput }) input: ProviderInput, @Changes() change: Change) {
    this.#checkAddress(input.base_url);
    checkDefaults(input.models);
    return change(async (client) => {
      const provider = await new ProviderChanges(client, caller.teamId, this.sealer).create(input);
      await audit(client, caller, 'provider.create', input.key);
      return provider;
    });
  }

  @Get('templates')
  @About('List templates of providers', 'Addresses and peculiarities of common hosts, by their public documentation.')
  @Answers(200, ProviderTemplates)
  templates() {
    return { items: PROVIDER_TEMPLATES };
  }

  @Get(':key')
  @About('Read a provider', 'One provider with its limits and models.')
  @Answers(200, Provider, 404)
  async read(@Me() caller: Caller, @Param('key') key: string) {
    return toProvider(await this.#providers(caller).find(key));
  }

  @Patch(':key')
  @About(
    'Change a provider',
    'What is left out stays. Runs under way go on with what is new; a key does not move to another origin by itself.',
  )
  @Needs('owner')
  @Answers(200, Provider, 404, 422)
  async update(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Body({ schema: ProviderPatch }) patch: ProviderPatch,
    @Changes() change: Change,
  ) {
    if (patch.base_url) this.#checkAddress(patch.base_url);
    checkDefaults(patch.models ?? []);
    let bells: Notification[] = [];
    const provider = await change(async (client) => {
      const updated = await new ProviderChanges(client, caller.teamId, this.sealer).update(key, patch);
      if (!updated) throw await this.#providers(caller).unknown(key);
      const { moved } = updated;
      await audit(client, caller, 'provider.update', key);
      bells = [
        { topic: 'provider', id: key },
        ...moved.lanes.map((id): Notification => ({ topic: 'lane', id })),
        ...moved.jobs.map((id): Notification => ({ topic: 'job', id })),
      ];
      return updated.provider;
    });
    for (const bell of bells) void notify(this.redis, bell);
    return provider;
  }

  @Delete(':key')
  @About('Delete a provider', 'Refused with 409 while an unfinished run uses it. Results of earlier runs stay.')
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  async remove(@Me() caller: Caller, @Param('key') key: string, @Changes() change: Change): Promise<void> {
    await change(async (client) => {
      const outcome = await new ProviderChanges(client, caller.teamId, this.sealer).delete(key);
      if (outcome === 'not-found') throw await this.#providers(caller).unknown(key);
      if (outcome === 'in-use')
        throw new ProblemError(409, `An unfinished run uses "${key}". Cancel it, or wait for its end.`);
      await audit(client, caller, 'provider.delete', key);
    });
    void notify(this.redis, { topic: 'provider', id: key });
  }

  @Post(':key/test')
  @About(
    'Test a provider',
    'Makes one small request to its first model. It answers 200 also when the provider fails, and ' +
      'says what the provider said.',
  )
  @HttpCode(200)
  @Answers(200, ProviderTest, 404)
  async test(@Me() caller: Caller, @Param('key') key: string) {
    const provider = await this.#providers(caller).find(key);
    const model = provider.models[0];
    if (!model)
      throw new ProblemError(422, `"${key}" has no models to test with. Add one with PATCH /api/providers/${key}.`);
    const { ok, latencyMs, error } = await probeProvider({ ...this.#endpoint(provider), modelId: model.model_id });
    return { ok, latency_ms: latencyMs, error };
  }

  /** Makes the API call out with the team's key, as a test does. */
  @Get(':key/discover')
  @About(
    'List the models of an endpoint',
    'Asks the endpoint which models it has; none of them is added to the provider.',
  )
  @Needs('editor')
  @Answers(200, DiscoveredModels, 404)
  async discover(@Me() caller: Caller, @Param('key') key: string) {
    const provider = await this.#providers(caller).find(key);
    const models = await discoverModels(this.#endpoint(provider)).catch((error: Error) => {
      throw new ProblemError(422, `"${key}" lists no models: ${error.message}`);
    });
    return { models: models.map((id) => ({ id })) };
  }

  #providers({ teamId }: Caller): ProviderRepository {
    return new ProviderRepository(this.prisma, teamId);
  }

  #endpoint(provider: StoredProvider) {
    return {
      kind: provider.kind as ProviderKind,
      baseUrl: provider.base_url,
      apiKey: provider.sealed_key && this.sealer.open(provider.sealed_key, provider.id),
      allowPrivateNetworks: this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS,
    };
  }

  #checkAddress(baseUrl: string): void {
    const refusal = baseUrlProblem(baseUrl, this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS);
    if (refusal) throw new ProblemError(422, refusal, [{ path: '/base_url', message: refusal }]);
  }
}

function checkDefaults(models: readonly ModelInput[]): void {
  const errors = models.flatMap((model, index) =>
    findReservedParams(model.default_params, 'models', index, 'default_params'),
  );
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}
