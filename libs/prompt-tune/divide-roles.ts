import { MIN_COMMON_CASES } from '#lib/contracts/values/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import type { SplitCase } from '#lib/tuning/split-cases';
import type { PromptTuneInput } from './contract.js';
import { splitRoles, type Roles } from './split-roles.js';

const MIN_CASES = 20;

/**
 * Divides the cases of a suite for a prompt tune.
 * @throws ProblemError 422 when there are too few to hold some out
 */
export function divideRoles(
  cases: readonly SplitCase[],
  { holdout, seed }: Pick<PromptTuneInput, 'holdout' | 'seed'>,
): Roles {
  const roles = splitRoles(cases, holdout, seed);
  const { heldOut, select } = roles;
  const isEnough = cases.length >= MIN_CASES && heldOut.length >= MIN_COMMON_CASES && select.length > 0;
  if (holdout === 0 || isEnough) return roles;
  throw new ProblemError(
    422,
    `The suite has ${cases.length} cases, of which ${heldOut.length} would be held out. A tune needs ${MIN_CASES}, ` +
      `${MIN_COMMON_CASES} of them held out, to show whether a text is better. Add cases, or hold out none, ` +
      'which confirms nothing.',
    [{ path: '/holdout', message: `holds out ${heldOut.length} of ${cases.length} cases` }],
  ).as('too_few_cases', { cases: cases.length, least: MIN_CASES });
}
