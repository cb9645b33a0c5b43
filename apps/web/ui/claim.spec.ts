import { claimOf } from './claim.js';

it.each([
  ['B is better by 5 points (95 %: 2 to 8; 60 cases): 9 fixed, 1 broken.', ''],
  [
    'Too close to call. B is 1 point above A (95 %: -3 to 5; 1,200 cases): 9 fixed, 8 broken.',
    'With 1,200 cases, only a gap of 3.7 points would be visible. About 6,800 cases would show 2 points.',
  ],
  ['B and A score the same (95 %: -1 to 1; 1 group).', 'About 200 groups would show 2 points.'],
])('the claim stands alone, and what could be seen is asked for: %s', (claim, power) => {
  expect(claimOf([claim, power].filter(Boolean).join(' '))).toEqual({ claim, power });
});
