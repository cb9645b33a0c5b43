import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { jobTable } from './job-table.js';

test('a table of jobs has the suite, models, score and id of their runs', () => {
  const job = (id: string, type: string, made: string, done: number, detail: string | null) =>
    ({
      id,
      type,
      status: 'running',
      progress: { done, total: 20 },
      result_ref: made,
      error: null,
      detail,
      created_at: '2026-11-22T12:00:00.000Z',
    }) as Job;
  const runOf = (id: string, score: number | null, ...targets: string[]) =>
    ({
      id,
      score,
      suite: { name: 'Weather', version: 3 },
      targets: targets.map((target) => ({ target })),
    }) as unknown as Run;
  const runs = [runOf('r1', 0.8125, 'p::a', 'p::b', 'p::c', 'p::d'), runOf('r2', null, 'p::a')];
  const jobs = [
    job('j3', 'rescore', 'x1', 20, null),
    job('j2', 'tool_eval', 'r2', 0, 'Waits.'),
    job('j1', 'tool_eval', 'r1', 20, null),
  ];
  const lines = jobTable(jobs, new Map(runs.map((run) => [run.id, run])));
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted'],
    ['j3', 'rescore', 'running', '20/20', '-', '-', '-', '-', '2026-11-22T12:00:00.000Z'],
    ['j2', 'tool_eval', 'running', '0/20', '-', 'Weather v3', 'p::a', 'r2', '2026-11-22T12:00:00.000Z', 'Waits.'],
    [
      'j1',
      'tool_eval',
      'running',
      '20/20',
      '81.3 %',
      'Weather v3',
      'p::a, p::b and 2 more',
      'r1',
      '2026-11-22T12:00:00.000Z',
    ],
  ]);
});
