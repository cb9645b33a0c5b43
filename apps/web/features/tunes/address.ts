import { id, oneOf, searchOf, text } from '../../address';

/** Parameter tunes by default. */
export const tunesSearch = searchOf({ kind: oneOf(['prompts'] as const), after: text(500) });

/** A new tune: of a suite, or from an earlier tune. */
export const tuneNewSearch = searchOf({ suite: id, from: id });
