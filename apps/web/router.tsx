import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { compareSearch } from './address/compare';
import { baselineSearch, experimentSearch, experimentsSearch, gateSearch, gatesSearch } from './address/experiments';
import { calibrationSearch, judgeNewSearch, judgeSearch, labelsSearch, reportSearch } from './address/judge';
import { promptNewSearch, promptSearch, promptsSearch } from './address/prompts';
import { resultsSearch } from './address/results';
import { runNewSearch, runsSearch } from './address/runs';
import { tuneNewSearch, tunesSearch } from './address/tunes';
import { failuresSearch, matrixSearch, runSearch } from './address/why';
import { whenSignedOut } from './api/query-client';
import { Failed } from './parts/failed';
import { Skeleton } from './parts/skeleton';
import { operateRoutes } from './routes/operate';
import { root, signedIn, signIn } from './routes/root';
import { importSearch } from './screens/import/import-search';
import { caseSearch } from './screens/case/case-search';
import { suiteSearch } from './screens/suite/suite-search';
import { suitesSearch } from './screens/suites/suites-search';
import { versionSearch } from './screens/suite-versions/version-search';

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/home/home-screen'), 'HomeScreen'),
});

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./screens/runs/runs-screen'), 'RunsScreen'),
});
const runNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/new',
  validateSearch: runNewSearch,
  component: lazyRouteComponent(() => import('./screens/run-new/run-new-screen'), 'RunNewScreen'),
});
const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./screens/run/run-screen'), 'RunScreen'),
});

const tunes = createRoute({
  getParentRoute: () => signedIn,
  path: '/tunes',
  validateSearch: tunesSearch,
  component: lazyRouteComponent(() => import('./screens/tunes/tunes-screen'), 'TunesScreen'),
});
const tuneNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/tunes/new',
  validateSearch: tuneNewSearch,
  component: lazyRouteComponent(() => import('./screens/tune-new/tune-new-screen'), 'TuneNewScreen'),
});
const tune = createRoute({
  getParentRoute: () => signedIn,
  path: '/tunes/$tuneId',
  component: lazyRouteComponent(() => import('./screens/tune/tune-screen'), 'TuneScreen'),
});

const promptTuneNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/tunes/new-prompt',
  validateSearch: tuneNewSearch,
  component: lazyRouteComponent(
    () => import('./screens/prompt-tune-new/prompt-tune-new-screen'),
    'PromptTuneNewScreen',
  ),
});
const promptTune = createRoute({
  getParentRoute: () => signedIn,
  path: '/tunes/prompts/$tuneId',
  component: lazyRouteComponent(() => import('./screens/prompt-tune/prompt-tune-screen'), 'PromptTuneScreen'),
});

const prompts = createRoute({
  getParentRoute: () => signedIn,
  path: '/prompts',
  validateSearch: promptsSearch,
  component: lazyRouteComponent(() => import('./screens/prompts/prompts-screen'), 'PromptsScreen'),
});
const promptNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/prompts/new',
  validateSearch: promptNewSearch,
  component: lazyRouteComponent(() => import('./screens/prompt-new/prompt-new-screen'), 'PromptNewScreen'),
});
const prompt = createRoute({
  getParentRoute: () => signedIn,
  path: '/prompts/$promptId',
  validateSearch: promptSearch,
  component: lazyRouteComponent(() => import('./screens/prompt/prompt-screen'), 'PromptScreen'),
});

const judge = createRoute({
  getParentRoute: () => signedIn,
  path: '/judge',
  validateSearch: judgeSearch,
  component: lazyRouteComponent(() => import('./screens/judge/judge-screen'), 'JudgeScreen'),
});
const judgeNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/judge/new',
  validateSearch: judgeNewSearch,
  component: lazyRouteComponent(() => import('./screens/judge-new/judge-new-screen'), 'JudgeNewScreen'),
});
const judgeReport = createRoute({
  getParentRoute: () => signedIn,
  path: '/judge/reports/$reportId',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('./screens/judge-report/report-screen'), 'ReportScreen'),
});
const judgeLabels = createRoute({
  getParentRoute: () => signedIn,
  path: '/judge/labels',
  validateSearch: labelsSearch,
  component: lazyRouteComponent(() => import('./screens/judge-labels/labels-screen'), 'LabelsScreen'),
});
const judgeCalibration = createRoute({
  getParentRoute: () => signedIn,
  path: '/judge/calibration',
  validateSearch: calibrationSearch,
  component: lazyRouteComponent(() => import('./screens/judge-calibration/calibration-screen'), 'CalibrationScreen'),
});

const suites = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites',
  validateSearch: suitesSearch,
  component: lazyRouteComponent(() => import('./screens/suites/suites-screen'), 'SuitesScreen'),
});
const newSuite = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/new',
  component: lazyRouteComponent(() => import('./screens/suite/new-suite-screen'), 'NewSuiteScreen'),
});
const suite = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/$suiteId',
  validateSearch: suiteSearch,
  component: lazyRouteComponent(() => import('./screens/suite/suite-screen'), 'SuiteScreen'),
});
const newCase = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/$suiteId/cases/new',
  validateSearch: caseSearch,
  component: lazyRouteComponent(() => import('./screens/case/case-screen'), 'NewCaseScreen'),
});
const suiteCase = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/$suiteId/cases/$caseId',
  validateSearch: caseSearch,
  component: lazyRouteComponent(() => import('./screens/case/case-screen'), 'CaseScreen'),
});

const importSuite = createRoute({
  getParentRoute: () => signedIn,
  path: '/import',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('./screens/import/import-screen'), 'ImportScreen'),
});

const suiteVersion = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/$suiteId/versions/$version',
  validateSearch: versionSearch,
  component: lazyRouteComponent(() => import('./screens/suite-versions/suite-version-screen'), 'SuiteVersionScreen'),
});

const suiteMcp = createRoute({
  getParentRoute: () => signedIn,
  path: '/suites/$suiteId/mcp',
  component: lazyRouteComponent(() => import('./screens/suite-mcp/suite-mcp-screen'), 'SuiteMcpScreen'),
});

const results = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId/results',
  validateSearch: resultsSearch,
  component: lazyRouteComponent(() => import('./screens/results/results-screen'), 'ResultsScreen'),
});

const result = createRoute({
  getParentRoute: () => results,
  path: '/$resultId',
  component: lazyRouteComponent(() => import('./screens/result/result-screen'), 'ResultScreen'),
});

const compare = createRoute({
  getParentRoute: () => signedIn,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./screens/compare/compare-screen'), 'CompareScreen'),
});
const experiments = createRoute({
  getParentRoute: () => signedIn,
  path: '/experiments',
  validateSearch: experimentsSearch,
  component: lazyRouteComponent(() => import('./screens/experiments/experiments-screen'), 'ExperimentsScreen'),
});
const experimentNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/experiments/new',
  validateSearch: baselineSearch,
  component: lazyRouteComponent(() => import('./screens/experiments/new-experiment-screen'), 'NewExperimentScreen'),
});
const experiment = createRoute({
  getParentRoute: () => signedIn,
  path: '/experiments/$experimentId',
  validateSearch: experimentSearch,
  component: lazyRouteComponent(() => import('./screens/experiment/experiment-screen'), 'ExperimentScreen'),
});
const gates = createRoute({
  getParentRoute: () => signedIn,
  path: '/gates',
  validateSearch: gatesSearch,
  component: lazyRouteComponent(() => import('./screens/gates/gates-screen'), 'GatesScreen'),
});
const gateNew = createRoute({
  getParentRoute: () => signedIn,
  path: '/gates/new',
  validateSearch: baselineSearch,
  component: lazyRouteComponent(() => import('./screens/gate/new-gate-screen'), 'NewGateScreen'),
});
const gate = createRoute({
  getParentRoute: () => signedIn,
  path: '/gates/$gateId',
  validateSearch: gateSearch,
  component: lazyRouteComponent(() => import('./screens/gate/gate-screen'), 'GateScreen'),
});
const gateRun = createRoute({
  getParentRoute: () => signedIn,
  path: '/gates/$gateId/runs/$gateRunId',
  component: lazyRouteComponent(() => import('./screens/gate-run/gate-run-screen'), 'GateRunScreen'),
});
const matrix = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId/matrix',
  validateSearch: matrixSearch,
  component: lazyRouteComponent(() => import('./screens/matrix/matrix-screen'), 'MatrixScreen'),
});
const failures = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId/failures',
  validateSearch: failuresSearch,
  component: lazyRouteComponent(() => import('./screens/failures/failures-screen'), 'FailuresScreen'),
});
// All routes of the page. A screen has a folder named after its route, and is loaded when it is opened.
const addresses = root.addChildren([
  signIn,
  signedIn.addChildren([
    home,
    runs,
    runNew,
    run,
    results.addChildren([result]),
    tunes,
    tuneNew,
    tune,
    promptTuneNew,
    promptTune,
    prompts,
    promptNew,
    prompt,
    judge,
    judgeNew,
    judgeReport,
    judgeLabels,
    judgeCalibration,
    suites,
    newSuite,
    suite,
    newCase,
    suiteCase,
    importSuite,
    suiteVersion,
    suiteMcp,
    compare,
    experiments,
    experimentNew,
    experiment,
    gates,
    gateNew,
    gate,
    gateRun,
    matrix,
    failures,
    ...operateRoutes,
  ]),
]);

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
    defaultErrorComponent: ({ error, reset }) => <Failed error={error as Error} retry={retryOf(error, reset)} />,
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
