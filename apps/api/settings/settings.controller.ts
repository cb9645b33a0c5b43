import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import {
  CacheInput,
  CacheSetting,
  EmbeddingSetting,
  JobsSetting,
  Spending,
  SpendingInput,
} from '#lib/contracts/settings';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, Needs, type Change } from '../platform/decorators.js';
import { SettingsService } from './settings.service.js';

@Controller('api/settings')
export class SettingsController {
  constructor(readonly service: SettingsService) {}

  @Get('embedding')
  @About('Read the embedding model', 'The model that the scoring mode `semantic` uses.')
  @Answers(200, EmbeddingSetting)
  embedding(@Me() caller: Caller) {
    return this.service.embedding(caller);
  }

  @Put('embedding')
  @About(
    'Set the embedding model',
    "A model of one of the team's providers, or none. Cases that compare by meaning cannot run without one.",
  )
  @Needs('owner')
  @Answers(200, EmbeddingSetting, 422)
  setEmbedding(
    @Me() caller: Caller,
    @Body({ schema: EmbeddingSetting }) setting: EmbeddingSetting,
    @Changes() change: Change,
  ) {
    return this.service.setEmbedding(caller, setting, change);
  }

  @Get('cache')
  @About('Read the cache setting', 'How long stored replies are used, how many there are, and their size.')
  @Answers(200, CacheSetting)
  cache(@Me() caller: Caller) {
    return this.service.cache(caller);
  }

  @Put('cache')
  @About('Set the cache lifetime', 'Also applies to replies that are already stored.')
  @Needs('owner')
  @Answers(200, CacheSetting)
  setCache(@Me() caller: Caller, @Body({ schema: CacheInput }) input: CacheInput, @Changes() change: Change) {
    return this.service.setCacheLifetime(caller, input.lifetime_days, change);
  }

  @Delete('cache')
  @About('Clear the cache', 'Later requests use no reply stored before. Results keep their replies.')
  @Answers(204)
  emptyCache(@Me() caller: Caller, @Changes() change: Change): Promise<void> {
    return this.service.clearCache(caller, change);
  }

  @Get('jobs')
  @About('Read the job limit', 'How many jobs each user of the team can run at once.')
  @Answers(200, JobsSetting)
  jobs(@Me() caller: Caller) {
    return this.service.jobs(caller);
  }

  @Put('jobs')
  @About(
    'Set the job limit',
    'A higher limit starts waiting jobs before the response. With a lower one, running jobs continue.',
  )
  @Needs('owner')
  @Answers(200, JobsSetting)
  setJobs(@Me() caller: Caller, @Body({ schema: JobsSetting }) setting: JobsSetting, @Changes() change: Change) {
    return this.service.setJobs(caller, setting, change);
  }

  @Get('spending')
  @About('Read the spending of this month', 'The cap of the team, and what it has spent in this month (UTC).')
  @Answers(200, Spending)
  spending(@Me() caller: Caller) {
    return this.service.spending(caller);
  }

  @Put('spending')
  @About(
    'Set the monthly cap',
    'At the cap, paid runs stop in state `budget_exceeded`, and new ones are refused with 409.',
  )
  @Needs('owner')
  @Answers(200, Spending)
  setSpending(@Me() caller: Caller, @Body({ schema: SpendingInput }) input: SpendingInput, @Changes() change: Change) {
    return this.service.setMonthlyCap(caller, input.monthly_cap_usd, change);
  }
}
