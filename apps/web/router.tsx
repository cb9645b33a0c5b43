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
import { compareSearch } from './address/compare';
import { baselineSearch, experimentSearch, experimentsSearch, gateSearch, gatesSearch } from './address/experiments';
import { calibrationSearch, judgeNewSearch, judgeSearch, labelsSearch, reportSearch } from './address/judge';
import { jobsSearch, spendingSearch } from './address/operate';
import { promptNewSearch, promptSearch, promptsSearch } from './address/prompts';
import { resultsSearch } from './address/results';
import { runNewSearch, runsSearch } from './address/runs';
import { tuneNewSearch, tunesSearch } from './address/tunes';
import { failuresSearch, matrixSearch, runSearch } from './address/run-views';
import { statusOf } from './api/client';
import { whenSignedOut } from './api/query-client';
import { meQuery } from './api/session';
import { ErrorNotice } from './parts/error-notice';
import { Skeleton } from './parts/skeleton';
import { importSearch } from './screens/import/import-search';
import { caseSearch } from './screens/case/case-search';
import { NotFoundScreen } from './screens/not-found/not-found-screen';
import { backSearch } from './screens/sign-in/back';
import { SignInScreen } from './screens/sign-in/sign-in-screen';
import { suiteSearch } from './screens/suite/suite-search';
import { suitesSearch } from './screens/suites/suites-search';
import { versionSearch } from './screens/suite-versions/version-search';
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
  () => import('./screens/results/results-screen'),
  'ResultsScreen',
  resultsSearch,
);
const result = createRoute({
  getParentRoute: () => results,
  path: '/$resultId',
  component: lazyRouteComponent(() => import('./screens/result/result-screen'), 'ResultScreen'),
});
const screens = [
  screen('/', () => import('./screens/home/home-screen'), 'HomeScreen'),
  screen('/runs', () => import('./screens/runs/runs-screen'), 'RunsScreen', runsSearch),
  screen('/runs/new', () => import('./screens/run-new/run-new-screen'), 'RunNewScreen', runNewSearch),
  screen('/runs/$runId', () => import('./screens/run/run-screen'), 'RunScreen', runSearch),
  screen('/tunes', () => import('./screens/tunes/tunes-screen'), 'TunesScreen', tunesSearch),
  screen('/tunes/new', () => import('./screens/tune-new/tune-new-screen'), 'TuneNewScreen', tuneNewSearch),
  screen('/tunes/$tuneId', () => import('./screens/tune/tune-screen'), 'TuneScreen'),
  screen(
    '/tunes/new-prompt',
    () => import('./screens/prompt-tune-new/prompt-tune-new-screen'),
    'PromptTuneNewScreen',
    tuneNewSearch,
  ),
  screen('/tunes/prompts/$tuneId', () => import('./screens/prompt-tune/prompt-tune-screen'), 'PromptTuneScreen'),
  screen('/prompts', () => import('./screens/prompts/prompts-screen'), 'PromptsScreen', promptsSearch),
  screen('/prompts/new', () => import('./screens/prompt-new/prompt-new-screen'), 'PromptNewScreen', promptNewSearch),
  screen('/prompts/$promptId', () => import('./screens/prompt/prompt-screen'), 'PromptScreen', promptSearch),
  screen('/judge', () => import('./screens/judge/judge-screen'), 'JudgeScreen', judgeSearch),
  screen('/judge/new', () => import('./screens/judge-new/judge-new-screen'), 'JudgeNewScreen', judgeNewSearch),
  screen(
    '/judge/reports/$reportId',
    () => import('./screens/judge-report/report-screen'),
    'ReportScreen',
    reportSearch,
  ),
  screen('/judge/labels', () => import('./screens/judge-labels/labels-screen'), 'LabelsScreen', labelsSearch),
  screen(
    '/judge/calibration',
    () => import('./screens/judge-calibration/calibration-screen'),
    'CalibrationScreen',
    calibrationSearch,
  ),
  screen('/suites', () => import('./screens/suites/suites-screen'), 'SuitesScreen', suitesSearch),
  screen('/suites/new', () => import('./screens/suite/new-suite-screen'), 'NewSuiteScreen'),
  screen('/suites/$suiteId', () => import('./screens/suite/suite-screen'), 'SuiteScreen', suiteSearch),
  screen('/suites/$suiteId/cases/new', () => import('./screens/case/case-screen'), 'NewCaseScreen', caseSearch),
  screen('/suites/$suiteId/cases/$caseId', () => import('./screens/case/case-screen'), 'CaseScreen', caseSearch),
  screen('/import', () => import('./screens/import/import-screen'), 'ImportScreen', importSearch),
  screen(
    '/suites/$suiteId/versions/$version',
    () => import('./screens/suite-versions/suite-version-screen'),
    'SuiteVersionScreen',
    versionSearch,
  ),
  screen('/suites/$suiteId/mcp', () => import('./screens/suite-mcp/suite-mcp-screen'), 'SuiteMcpScreen'),
  screen('/compare', () => import('./screens/compare/compare-screen'), 'CompareScreen', compareSearch),
  screen(
    '/experiments',
    () => import('./screens/experiments/experiments-screen'),
    'ExperimentsScreen',
    experimentsSearch,
  ),
  screen(
    '/experiments/new',
    () => import('./screens/experiments/new-experiment-screen'),
    'NewExperimentScreen',
    baselineSearch,
  ),
  screen(
    '/experiments/$experimentId',
    () => import('./screens/experiment/experiment-screen'),
    'ExperimentScreen',
    experimentSearch,
  ),
  screen('/gates', () => import('./screens/gates/gates-screen'), 'GatesScreen', gatesSearch),
  screen('/gates/new', () => import('./screens/gate/new-gate-screen'), 'NewGateScreen', baselineSearch),
  screen('/gates/$gateId', () => import('./screens/gate/gate-screen'), 'GateScreen', gateSearch),
  screen('/gates/$gateId/runs/$gateRunId', () => import('./screens/gate-run/gate-run-screen'), 'GateRunScreen'),
  screen('/runs/$runId/matrix', () => import('./screens/matrix/matrix-screen'), 'MatrixScreen', matrixSearch),
  screen('/runs/$runId/failures', () => import('./screens/failures/failures-screen'), 'FailuresScreen', failuresSearch),
  screen('/jobs', () => import('./screens/jobs/jobs-screen'), 'JobsScreen', jobsSearch),
  screen('/operate/lanes', () => import('./screens/operate/lanes-screen'), 'LanesScreen'),
  screen('/operate/providers', () => import('./screens/operate/providers-screen'), 'ProvidersScreen'),
  screen('/operate/providers/new', () => import('./screens/operate/new-provider-screen'), 'NewProviderScreen'),
  screen('/operate/providers/$providerKey', () => import('./screens/operate/provider-screen'), 'ProviderScreen'),
  screen('/operate/spending', () => import('./screens/operate/spending-screen'), 'SpendingScreen', spendingSearch),
  screen('/settings/tokens', () => import('./screens/settings/tokens-screen'), 'TokensScreen'),
  screen('/settings/embedding', () => import('./screens/settings/embedding-screen'), 'EmbeddingScreen'),
  screen('/settings/cache', () => import('./screens/settings/cache-screen'), 'CacheScreen'),
  screen('/settings/jobs', () => import('./screens/settings/job-settings-screen'), 'JobSettingsScreen'),
  screen('/settings/judge', () => import('./screens/settings/judge-settings-screen'), 'JudgeSettingsScreen'),
  screen('/settings/teams', () => import('./screens/settings/teams-screen'), 'TeamsScreen'),
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
