import { screen } from '../../screen';
import { promptsSearch, promptNewSearch, promptSearch } from './address';

export const promptsRoutes = [
  screen('/prompts', () => import('./screens/prompts-screen'), 'PromptsScreen', { search: promptsSearch }),
  screen('/prompts/new', () => import('./screens/prompt-new/prompt-new-screen'), 'PromptNewScreen', {
    search: promptNewSearch,
  }),
  screen('/prompts/$promptId', () => import('./screens/prompt/prompt-screen'), 'PromptScreen', {
    search: promptSearch,
  }),
] as const;
