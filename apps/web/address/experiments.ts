import { id, oneOf, searchOf, text } from './search';

/** Experiments: the active ones, unless it says otherwise; maybe of one suite. */
export const experimentsSearch = searchOf({
  status: oneOf(['archived', 'all'] as const),
  suite: id,
  after: text(500),
});
export const experimentSearch = searchOf({ after: text(500) });

export const gatesSearch = searchOf({ suite: id, after: text(500) });
export const gateSearch = searchOf({ after: text(500) });
