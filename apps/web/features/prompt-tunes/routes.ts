import { screen } from '../../screen';
import { tuneNewSearch } from '../tunes/address';

export const promptTunesRoutes = [
  screen('/tunes/new-prompt', () => import('./screens/prompt-tune-new/prompt-tune-new-screen'), 'PromptTuneNewScreen', {
    search: tuneNewSearch,
  }),
  screen('/tunes/prompts/$tuneId', () => import('./screens/prompt-tune/prompt-tune-screen'), 'PromptTuneScreen'),
] as const;
