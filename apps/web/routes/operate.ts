import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { jobsSearch, spendingSearch } from '../address/operate';
import { signedIn } from './root';

const jobs = createRoute({
  getParentRoute: () => signedIn,
  path: '/jobs',
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import('../screens/jobs/jobs-screen'), 'JobsScreen'),
});
const lanes = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate/lanes',
  component: lazyRouteComponent(() => import('../screens/operate/lanes-screen'), 'LanesScreen'),
});
const providers = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate/providers',
  component: lazyRouteComponent(() => import('../screens/operate/providers-screen'), 'ProvidersScreen'),
});
const newProvider = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate/providers/new',
  component: lazyRouteComponent(() => import('../screens/operate/new-provider-screen'), 'NewProviderScreen'),
});
const provider = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate/providers/$providerKey',
  component: lazyRouteComponent(() => import('../screens/operate/provider-screen'), 'ProviderScreen'),
});
const spending = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate/spending',
  validateSearch: spendingSearch,
  component: lazyRouteComponent(() => import('../screens/operate/spending-screen'), 'SpendingScreen'),
});
const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/tokens',
  component: lazyRouteComponent(() => import('../screens/settings/tokens-screen'), 'TokensScreen'),
});
const embedding = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/embedding',
  component: lazyRouteComponent(() => import('../screens/settings/embedding-screen'), 'EmbeddingScreen'),
});
const cache = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/cache',
  component: lazyRouteComponent(() => import('../screens/settings/cache-screen'), 'CacheScreen'),
});
const jobSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/jobs',
  component: lazyRouteComponent(() => import('../screens/settings/job-settings-screen'), 'JobSettingsScreen'),
});
const judgeSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/judge',
  component: lazyRouteComponent(() => import('../screens/settings/judge-settings-screen'), 'JudgeSettingsScreen'),
});
const teams = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/teams',
  component: lazyRouteComponent(() => import('../screens/settings/teams-screen'), 'TeamsScreen'),
});
// The first of several screens.
const operate = createRoute({
  getParentRoute: () => signedIn,
  path: '/operate',
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
    throw redirect({ to: '/operate/lanes' });
  },
});
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
    throw redirect({ to: '/settings/tokens' });
  },
});

/** Queues, system health, and the settings of the team. */
export const operateRoutes = [
  jobs,
  lanes,
  providers,
  newProvider,
  provider,
  spending,
  tokens,
  embedding,
  cache,
  jobSettings,
  judgeSettings,
  teams,
  operate,
  settings,
] as const;
