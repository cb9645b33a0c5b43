import { cohenKappa } from './cohen-kappa.js';
import { holm } from './holm.js';
import { newcombePaired, wilson } from './proportions.js';

it('gives null without data', () => {
  const none = { kappa: null, se: null, ci: null };
  expect(wilson(0, 0)).toBeNull();
  expect(newcombePaired({ both: 0, only_a: 0, only_b: 0, neither: 0 })).toEqual({ difference: null, ci: null });
  expect(holm([])).toEqual([]);
  for (const table of [
    [],
    [[7]],
    [
      [0, 0],
      [0, 0],
    ],
    [
      [9, 0],
      [0, 0],
    ],
  ])
    // prettier-ignore
    for (const weights of ['none', 'linear', 'quadratic'] as const) expect(cohenKappa(table, weights)).toEqual(none);
});

it('mirrors the interval of paired proportions when the sides are swapped', () => {
  const { ci } = newcombePaired({ both: 8, only_a: 5, only_b: 2, neither: 7 });
  const swapped = newcombePaired({ both: 8, only_a: 2, only_b: 5, neither: 7 });
  expect(swapped.ci).toEqual([expect.closeTo(-ci![1], 14), expect.closeTo(-ci![0], 14)]);
  expect(swapped.difference).toBeCloseTo(3 / 22, 14);
});
