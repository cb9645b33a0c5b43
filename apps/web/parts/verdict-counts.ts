/** How many results passed, were scored and did not pass, and errored; for each model of a run. */
export type ByTarget = readonly (readonly [passed: number, failed: number, errored: number])[];

export interface VerdictCounts {
  passed: number;
  failed: number;
  errored: number;
}

/** @param isCounted which models count, by their place in the run; all of them unless it says otherwise */
export function verdictCounts(byTarget: ByTarget, isCounted: (ordinal: number) => boolean = () => true): VerdictCounts {
  const sum = { passed: 0, failed: 0, errored: 0 };
  for (const [ordinal, [passed, failed, errored]] of byTarget.entries()) {
    if (!isCounted(ordinal)) continue;
    sum.passed += passed;
    sum.failed += failed;
    sum.errored += errored;
  }
  return sum;
}

/** @param passed only those that passed, or did not; errored ones did not */
export const countOf = ({ passed, failed, errored }: VerdictCounts, isPassed?: boolean): number =>
  (isPassed === false ? 0 : passed) + (isPassed === true ? 0 : failed + errored);
