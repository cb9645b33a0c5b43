import { CASE_OUTCOMES } from '#lib/contracts/values/comparison';
import type { CaseOutcome, Outcomes } from '#lib/contracts/comparison';
import type { CaseMeasurement } from './measurements.js';

type Passes = Pick<CaseMeasurement, 'scored' | 'passed'>;

/** The outcome of a case, from the shares of its scored samples that passed; null without a score on both sides. */
export function outcomeOf(a: Passes, b: Passes): CaseOutcome | null {
  if (a.scored === 0 || b.scored === 0) return null;
  const [before, after] = [a.passed / a.scored, b.passed / b.scored];
  if (before === after) return before === 1 ? 'same_right' : before === 0 ? 'same_wrong' : 'same_mixed';
  if (before === 0 && after === 1) return 'fixed';
  if (before === 1 && after === 0) return 'broken';
  return after > before ? 'better' : 'worse';
}

export const noOutcomes = (): Outcomes => Object.fromEntries(CASE_OUTCOMES.map((outcome) => [outcome, 0])) as Outcomes;

export function countOutcomes(cases: readonly { a: Passes; b: Passes }[]): Outcomes {
  const counts = noOutcomes();
  for (const { a, b } of cases) {
    const outcome = outcomeOf(a, b);
    if (outcome) counts[outcome]++;
  }
  return counts;
}
