import type { RunAgainst } from '#lib/contracts/run';
import { againstDetail, againstWords, signedPoints } from './against-words.js';

const worst = { target: 'acme::b:pro', verdict: 'regressed', difference: -0.225, ci: [-0.3, -0.1], from: 0.8, to: 0.5 };
const against = (change: Partial<RunAgainst>): RunAgainst => ({
  run: { id: 'an id', name: 'Nightly 1', suite_version: 1, finished_at: null },
  kind: 'baseline',
  verdict: 'regressed',
  difference: -0.09,
  ci: [-0.14, -0.04],
  n_cases: 55,
  text: '',
  worst: worst as RunAgainst['worst'],
  regressed: 1,
  improved: 0,
  ...change,
});

it.each([
  [{}, '-9.0 points, worse', 'failed'],
  [{ verdict: 'inconclusive', difference: -0.02 }, 'b:pro worse, -22.5 points', 'failed'],
  [{ verdict: 'improved', difference: 0.05, regressed: 2 }, '2 models worse, up to -22.5 points', 'failed'],
  [{ verdict: 'improved', difference: 0.05, regressed: 0 }, '+5.0 points, better', 'passed'],
  [{ verdict: 'same', difference: 0, regressed: 0 }, 'same', 'plain'],
  [{ verdict: 'inconclusive', regressed: 0 }, 'too close to call', 'waiting'],
  [{ verdict: 'not_comparable', difference: null, worst: null, regressed: 0 }, 'not comparable', 'waiting'],
] satisfies [Partial<RunAgainst>, string, string][])('%j is said as "%s"', (change, words, look) => {
  expect(againstWords(against(change))).toEqual([words, look]);
});

it('the longer form names the other run, and the worst model where one changed', () => {
  expect(againstDetail(against({}))).toBe('against Nightly 1; worst b:pro -22.5 points');
  const unnamed = { ...against({}).run, name: null };
  expect(againstDetail(against({ run: unnamed, regressed: 0 }))).toBe('against the baseline');
  expect(againstDetail(against({ run: unnamed, kind: 'previous', worst: null }))).toBe('against the previous run');
});

it('a difference has a sign, and none that rounds to zero', () => {
  expect([0.051, -0.09, -0.0001, 0].map(signedPoints)).toEqual(['+5.1', '-9.0', '0.0', '0.0']);
});
