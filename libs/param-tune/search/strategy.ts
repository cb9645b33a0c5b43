/**
 * A search over the arms of one target: which of them to measure on which cases, until one can be recommended. It has
 * no I/O, no clock and no randomness except its seed: the same proposals and the same observed scores lead to the same
 * state, so a search is resumed by replaying it from the stored results.
 *
 * Call `propose` for the next trials, measure all of them, pass the results to `observe` in the order of the trials,
 * and repeat. When nothing is proposed, `finish` returns the finding.
 */
export interface Strategy {
  /** The next trials; empty when the search is over. Repeated calls return the same trials until they are observed. */
  propose(): readonly Trial[];
  observe(measured: readonly Measured[]): void;
  finish(): Finding;
}

/** Samples of an arm to take: from number `firstSample`, of the cases `from` to `to` (exclusive). */
export interface Trial {
  arm: number;
  /** The purpose of the samples; one trial of an arm has this rung. */
  rung: string;
  /** Case numbers in an order shared by all arms, so that arms are compared case by case. */
  from: number;
  to: number;
  firstSample: number;
  samples: number;
}

/** The mean score of each case of a trial over its scored samples, 0..1; NaN for a case without one. */
export type Measured = Float64Array;

/** The space to search. */
export interface SearchSpace {
  /**
   * The arms, each as the levels of its parameters: `arms[a][p]` is the index of arm `a`'s value of parameter `p`.
   * Where a parameter has no effect, an arm has the base's level.
   */
  arms: readonly (readonly number[])[];
  /** The arm that all others are compared with, and that competes itself. */
  base: number;
  /** The number of cases to tune on. */
  cases: number;
  /** Samples per case and arm during the search. */
  samples: number;
  seed: number;
}

export interface Finding {
  /** Every measured arm, best first. */
  ranking: ArmScore[];
  /** The arms of the last rung, measured on the same cases: the recommendation is one of them. */
  finalists: number[];
}

interface ArmScore {
  arm: number;
  /** The mean over the measured cases, 0..1; null when none has a score. */
  mean: number | null;
  cases: number;
  /** The last rung that it was measured on. */
  rung: string;
}
