import { screen } from '../../screen';
import { experimentsOfSuiteQuery } from '../experiments/api';
import { providersQuery } from '../providers/api';
import { suiteHeadsQuery, suiteQuery } from '../suites/api';
import { MISSING_TUNE, tuneNewSearch } from '../tunes/address';
import { candidatesQuery, leadingQuery, promptTunes } from './api';

export const promptTunesRoutes = [
  screen('/tunes/new-prompt', () => import('./screens/prompt-tune-new/prompt-tune-new-screen'), 'PromptTuneNewScreen', {
    search: tuneNewSearch,
    loads: ({ search: { suite, from } }) => [
      ...(from === undefined ? [] : [promptTunes.query(from)]),
      suiteHeadsQuery,
      providersQuery,
      ...(suite === undefined ? [] : [suiteQuery(suite), experimentsOfSuiteQuery(suite)]),
    ],
    missing: MISSING_TUNE,
  }),
  screen('/tunes/prompts/$tuneId', () => import('./screens/prompt-tune/prompt-tune-screen'), 'PromptTuneScreen', {
    loads: ({ params: { tuneId } }) => [promptTunes.query(tuneId), leadingQuery(tuneId), candidatesQuery(tuneId)],
    missing: MISSING_TUNE,
  }),
] as const;
