export const TUNE_MODES = ['adaptive', 'grid', 'random'] as const;
export const PROMPT_TUNE_MODES = ['quick', 'evolutionary', 'reflective'] as const;
export const TUNE_MEASURES = ['overall', 'passed'] as const;
export const CANDIDATE_STATES = [
  'measuring',
  'rejected',
  'undecided',
  'accepted',
  'front',
  'finalist',
  'best',
] as const;
