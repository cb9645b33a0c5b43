/** The search modes, with their descriptions. */
export const PROMPT_TUNE_MODES = [
  ['reflective', 'Shows the meta model the failures of a few cases, one text at a time, and keeps improvements.'],
  ['evolutionary', 'Writes some texts, then mutates and crosses the best of them over generations.'],
  ['quick', 'Writes several texts at once and tries each on all tuning cases.'],
] as const;
