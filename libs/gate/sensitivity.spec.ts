import { pairedInterval } from '#lib/scoring/statistics/paired';
import { alphaOfLook } from './alpha.js';
import { sensitivityOf } from './sensitivity.js';

const FOUR_LOOKS = { margin: 0.02, looks: 4 };

it('a gate with 55 cases shows a loss of about 6 points, and never passes a margin of 2', () => {
  const found = sensitivityOf(55, 8, FOUR_LOOKS);
  expect(found).toMatchObject({ cases: 55, samples: 8, can_pass: false });
  expect(found.smallest_loss).toBeCloseTo(0.06, 2);
  expect(found.smallest_margin).toBeCloseTo(0.06, 2);
  expect(found.cases_needed).toBeGreaterThan(170);
});

it.each([5, 20, 55, 300])('the smallest margin is half of the interval of %d equal cases', (cases) => {
  const { ci } = pairedInterval(new Float64Array(cases), 1 - alphaOfLook(4));
  expect(sensitivityOf(cases, 8, FOUR_LOOKS).smallest_margin).toBeCloseTo(ci[1], 12);
});

it('more cases and samples show smaller losses, and the cases that a margin takes suffice', () => {
  const losses = [55, 200, 1000].map((cases) => sensitivityOf(cases, 8, FOUR_LOOKS).smallest_loss);
  expect(losses).toEqual(losses.toSorted((a, b) => b - a));
  expect(sensitivityOf(55, 1, { margin: 0.02, looks: 1 }).smallest_loss).toBeGreaterThan(0.1);
  const { cases_needed: needed } = sensitivityOf(55, 8, FOUR_LOOKS);
  expect(sensitivityOf(needed!, 8, FOUR_LOOKS)).toMatchObject({ can_pass: true, cases_needed: null });
  expect(sensitivityOf(needed! - 1, 8, FOUR_LOOKS).cases_needed).toBe(needed);
});

it('a margin of 0 asks for a gain, which no number of equal cases shows', () => {
  expect(sensitivityOf(55, 8, { margin: 0, looks: 4 })).toMatchObject({ can_pass: true, cases_needed: null });
  expect(sensitivityOf(0, 1, FOUR_LOOKS)).toMatchObject({ smallest_loss: 1, smallest_margin: 1, can_pass: false });
});
