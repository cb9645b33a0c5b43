import { id, oneOf, searchOf, severalOf, text } from './search';

export const OUTCOME_WORDS = {
  broken: 'broken',
  fixed: 'fixed',
  worse: 'worse',
  better: 'better',
  same_wrong: 'wrong in both',
  same_mixed: 'mixed in both',
  same_right: 'right in both',
} as const;
export type OutcomeWord = keyof typeof OUTCOME_WORDS;

/** Compared runs, the baseline first; and which of their cases are shown side by side. */
export const compareSearch = searchOf({
  runs: severalOf(id),
  measure: text(100),
  margin: text(10, /^0?\.\d{1,4}$|^[01]$/),
  target: text(610),
  outcome: oneOf(Object.keys(OUTCOME_WORDS) as OutcomeWord[]),
  category: text(200),
  after: text(500),
});
export type CompareSearch = ReturnType<typeof compareSearch>;
