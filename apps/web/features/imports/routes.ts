import { screen } from '../../screen';
import { importSearch } from './screens/import/import-search';

export const importsRoutes = [
  screen('/import', () => import('./screens/import/import-screen'), 'ImportScreen', { search: importSearch }),
  screen('/suites/$suiteId/mcp', () => import('./screens/suite-mcp-screen'), 'SuiteMcpScreen'),
] as const;
