/**
 * A search over the arms of one target: which of them to measure on which cases, until one can be recommended. It has
 * no I/O, no clock and no randomness but its seed: whoever made the same proposals and observed the same scores is at
 * the same place, so that a search is continued by repeating it from what was stored.
 *
 * Ask `propose` for the next trials; measure all of them; tell them to `observe`, in the order in which they were
 * proposed; and ask again. When nothing is proposed, `finish` says what was found.
 */
export interface Strategy {
  /** The next trials, none when the search is over. The same until they are observed. */
  propose(): readonly Trial[];
  observe(measured: readonly Measured[]): void;
  finish(): Finding;
}

/** Samples of an arm to take: those numbered `firstSample` and on, of the cases `from` to `to` (exclusive). */
export interface Trial {
  arm: number;
  /** What they are taken for; one of an arm has this rung. */
  rung: string;
  /** Cases are numbered in the one order that all arms share, so that arms are compared case by case. */
  from: number;
  to: number;
  firstSample: number;
  samples: number;
}

/** The mean score of each case of a trial over its scored samples, 0..1; NaN for a case without one. */
export type Measured = Float64Array;

/** What there is to search. */
export interface SearchSpace {
  /**
   * The arms, each by the levels of its parameters: `arms[a][p]` is the number of the value that arm `a` has of the
   * parameter `p`. An arm in which a parameter has no effect has the level that it has in the base.
   */
  arms: readonly (readonly number[])[];
  /** The arm that everything is compared with, and that competes. */
  base: number;
  /** How many cases there are to tune on. */
  cases: number;
  /** How many samples of a case an arm takes while it is sought. */
  samples: number;
  seed: number;
}

export interface Finding {
  /** Every arm that was measured, the best first. */
  ranking: ArmScore[];
  /** The arms that came furthest, and were measured alike: among these is the one to recommend. */
  finalists: number[];
}

export interface ArmScore {
  arm: number;
  /** The mean over the cases that were measured, 0..1; null when none has a score. */
  mean: number | null;
  cases: number;
  /** The last rung that it was measured on. */
  rung: string;
}
