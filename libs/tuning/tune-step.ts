/** The steps of a tune: search, confirm the result on held-out cases, and promote it. */
export type TuneStep = 'search' | 'holdout' | 'promote';
