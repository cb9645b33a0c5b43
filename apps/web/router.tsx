import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type AnyValidator,
  type Constrain,
  type DefaultValidator,
  type RouteComponent,
} from '@tanstack/react-router';
import { compareSearch } from './features/compare/address';
import { baselineSearch, experimentSearch, experimentsSearch, gateSearch, gatesSearch } from './features/experiments/address';
import { calibrationSearch, judgeNewSearch, judgeSearch, labelsSearch, reportSearch } from './features/judge/address';
import { jobsSearch, spendingSearch } from './features/operate/address';
import { promptNewSearch, promptSearch, promptsSearch } from './features/prompts/address';
import { resultsSearch } from './features/results/address';
import { runNewSearch, runsSearch } from './features/runs/address';
import { tuneNewSearch, tunesSearch } from './features/tunes/address';
import { failuresSearch, matrixSearch, runSearch } from './features/runs/run-views';
import { statusOf } from './api/client';
import { whenSignedOut } from './api/query-client';
import { meQuery } from './api/session';
import { ErrorNotice } from './ui/error-notice';
import { Skeleton } from './ui/skeleton';
import { importSearch } from './features/imports/screens/import/import-search';
import { caseSearch } from './features/cases/screens/case/case-search';
import { NotFoundScreen } from './features/home/screens/not-found-screen';
import { backSearch } from './features/session/screens/back';
import { SignInScreen } from './features/session/screens/sign-in-screen';
import { suiteSearch } from './features/suites/screens/suite/suite-search';
import { suitesSearch } from './features/suites/screens/suites-search';
import { versionSearch } from './features/suites/screens/suite-versions/version-search';
import { Shell } from './shell';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ notFoundComponent: NotFoundScreen });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: backSearch,
  component: SignInScreen,
});

/** Everything that needs a session. Without one it leads to the sign-in screen, which leads back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
      throw redirect({ to: '/sign-in', search: { back: location.href } });
    }
  },
});

/** A screen of the signed-in page. It is loaded when it is opened. */
const screen = <const Path extends string, Name extends string, Search = undefined>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
  validateSearch?: Constrain<Search, AnyValidator, DefaultValidator>,
) => {
  const component = lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name);
  return createRoute({ getParentRoute: () => signedIn, path, component, validateSearch });
};

/** An address that leads to the first of its screens. */
const leading = <const Path extends string>(path: Path, to: '/operate/lanes' | '/settings/tokens') =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    beforeLoad: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
      throw redirect({ to });
    },
  });

const results = screen(
  '/runs/$runId/results',
  () => import('./features/results/screens/results/results-screen'),
  'ResultsScreen',
  resultsSearch,
);
const result = createRoute({
  getParentRoute: () => results,
  path: '/$resultId',
  component: lazyRouteComponent(() => import('./features/results/screens/result/result-screen'), 'ResultScreen'),
});
const screens = [
  screen('/', () => import('./features/home/screens/home-screen'), 'HomeScreen'),
  screen('/runs', () => import('./features/runs/screens/runs-screen'), 'RunsScreen', runsSearch),
  screen('/runs/new', () => import('./features/runs/screens/run-new/run-new-screen'), 'RunNewScreen', runNewSearch),
  screen('/runs/$runId', () => import('./features/runs/screens/run/run-screen'), 'RunScreen', runSearch),
  screen('/tunes', () => import('./features/tunes/screens/tunes-screen'), 'TunesScreen', tunesSearch),
  screen('/tunes/new', () => import('./features/tunes/screens/tune-new/tune-new-screen'), 'TuneNewScreen', tuneNewSearch),
  screen('/tunes/$tuneId', () => import('./features/tunes/screens/tune/tune-screen'), 'TuneScreen'),
  screen(
    '/tunes/new-prompt',
    () => import('./features/prompt-tunes/screens/prompt-tune-new/prompt-tune-new-screen'),
    'PromptTuneNewScreen',
    tuneNewSearch,
  ),
  screen('/tunes/prompts/$tuneId', () => import('./features/prompt-tunes/screens/prompt-tune/prompt-tune-screen'), 'PromptTuneScreen'),
  screen('/prompts', () => import('./features/prompts/screens/prompts-screen'), 'PromptsScreen', promptsSearch),
  screen('/prompts/new', () => import('./features/prompts/screens/prompt-new/prompt-new-screen'), 'PromptNewScreen', promptNewSearch),
  screen('/prompts/$promptId', () => import('./features/prompts/screens/prompt/prompt-screen'), 'PromptScreen', promptSearch),
  screen('/judge', () => import('./features/judge/screens/judge-screen'), 'JudgeScreen', judgeSearch),
  screen('/judge/new', () => import('./features/judge/screens/judge-new/judge-new-screen'), 'JudgeNewScreen', judgeNewSearch),
  screen(
    '/judge/reports/$reportId',
    () => import('./features/judge/screens/judge-report/report-screen'),
    'ReportScreen',
    reportSearch,
  ),
  screen('/judge/labels', () => import('./features/judge/screens/judge-labels/labels-screen'), 'LabelsScreen', labelsSearch),
  screen(
    '/judge/calibration',
    () => import('./features/judge/screens/calibration-screen'),
    'CalibrationScreen',
    calibrationSearch,
  ),
  screen('/suites', () => import('./features/suites/screens/suites-screen'), 'SuitesScreen', suitesSearch),
  screen('/suites/new', () => import('./features/suites/screens/suite/new-suite-screen'), 'NewSuiteScreen'),
  screen('/suites/$suiteId', () => import('./features/suites/screens/suite/suite-screen'), 'SuiteScreen', suiteSearch),
  screen('/suites/$suiteId/cases/new', () => import('./features/cases/screens/case/case-screen'), 'NewCaseScreen', caseSearch),
  screen('/suites/$suiteId/cases/$caseId', () => import('./features/cases/screens/case/case-screen'), 'CaseScreen', caseSearch),
  screen('/import', () => import('./features/imports/screens/import/import-screen'), 'ImportScreen', importSearch),
  screen(
    '/suites/$suiteId/versions/$version',
    () => import('./features/suites/screens/suite-versions/suite-version-screen'),
    'SuiteVersionScreen',
    versionSearch,
  ),
  screen('/suites/$suiteId/mcp', () => import('./features/imports/screens/suite-mcp-screen'), 'SuiteMcpScreen'),
  screen('/compare', () => import('./features/compare/screens/compare-screen'), 'CompareScreen', compareSearch),
  screen(
    '/experiments',
    () => import('./features/experiments/screens/experiments-screen'),
    'ExperimentsScreen',
    experimentsSearch,
  ),
  screen(
    '/experiments/new',
    () => import('./features/experiments/screens/new-experiment-screen'),
    'NewExperimentScreen',
    baselineSearch,
  ),
  screen(
    '/experiments/$experimentId',
    () => import('./features/experiments/screens/experiment/experiment-screen'),
    'ExperimentScreen',
    experimentSearch,
  ),
  screen('/gates', () => import('./features/gates/screens/gates-screen'), 'GatesScreen', gatesSearch),
  screen('/gates/new', () => import('./features/gates/screens/new-gate-screen'), 'NewGateScreen', baselineSearch),
  screen('/gates/$gateId', () => import('./features/gates/screens/gate-screen'), 'GateScreen', gateSearch),
  screen('/gates/$gateId/runs/$gateRunId', () => import('./features/gates/screens/gate-run-screen'), 'GateRunScreen'),
  screen('/runs/$runId/matrix', () => import('./features/runs/screens/matrix-screen'), 'MatrixScreen', matrixSearch),
  screen('/runs/$runId/failures', () => import('./features/runs/screens/failures-screen'), 'FailuresScreen', failuresSearch),
  screen('/jobs', () => import('./features/jobs/screens/jobs-screen'), 'JobsScreen', jobsSearch),
  screen('/operate/lanes', () => import('./features/operate/screens/lanes-screen'), 'LanesScreen'),
  screen('/operate/providers', () => import('./features/providers/screens/providers-screen'), 'ProvidersScreen'),
  screen('/operate/providers/new', () => import('./features/providers/screens/new-provider-screen'), 'NewProviderScreen'),
  screen('/operate/providers/$providerKey', () => import('./features/providers/screens/provider-screen'), 'ProviderScreen'),
  screen('/operate/spending', () => import('./features/operate/screens/spending-screen'), 'SpendingScreen', spendingSearch),
  screen('/settings/tokens', () => import('./features/settings/screens/tokens-screen'), 'TokensScreen'),
  screen('/settings/embedding', () => import('./features/settings/screens/embedding-screen'), 'EmbeddingScreen'),
  screen('/settings/cache', () => import('./features/settings/screens/cache-screen'), 'CacheScreen'),
  screen('/settings/jobs', () => import('./features/settings/screens/job-settings-screen'), 'JobSettingsScreen'),
  screen('/settings/judge', () => import('./features/settings/screens/judge-settings-screen'), 'JudgeSettingsScreen'),
  screen('/settings/teams', () => import('./features/settings/screens/teams-screen'), 'TeamsScreen'),
  leading('/operate', '/operate/lanes'),
  leading('/settings', '/settings/tokens'),
] as const;
const addresses = root.addChildren([signIn, signedIn.addChildren([...screens, results.addChildren([result])])]);

/**
 * A screen whose code failed to load stays broken until the page is reloaded, so its retry reloads the page; drafts
 * survive that.
 */
const retryOf = (error: unknown, reset: () => void): (() => void) =>
  error instanceof TypeError && error.message.includes('module') ? () => location.reload() : reset;

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: addresses,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: Skeleton,
    defaultErrorComponent: ({ error, reset }) => <ErrorNotice error={error as Error} retry={retryOf(error, reset)} />,
    scrollRestoration: true,
  });
  whenSignedOut(() => {
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
