import { countOutcomes, outcomeOf } from './outcomes.js';

const share = (passed: number, scored: number) => ({ passed, scored });

it.each([
  [0, 3, 2, 2, 'fixed'],
  [3, 3, 0, 1, 'broken'],
  [0, 3, 1, 3, 'better'],
  [1, 3, 3, 3, 'better'],
  [1, 3, 2, 3, 'better'],
  [3, 3, 2, 3, 'worse'],
  [1, 2, 0, 2, 'worse'],
  [3, 3, 1, 1, 'same_right'],
  [0, 3, 0, 1, 'same_wrong'],
  [1, 3, 2, 6, 'same_mixed'],
  [0, 0, 1, 1, null],
  [1, 1, 0, 0, null],
])('%i of %i passed, then %i of %i: %s', (passedA, scoredA, passedB, scoredB, outcome) => {
  expect(outcomeOf(share(passedA, scoredA), share(passedB, scoredB))).toBe(outcome);
});

it('counts every outcome, including those that did not occur', () => {
  const cases = [
    { a: share(0, 1), b: share(1, 1) },
    { a: share(0, 1), b: share(0, 0) },
  ];
  expect(countOutcomes(cases)).toEqual({
    fixed: 1,
    broken: 0,
    better: 0,
    worse: 0,
    same_right: 0,
    same_wrong: 0,
    same_mixed: 0,
  });
});
