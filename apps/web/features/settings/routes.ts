import { screen } from '../../screen';
import { judgeSettingQuery } from '../judge/api';
import { providersQuery } from '../providers/api';
import { auditSearch, limitsSearch } from './address';
import { cacheQuery, embeddingQuery, teamsQuery } from './api';

const settingScreens = () => import('./screens/setting-screens');
const limits = () => import('./screens/limits-screen');
const audit = () => import('./screens/audit-screen');

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
  screen('/settings/limits', limits, 'LimitsScreen', {
    search: limitsSearch,
    before: async ({ search }) => (await limits()).loadLimits(search.team),
  }),
  screen('/settings/audit', audit, 'AuditScreen', {
    search: auditSearch,
    before: async ({ search }) => (await audit()).loadAudit(search),
  }),
  screen('/settings/judge', settingScreens, 'JudgeSettingsScreen', {
    loads: () => [judgeSettingQuery, providersQuery],
  }),
  screen('/settings/teams', () => import('./screens/teams-screen'), 'TeamsScreen', {
    loads: () => [teamsQuery],
    showsErrors: true,
  }),
] as const;
