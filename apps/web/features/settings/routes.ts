import { screen } from '../../screen';
import { judgeSettingQuery } from '../judge/api';
import { providersQuery } from '../providers/api';
import { cacheQuery, embeddingQuery, jobsSettingQuery, teamsQuery } from './api';

const settingScreens = () => import('./screens/setting-screens');

/** Queries of these are not in the first view. */
const before = (screenOf: 'account' | 'people' | 'tokens' | 'sessions') => async () =>
  (await import('./access')).before[screenOf]();

export const settingsRoutes = [
  screen('/settings/account', () => import('./screens/account-screen'), 'AccountScreen', { before: before('account') }),
  screen('/settings/people', () => import('./screens/people-screen'), 'PeopleScreen', { before: before('people') }),
  screen('/settings/tokens', () => import('./screens/tokens-screen'), 'TokensScreen', { before: before('tokens') }),
  screen('/settings/sessions', () => import('./screens/sessions-screen'), 'SessionsScreen', {
    before: before('sessions'),
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
