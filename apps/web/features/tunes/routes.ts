import { oneOf, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { experimentsOfSuiteQuery } from '../experiments/api';
import { promptTunes } from '../prompt-tunes/api';
import { providersQuery } from '../providers/api';
import { suiteHeadsQuery } from '../suites/api';
import { MISSING_TUNE, tuneNewSearch } from './address';
import { armsQuery, paramTunes, presetsQuery } from './api';

/** Parameter tunes by default. */
const tunesSearch = searchOf({ kind: oneOf(['prompts'] as const), after: text(500) });

/** The model, by default the first, and the parameters of its picture's axes, by default those that explain most. */
const spaceSearch = searchOf({ model: text(500), x: text(200), y: text(200) });

export const tunesRoutes = [
  screen('/tunes', () => import('./screens/tunes-screen'), 'TunesScreen', {
    search: tunesSearch,
    loads: ({ search: { kind, after } }) => [(kind === 'prompts' ? promptTunes : paramTunes).listQuery(after)],
    showsErrors: true,
  }),
  screen('/tunes/new', () => import('./screens/tune-new/tune-new-screen'), 'TuneNewScreen', {
    search: tuneNewSearch,
    loads: ({ search: { suite, from } }) => [
      ...(from === undefined ? [] : [paramTunes.query(from)]),
      providersQuery,
      suiteHeadsQuery,
      presetsQuery,
      ...(suite === undefined ? [] : [experimentsOfSuiteQuery(suite)]),
    ],
    missing: MISSING_TUNE,
  }),
  screen('/tunes/$tuneId', () => import('./screens/tune/tune-screen'), 'TuneScreen', {
    search: spaceSearch,
    loads: ({ params: { tuneId } }) => [paramTunes.query(tuneId), armsQuery(tuneId)],
    missing: MISSING_TUNE,
  }),
] as const;
