import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
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
import { deviceRoutes, sessionRoutes } from './features/session/routes';
import { settingsRoutes } from './features/settings/routes';
import { suitesRoutes } from './features/suites/routes';
import { tunesRoutes } from './features/tunes/routes';
import { followSession } from './follow-session';
import { leading } from './screen';
import { root, signedIn } from './signed-in';
import { ErrorNotice } from './ui/notices';
import { Skeleton } from './ui/query-boundary';

const addresses = root.addChildren([
  ...sessionRoutes,
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
    ...deviceRoutes,
    leading('/operate', '/operate/lanes'),
    leading('/settings', '/settings/account'),
    leading('/settings/jobs', '/settings/limits'),
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
  followSession(router);
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
