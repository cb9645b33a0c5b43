import { named, type Hint, type HintInput } from './hint';

/** Minimum share of answers without a call. */
const MOSTLY = 0.5;

/** Under `auto`, a model may answer with text instead of a call. */
export function tryRequired({ run }: HintInput): Hint | undefined {
  if (run.config.tool_choice !== 'auto') return undefined;
  const models = run.summaries
    .filter(({ scored, error_counts: counts }) => scored > 0 && (counts.no_call ?? 0) / scored >= MOSTLY)
    .map(({ target }) => target);
  if (models.length === 0) return undefined;
  return {
    key: 'try required',
    words: [
      ...named(models),
      ` ${models.length === 1 ? 'answers' : 'answer'} mostly with text instead of a call. The run leaves the choice `,
      'to the model (auto). Try required, under which a model must call a tool.',
    ],
    steps: [
      { to: 'run again', words: 'Run again with required', toolChoice: 'required' },
      { to: 'results', words: 'Answers without a call', search: { model: models, type: ['no_call'] } },
    ],
  };
}
