import { queryClient } from '../../api/query-client';
import { meQuery } from '../../api/session';
import { screen } from '../../screen';
import { judgeSettingQuery } from '../judge/api';
import { providersQuery } from '../providers/api';
import { cacheQuery, embeddingQuery, jobsSettingQuery, teamsQuery, tokensQuery } from './api';

const settingScreens = () => import('./screens/setting-screens');
const isOwner = (): boolean => queryClient.getQueryData(meQuery.queryKey)?.role === 'owner';

export const settingsRoutes = [
  screen('/settings/tokens', () => import('./screens/tokens-screen'), 'TokensScreen', {
    loads: () => (isOwner() ? [tokensQuery] : []),
    showsErrors: true,
  }),
  screen('/settings/embedding', settingScreens, 'EmbeddingScreen', { loads: () => [embeddingQuery, providersQuery] }),
  screen('/settings/cache', settingScreens, 'CacheScreen', { loads: () => [cacheQuery] }),
  screen('/settings/jobs', settingScreens, 'JobSettingsScreen', { loads: () => [jobsSettingQuery] }),
  screen('/settings/judge', settingScreens, 'JudgeSettingsScreen', {
    loads: () => [judgeSettingQuery, providersQuery],
  }),
  screen('/settings/teams', () => import('./screens/teams-screen'), 'TeamsScreen', {
    loads: () => [teamsQuery],
    showsErrors: true,
  }),
] as const;
