/** The steps of a tune: it searches, confirms what it found on held-out cases, and promotes it. */
export type TuneStep = 'search' | 'holdout' | 'promote';
