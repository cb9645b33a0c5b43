import type { CaseResult } from '#lib/contracts/case-result';
import { historyRows, shownOf } from './case-history-rows.js';

const settled = (runId: string, target: string, sample: number, passed: boolean, outcome = 'scored'): CaseResult =>
  ({
    run: { id: runId, name: null, created_at: '2026-11-20T09:00:00.000Z', suite_version: 1 },
    result: { id: `0-0-${sample}`, target, sample, passed, outcome },
  }) as unknown as CaseResult;

it('case results form a row for each run, newest first, with the models that it asked', () => {
  const rows = historyRows([
    settled('new', 'p::a', 0, true),
    settled('new', 'p::a', 1, false),
    settled('old', 'p::b', 0, true),
    settled('old', 'p::a', 0, false),
  ]);
  expect(rows.map(({ run, byModel }) => [run.id, [...byModel].map(([model, { length }]) => [model, length])])).toEqual([
    ['new', [['p::a', 2]]],
    [
      'old',
      [
        ['p::b', 1],
        ['p::a', 1],
      ],
    ],
  ]);
});

it('the sample that explains a failure is opened first', () => {
  const samples = (...passed: (boolean | null)[]) =>
    passed.map((one, n) => settled('r', 'p::a', n, one === true, one === null ? 'errored' : 'scored').result);
  expect(shownOf(samples(true, null, false)).id).toBe('0-0-2');
  expect(shownOf(samples(true, null)).id).toBe('0-0-1');
  expect(shownOf(samples(true, true)).id).toBe('0-0-0');
});
