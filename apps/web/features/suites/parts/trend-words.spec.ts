import type { Trend, TrendPoint } from '#lib/contracts/trend';
import { piecesOf, type TrendMark } from '../../../ui/figures/trend.js';
import { drawnWords, fallOf, lastFallOf, mainChangeOf, standsFor } from './trend-words.js';

const history = (of: Partial<NonNullable<Trend['history']>> = {}): NonNullable<Trend['history']> => ({
  ...{ runs: 3, shown: 3, left_out: 0, how: null, models: [], parts: [] },
  ...of,
});
const point = (name: string, against: Partial<NonNullable<TrendPoint['against']>> | null = null): TrendPoint => ({
  run: { id: name, name, suite_version: 1 },
  ...{ finished_at: '2026-11-20T09:00:00.000Z', score: 0.5, more_models: 0 },
  models: ['a', 'b'].map((target) => ({ target, mean: 0.5, ci: null })),
  against: against && {
    ...{ run_id: 'before', verdict: 'regressed', difference: -0.1, worst: null, regressed: 1, improved: 0 },
    ...against,
  },
});
const worst = { target: 'a', verdict: 'regressed', difference: -0.4 } as const;

it('a trend says which model changed most, and since when it is worse', () => {
  const models = [{ target: 'a', first: 0.86, last: 0.45, shift: null }];
  expect(mainChangeOf({ history: history({ models }) })).toEqual({
    ...{ target: 'a', direction: 'fell', words: 'from 86.0 % to 45.0 %' },
  });
  expect(
    mainChangeOf({ history: history({ models: [{ target: 'a', first: 0.5, last: 0.501, shift: null }] }) }),
  ).toMatchObject({
    ...{ direction: 'stayed', words: 'at 50.1 %' },
  });
  expect(
    mainChangeOf({ history: history({ models: [{ target: 'a', first: null, last: 1, shift: null }] }) }),
  ).toBeUndefined();
  const points = [point('1'), point('2', { worst }), point('3', { worst: { ...worst, target: 'b' } })];
  expect(points.map((one) => standsFor('a', one))).toEqual([undefined, 'worse', undefined]);
  expect(lastFallOf(points, 'a')?.run.name).toBe('2');
  expect(fallOf({ history: history({ models }), points }, 'a')).toMatchObject({ run_id: '2' });
  const shift = { run_id: '1', name: null, finished_at: '', from: 0.86, to: 0.45 };
  expect(fallOf({ history: history({ models: [{ ...models[0]!, shift }] }), points }, 'a')).toBe(shift);
  const rise = { ...shift, from: 0.2 };
  expect(fallOf({ history: history({ models: [{ ...models[0]!, shift: rise }] }), points: [] }, 'a')).toBeUndefined();
});

it('a trend says how many runs are drawn, of how many', () => {
  expect(drawnWords(history())).toBe('All 3 runs.');
  expect(drawnWords(history({ runs: 1, shown: 1 }))).toBe('1 run.');
  expect(drawnWords(history({ runs: 10_000, shown: 412, left_out: 9588 }))).toBe('412 of 10,000 runs are drawn.');
});

it('a run without a score is a gap in the line', () => {
  const mark = (key: string, mean: number | null): TrendMark => ({
    ...{ key, at: 0, mean, ci: null, words: '', card: null },
  });
  const pieces = piecesOf([mark('1', 0.5), mark('2', 0.5), mark('3', null), mark('4', 0.5)]);
  expect(pieces.map((piece) => piece.map(({ key }) => key))).toEqual([['1', '2'], ['4']]);
  const versions = piecesOf([mark('1', 0.5), { ...mark('2', 0.5), isApart: true }, mark('3', 0.5)]);
  expect(versions.map(({ length }) => length)).toEqual([1, 2]);
});
