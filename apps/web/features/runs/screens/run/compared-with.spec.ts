import type { Run } from '#lib/contracts/run';
import { comparedWith } from './compared-with.js';

const run = (id: string, day: number) => ({ id, created_at: `2026-01-0${day}T00:00:00Z` }) as Run;
const others = [run('d', 4), run('b', 2), run('a', 1)];

it.each([
  ['the baseline of its experiment', run('c', 3), 'z', 'z'],
  ['the run before it', run('c', 3), undefined, 'b'],
  ['the run before it, where it is the baseline itself', run('c', 3), 'c', 'b'],
  ['the next run, where it is the first one', run('0', 0), undefined, 'a'],
])('a run is compared with %s', (_what, one, baseline, other) => {
  expect(comparedWith(one, others, baseline)).toBe(other);
});

it('the only run of a suite has nothing to compare with', () => {
  expect(comparedWith(run('c', 3), [])).toBeUndefined();
});
