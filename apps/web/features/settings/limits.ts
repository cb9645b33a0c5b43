import type { Quotas } from '#lib/contracts/quotas';
import type { JobsSetting } from '#lib/contracts/settings';
import type { QuotaName } from '#lib/contracts/values/quotas';
import type { Sent } from '../../api/action';
import { client, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { settingQuery, setTo } from './api';
import { loadTeams } from './operator';

// The quotas of a team. The first view does without.

const pathOf = (team: string | undefined): string => pathWith('/api/settings/quotas', { team_id: team });

/** @param team another team, or `all`; undefined for the user's own */
export const quotasQuery = (team: string | undefined) => readQuery<Quotas>(keys.settings, pathOf(team));

export interface QuotaChange {
  team: string | undefined;
  name: QuotaName;
  /** Null: the limit is not set any more. */
  limit: number | null;
}
export const setQuota = ({ team, name, limit }: QuotaChange, options: Sent): Promise<Quotas> =>
  client.call('PUT', pathOf(team), { quotas: { [name]: limit } }, options);

export const jobsSettingQuery = settingQuery<JobsSetting>('jobs');
export const setJobs = setTo<JobsSetting>('jobs');

export const loadLimits = (team: string | undefined): Promise<unknown> =>
  Promise.allSettled([
    queryClient.ensureQueryData(quotasQuery(team)),
    queryClient.ensureQueryData(jobsSettingQuery),
    loadTeams(),
  ]);
