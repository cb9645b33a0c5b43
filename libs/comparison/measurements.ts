/** What one target made of one case, by the measure that is compared. */
export interface CaseMeasurement {
  /** Samples with a value of the measure. */
  scored: number;
  errored: number;
  /** Scored samples that passed. */
  passed: number;
  /** The mean of the measure over the scored samples, 0..1; null when there is none. */
  mean: number | null;
  /** Their sample variance; null under two of them. */
  variance: number | null;
}

/** A common case of two runs, measured for one pair of targets. */
export interface PairedCase {
  /** Its place among the common cases, from 0: the same for all pairs of targets. */
  index: number;
  category: string | null;
  /** The expected tool; "(none)" for no call. */
  tool: string;
  /** Cases of one cluster are one unit. Null: the case is a unit of its own. */
  cluster: string | null;
  /** The case in the baseline. */
  a: CaseMeasurement;
  b: CaseMeasurement;
}

/** The targets that are compared: one of the baseline, one of the other run. */
export interface TargetPair {
  a: string;
  b: string;
}
