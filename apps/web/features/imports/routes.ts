import { oneOf, searchOf } from '../../address';
import { screen } from '../../screen';
import { suiteQuery } from '../suites/api';
import { exampleSuiteQuery } from './example';

/** The source of the suite; default: a file. */
const importSearch = searchOf({ from: oneOf(['example', 'mcp']) });

export const importsRoutes = [
  screen('/import', () => import('./screens/import-screen'), 'ImportScreen', {
    search: importSearch,
    loads: ({ search: { from } }) => (from === 'example' ? [exampleSuiteQuery] : []),
    showsErrors: true,
  }),
  screen('/suites/$suiteId/mcp', () => import('./screens/suite-mcp-screen'), 'SuiteMcpScreen', {
    loads: ({ params: { suiteId } }) => [suiteQuery(suiteId)],
    missing: { what: 'suite', list: '/suites', all: 'All suites' },
  }),
] as const;
