import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import {
  DiscoveredModels,
  Provider,
  ProviderInput,
  ProviderPatch,
  ProviderQuery,
  ProviderTemplates,
  ProviderTest,
} from '#lib/contracts/provider';
import type { Caller } from '#lib/db/catalogue/callers';
import { PROVIDER_TEMPLATES } from '#lib/providers/templates';
import { About, Answers, Changes, idCursor, Me, Needs, TakesUpTo, type Change } from '../platform/decorators.js';
import { ProviderService } from './providers.service.js';

/** Enough for a thousand models with their prices. */
const MODELS_BYTES = 2 ** 20;

type ModelOfProvider = z.infer<typeof ProviderQuery>;

@Controller('api/providers')
export class ProvidersController {
  constructor(readonly service: ProviderService) {}

  @Get()
  @About('List providers', 'The newest first. Keys are never returned.')
  @Answers(200, pageOf(Provider))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, limit, idCursor(cursor));
  }

  @Post()
  @TakesUpTo(MODELS_BYTES, ProviderInput)
  @About('Register a provider', 'Sends it no requests: `POST /api/providers/{key}/test` tries it.')
  @Needs('owner')
  @Answers(201, Provider, 409)
  create(@Me() caller: Caller, @Body({ schema: ProviderInput }) input: ProviderInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
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
  read(@Me() caller: Caller, @Param('key') key: string) {
    return this.service.read(caller, key);
  }

  @Patch(':key')
  @TakesUpTo(MODELS_BYTES, ProviderPatch)
  @About(
    'Change a provider',
    'Fields that you leave out stay. Active runs continue with the new values. A key does not move to ' +
      'another origin by itself.',
  )
  @Needs('owner')
  @Answers(200, Provider, 404, 422)
  update(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Body({ schema: ProviderPatch }) patch: ProviderPatch,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, key, patch, change);
  }

  @Delete(':key')
  @About('Delete a provider', 'Refused with 409 while an unfinished run uses it. Results of earlier runs stay.')
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('key') key: string, @Changes() change: Change) {
    return this.service.delete(caller, key, change);
  }

  @Post(':key/test')
  @About(
    'Test a provider',
    'Sends a model what a run sends by default, with one small tool. It answers 200 also when the provider fails, ' +
      'with the error of the provider. What was learned about the model is forgotten and learned again.',
  )
  @HttpCode(200)
  @Answers(200, ProviderTest, 404, 422)
  test(@Me() caller: Caller, @Param('key') key: string, @Query({ schema: ProviderQuery }) { model }: ModelOfProvider) {
    return this.service.test(caller, key, model);
  }

  @Delete(':key/learned')
  @About(
    'Forget refused parameters',
    'Sends models, or one of them, the parameters they refused again. Otherwise a refusal is forgotten a day ' +
      'after it was learned.',
  )
  @Needs('owner')
  @Answers(204, undefined, 404, 422)
  forget(
    @Me() caller: Caller,
    @Param('key') key: string,
    @Query({ schema: ProviderQuery }) { model }: ModelOfProvider,
    @Changes() change: Change,
  ) {
    return this.service.forget(caller, key, model, change);
  }

  /** Needs an editor because, like a test, it sends a request with the team's key. */
  @Get(':key/discover')
  @About('List the models of an endpoint', 'Asks the endpoint for its models. None of them is added to the provider.')
  @Needs('editor')
  @Answers(200, DiscoveredModels, 404)
  discover(@Me() caller: Caller, @Param('key') key: string) {
    return this.service.discoverModels(caller, key);
  }
}
