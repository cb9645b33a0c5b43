import type { ReactNode } from 'react';
import type { Estimate } from '#lib/contracts/comparison';
import { count } from '../../../ui/amounts';
import type { DeltaRow } from '../../../ui/figures/delta';
import { ComparisonMark } from './comparison-mark';

/** A row of a figure. @param hasVerdict false where the verdict is said elsewhere */
export function rowOf(key: string, label: ReactNode, estimate: Estimate, hasVerdict = false): DeltaRow {
  const { difference, ci: interval, n_cases: n, verdict, small } = estimate;
  const aside = (
    <>
      <span className="muted small">n {count(n)} </span>
      {hasVerdict && verdict && <ComparisonMark verdict={verdict} small={small} />}
    </>
  );
  return { key, label, difference, interval, isUnsure: verdict === 'inconclusive', aside };
}
