import { oneOf, searchOf } from '../../address';
import { screen } from '../../screen';
import { exampleSuiteQuery } from './api';

/** The source of the suite; default: a file. */
const importSearch = searchOf({ from: oneOf(['example', 'mcp']) });

export const importsRoutes = [
  screen('/import', () => import('./screens/import-screen'), 'ImportScreen', {
    search: importSearch,
    loads: ({ search: { from } }) => (from === 'example' ? [exampleSuiteQuery] : []),
    showsErrors: true,
  }),
  screen('/suites/$suiteId/mcp', () => import('./screens/suite-mcp-screen'), 'SuiteMcpScreen'),
] as const;
