import type { BaselineComparison, ComparisonVerdict } from '#lib/contracts/comparison';
import { Mark } from '../../../ui/status';

const LOOKS: Record<ComparisonVerdict, [word: string, shape: string, look: string]> = {
  improved: ['improved', '●', 'passed'],
  regressed: ['regressed', '○', 'failed'],
  same: ['same', '=', 'waiting'],
  inconclusive: ['inconclusive', '?', 'partial'],
  not_comparable: ['not comparable', '–', 'waiting'],
};

/** What a comparison may be quoted for, in the server's words. */
export function ComparisonMark({ verdict, small }: Pick<BaselineComparison, 'verdict'> & { small?: boolean }) {
  const [word, shape, look] = LOOKS[verdict];
  return (
    <Mark {...{ shape, look }}>
      {word}
      {small && ', small'}
    </Mark>
  );
}

/** Distinguishes compared runs without colour: the baseline is a disc, any other run a ring. */
export function SideMark({ side }: { side: string }) {
  return (
    <span className="side-mark">
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <circle cx="6" cy="6" r="4.5" className={side === 'A' ? 'filled' : undefined} />
      </svg>
      <strong>{side}</strong>
    </span>
  );
}
