export const MIN_COMMON_CASES = 5;
/** Runs that share fewer of their cases than this are not comparable. */
export const MIN_COMMON_SHARE = 0.8;
/** A difference counts as shown when its p value is below this: its 95 % interval then lies on one side of 0. */
export const SIGNIFICANCE_LEVEL = 0.05;
export const DEFAULT_MARGIN = 0.02;
export const DEFAULT_MAX_ERRORED_SHARE = 0.05;
export const MAX_COMPARED_RUNS = 6;

export const CASE_OUTCOMES = ['fixed', 'broken', 'better', 'worse', 'same_right', 'same_wrong', 'same_mixed'] as const;
