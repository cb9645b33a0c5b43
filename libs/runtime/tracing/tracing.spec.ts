import { isTraced } from './tracing.js';

const traced = (items: number, share?: number): number =>
  Array.from({ length: items }, (_, item) => isTraced(item, share)).filter(Boolean).length;

it('the first hundred items and one in a hundred of the rest are traced', () => {
  expect(traced(100)).toBe(100);
  expect(traced(100_000)).toBeGreaterThan(1090);
  expect(traced(100_000)).toBeLessThan(1110);
});

it('a given share holds over all items and over every n-th one, from none to all', () => {
  expect([traced(1000, 0), traced(1000, 1)]).toEqual([0, 1000]);
  for (const step of [1, 2, 7, 10, 100]) {
    const some = Array.from({ length: 1000 }, (_, n) => isTraced(n * step, 0.2)).filter(Boolean).length;
    expect(Math.abs(some - 200)).toBeLessThan(20);
  }
});
