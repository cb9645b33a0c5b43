import { ProblemError } from '#lib/contracts/input/problem';
import { heldOutOf, splitCases, type Split, type SplitCase } from '#lib/tuning/split-cases';
import type { ParamTuneInput } from './contract.js';

const MIN_TUNING_CASES = 8;
const MIN_HELD_OUT = 10;

/**
 * Splits the cases into those to tune on and those to confirm with.
 * @throws ProblemError 422 when there are too few
 */
export function divideCases(
  cases: readonly SplitCase[],
  { holdout, mode, seed }: Pick<ParamTuneInput, 'holdout' | 'mode' | 'seed'>,
): Split {
  const held = heldOutOf(cases.length, holdout);
  const left = cases.length - held;
  if (holdout > 0 && (held < MIN_HELD_OUT || left < MIN_TUNING_CASES)) {
    const needed = Math.max(Math.ceil(MIN_HELD_OUT / holdout), Math.ceil(MIN_TUNING_CASES / (1 - holdout)));
    throw new ProblemError(
      422,
      `The suite has ${cases.length} cases, of which ${held} would be held out and ${left} left to tune on. A tune ` +
        `needs ${MIN_HELD_OUT} and ${MIN_TUNING_CASES}: ${needed} cases with a holdout of ${holdout}. Add cases, ` +
        'or hold out none ("holdout": 0), which confirms nothing.',
      [{ path: '/holdout', message: `leaves ${left} and holds out ${held} of ${cases.length} cases` }],
    );
  }
  if (mode === 'adaptive' && left < MIN_TUNING_CASES)
    throw new ProblemError(
      422,
      `An adaptive search learns from at least ${MIN_TUNING_CASES} cases, and the suite has ${left}. Use the mode ` +
        '"grid", which tries every combination on all of them.',
      [{ path: '/mode', message: 'must be "grid" for so few cases' }],
    );
  return splitCases(cases, holdout, seed);
}
