/** The labels that people give results. */
export const LABELS = ['correct', 'acceptable', 'wrong'] as const;
/** A judge's opinions of a reply. */
export const OPINIONS = [...LABELS, 'cannot_tell'] as const;
export const PREFERENCES = ['win', 'loss', 'tie'] as const;
/** How an opinion agrees with the verdict. */
export const AGREEMENTS = ['agrees', 'kinder', 'stricter'] as const;
export const JUDGEMENT_STATES = ['waiting', 'judged', 'errored'] as const;

/** Which results of a run are judged. */
export const JUDGED_RESULTS = ['failed', 'all', 'sample'] as const;
/** When a run is judged automatically. */
export const JUDGE_TIMES = ['inline', 'after'] as const;
export const MAX_INSTRUCTIONS_CHARS = 10_000;
