import type { Comparison } from '#lib/contracts/comparison';
import { comparedTradeWords } from './compared-trade.js';

const compared = (verdict: Comparison['all']['verdict'], a: number | null, b: number | null) => ({
  all: { verdict },
  cost: { a, b },
  latency_p50_ms: { a, b },
});

it.each<[Comparison['all']['verdict'], number | null, number | null, string]>([
  ['improved', 0.4, 1.2, 'B scores higher than A but costs more: $1.20, not $0.4000.'],
  ['improved', 1.2, 0.4, 'B scores higher than A and costs less: $0.4000, not $1.20.'],
  ['regressed', 1.2, 0.4, 'B scores lower than A but costs less: $0.4000, not $1.20.'],
  ['same', 1, 1.01, 'B scores the same as A and costs about the same.'],
  ['inconclusive', 2, 1, 'B is too close to call and costs less: $1.00, not $2.00.'],
  ['same', 0, 0, 'B scores the same as A and costs nothing, too.'],
  ['same', null, 1, ''],
  ['not_comparable', 1, 2, ''],
])('%s, from %d to %d dollars: %s', (verdict, a, b, words) => {
  expect(comparedTradeWords(compared(verdict, a, b), 'cost', 'B')).toBe(words);
});

it('the same of latency', () => {
  expect(comparedTradeWords(compared('improved', 2000, 900), 'latency', 'C')).toBe(
    'C scores higher than A and is faster: 900 ms, not 2.0 s.',
  );
});
