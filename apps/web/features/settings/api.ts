import type { z } from 'zod';
import type { Json } from '#lib/contracts/json/json';
import type { CacheSetting, EmbeddingSetting, Spending } from '#lib/contracts/settings';
import type { NewTeam as NewTeamSchema, Team } from '#lib/contracts/team';
import type { Sent } from '../../api/action';
import { client, pagesQuery, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

const pathOf = (what: string): string => `/api/settings/${what}`;

export const settingQuery = <Setting>(what: string) => readQuery<Setting>(keys.settings, pathOf(what));
/** @param what the team setting that the body is sent to */
export const setTo =
  <Setting>(what: string) =>
  (body: string, options: Sent): Promise<Setting> =>
    client.call('PUT', pathOf(what), body, options);

export const embeddingQuery = settingQuery<EmbeddingSetting>('embedding');
export const setEmbedding = setTo<EmbeddingSetting>('embedding');

export const cacheQuery = settingQuery<CacheSetting>('cache');
export const setCache = setTo<CacheSetting>('cache');
export const clearCache = (_: 'all', options: Sent): Promise<void> =>
  client.call('DELETE', pathOf('cache'), undefined, options);

export const spendingQuery = settingQuery<Spending>('spending');
export const setSpending = setTo<Spending>('spending');

export type NewTeam = z.infer<typeof NewTeamSchema>;

export const createTeam = (input: Json, options: Sent): Promise<NewTeam> =>
  client.call('POST', '/api/teams', input, options);
export const teamsQuery = pagesQuery<Team>(keys.teams, '/api/teams?limit=100');
