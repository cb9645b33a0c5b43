import { Body, Controller, Delete, Get, Put, Inject } from '@nestjs/common';
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
import { audit } from '#lib/db/catalogue/audit';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { clearCache } from '#lib/db/engine/reply-cache';
import { startPendingJobs } from '#lib/db/engine/start-pending-jobs';
import type { Redis } from '#lib/runtime/redis';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';

/** Team-wide settings. */
@Controller('api/settings')
export class SettingsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  @Get('embedding')
  @About('Read the embedding model', 'The model that the scoring mode `semantic` uses.')
  @Answers(200, EmbeddingSetting)
  embedding(@Me() caller: Caller): Promise<EmbeddingSetting> {
    return this.#of(caller).readEmbedding();
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
  ): Promise<EmbeddingSetting> {
    return change(async (client) => {
      const before = await this.#of(caller, client).setEmbedding(setting);
      await audit(client, caller, 'settings.embedding', setting.provider_key ?? 'none', { before, after: setting });
      return setting;
    });
  }

  @Get('cache')
  @About('Read the cache setting', 'How long stored replies are used, how many there are, and their size.')
  @Answers(200, CacheSetting)
  cache(@Me() caller: Caller): Promise<CacheSetting> {
    return this.#of(caller).readCache();
  }

  @Put('cache')
  @About('Set the cache lifetime', 'Also applies to replies that are already stored.')
  @Needs('owner')
  @Answers(200, CacheSetting)
  setCache(@Me() caller: Caller, @Body({ schema: CacheInput }) input: CacheInput, @Changes() change: Change) {
    const days = input.lifetime_days;
    return change(async (client) => {
      const settings = this.#of(caller, client);
      await settings.lock();
      const { lifetime_days } = await settings.readCache();
      await settings.setCacheLifetime(days);
      await audit(client, caller, 'settings.cache', String(days), { before: { lifetime_days }, after: input });
      return settings.readCache();
    });
  }

  @Delete('cache')
  @About('Clear the cache', 'Later requests use no reply stored before. Results keep their replies.')
  @Answers(204)
  async emptyCache(@Me() caller: Caller, @Changes() change: Change): Promise<void> {
    const { entries, bytes } = await this.#of(caller).readCache();
    // Not in the transaction: it deletes in batches, and a repeated request deletes the rest.
    await clearCache(this.pool, caller.teamId);
    await change((client) => audit(client, caller, 'cache.empty', caller.teamId, { before: { entries, bytes } }));
  }

  @Get('jobs')
  @About('Read the job limit', 'How many jobs each user of the team can run at once.')
  @Answers(200, JobsSetting)
  jobs(@Me() caller: Caller): Promise<JobsSetting> {
    return this.#of(caller).readJobs();
  }

  /** Jobs that no longer need to wait have started when it returns. */
  @Put('jobs')
  @About(
    'Set the job limit',
    'A higher limit starts waiting jobs before the response. With a lower one, running jobs continue.',
  )
  @Needs('owner')
  @Answers(200, JobsSetting)
  async setJobs(@Me() caller: Caller, @Body({ schema: JobsSetting }) setting: JobsSetting, @Changes() change: Change) {
    await change(async (client) => {
      const settings = this.#of(caller, client);
      await settings.lock();
      const before = await settings.readJobs();
      await settings.setRunningJobs(setting.running_jobs_per_user);
      await audit(client, caller, 'settings.jobs', String(setting.running_jobs_per_user), { before, after: setting });
      return setting;
    });
    const { jobs, lanes } = await startPendingJobs(this.pool, caller.teamId);
    notifyOfJobs(this.redis, jobs, lanes);
    return setting;
  }

  @Get('spending')
  @About('Read the spending of this month', 'The cap of the team, and what it has spent in this month (UTC).')
  @Answers(200, Spending)
  spending(@Me() caller: Caller): Promise<Spending> {
    return this.#of(caller).readSpending();
  }

  @Put('spending')
  @About(
    'Set the monthly cap',
    'At the cap, paid runs stop in state `budget_exceeded`, and new ones are refused with 409.',
  )
  @Needs('owner')
  @Answers(200, Spending)
  setSpending(@Me() caller: Caller, @Body({ schema: SpendingInput }) input: SpendingInput, @Changes() change: Change) {
    const capUsd = input.monthly_cap_usd;
    return change(async (client) => {
      const settings = this.#of(caller, client);
      await settings.lock();
      const { monthly_cap_usd } = await settings.readSpending();
      await settings.setMonthlyCap(capUsd);
      await audit(client, caller, 'settings.spending', String(capUsd), { before: { monthly_cap_usd }, after: input });
      return settings.readSpending();
    });
  }

  #of({ teamId }: Caller, db: Pool | PoolClient = this.pool): SettingsRepository {
    return new SettingsRepository(db, teamId);
  }
}
