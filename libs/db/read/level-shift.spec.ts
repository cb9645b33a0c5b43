import { lastShiftOf } from './level-shift.js';

/** Scores around a level, with a noise that has a mean of 0. */
const around = (level: number, runs: number, noise = 0.08): number[] =>
  Array.from({ length: runs }, (_, n) => level + noise * [0, 1, -1, 0.5, -0.5][(n * 7) % 5]!);

it('the first score of a new level is found in noise', () => {
  const shift = lastShiftOf([...around(0.86, 230), ...around(0.45, 170)]);
  expect(shift).toEqual({ place: 230, from: expect.closeTo(0.86), to: expect.closeTo(0.45) });
});

it('of several shifts it is the last, against the level before it', () => {
  const shift = lastShiftOf([...around(0.5, 40), ...around(0.9, 40), ...around(0.7, 40)]);
  expect(shift).toEqual({ place: 80, from: expect.closeTo(0.9), to: expect.closeTo(0.7) });
});

it.each([
  ['no scores', []],
  ['noise', around(0.8, 400)],
  ['equal scores', around(0.8, 400, 0)],
  ['a single fall', [...around(0.8, 40), 0.1, ...around(0.8, 40)]],
  ['a few low scores at the end', [...around(0.8, 40), 0.4, 0.4]],
  ['a difference that nobody sees', [...around(0.8, 40, 0), ...around(0.81, 40, 0)]],
])('%s has no shift', (_, scores) => {
  expect(lastShiftOf(scores)).toBeUndefined();
});
