import { MIN_COMMON_CASES, SIGNIFICANCE_LEVEL } from '#lib/contracts/values/comparison';
import type { ComparisonVerdict, Estimate, VerdictReason } from '#lib/contracts/comparison';
import type { Figures } from './figures.js';

/** What decides the verdict in addition to the figures. */
export interface VerdictRules {
  /** The smallest difference that matters; 0 accepts any difference. */
  margin: number;
  maxErroredShare: number;
  /** Why there can be no verdict, regardless of the figures. */
  obstacle?: Extract<VerdictReason, 'running' | 'no_common_targets'> | undefined;
  /**
   * `p` corrected by Holm over the targets of the comparison, and their number. Omitted for a family of one. `family`
   * names what was compared if not targets.
   */
  holm?: { p: number; targets: number; family?: string } | undefined;
}

export type Verdict = Pick<Estimate, 'small' | 'robust'> & { verdict: ComparisonVerdict; reasons: VerdictReason[] };

/** The verdict on a difference: the first rule that applies. */
export function decide(figures: Figures, rules: VerdictRules): Verdict {
  const none = { small: false, robust: false };
  const reason = obstacleOf(figures, rules);
  if (reason) return { ...none, verdict: 'not_comparable', reasons: [reason] };
  if (Math.max(...figures.erroredShares) > rules.maxErroredShare)
    return { ...none, verdict: 'inconclusive', reasons: ['errored'] };
  const verdict = verdictOf(figures, rules);
  return { verdict, reasons: [], small: isSmall(verdict, figures, rules), robust: isRobust(verdict, figures, rules) };
}

function obstacleOf({ common, n_cases: n }: Figures, { obstacle }: VerdictRules): VerdictReason | undefined {
  if (obstacle === 'running') return obstacle;
  if (obstacle === undefined && common >= MIN_COMMON_CASES && n === 0) return 'nothing_scored';
  return obstacle ?? (n < MIN_COMMON_CASES ? 'too_few_cases' : undefined);
}

function verdictOf({ ci, ci90 }: Figures, { margin, holm }: VerdictRules): ComparisonVerdict {
  const isShown = holm === undefined || holm.p < SIGNIFICANCE_LEVEL;
  if (ci![0] > 0 && isShown) return 'improved';
  if (ci![1] < 0 && isShown) return 'regressed';
  return ci90![0] > -margin && ci90![1] < margin ? 'same' : 'inconclusive';
}

const isSmall = (verdict: ComparisonVerdict, { ci90 }: Figures, { margin }: VerdictRules): boolean =>
  (verdict === 'improved' && ci90![1] < margin) || (verdict === 'regressed' && ci90![0] > -margin);

/**
 * Whether the errored samples cannot change the verdict: both bounds lie on the side of the verdict, or within the
 * margin for `same`. Without errors, the bounds are equal. An inconclusive verdict is never robust.
 */
function isRobust(verdict: ComparisonVerdict, { bounds }: Figures, { margin }: VerdictRules): boolean {
  const [low, high] = bounds!;
  if (low === high) return verdict !== 'inconclusive';
  if (verdict === 'improved') return low > 0;
  if (verdict === 'regressed') return high < 0;
  return verdict === 'same' && low > -margin && high < margin;
}
