import { GateAnswer, GateInput, type GateRules } from '#lib/contracts/gate';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { completedRun, type CompletedRun } from '#lib/db/testing/completed-run';
import { aTeam } from '#lib/db/testing/run-fixture';
import type { Outcome } from '#lib/db/testing/settled-run';
import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../../test/services.js';
import { measureGate, readGateData, type MeasuredGate } from './measure-gate.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)), 60_000);
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof aTeam>>;

/** The rules of a gate with one look, and what a test sets. */
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
  const measured = await measureGate(pool, team.teamId, gate, sides, lastLook, new AbortController().signal);
  const answer = { ...measured.answer, look: { number: 1, planned: 1, alpha: 0.05, final: true } };
  expect(GateAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  expect(measured.data).toBe(await readGateData(pool, team.teamId, sides));
  return measured;
}

/** So many cases of one sample with this score. */
const cases = (n: number, score: Outcome = 1): Outcome[][] => Array.from({ length: n }, () => [score]);
const runOf = (team: Team, a: Outcome[][], more: Partial<CompletedRun> = {}): Promise<string> =>
  completedRun(pool, team, { results: { a }, ...more });

it('passes a run that is shown not to be worse by the margin', async () => {
  const team = await aTeam(pool, { cases: 400 });
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
