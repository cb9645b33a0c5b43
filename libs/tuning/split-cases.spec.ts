import { heldOutOf, splitCases } from './split-cases.js';

const cases = Array.from({ length: 100 }, (_, position) => ({
  position,
  category: position < 50 ? 'a' : position < 80 ? 'b' : position < 90 ? 'c' : null,
}));
const share = (positions: number[], from: number, to: number): number =>
  positions.filter((position) => position >= from && position < to).length / positions.length;

it('each case is in one part, and the same seed gives the same parts', () => {
  const { tuning, heldOut } = splitCases(cases, 0.3, 1);
  expect([...tuning, ...heldOut].sort((a, b) => a - b)).toEqual(cases.map(({ position }) => position));
  expect(heldOut).toHaveLength(30);
  expect(splitCases([...cases].reverse(), 0.3, 1)).toEqual({ tuning, heldOut });
  expect(splitCases(cases, 0.3, 2)).not.toEqual({ tuning, heldOut });
});

it('both parts, and each prefix of them, have the categories in proportion', () => {
  for (let seed = 0; seed < 50; seed++) {
    const { tuning, heldOut } = splitCases(cases, 0.3, seed);
    for (const part of [heldOut, tuning.slice(0, 10), tuning.slice(0, 25), tuning]) {
      const off = 2 / part.length;
      expect(Math.abs(share(part, 0, 50) - 0.5)).toBeLessThanOrEqual(off);
      expect(Math.abs(share(part, 50, 80) - 0.3)).toBeLessThanOrEqual(off);
      expect(Math.abs(share(part, 80, 90) - 0.1)).toBeLessThanOrEqual(off);
    }
  }
});

it('the held-out share is rounded down despite binary fractions', () => {
  expect([33, 34, 100].map((count) => heldOutOf(count, 0.3))).toEqual([9, 10, 30]);
  expect(heldOutOf(100, 0.29)).toBe(29);
  expect(heldOutOf(55, 0)).toBe(0);
});
