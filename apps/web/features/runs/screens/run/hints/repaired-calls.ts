import { inPercent, named, type Hint, type HintInput } from './hint';

/** Minimum share of repaired calls. */
const MANY = 0.2;

/** Calls in the text or in the function name were parsed anyway; another program may not parse them. */
export function repairedCalls({ run }: HintInput): Hint | undefined {
  const shares = run.summaries
    .map(({ target, scored, format_counts: counts }) => ({
      target,
      share: scored > 0 ? (counts.repaired ?? 0) / scored : 0,
    }))
    .filter(({ share }) => share >= MANY)
    .sort((one, other) => other.share - one.share);
  if (shares.length === 0) return undefined;
  const models = shares.map(({ target }) => target);
  const isOne = models.length === 1;
  return {
    key: 'repaired calls',
    words: [
      ...named(models),
      ` ${isOne ? 'answers' : 'answer'} outside the native format, in ${isOne ? '' : 'up to '}`,
      `${inPercent(shares[0]!.share)} of the results: with the whole call in the name of the function, as JSON in the `,
      'text, or encoded twice, as local models do when a server misreads their template. These calls were read and ',
      'still scored. Your own program would have to parse them, too.',
    ],
    steps: [{ to: 'results', words: 'Repaired calls', search: { model: models, format: ['repaired'] } }],
  };
}
