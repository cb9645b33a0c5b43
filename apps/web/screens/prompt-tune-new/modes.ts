/** The search modes, with their descriptions. */
export const PROMPT_TUNE_MODES = [
  [
    'reflective',
    'Shows the meta model what went wrong on a few cases, one text at a time, and keeps what helps there.',
  ],
  ['evolutionary', 'Has some texts written, and goes on with the best of them, mutated and crossed, for generations.'],
  ['quick', 'Has several texts written at once, and tries each on all tuning cases.'],
] as const;
