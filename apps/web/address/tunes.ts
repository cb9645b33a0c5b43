import { id, searchOf, text } from './search';

export const tunesSearch = searchOf({ after: text(500) });

/** A new tune: of a suite, or from an earlier tune. */
export const tuneNewSearch = searchOf({ suite: id, from: id });
