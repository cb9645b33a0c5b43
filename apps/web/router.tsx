import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { whenSignedOut } from './api/query-client';
import { casesRoutes } from './features/cases/routes';
import { compareRoutes } from './features/compare/routes';
import { experimentsRoutes } from './features/experiments/routes';
import { gatesRoutes } from './features/gates/routes';
import { homeRoutes } from './features/home/routes';
import { importsRoutes } from './features/imports/routes';
import { jobsRoutes } from './features/jobs/routes';
import { judgeRoutes } from './features/judge/routes';
import { operateRoutes } from './features/operate/routes';
import { promptTunesRoutes } from './features/prompt-tunes/routes';
import { promptsRoutes } from './features/prompts/routes';
import { providersRoutes } from './features/providers/routes';
import { resultsRoutes } from './features/results/routes';
import { runsRoutes } from './features/runs/routes';
import { backSearch } from './features/session/address';
import { settingsRoutes } from './features/settings/routes';
import { suitesRoutes } from './features/suites/routes';
import { tunesRoutes } from './features/tunes/routes';
import { leading } from './screen';
import { root, signedIn } from './signed-in';
import { ErrorNotice } from './ui/notices';
import { Skeleton } from './ui/query-boundary';
import { dropOffers } from './ui/undo';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: backSearch,
  component: lazyRouteComponent(() => import('./features/session/screens/sign-in-screen'), 'SignInScreen'),
});

const addresses = root.addChildren([
  signIn,
  signedIn.addChildren([
    ...homeRoutes,
    ...runsRoutes,
    ...resultsRoutes,
    ...compareRoutes,
    ...suitesRoutes,
    ...casesRoutes,
    ...importsRoutes,
    ...promptsRoutes,
    ...experimentsRoutes,
    ...gatesRoutes,
    ...tunesRoutes,
    ...promptTunesRoutes,
    ...judgeRoutes,
    ...jobsRoutes,
    ...operateRoutes,
    ...providersRoutes,
    ...settingsRoutes,
    leading('/operate', '/operate/lanes'),
    leading('/settings', '/settings/tokens'),
  ]),
]);

/** A wait of less than this shows the screen before it. */
const PENDING_MS = 300;

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: addresses,
    context: { queryClient },
    defaultPreload: 'intent',
    // Queries know whether they are fresh. A screen that was visited, or whose code is there, waits for its data, too.
    defaultPreloadStaleTime: 0,
    defaultStaleReloadMode: 'blocking',
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    defaultPendingComponent: () => <Skeleton rows={12} />,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorNotice
        error={error as Error}
        retry={() => {
          // A screen whose code failed to load stays broken until the page is reloaded; drafts survive that.
          if (error instanceof TypeError && error.message.includes('module')) return location.reload();
          reset();
          return router.invalidate();
        }}
      />
    ),
    scrollRestoration: true,
  });
  whenSignedOut(() => {
    dropOffers();
    const { href, pathname } = router.state.location;
    if (pathname === '/sign-in') return;
    void router.navigate({ to: '/sign-in', search: { back: href } });
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
