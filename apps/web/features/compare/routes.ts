import { screen } from '../../screen';
import { runQuery } from '../runs/api';
import { compareSearch, sidesOf } from './address';
import { comparisonsQuery, runsToCompareQuery } from './api';

export const compareRoutes = [
  screen('/compare', () => import('./screens/compare-screen'), 'CompareScreen', {
    search: compareSearch,
    // The chosen runs can be changed while they are compared, and if that fails: the screen waits for neither.
    loads: ({ search }) => [
      undefined,
      ...(sidesOf(search) ? [comparisonsQuery(search)] : []),
      ...(search.runs?.map(runQuery) ?? [runsToCompareQuery()]),
    ],
  }),
] as const;
