import { id, searchOf } from '../../address';

/** A new tune: of a suite, or from an earlier tune. */
export const tuneNewSearch = searchOf({ suite: id, from: id });

/** What the address of a tune names. */
export const MISSING_TUNE = { what: 'tune', list: '/tunes', all: 'All tunes' };
