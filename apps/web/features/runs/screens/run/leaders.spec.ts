import type { Summary } from '#lib/contracts/summary';
import { isDescending, rankText, sortedLeaders, tieEnds, type LeaderOrder } from './leaders.js';

const model = (target: string, overall: number | null, cost: number | null, passed = 1) =>
  ({ target, overall, cost_usd: cost, passed }) as Summary;
const models = [model('a', 0.5, 3), model('b', null, null), model('c', 0.9, 8, 4), model('d', 0.1, 1, 0)];
const sorted = (by: LeaderOrder, isReversed = false) =>
  sortedLeaders(models, { by, isReversed })
    .map(({ target }) => target)
    .join('');

it('the best come first: high scores, low costs; models without the value come last either way', () => {
  expect([sorted('score'), sorted('score', true)]).toEqual(['cadb', 'dacb']);
  expect([sorted('cost'), sorted('cost', true)]).toEqual(['dacb', 'cadb']);
  expect(sorted('per passed')).toBe('cabd');
  expect(isDescending({ by: 'score', isReversed: false })).toBe(true);
});

it('a rank is what the results leave open, and a model with part of its results has none', () => {
  const items = [
    { target: 'a', rank: [1, 1] as [number, number] },
    { target: 'b', rank: [2, 3] as [number, number] },
    { target: 'c', rank: null },
  ];
  expect(['a', 'b', 'c', 'd'].map((target) => rankText({ text: null, items }, target))).toEqual([
    '1',
    '2-3',
    'partial',
    '',
  ]);
});

it('a tie ends where all that follow are shown to be worse', () => {
  const item = (target: string, ...rank: number[]) => ({ target, rank: rank as [number, number] });
  const ranking = { text: null, items: [item('a', 1, 2), item('b', 1, 2), item('c', 3, 4), item('d', 3, 4)] };
  expect([...tieEnds(ranking, ranking.items)]).toEqual(['b']);
  const chain = { text: null, items: [item('a', 1, 2), item('b', 1, 3), item('c', 2, 3)] };
  expect([...tieEnds(chain, chain.items)]).toEqual([]);
  expect([...tieEnds(undefined, chain.items)]).toEqual([]);
});
