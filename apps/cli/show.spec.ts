import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { jobTable, leaderboard } from './show.js';

const summary = (target: string, overall: number, tool_choice_used: Record<string, number>) => ({
  target,
  overall,
  overall_ci: null,
  passed: 1,
  scored: 1,
  errored: 0,
  tool_accuracy: 1,
  param_accuracy: 1,
  latency_ms: { p50: 5 },
  cost_usd: null,
  tool_choice_used,
});
const run = (...summaries: object[]) => ({ config: { tool_choice: 'required' }, summaries }) as unknown as Run;

describe('a leaderboard', () => {
  const mixed = run(
    summary('p::changed', 0.9, { required: 17, auto: 3 }),
    summary('p::asked', 1, { required: 20 }),
    summary('p::earlier', 0.5, {}),
  );

  test('marks the models that were asked under another tool_choice, and says of how many results that holds', () => {
    const [, first, second, third, ...rest] = leaderboard(mixed);
    expect([first, second, third].map((line) => line!.split(/ {2,}/)[1])).toEqual([
      'p::asked',
      'p::changed *',
      'p::earlier',
    ]);
    expect(rest).toEqual([
      '* p::changed was asked with tool_choice "auto" in 3 of 20 results that expect a call, not "required".',
    ]);
  });

  const ofDemo = async (shown: Run): Promise<string> => {
    const demo = (await import(new URL('../../scripts/demo.mjs', import.meta.url).href)) as {
      leaderboard(run: Run, colours: boolean): string;
    };
    return demo.leaderboard(shown, false);
  };
  test('of the first start does so too', async () => {
    const lines = (await ofDemo(mixed)).split('\n');
    expect(lines.filter((line) => line.includes('*')).map((line) => line.trim())).toEqual([
      expect.stringMatching(/^2 +p::changed \* /),
      '* asked with another tool_choice than "required"',
    ]);
  });

  test('has no mark where all were asked as the run asks', async () => {
    const same = run(summary('p::asked', 1, { required: 20 }));
    expect(leaderboard(same)).toHaveLength(2);
    expect(await ofDemo(same)).not.toContain('*');
  });
});

test('jobs stand under a heading, with the suite, models, score and id of their run', () => {
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
