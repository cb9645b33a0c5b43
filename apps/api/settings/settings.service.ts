import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { CacheSetting, EmbeddingSetting, JobsSetting, Spending } from '#lib/contracts/settings';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { readEmbeddingSetting, setEmbeddingModel } from '#lib/db/catalogue/embedding-model';
import { readJobsSetting, setRunningJobs, startWaiting } from '#lib/db/catalogue/running-jobs';
import { readSpending, setMonthlyCap } from '#lib/db/catalogue/spending';
import type { Pool } from '#lib/db/connection/pool';
import { clearCache, readCacheSetting, setCacheLifetime } from '#lib/db/engine/reply-cache';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';

/** What holds for a team as a whole. */
@Injectable()
export class SettingsService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  embedding(caller: Caller): Promise<EmbeddingSetting> {
    return readEmbeddingSetting(this.pool, caller.teamId);
  }

  setEmbedding(caller: Caller, setting: EmbeddingSetting, change: Change): Promise<EmbeddingSetting> {
    return change(async (client) => {
      await setEmbeddingModel(client, caller.teamId, setting);
      await audit(client, caller, 'settings.embedding', setting.provider_key ?? 'none');
      return setting;
    });
  }

  cache(caller: Caller): Promise<CacheSetting> {
    return readCacheSetting(this.pool, caller.teamId);
  }

  setCacheLifetime(caller: Caller, days: number, change: Change): Promise<CacheSetting> {
    return change(async (client) => {
      await setCacheLifetime(client, caller.teamId, days);
      await audit(client, caller, 'settings.cache', String(days));
      return readCacheSetting(client, caller.teamId);
    });
  }

  async clearCache(caller: Caller, change: Change): Promise<void> {
    // Not in the transaction: it deletes piece by piece, and a request that is sent again deletes the rest.
    await clearCache(this.pool, caller.teamId);
    await change((client) => audit(client, caller, 'cache.empty', caller.teamId));
  }

  jobs(caller: Caller): Promise<JobsSetting> {
    return readJobsSetting(this.pool, caller.teamId);
  }

  /** Jobs that no longer need to wait have started when it returns. */
  async setJobs(caller: Caller, setting: JobsSetting, change: Change): Promise<JobsSetting> {
    await change(async (client) => {
      await setRunningJobs(client, caller.teamId, setting.running_jobs_per_user);
      await audit(client, caller, 'settings.jobs', String(setting.running_jobs_per_user));
      return setting;
    });
    const { jobs, lanes } = await startWaiting(this.pool, caller.teamId);
    notifyOfJobs(this.redis, jobs, lanes);
    return setting;
  }

  spending(caller: Caller): Promise<Spending> {
    return readSpending(this.pool, caller.teamId);
  }

  setMonthlyCap(caller: Caller, capUsd: number | null, change: Change): Promise<Spending> {
    return change(async (client) => {
      await setMonthlyCap(client, caller.teamId, capUsd);
      await audit(client, caller, 'settings.spending', String(capUsd));
      return readSpending(client, caller.teamId);
    });
  }
}
