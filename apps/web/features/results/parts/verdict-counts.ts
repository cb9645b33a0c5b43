import type { VerdictWord } from './verdict';

/** Numbers of results that passed, that were scored and did not pass, and that errored, for each model of a run. */
export type ByTarget = readonly (readonly [passed: number, failed: number, errored: number])[];

export interface VerdictCounts {
  passed: number;
  failed: number;
  errored: number;
}

/** @param isCounted which models count, by their index in the run; default: all of them */
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

/** @param passed count only those that passed, or only those that did not, without errored ones */
export const countOf = ({ passed, failed, errored }: VerdictCounts, isPassed?: boolean): number =>
  (isPassed === false ? 0 : passed) + (isPassed === true ? 0 : failed + errored);

/** The verdict of several samples together: partial if they differ, errored if none has a score. */
export const countedVerdict = ({ passed, scored }: { passed: number; scored: number }): VerdictWord => {
  if (scored === 0) return 'errored';
  if (passed === scored) return 'passed';
  return passed > 0 ? 'partial' : 'failed';
};
