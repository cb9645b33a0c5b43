import { kappaText, shareText, decidedCountOfAll } from './judged-figures.js';

it.each<[number | null, [number, number] | null, string]>([
  [0.8, [0.601, 0.92], '80.0 % (60.1-92.0, n 10)'],
  [1, null, '100.0 % (n 10)'],
  [null, null, 'none judged'],
])('a share of %d is shown with its interval and count', (share, ci, words) => {
  expect(shareText(share, ci, 10)).toBe(words);
});

it.each<[number | null, [number, number] | null, string]>([
  [0.615, [0.2, 0.98], '0.61 (0.20 to 0.98)'],
  [-0.1, [-0.3, 0.1], '-0.10 (-0.30 to 0.10)'],
  [0.5, null, '0.50'],
  [null, null, 'none'],
])('a kappa of %d is shown with its interval', (kappa, ci, words) => {
  expect(kappaText(kappa, ci)).toBe(words);
});

it('verdicts that the judge cannot tell count in no share', () => {
  const counts = { correct: 3, acceptable: 1, wrong: 2, cannot_tell: 9 };
  expect(decidedCountOfAll({ targets: [{ counts }, { counts }] as never })).toBe(12);
});
