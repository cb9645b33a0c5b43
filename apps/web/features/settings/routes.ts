import { screen } from '../../screen';

export const settingsRoutes = [
  screen('/settings/tokens', () => import('./screens/tokens-screen'), 'TokensScreen'),
  screen('/settings/embedding', () => import('./screens/embedding-screen'), 'EmbeddingScreen'),
  screen('/settings/cache', () => import('./screens/cache-screen'), 'CacheScreen'),
  screen('/settings/jobs', () => import('./screens/job-settings-screen'), 'JobSettingsScreen'),
  screen('/settings/judge', () => import('./screens/judge-settings-screen'), 'JudgeSettingsScreen'),
  screen('/settings/teams', () => import('./screens/teams-screen'), 'TeamsScreen'),
] as const;
