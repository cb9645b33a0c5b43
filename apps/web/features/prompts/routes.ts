import { id, oneOf, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { suiteHeadsQuery, suiteQuery } from '../suites/api';
import { promptDiffQuery, promptVersionQuery, promptVersionsQuery } from './api';

const promptsSearch = searchOf({ suite: id, tag: text(50), after: text(500) });
/** What a prompt version is compared with: its parent by default. */
const promptSearch = searchOf({ from: oneOf(['suite'] as const) });
/** A new prompt version: of a suite, or from another version. */
const promptNewSearch = searchOf({ suite: id, from: id });

export const promptsRoutes = [
  screen('/prompts', () => import('./screens/prompts-screen'), 'PromptsScreen', {
    search: promptsSearch,
    loads: ({ search }) => [promptVersionsQuery(search), suiteHeadsQuery],
    showsErrors: true,
  }),
  screen('/prompts/new', () => import('./screens/prompt-new-screen'), 'PromptNewScreen', {
    search: promptNewSearch,
    loads: ({ search: { suite, from } }) => [
      suiteHeadsQuery,
      ...(suite === undefined ? [] : [suiteQuery(suite)]),
      ...(from === undefined ? [] : [promptVersionQuery(from)]),
    ],
  }),
  screen('/prompts/$promptId', () => import('./screens/prompt-screen'), 'PromptScreen', {
    search: promptSearch,
    loads: ({ params: { promptId }, search: { from } }) => [
      promptVersionQuery(promptId),
      ...(from === undefined ? [] : [promptDiffQuery(promptId, from)]),
    ],
    missing: { what: 'prompt version', list: '/prompts', all: 'All prompt versions' },
  }),
] as const;
