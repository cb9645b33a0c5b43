import type { Summary } from '#lib/contracts/summary';
import { hasCosts, shareWords, tradesOf, tradeWords, type TradeAxis } from './trade-off.js';

interface Model {
  cost?: number | null;
  p95?: number | null;
  scored?: number;
  cached?: number;
}
const model = (target: string, overall: number | null, given: Model = {}): Summary => {
  const { cost = null, p95 = 1000, scored = 100, cached = 0 } = given;
  return {
    target,
    overall,
    overall_ci: overall === null ? null : [overall - 0.05, overall + 0.05],
    ci_method: 't_pseudo_cases',
    scored,
    cost_usd: cost,
    cached: { results: cached },
    latency_ms: { p50: null, p95 },
  } as Summary;
};
const says = (models: readonly Summary[], best: string[], axis: TradeAxis = 'cost'): string =>
  tradeWords(tradesOf(models, axis), best, axis, (target) => target);

describe('Cost against score', () => {
  it('is of 1,000 cases, without those that stored replies answered', () => {
    const { placed, absent } = tradesOf(
      [
        model('half', 0.5, { cost: 0.1, cached: 50 }),
        model('whole', 0.9, { cost: 0.1 }),
        model('stored', 0.9, { cost: 0, cached: 100 }),
        model('priceless', 0.9),
        model('broken', null, { cost: 1, scored: 0 }),
        model('local', 0.2, { cost: 0 }),
        model('simulator::a', 0.3),
      ],
      'cost',
    );
    expect(placed.map(({ target, x }) => [target, x])).toEqual([
      ['simulator::a', 0],
      ['local', 0],
      ['whole', 1],
      ['half', 2],
    ]);
    expect(absent).toEqual([
      { target: 'stored', why: 'stored replies only' },
      { target: 'priceless', why: 'no price' },
      { target: 'broken', why: 'not scored' },
    ]);
  });

  it('is not drawn where no model costs anything', () => {
    expect(hasCosts([model('simulator::a', 0.3), model('local', 0.2, { cost: 0 })])).toBe(false);
    expect(hasCosts([model('a', 0.3, { cost: 0.1 })])).toBe(true);
  });
});

describe('The sentence about cost and score', () => {
  const large = model('large', 0.9, { cost: 3 });
  const small = model('small', 0.77, { cost: 1 });

  it.each<[string, Summary[], string[], string]>([
    [
      'names what less costs in points',
      [large, small],
      ['large'],
      'large is best; small costs a third of large, for 13 points less.',
    ],
    [
      'praises one that is both',
      [model('a', 0.9, { cost: 1 }), model('b', 0.7, { cost: 2 })],
      ['a'],
      'a is best and cheapest.',
    ],
    [
      'calls none of a tie the best',
      [large, model('b', 0.88, { cost: 1 })],
      ['large', 'b'],
      'b is the cheapest of the 2 that tie for best.',
    ],
    [
      'does not tell alike ones of a tie from each other',
      [large, model('b', 0.88, { cost: 2.95 }), small],
      ['large', 'b'],
      'The 2 that tie for best cost about the same; small costs a third of b, for 11 points less.',
    ],
    [
      'says which of a tie can be placed at all',
      [large, model('b', 0.91)],
      ['b', 'large'],
      'Of the 2 that tie for best, only large has a price.',
    ],
    [
      'says what is free',
      [large, model('simulator::x', 0.6)],
      ['large'],
      'large is best; simulator::x is free, for 30 points less.',
    ],
    [
      'says that the cost of the best is not known',
      [small, model('b', 0.99)],
      ['b'],
      'b is best; its cost is not known.',
    ],
    ['says nothing where none may be called best', [large, small], [], ''],
  ])('%s', (_what, models, best, words) => {
    expect(says(models, best)).toBe(words);
  });

  it('takes the cheaper model that saves most for each point', () => {
    const models = [
      large,
      model('near', 0.899, { cost: 2.9 }),
      model('third', 0.89, { cost: 1 }),
      model('poor', 0.2, { cost: 0.9 }),
    ];
    expect(says(models, ['large'])).toBe('large is best; third costs a third of large, for 1 point less.');
  });

  it('speaks of time by latency', () => {
    const models = [model('slow', 0.9, { p95: 3000 }), model('quick', 0.8, { p95: 1260 })];
    expect(says(models, ['slow'], 'latency')).toBe(
      'slow is best; quick takes 42 % of the time of slow, for 10 points less.',
    );
    expect(says(models, ['quick'], 'latency')).toBe('quick is best and fastest.');
  });
});

it.each([
  [0.5, 'half'],
  [0.34, 'a third'],
  [0.42, '42 %'],
  [0.104, 'a tenth'],
  [0.004, 'less than 1 %'],
])('a share of %d is "%s"', (share, words) => {
  expect(shareWords(share)).toBe(words);
});
