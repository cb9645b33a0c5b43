import { ProblemError } from '#lib/contracts/input/problem';
import { pairTargets } from './pair-targets.js';

it('pairs equal targets and lists the others', () => {
  expect(pairTargets(['p::x', 'p::y'], ['p::z', 'p::x'])).toEqual({
    pairs: [{ a: 'p::x', b: 'p::x' }],
    unmatched: { a: ['p::y'], b: ['p::z'] },
  });
});

it('pairs the only target of each run, whatever its name', () => {
  expect(pairTargets(['p::x'], ['p::y'])).toEqual({
    pairs: [{ a: 'p::x', b: 'p::y' }],
    unmatched: { a: [], b: [] },
  });
});

it('pairs nothing when several targets have no counterpart', () => {
  expect(pairTargets(['p::x'], ['p::y', 'p::z'])).toEqual({
    pairs: [],
    unmatched: { a: ['p::x'], b: ['p::y', 'p::z'] },
  });
});

it('pairs the requested targets, each pair once, including names with a "~"', () => {
  expect(pairTargets(['p::x', 'p::x~1'], ['p::y', '1~p::y'], ['p::x~1~p::y', 'p::x~p::y', 'p::x~p::y'])).toEqual({
    pairs: [
      { a: 'p::x', b: '1~p::y' },
      { a: 'p::x', b: 'p::y' },
    ],
    unmatched: { a: ['p::x~1'], b: [] },
  });
});

it.each<[string, string[], string]>([
  ['an unknown target', ['p::q~p::y'], 'names "p::q". Targets of run a: p::x.'],
  ['an unknown target of the other run', ['p::x~p::x'], 'names "p::x". Targets of run b: p::y, p::z.'],
  ['no pair', ['p::x'], 'has "p::x": write a pair as <target of a>~<target of b>.'],
  ['half a pair', ['p::x~'], 'has "p::x~": write a pair as <target of a>~<target of b>.'],
  ['too many', Array.from({ length: 101 }, (_, i) => `p::x~${i}`), 'has 101 pairs, and 100 can be compared at once.'],
])('refuses %s and says what to do', (_what, pairs, message) => {
  const paired = (): unknown => pairTargets(['p::x'], ['p::y', 'p::z'], pairs);
  expect(paired).toThrow(ProblemError);
  expect(paired).toThrow(expect.objectContaining({ status: 422, errors: [{ path: '/pairs', message }] }));
});
