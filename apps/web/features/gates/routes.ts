import { screen } from '../../screen';
import { searchOf, id, text } from '../../address';
import { checkQuery, gateQuery, gateRunQuery, gateRunsQuery, gatesQuery } from './api';
import { baselineSearch } from '../experiments/address';

const gatesSearch = searchOf({ after: text(500) });
const gateSearch = searchOf({ check: id, after: text(500) });
const GATE = { what: 'gate', list: '/gates', all: 'All gates' };

export const gatesRoutes = [
  screen('/gates', () => import('./screens/gates-screen'), 'GatesScreen', {
    search: gatesSearch,
    loads: ({ search }) => [gatesQuery(search.after)],
    showsErrors: true,
  }),
  screen('/gates/new', () => import('./screens/new-gate-screen'), 'NewGateScreen', { search: baselineSearch }),
  screen('/gates/$gateId', () => import('./screens/gate-screen'), 'GateScreen', {
    search: gateSearch,
    loads: ({ params: { gateId }, search: { check, after } }) => [
      gateQuery(gateId),
      gateRunsQuery(gateId, after),
      ...(check === undefined ? [] : [checkQuery(gateId, check)]),
    ],
    missing: GATE,
  }),
  screen('/gates/$gateId/runs/$gateRunId', () => import('./screens/gate-run-screen'), 'GateRunScreen', {
    loads: ({ params: { gateId, gateRunId } }) => [gateRunQuery(gateId, gateRunId), gateQuery(gateId)],
    missing: { what: 'gate run', list: '/gates/$gateId', all: 'The gate' },
  }),
] as const;
