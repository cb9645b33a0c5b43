import { Body, Controller, Delete, Get, Inject, Put } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import {
  CacheInput,
  CacheSetting,
  EmbeddingSetting,
  JobsSetting,
  Spending,
  SpendingInput,
} from '#lib/contracts/settings';
import { audit } from '#lib/db/catalogue/audit';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import { clearCache } from '#lib/db/engine/reply-cache';
import { startPendingJobs } from '#lib/db/engine/start-pending-jobs';
import type { Caller } from '#lib/db/catalogue/callers';
import { notify } from '#lib/events/notifications';
import { POOL, REDIS } from '../platform/stores.js';
import { About, Answers, Changes, Me, Needs, type Change } from '../platform/decorators.js';

@Controller('api/settings')
export class SettingsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  @Get('embedding')
  @About('Read the embedding model', 'The model that the scoring mode `semantic` compares with.')
  @Answers(200, EmbeddingSetting)
  embedding(@Me() caller: Caller) {
    return new SettingsRepository(this.pool, caller.teamId).readEmbedding();
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
    return change(async (client) => {
      await new SettingsRepository(client, caller.teamId).setEmbedding(setting);
      await audit(client, caller, 'settings.embedding', setting.provider_key ?? 'none');
      return setting;
    });
  }

  @Get('cache')
  @About('Read how long replies answer again', 'The lifetime of stored replies, how many there are, and their size.')
  @Answers(200, CacheSetting)
  cache(@Me() caller: Caller) {
    return new SettingsRepository(this.pool, caller.teamId).readCache();
  }

  @Put('cache')
  @About('Set how long replies answer again', 'Counts for the replies that are stored already, too.')
  @Needs('owner')
  @Answers(200, CacheSetting)
  setCache(
    @Me() caller: Caller,
    @Body({ schema: CacheInput }) { lifetime_days }: CacheInput,
    @Changes() change: Change,
  ) {
    return change(async (client) => {
      const settings = new SettingsRepository(client, caller.teamId);
      await settings.setCacheLifetime(lifetime_days);
      await audit(client, caller, 'settings.cache', String(lifetime_days));
      return settings.readCache();
    });
  }

  @Delete('cache')
  @About(
    'Forget the stored replies',
    'No stored reply answers another request from then on. The results that hold them stay.',
  )
  @Answers(204)
  async emptyCache(@Me() caller: Caller, @Changes() change: Change): Promise<void> {
    // In pieces, of which each is as good as done again.
    await clearCache(this.pool, caller.teamId);
    await change((client) => audit(client, caller, 'cache.empty', caller.teamId));
  }

  @Get('jobs')
  @About('Read how many jobs run at once', 'Per user of the team.')
  @Answers(200, JobsSetting)
  jobs(@Me() caller: Caller) {
    return new SettingsRepository(this.pool, caller.teamId).readJobs();
  }

  /** Jobs that need no longer wait have started when it answers. */
  @Put('jobs')
  @About(
    'Set how many jobs run at once',
    'Jobs that need no longer wait have started when it answers; where fewer may run now, those that run go on.',
  )
  @Needs('owner')
  @Answers(200, JobsSetting)
  async setJobs(@Me() caller: Caller, @Body({ schema: JobsSetting }) setting: JobsSetting, @Changes() change: Change) {
    await change(async (client) => {
      await new SettingsRepository(client, caller.teamId).setRunningJobs(setting.running_jobs_per_user);
      await audit(client, caller, 'settings.jobs', String(setting.running_jobs_per_user));
      return setting;
    });
    const { jobs, lanes } = await startPendingJobs(this.pool, caller.teamId);
    for (const id of lanes) void notify(this.redis, { topic: 'lane', id });
    for (const id of jobs) void notify(this.redis, { topic: 'job', id });
    return setting;
  }

  @Get('spending')
  @About('Read what is spent this month', 'The cap of the team and what it has spent in this month of UTC.')
  @Answers(200, Spending)
  spending(@Me() caller: Caller) {
    return new SettingsRepository(this.pool, caller.teamId).readSpending();
  }

  @Put('spending')
  @About(
    'Set the monthly cap',
    'When it is reached, runs that cost stop in state `budget_exceeded`, and new ones are refused with 409.',
  )
  @Needs('owner')
  @Answers(200, Spending)
  setSpending(
    @Me() caller: Caller,
    @Body({ schema: SpendingInput }) { monthly_cap_usd }: SpendingInput,
    @Changes() change: Change,
  ) {
    return change(async (client) => {
      const settings = new SettingsRepository(client, caller.teamId);
      await settings.setMonthlyCap(monthly_cap_usd);
      await audit(client, caller, 'settings.spending', String(monthly_cap_usd));
      return settings.readSpending();
    });
  }
}
