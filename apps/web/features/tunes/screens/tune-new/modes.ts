/** The search modes, with their descriptions. */
export const TUNE_MODES = [
  [
    'adaptive',
    'Tries some combinations on a few cases, learns which values do well, and gives more cases to the best.',
  ],
  ['grid', 'Tries every combination on every case.'],
  ['random', 'Tries random combinations on every case.'],
] as const;
