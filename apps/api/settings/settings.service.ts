import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { CacheSetting, EmbeddingSetting, JobsSetting, Spending } from '#lib/contracts/settings';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { clearCache } from '#lib/db/engine/reply-cache';
import { startPendingJobs } from '#lib/db/engine/start-pending-jobs';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';

/** Team-wide settings. */
@Injectable()
export class SettingsService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  embedding(caller: Caller): Promise<EmbeddingSetting> {
    return this.#of(caller).readEmbedding();
  }

  setEmbedding(caller: Caller, setting: EmbeddingSetting, change: Change): Promise<EmbeddingSetting> {
    return change(async (client) => {
      await this.#of(caller, client).setEmbedding(setting);
      await audit(client, caller, 'settings.embedding', setting.provider_key ?? 'none');
      return setting;
    });
  }

  cache(caller: Caller): Promise<CacheSetting> {
    return this.#of(caller).readCache();
  }

  setCacheLifetime(caller: Caller, days: number, change: Change): Promise<CacheSetting> {
    return change(async (client) => {
      const settings = this.#of(caller, client);
      await settings.setCacheLifetime(days);
      await audit(client, caller, 'settings.cache', String(days));
      return settings.readCache();
    });
  }

  async clearCache(caller: Caller, change: Change): Promise<void> {
    // Not in the transaction: it deletes in batches, and a repeated request deletes the rest.
    await clearCache(this.pool, caller.teamId);
    await change((client) => audit(client, caller, 'cache.empty', caller.teamId));
  }

  jobs(caller: Caller): Promise<JobsSetting> {
    return this.#of(caller).readJobs();
  }

  /** Jobs that no longer need to wait have started when it returns. */
  async setJobs(caller: Caller, setting: JobsSetting, change: Change): Promise<JobsSetting> {
    await change(async (client) => {
      await this.#of(caller, client).setRunningJobs(setting.running_jobs_per_user);
      await audit(client, caller, 'settings.jobs', String(setting.running_jobs_per_user));
      return setting;
    });
    const { jobs, lanes } = await startPendingJobs(this.pool, caller.teamId);
    notifyOfJobs(this.redis, jobs, lanes);
    return setting;
  }

  spending(caller: Caller): Promise<Spending> {
    return this.#of(caller).readSpending();
  }

  setMonthlyCap(caller: Caller, capUsd: number | null, change: Change): Promise<Spending> {
    return change(async (client) => {
      const settings = this.#of(caller, client);
      await settings.setMonthlyCap(capUsd);
      await audit(client, caller, 'settings.spending', String(capUsd));
      return settings.readSpending();
    });
  }

  #of({ teamId }: Caller, db: Pool | PoolClient = this.pool): SettingsRepository {
    return new SettingsRepository(db, teamId);
  }
}
