import { createPool, type Pool } from '#lib/db/connection/pool';
import { completedRun, type CompletedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import type { Outcome } from '#lib/db/testing/settled-run';
import { createDatabase } from '../../test/services.js';
import { compareRuns, type CompareRequest } from './compare-runs.js';
import { pageItems } from './page-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)), 60_000);
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;
const CASES = 12;

const runOf = (team: Team, a: Outcome[][], more: Partial<CompletedRun> = {}): Promise<string> =>
  completedRun(pool, team, { results: { a }, ...more });
const requestOf = (a: string, b: string): CompareRequest => ({
  ...{ a, b, measure: 'overall', margin: 0.02, maxErroredShare: 0.5, partial: false, extended: true },
});
async function compare(team: Team, a: string, b: string, more: Partial<CompareRequest> = {}) {
  return (await compareRuns(pool, team.teamId, { ...requestOf(a, b), ...more })).comparison;
}

/** Four samples per case, with partial scores, errors and cases that vary. */
const four = Array.from({ length: CASES }, (_, n): Outcome[] => [
  Number(n % 3 > 0),
  n % 5 === 0 ? null : 1,
  0.5,
  Number(n % 2),
]);
const right = Array.from({ length: CASES }, (): Outcome[] => [1, 1, 1, 1]);
const some = (rows: readonly Outcome[][], from: number, to?: number): Outcome[][] =>
  rows.map((samples) => samples.slice(from, to));

it('compares a run of one sample and an extension of three as a run of four', async () => {
  const team = await createTeam(pool, { cases: CASES });
  const [a, whole] = [await runOf(team, right), await runOf(team, four)];
  const b = await runOf(team, some(four, 0, 1));
  await runOf(team, some(four, 1), { extending: { runId: b, firstSample: 1 } });
  const [expected, made] = [await compare(team, a, whole), await compare(team, a, b)];
  expect(made.b.samples).toBe(4);
  expect(made.what_changed).toEqual([]);
  const figures = ({ all, outcomes, cases, cost, notes, confusion }: typeof made) =>
    JSON.stringify({ all, outcomes, cases, cost, notes, confusion }, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    );
  expect(figures(made)).toBe(figures(expected));
  expect(made.all.samples[1]).toBeGreaterThan(3);
  expect((await compare(team, a, b, { extended: false })).b.samples).toBe(1);
});

it('counts an extension over some cases for only those, and matches models by position', async () => {
  const team = await createTeam(pool, { cases: CASES });
  const ones = some(right, 0, 1);
  const zeros = ones.map((): Outcome[] => [0]);
  const a = await completedRun(pool, team, { results: { a: ones, b: ones } });
  const b = await completedRun(pool, team, { results: { a: ones, b: zeros } });
  const partly = (score: number) => ones.map((_, n): Outcome[] => (n < 3 ? [score, score, score] : []));
  const results = { a: partly(0), b: partly(1) };
  await completedRun(pool, team, { results, extending: { runId: b, firstSample: 1 } });
  const { targets, b: head } = await compare(team, a, b);
  expect(head.samples).toBe(1);
  expect(targets.map(({ estimate }) => estimate.samples[1])).toEqual([1.75, 1.75]);
  expect(targets[0]!.estimate.mean_b).toBeCloseTo((9 + 3 * 0.25) / 12, 12);
  expect(targets[1]!.estimate.mean_b).toBeCloseTo((3 * 0.75) / 12, 12);
});

it('does not count added samples that differ from those they join, and lists the cases without them', async () => {
  const team = await createTeam(pool, { cases: CASES });
  const ones = some(right, 0, 1);
  const zeros = ones.map((): Outcome[] => [0]);
  const [a, b] = [await runOf(team, ones), await runOf(team, zeros)];
  const before = await compare(team, a, b);
  expect(before.all).toMatchObject({ verdict: 'regressed', difference: -1 });
  await runOf(team, zeros, { extending: { runId: a, firstSample: 1 } });
  const after = await compare(team, a, b);
  expect(after.all).toEqual(before.all);
  expect(after.drift).toMatchObject([
    { side: 'baseline', target: 'sim::a', difference: -1, later: { samples: CASES } },
  ]);
  expect(after.notes[0]).toMatch(/^sim::a: the later samples of the baseline score 100 points lower \(99 %: /);
  const request = { ...requestOf(a, b), limit: 3, outcome: 'broken' as const };
  const { items } = await pageItems(pool, team.teamId, request, () => []);
  expect(items.map((one) => [one.a.passed_samples, one.a.scored_samples])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

it('ignores unfinished extensions and those of another team', async () => {
  const [team, others] = [await createTeam(pool, { cases: CASES }), await createTeam(pool, { cases: CASES })];
  const ones = some(right, 0, 1);
  const [a, b] = [await runOf(team, ones), await runOf(team, ones)];
  const zeros = ones.map((): Outcome[] => [0]);
  const extending = { runId: b, firstSample: 1 };
  for (const status of ['pending', 'running', 'failed', 'cancelled', 'budget_exceeded'])
    await runOf(team, zeros, { extending, status });
  await runOf(others, zeros, { extending });
  expect(await compare(team, a, b)).toMatchObject({ b: { samples: 1 }, all: { mean_b: 1, samples: [1, 1] } });
  const added = ones.map((_, n): Outcome[] => [Number(n > 0)]);
  await runOf(team, added, { extending });
  expect(await compare(team, a, b)).toMatchObject({ b: { samples: 2 }, all: { mean_b: 1 - 1 / 24, samples: [1, 2] } });
});

it('shows the failed sample of a case, with its run', async () => {
  const team = await createTeam(pool, { cases: CASES });
  const ones = some(right, 0, 1);
  const [a, b] = [await runOf(team, ones), await runOf(team, ones)];
  const added = ones.map((_, n): Outcome[] => [1, Number(n > 0)]);
  const extension = await runOf(team, added, { extending: { runId: b, firstSample: 1 } });
  const request = { ...requestOf(a, b), limit: 10 };
  const { items } = await pageItems(pool, team.teamId, { ...request, outcome: 'worse' }, () => []);
  expect(items).toMatchObject([
    {
      a: { eval_id: a, result_id: '0-0-0', scored_samples: 1 },
      b: { eval_id: extension, result_id: '0-0-2', scored_samples: 3, passed_samples: 2 },
    },
  ]);
  const plain = await pageItems(pool, team.teamId, { ...request, extended: false }, () => []);
  expect(plain.items[0]).toMatchObject({ outcome: 'same_right', b: { eval_id: b } });
});

it('refuses rescores together with added samples', async () => {
  const team = await createTeam(pool, { cases: CASES });
  const [a, b] = [await runOf(team, right), await runOf(team, right)];
  for (const more of [{ rescoreA: a }, { rescoreB: b }])
    await expect(compare(team, a, b, more)).rejects.toMatchObject({ status: 422, errors: [{ path: '/extended' }] });
});
