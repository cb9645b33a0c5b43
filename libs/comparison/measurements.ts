/** The results of one target on one case, by the compared measure. */
export interface CaseMeasurement {
  /** Samples with a value of the measure. */
  scored: number;
  errored: number;
  /** Scored samples that passed. */
  passed: number;
  /** The mean of the measure over the scored samples, 0..1; null when there are none. */
  mean: number | null;
  /** Their sample variance; null for fewer than two samples. */
  variance: number | null;
}

/** A common case of two runs, measured for one pair of targets. */
export interface PairedCase {
  /** Its index among the common cases, from 0: the same for all pairs of targets. */
  index: number;
  category: string | null;
  /** The expected tool; "(none)" for no call. */
  tool: string;
  /** Cases of one cluster form one unit. Null: the case is its own unit. */
  cluster: string | null;
  /** The case in the baseline. */
  a: CaseMeasurement;
  b: CaseMeasurement;
}

/** The compared targets: one of the baseline, one of the other run. */
export interface TargetPair {
  a: string;
  b: string;
}
