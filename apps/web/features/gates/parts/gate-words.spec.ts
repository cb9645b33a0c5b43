import { levelText, lookWords, pointsText, ruleWords } from './gate-words.js';

const rules = {
  measure: 'passed',
  margin: 0.03,
  floor: { pass_rate: 0.9 },
  models: ['p::a', 'p::b'],
  critical_tags: ['money', 'safety'],
  max_errored_share: 0.05,
  looks: 2,
  max_requests: 1000,
} as never;

it('the rules of a gate are shown in words', () => {
  expect(ruleWords(rules)).toEqual([
    ['Passes', 'when passed is shown not to be worse by 3 points'],
    ['Models', 'p::a, p::b'],
    ['Floor', '90.0 % of the samples must pass'],
    ['Critical', 'cases tagged money, safety must not break'],
    ['Errors', 'with more than 5.0 % errored, nothing is measured'],
    ['Looks', 'up to 2 looks, each with twice the samples of the last; at most 1,000 requests'],
  ]);
  const least = { ...(rules as object), floor: null, models: null, critical_tags: [], looks: 1, max_requests: null };
  expect(ruleWords(least as never).map(([, words]) => words)).toEqual([
    'when passed is shown not to be worse by 3 points',
    'same as the baseline',
    'with more than 5.0 % errored, nothing is measured',
    'one look at the data',
  ]);
});

it('points, looks and levels are formatted for people', () => {
  expect([0.01, 0.005, 0.1].map(pointsText)).toEqual(['1 point', '0.5 points', '10 points']);
  expect(lookWords({ number: 0, planned: 4, alpha: 1, final: false })).toBe('none of 4 looks used');
  expect(lookWords({ number: 4, planned: 4, alpha: 1, final: true })).toBe('4 of 4 looks used; the answer is final');
  expect(levelText({ number: 1, planned: 4, alpha: 0.0182, final: false })).toBe('98.18 %');
});
