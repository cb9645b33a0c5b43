import { createPool, type Pool } from '#lib/db/connection/pool';
import { completedRun, type CompletedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import type { Outcome } from '#lib/db/testing/settled-run';
import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../test/services.js';
import { GateAnswer, GateInput, type GateRules } from './contract.js';
import { measureGate, readGateData, type MeasuredGate } from './measure-gate.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)), 60_000);
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;

/** The rules of a gate with one look, with overrides. */
function rulesOf(more: Partial<GateInput> = {}): GateRules {
  const input = { name: 'main', suite_id: newId(), baseline: { eval_id: newId() }, looks: 1, ...more };
  const { name: _name, suite_id: _suite, baseline: _baseline, ...rules } = GateInput.parse(input);
  return rules;
}
const gateId = newId();

async function measure(
  team: Team,
  baselineId: string | null,
  runId: string,
  { lastLook = 8, ...rules }: Partial<GateInput> & { lastLook?: number } = {},
): Promise<MeasuredGate> {
  const gate = { id: gateId, name: 'main', version: 1, rules: rulesOf(rules) };
  const sides = { baselineId, runId };
  const measured = await measureGate(pool, team.teamId, gate, sides, lastLook);
  const answer = { ...measured.answer, look: { number: 1, planned: 1, alpha: 0.05, final: true } };
  expect(GateAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  expect(measured.data).toBe(await readGateData(pool, team.teamId, sides));
  return measured;
}

/** `n` cases of one sample with this score. */
const cases = (n: number, score: Outcome = 1): Outcome[][] => Array.from({ length: n }, () => [score]);
const unscored = (n: number): Outcome[][] => Array.from({ length: n }, () => []);
const runOf = (team: Team, a: Outcome[][], more: Partial<CompletedRun> = {}): Promise<string> =>
  completedRun(pool, team, { results: { a }, ...more });

it('passes a run that is shown not to be worse by the margin', async () => {
  const team = await createTeam(pool, { cases: 400 });
  const { answer, samples, canDecide } = await measure(
    team,
    await runOf(team, [...cases(3, 0), ...cases(397)]),
    await runOf(team, [...cases(3), ...cases(3, 0), ...cases(394)]),
  );
  expect(answer).toMatchObject({
    result: 'pass',
    targets: [
      {
        target: 'sim::a',
        baseline_target: 'sim::a',
        reason: 'not_worse',
        n_cases: 400,
        difference: 0,
        fixed: 3,
        broken: 3,
        pass_rate: 397 / 400,
        cost: { a: 200, b: 200 },
        errored_shares: [0, 0],
        critical: [],
        cases_needed: null,
      },
    ],
    cases: { common: 400, changed: 0 },
    what_changed: [],
  });
  expect(answer.targets[0]!.ci![0]).toBeCloseTo(-0.0138, 4);
  expect(answer.text).toBe(
    'The new run is not worse by 2 points or more: the difference is 0 points (95 %: -1.4 to 1.4; 400 cases): 3 ' +
      'fixed, 3 broken.',
  );
  expect([samples, canDecide]).toEqual([[1, 1], false]);
});

it('fails a run that is shown to be worse, and says which settings differ', async () => {
  const team = await createTeam(pool, { cases: 100 });
  const [a, b] = [await runOf(team, cases(100)), await runOf(team, [...cases(20, 0), ...cases(80)])];
  await pool.query(`UPDATE run SET config = jsonb_set(config::jsonb, '{temperature}', '0.7') WHERE id = $1`, [b]);
  const { answer } = await measure(team, a, b);
  expect(answer).toMatchObject({ result: 'fail', targets: [{ reason: 'regressed', broken: 20 }] });
  expect(answer.what_changed).toMatchObject([{ path: '/temperature', b: 0.7 }]);
});

it('reads both sides with the samples that were added to them', async () => {
  const team = await createTeam(pool, { cases: 200 });
  const noisy = Array.from({ length: 200 }, (_, n) => [Number(n % 10 > 0)]);
  const [a, b] = [await runOf(team, noisy), await runOf(team, noisy.toReversed())];
  const first = await measure(team, a, b, { margin: 0.03 });
  expect(first).toMatchObject({ answer: { result: 'inconclusive' }, samples: [1, 1], canDecide: true });
  const added = Array.from({ length: 200 }, (_, n) => [Number(n % 10 !== 3), Number(n % 10 !== 6), 1]);
  for (const runId of [a, b]) await runOf(team, added, { extending: { runId, firstSample: 1 } });
  const second = await measure(team, a, b, { margin: 0.03 });
  expect(second).toMatchObject({ answer: { result: 'pass' }, samples: [4, 4] });
  expect(second.answer.targets[0]).not.toHaveProperty('drift');
  expect(second.data).not.toBe(first.data);
  expect(JSON.parse(second.data)).toMatchObject({
    baseline: { id: a, generation: 1, extensions: [{ generation: 1 }] },
    run: { id: b, generation: 1, extensions: [{ generation: 1 }] },
  });
});

/** `n` cases of which every fourth passes none of its samples, as under a provider that got worse. */
const worsened = (n: number, samples: number): Outcome[][] =>
  Array.from({ length: n }, (_, place) => Array<Outcome>(samples).fill(place % 4 === 0 ? 0 : 1));

it('measures nothing with samples that differ from those they join, and says since when', async () => {
  const team = await createTeam(pool, { cases: 60 });
  const [a, b] = [await runOf(team, cases(60)), await runOf(team, worsened(60, 1))];
  expect((await measure(team, a, b)).answer).toMatchObject({ result: 'fail', targets: [{ reason: 'regressed' }] });
  const later = await runOf(team, worsened(60, 3), { extending: { runId: a, firstSample: 1 } });
  await pool.query(
    `UPDATE run SET started_at = CASE id WHEN $1 THEN timestamptz '2026-11-25 13:40Z' ELSE '2026-11-25 14:08Z' END,
       finished_at = CASE id WHEN $1 THEN timestamptz '2026-11-25 13:44Z' ELSE '2026-11-25 14:15Z' END
     WHERE id = ANY ($2)`,
    [a, [a, later]],
  );
  const { answer, canDecide, samples } = await measure(team, a, b);
  expect(answer.result).toBe('not_measured');
  expect(answer.targets[0]).toMatchObject({
    reason: 'drifted',
    difference: -0.25,
    samples: [1, 1],
    drift: [
      {
        side: 'baseline',
        target: 'sim::a',
        earlier: { samples: 60, mean: 1, from: '2026-11-25T13:40:00.000Z', to: '2026-11-25T13:44:00.000Z' },
        later: { samples: 180, mean: 0.75, from: '2026-11-25T14:08:00.000Z', to: '2026-11-25T14:15:00.000Z' },
        difference: -0.25,
        since: '2026-11-25T14:08:00.000Z',
      },
    ],
  });
  expect(answer.text).toMatch(/^Not measured: the later samples of the baseline score 25 points lower \(99 %: /);
  expect(answer.text).toContain('It has 60 samples of 25 Nov 13:40 UTC and 180 of 25 Nov 14:08 UTC.');
  expect([canDecide, samples]).toEqual([false, [1, 1]]);
});

it.each(['pending', 'running', 'failed', 'cancelled', 'budget_exceeded'])(
  'measures nothing while a side is %s, however good its results are',
  async (status) => {
    const team = await createTeam(pool, { cases: 400 });
    const [done, open] = [await runOf(team, cases(400)), await runOf(team, cases(400), { status })];
    for (const [a, b] of [[done, open] as const, [open, done] as const]) {
      const { answer, canDecide } = await measure(team, a, b);
      expect(answer).toMatchObject({ result: 'not_measured', targets: [{ reason: 'unfinished' }], cases: null });
      expect(canDecide).toBe(false);
    }
  },
);

it('measures nothing without a baseline, against the run itself or against a run of another team', async () => {
  const [team, others] = [await createTeam(pool, { cases: 10 }), await createTeam(pool, { cases: 10 })];
  const [run, theirs] = [await runOf(team, cases(10)), await runOf(others, cases(10))];
  for (const baseline of [null, newId(), run, theirs])
    expect((await measure(team, baseline, run)).answer).toMatchObject({
      result: 'not_measured',
      text: expect.stringMatching(/^Not measured: /),
      targets: [{ target: 'sim::a', reason: 'no_baseline', ci: null }],
    });
  await expect(measure(team, run, theirs)).rejects.toMatchObject({ status: 404 });
});

it('measures nothing where all cases changed, none is scored, or too many errored', async () => {
  const team = await createTeam(pool, { cases: 20 });
  const a = await runOf(team, cases(20));
  const reasonOf = async (id: string) => (await measure(team, a, id)).answer.targets[0]!.reason;
  expect(await reasonOf(await runOf(team, cases(20, null)))).toBe('nothing_scored');
  expect(await reasonOf(await runOf(team, [...cases(4), ...unscored(16)]))).toBe('too_few_cases');
  expect(await reasonOf(await runOf(team, [...cases(2, null), ...cases(18)]))).toBe('errored');
  await pool.query(`UPDATE suite_case SET body = '{"prompt":"new","expected_tool":null}' WHERE suite_id = $1`, [
    team.suiteId,
  ]);
  await pool.query('UPDATE suite SET version = version + 1 WHERE id = $1', [team.suiteId]);
  const { answer } = await measure(team, a, await runOf(team, cases(20)));
  expect(answer).toMatchObject({
    result: 'not_measured',
    cases: { common: 0, changed: 20 },
    targets: [{ reason: 'too_few_cases', difference: null, pass_rate: 1 }],
  });
});

it('needs every model that the gate names, and those of the baseline if it names none', async () => {
  const team = await createTeam(pool, { cases: 300 });
  const good = cases(300);
  const [both, one] = [
    await completedRun(pool, team, { results: { a: good, b: good } }),
    await completedRun(pool, team, { results: { b: good } }),
  ];
  const lacking = await measure(team, both, one);
  expect(lacking.answer.targets.map(({ target, reason }) => [target, reason])).toEqual([
    ['sim::a', 'not_in_run'],
    ['sim::b', 'not_worse'],
  ]);
  expect(lacking.answer).toMatchObject({
    result: 'not_measured',
    text: '1 of 2 models was not measured. Not measured: the run does not have the model "sim::a".',
  });
  const named = await measure(team, both, one, { models: ['sim::b'] });
  expect(named.answer).toMatchObject({ result: 'pass', targets: [{ target: 'sim::b' }] });
  const reverse = await measure(team, one, both);
  expect(reverse.answer).toMatchObject({ result: 'pass', targets: [{ target: 'sim::b' }] });
  expect(reverse.answer.notes).toContain('The gate does not measure sim::a, which the run also has.');
  const renamed = await runOf(team, good);
  expect((await measure(team, one, renamed)).answer).toMatchObject({
    result: 'pass',
    targets: [{ target: 'sim::a', baseline_target: 'sim::b' }],
  });
  const strict = await measure(team, one, renamed, { models: ['sim::b'] });
  expect(strict.answer).toMatchObject({ result: 'not_measured', cases: null, targets: [{ reason: 'not_in_run' }] });
});

it('fails when one of several models fails, with p values corrected for their number', async () => {
  const team = await createTeam(pool, { cases: 100 });
  const [good, poor] = [cases(100), [...cases(6, 0), ...cases(94)]];
  const same = Array.from({ length: 3 }, (_, n) => [`m${n}`, good]);
  const baseline = await completedRun(pool, team, { results: { a: good, ...Object.fromEntries(same) } });
  const chance = await completedRun(pool, team, { results: { a: poor, ...Object.fromEntries(same) } });
  const alone = await measure(team, baseline, chance, { models: ['sim::a'] });
  expect(alone.answer.targets).toMatchObject([{ reason: 'regressed', p_holm: alone.answer.targets[0]!.p }]);
  const among = await measure(team, baseline, chance);
  expect(among.answer.targets[0]).toMatchObject({ reason: 'undecided', ci: [expect.any(Number), expect.any(Number)] });
  expect(among.answer.targets[0]!.p_holm).toBeCloseTo(4 * among.answer.targets[0]!.p!);
  expect(among.answer).toMatchObject({ result: 'inconclusive' });
  const worse = [...cases(30, 0), ...cases(70)];
  const broken = await completedRun(pool, team, { results: { a: worse, ...Object.fromEntries(same) } });
  expect((await measure(team, baseline, broken)).answer).toMatchObject({
    result: 'fail',
    text: expect.stringMatching(/^1 of 4 models fails\. With a, the new run is worse: /),
  });
});

it('checks critical cases whatever the measure and the errors are, and requests samples that confirm', async () => {
  const team = await createTeam(pool, { cases: 300 });
  await pool.query(`UPDATE suite_case SET tags = '{easy,core}' WHERE suite_id = $1 AND position IN (3, 7)`, [
    team.suiteId,
  ]);
  const a = await runOf(team, cases(300));
  const b = await runOf(team, cases(300).with(3, [0]).with(7, [null]));
  const critical_tags = ['core', 'vital'];
  const first = await measure(team, a, b, { critical_tags, margin: 0.1, looks: 4 });
  expect(first).toMatchObject({
    answer: {
      result: 'inconclusive',
      targets: [
        {
          reason: 'critical_unconfirmed',
          critical: [
            { position: 3, case_name: null, samples: [1, 1], confirmed: false },
            { position: 7, samples: [1, 0], confirmed: false },
          ],
        },
      ],
    },
    unconfirmed: [
      { a: 3, b: 3, samples: [1, 1] },
      { a: 7, b: 7, samples: [1, 0] },
    ],
    canDecide: true,
  });
  const sparse = (one: number[], other: number[]) => unscored(300).with(3, one).with(7, other);
  await runOf(team, sparse([1, 1], [1, 1]), { extending: { runId: a, firstSample: 1 } });
  const more = await runOf(team, sparse([0, 0], [1, 1]), { extending: { runId: b, firstSample: 1 } });
  const second = await measure(team, a, b, { critical_tags, margin: 0.1, looks: 4 });
  expect(second).toMatchObject({
    answer: {
      result: 'fail',
      text: expect.stringMatching(/^The new run breaks a critical case: "/),
      targets: [{ reason: 'critical', critical: [{ position: 3, samples: [3, 3], confirmed: true }] }],
    },
    unconfirmed: [],
    canDecide: false,
  });
  await pool.query('UPDATE result SET passed = true, overall = 1 WHERE run_id = $1 AND sample = 2', [more]);
  const third = await measure(team, a, b, { critical_tags, margin: 0.1 });
  expect(third.answer).toMatchObject({ result: 'pass', targets: [{ critical: [] }] });
  const unknown = await measure(team, a, b, { critical_tags: ['vital'], margin: 0.1 });
  expect(unknown.answer.notes).toContain('No case of the run has a critical tag of the gate.');
});

it('holds the pass rate of all cases of the run to the floor, including cases that the baseline lacks', async () => {
  const team = await createTeam(pool, { cases: 100 });
  const a = await runOf(team, cases(50));
  await pool.query(`UPDATE run SET case_positions = ARRAY(SELECT generate_series(0, 49)) WHERE id = $1`, [a]);
  const b = await runOf(team, [...cases(50), ...cases(50, 0)]);
  const { answer } = await measure(team, a, b, { floor: { pass_rate: 0.8 }, margin: 0.2 });
  expect(answer).toMatchObject({ result: 'fail', targets: [{ reason: 'floor', n_cases: 50, pass_rate: 0.5 }] });
  const low = await measure(team, a, b, { floor: { pass_rate: 0 }, margin: 0.2 });
  expect(low.answer.result).toBe('pass');
});

it('requires a gain with a margin of 0, and notes a tolerated regression and cut-off replies', async () => {
  const team = await createTeam(pool, { cases: 400 });
  const [good, poor] = [await runOf(team, cases(400)), await runOf(team, [...cases(12, 0), ...cases(388)])];
  expect((await measure(team, poor, good, { margin: 0 })).answer.result).toBe('pass');
  expect((await measure(team, good, await runOf(team, cases(400)), { margin: 0 })).answer.result).toBe('inconclusive');
  await pool.query(`UPDATE result SET error_type = 'cut_off' WHERE run_id = $1 AND NOT passed`, [poor]);
  const { answer } = await measure(team, good, poor, { margin: 0.1 });
  expect(answer).toMatchObject({
    result: 'pass',
    text: expect.stringMatching(/^The new run is worse, but by less than/),
  });
  expect(answer.notes).toEqual([
    expect.stringMatching(/^0 of 400 replies of the baseline and 12 of 400 replies of the other run were cut off/),
    expect.stringMatching(/^A regression smaller than the margin of 10 points is shown\. /),
  ]);
});

it('refuses a measure that a run lacks', async () => {
  const team = await createTeam(pool, { cases: 10 });
  const [a, b] = [await runOf(team, cases(10)), await runOf(team, cases(10))];
  await expect(measure(team, a, b, { measure: 'f1' })).rejects.toMatchObject({ status: 422 });
});
