import type { CacheSetting, EmbeddingSetting, JobsSetting, Spending } from '#lib/contracts/settings';
import { client, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

type Sent = { idempotencyKey: string };
const pathOf = (what: string): string => `/api/settings/${what}`;

const settingQuery = <Setting>(what: string) => readQuery<Setting>([...keys.settings, what], pathOf(what));
/** @param what the team setting that the body is sent to */
const setTo =
  <Setting>(what: string) =>
  (body: string, options: Sent) =>
    client.call<Setting>('PUT', pathOf(what), body, options);

export const embeddingQuery = settingQuery<EmbeddingSetting>('embedding');
export const setEmbedding = setTo<EmbeddingSetting>('embedding');

export const cacheQuery = settingQuery<CacheSetting>('cache');
export const setCache = setTo<CacheSetting>('cache');
export const clearCache = (_: 'all', options: Sent) => client.call<void>('DELETE', pathOf('cache'), undefined, options);

export const jobsSettingQuery = settingQuery<JobsSetting>('jobs');
export const setJobs = setTo<JobsSetting>('jobs');

export const spendingQuery = settingQuery<Spending>('spending');
export const setSpending = setTo<Spending>('spending');
