import { screen } from '../../screen';
import { judgeSettingQuery } from '../judge/api';
import { providersQuery } from '../providers/api';
import { cacheQuery, embeddingQuery, jobsSettingQuery, teamsQuery } from './api';

const settingScreens = () => import('./screens/setting-screens');

export const settingsRoutes = [
  screen('/settings/account', () => import('./screens/account-screen'), 'AccountScreen'),
  screen('/settings/people', () => import('./screens/people-screen'), 'PeopleScreen'),
  screen('/settings/tokens', () => import('./screens/tokens-screen'), 'TokensScreen'),
  screen('/settings/sessions', () => import('./screens/sessions-screen'), 'SessionsScreen'),
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
