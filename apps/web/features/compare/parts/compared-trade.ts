import type { Comparison } from '#lib/contracts/comparison';
import { money } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import type { TradeAxis } from '../../runs/parts/trade-off';

type Judged = Pick<Comparison, 'cost' | 'latency_p50_ms'> & { all: Pick<Comparison['all'], 'verdict'> };

const ALIKE = 0.05;
const SCORES = {
  improved: 'scores higher than A',
  regressed: 'scores lower than A',
  same: 'scores the same as A',
  inconclusive: 'is too close to call',
} as const;
const AMOUNTS = {
  cost: { less: 'costs less', more: 'costs more', same: 'costs about the same', free: 'costs nothing, too' },
  latency: { less: 'is faster', more: 'is slower', same: 'is about as fast', free: 'is as fast' },
} as const;

/** "B scores higher than A and costs more: $1.20, not $0.40.", of what is compared; empty where that is not known. */
export function comparedTradeWords(
  { all, cost, latency_p50_ms: latency }: Judged,
  axis: TradeAxis,
  side: string,
): string {
  const { a, b } = axis === 'cost' ? cost : latency;
  const { verdict } = all;
  if (a === null || b === null || verdict === null || verdict === 'not_comparable') return '';
  const words = AMOUNTS[axis];
  const text = axis === 'cost' ? money : duration;
  const score = `${side} ${SCORES[verdict]}`;
  if (a === 0 && b === 0) return `${score} and ${words.free}.`;
  if (Math.abs(b - a) <= ALIKE * Math.max(a, b)) return `${score} and ${words.same}.`;
  const isGood = verdict === 'same' || verdict === 'inconclusive' || (verdict === 'improved') === b < a;
  return `${score} ${isGood ? 'and' : 'but'} ${b < a ? words.less : words.more}: ${text(b)}, not ${text(a)}.`;
}
