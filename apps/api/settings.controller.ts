import { Body, Controller, Delete, Get, Inject, Put } from '@nestjs/common';
import { CacheInput, CacheSetting, EmbeddingSetting, JobsSetting, Spending, SpendingInput } from '#lib/contracts/settings';
import { audit } from '#lib/db/audit';
import { readEmbeddingSetting, setEmbeddingModel } from '#lib/db/embeddings';
import { emptyCache, readCacheSetting, setCacheLifetime } from '#lib/db/reply-cache';
import { readJobsSetting, setRunningJobs } from '#lib/db/running-jobs';
import { readSpending, setMonthlyCap } from '#lib/db/spending';
import type { Caller } from '#lib/db/teams';
import { ring } from '#lib/events/doorbell';
import { Deps } from './deps.js';
import { Answers, Me, Needs } from './route.js';

@Controller('api/settings')
export class SettingsController {
  constructor(@Inject(Deps) readonly deps: Deps) {}

  @Get('embedding')
  @Answers(200, EmbeddingSetting)
  embedding(@Me() caller: Caller) {
    return readEmbeddingSetting(this.deps.pool, caller.teamId);
  }

  @Put('embedding')
  @Needs('owner')
  @Answers(200, EmbeddingSetting, 422)
  async setEmbedding(@Me() caller: Caller, @Body({ schema: EmbeddingSetting }) setting: EmbeddingSetting) {
    await setEmbeddingModel(this.deps.pool, caller.teamId, setting);
    await audit(this.deps.pool, caller, 'settings.embedding', setting.provider_key ?? 'none');
    return setting;
  }

  @Get('cache')
  @Answers(200, CacheSetting)
  cache(@Me() caller: Caller) {
    return readCacheSetting(this.deps.pool, caller.teamId);
  }

  @Put('cache')
  @Needs('owner')
  @Answers(200, CacheSetting)
  async setCache(@Me() caller: Caller, @Body({ schema: CacheInput }) { lifetime_days }: CacheInput) {
    await setCacheLifetime(this.deps.pool, caller.teamId, lifetime_days);
    await audit(this.deps.pool, caller, 'settings.cache', String(lifetime_days));
    return readCacheSetting(this.deps.pool, caller.teamId);
  }

  @Delete('cache')
  @Answers(204)
  async emptyCache(@Me() caller: Caller): Promise<void> {
    await emptyCache(this.deps.pool, caller.teamId);
    await audit(this.deps.pool, caller, 'cache.empty', caller.teamId);
  }

  @Get('jobs')
  @Answers(200, JobsSetting)
  jobs(@Me() caller: Caller) {
    return readJobsSetting(this.deps.pool, caller.teamId);
  }

  /** Jobs that need no longer wait have started when it answers. */
  @Put('jobs')
  @Needs('owner')
  @Answers(200, JobsSetting)
  async setJobs(@Me() caller: Caller, @Body({ schema: JobsSetting }) setting: JobsSetting) {
    const { jobs, lanes } = await setRunningJobs(this.deps.pool, caller.teamId, setting.running_jobs_per_user);
    await audit(this.deps.pool, caller, 'settings.jobs', String(setting.running_jobs_per_user));
    for (const id of lanes) void ring(this.deps.redis, { topic: 'lane', id });
    for (const id of jobs) void ring(this.deps.redis, { topic: 'job', id });
    return setting;
  }

  @Get('spending')
  @Answers(200, Spending)
  spending(@Me() caller: Caller) {
    return readSpending(this.deps.pool, caller.teamId);
  }

  @Put('spending')
  @Needs('owner')
  @Answers(200, Spending)
  async setSpending(@Me() caller: Caller, @Body({ schema: SpendingInput }) { monthly_cap_usd }: SpendingInput) {
    await setMonthlyCap(this.deps.pool, caller.teamId, monthly_cap_usd);
    await audit(this.deps.pool, caller, 'settings.spending', String(monthly_cap_usd));
    return readSpending(this.deps.pool, caller.teamId);
  }
}
