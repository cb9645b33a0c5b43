import { screen } from '../../screen';
import { suitesSearch } from './screens/suites-search';
import { suiteSearch } from './screens/suite/suite-search';
import { versionSearch } from './screens/suite-versions/version-search';

export const suitesRoutes = [
  screen('/suites', () => import('./screens/suites-screen'), 'SuitesScreen', { search: suitesSearch }),
  screen('/suites/new', () => import('./screens/suite/new-suite-screen'), 'NewSuiteScreen'),
  screen('/suites/$suiteId', () => import('./screens/suite/suite-screen'), 'SuiteScreen', { search: suiteSearch }),
  screen(
    '/suites/$suiteId/versions/$version',
    () => import('./screens/suite-versions/suite-version-screen'),
    'SuiteVersionScreen',
    { search: versionSearch },
  ),
] as const;
