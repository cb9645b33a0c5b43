import { id, oneOf, searchOf, text } from '../../address';

/** Experiments: active ones by default; optionally of one suite. */
export const experimentsSearch = searchOf({
  status: oneOf(['archived', 'all'] as const),
  suite: id,
  after: text(500),
});
export type ExperimentsSearch = ReturnType<typeof experimentsSearch>;
export const experimentSearch = searchOf({ after: text(500), model: text(400) });
/** A new experiment, or a new gate: of a suite, optionally with its baseline. */
export const baselineSearch = searchOf({ suite: id, baseline: id });
