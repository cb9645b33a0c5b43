import type { ScoringMode } from '#lib/contracts/scoring-config';

/** How a rule compares an expected value with the one in the call. */
export const RULES: Record<ScoringMode, string> = {
  exact: 'exact (strings ignore case)',
  case_insensitive: 'case-insensitive (the same as exact)',
  contains: 'contains',
  numeric_tolerance: 'numbers within a tolerance',
  datetime: 'same date or time',
  regex: 'regular expression',
  fuzzy: 'similar text',
  semantic: 'similar meaning',
};

/** The rules to choose from. @param empty the label of no choice */
export const ruleOptions = (empty: string): [string, string][] => [['', empty], ...Object.entries(RULES)];
