import type { Verdict } from '#lib/contracts/verdict';
import { createDatabase } from '../../../test/services.js';
import { setQuotas } from '../catalogue/quotas.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { countStorage, TargetCounts } from '../upkeep/count-storage.js';
import { deleteRun } from '../upkeep/delete-run.js';
import { dispatchLane } from './dispatch-lane.js';
import { finishTarget } from './finish-run.js';
import { rescoresToContinue, storeRescored, submitRescore } from './rescore-run.js';
import { resumeRun } from './resume-run.js';
import { runsMaybeOverBudget, stopIfOverBudget } from './run-budget.js';
import { settleItems } from './settle-items.js';
import { startJobsOf, usersToStart } from './start-pending-jobs.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)));
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;
const set = ({ teamId }: Team, quotas: Parameters<typeof setQuotas>[2]) =>
  inTransaction(pool, (client) => setQuotas(client, teamId, quotas));
const reached = (quota: string) => ({ status: 409, code: 'quota_reached', params: { quota } });
const jobOf = async (id: string) => (await pool.query('SELECT status, detail FROM job WHERE id = $1', [id])).rows[0];

it('runs stop where a team stores as much as it may, and go on once it may store more', async () => {
  const team = await createTeam(pool);
  const { jobId, runId } = await team.submit();
  const waiting = await team.submit();
  const [one] = await dispatchLane(pool, team.laneId, 1);
  await settleItems(pool, [{ ...settlementOf(one!), exchange: Buffer.alloc(1000) }]);
  await countStorage(pool);
  const { rows } = await pool.query('SELECT bytes FROM team_storage WHERE team_id = $1', [team.teamId]);
  expect(rows[0].bytes).toBeGreaterThan(1200);
  expect(rows[0].bytes).toBeLessThan(1500);
  await set(team, { stored_bytes: rows[0].bytes });
  expect(await dispatchLane(pool, team.laneId, 10)).toEqual([]);
  for (const run of await runsMaybeOverBudget(pool)) await stopIfOverBudget(pool, run);
  for (const id of [jobId, waiting.jobId])
    expect(await jobOf(id)).toEqual({
      status: 'budget_exceeded',
      detail: expect.stringMatching(/^The team stores as many bytes as its quota allows\./),
    });
  const resume = () => resumeRun(pool, { ...team, tokenId: null, runId });
  await expect(team.submit()).rejects.toMatchObject(reached('stored_bytes'));
  await expect(resume()).rejects.toMatchObject(reached('stored_bytes'));
  await set(team, { stored_bytes: null });
  expect(await resume()).toMatchObject({ runId });
});

it('a job that waits for the jobs of others in the team is found by workers once there is room', async () => {
  const team = await createTeam(pool);
  const waiting = async () => (await usersToStart(pool)).filter(({ teamId }) => teamId === team.teamId);
  await set(team, { running_jobs: 1 });
  const first = await team.submit();
  const other = await team.anotherUser();
  const { jobId } = await team.submit({ userId: other });
  expect(await waiting()).toEqual([]);
  await pool.query(`UPDATE job SET status = 'completed' WHERE id = $1`, [first.jobId]);
  expect(await waiting()).toEqual([{ teamId: team.teamId, userId: other }]);
  expect(await startJobsOf(pool, other)).toEqual([jobId]);
  expect(await waiting()).toEqual([]);
});

it('versions of suites and rescores count while a run pins them, and a deletion counts at once', async () => {
  const team = await createTeam(pool, { cases: 1 });
  const stored = async (): Promise<number> => {
    await countStorage(pool);
    return (await pool.query('SELECT bytes FROM team_storage WHERE team_id = $1', [team.teamId])).rows[0].bytes;
  };
  const { runId } = await team.submit();
  const [one] = await dispatchLane(pool, team.laneId, 1);
  await settleItems(pool, [{ ...settlementOf(one!), exchange: Buffer.alloc(1000) }]);
  await finishTarget(pool, { teamId: team.teamId, runId, generation: 1, ordinal: 0 }, {} as never);
  const before = await stored();
  await pool.query(`UPDATE suite SET version = version + 1, system_prompt = repeat('x', 5000) WHERE id = $1`, [
    team.suiteId,
  ]);
  const { runId: second } = await team.submit();
  // The suite leaves, and the versions stay with their runs.
  await pool.query('DELETE FROM suite_case WHERE suite_id = $1', [team.suiteId]);
  await pool.query('DELETE FROM suite WHERE id = $1', [team.suiteId]);
  const both = await stored();
  expect(both).toBe(before + 5000 + '{"prompt":"hi","expected_tool":null}[]'.length);
  await pool.query(`UPDATE run SET status = 'completed' WHERE team_id = $1`, [team.teamId]);
  await pool.query(`UPDATE job SET status = 'completed' WHERE team_id = $1`, [team.teamId]);
  await submitRescore(pool, { ...team, tokenId: null, runId, options: { metrics: [] } as never });
  await pool.query(`UPDATE job SET status = 'queued' WHERE team_id = $1 AND type = 'rescore'`, [team.teamId]);
  const [rescore] = await rescoresToContinue(pool);
  const { verdict } = settlementOf(one!).result as { verdict: Verdict };
  const item = { target: 0, casePosition: 0, sample: 0, scored: { verdict } };
  expect(await storeRescored(pool, rescore!, [item])).toBe(true);
  const rescored = await stored();
  expect(rescored - both).toBeGreaterThan(200);
  const ofTarget = async () =>
    (await pool.query('SELECT result_bytes AS n FROM target WHERE run_id = $1', [runId])).rows[0].n;
  const counted = await ofTarget();
  await pool.query('UPDATE target SET result_bytes = 0 WHERE run_id = $1', [runId]);
  await new TargetCounts().countPiece(pool);
  expect(await ofTarget()).toBe(counted);
  await pool.query(`UPDATE job SET status = 'completed' WHERE team_id = $1`, [team.teamId]);
  expect(await stored()).toBe(rescored);
  await deleteRun(pool, { teamId: team.teamId, runId: second });
  expect(await stored()).toBeLessThan(rescored - 5000);
  await deleteRun(pool, { teamId: team.teamId, runId });
  expect(await stored()).toBe(0);
});

it('what a resume replaces is counted once, and a deleted run leaves', async () => {
  const team = await createTeam(pool, { cases: 1 });
  const { runId } = await team.submit();
  const settle = async (outcome: 'errored' | 'scored') => {
    const [item] = await dispatchLane(pool, team.laneId, 1);
    await settleItems(pool, [{ ...settlementOf(item!, outcome), exchange: Buffer.alloc(1000) }]);
  };
  const bytes = async () =>
    (await pool.query('SELECT exchange_bytes FROM target WHERE run_id = $1', [runId])).rows[0]?.exchange_bytes;
  await settle('errored');
  await finishTarget(pool, { teamId: team.teamId, runId, generation: 1, ordinal: 0 }, {} as never);
  expect(await bytes()).toBe(1000);
  await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [runId]);
  await resumeRun(pool, { ...team, tokenId: null, runId });
  await pool.query('DELETE FROM result WHERE run_id = $1', [runId]);
  await pool.query('DELETE FROM preparation WHERE run_id = $1', [runId]);
  await pool.query('INSERT INTO redo (run_id, target, item) VALUES ($1, 0, 0)', [runId]);
  await pool.query('UPDATE target SET active = true WHERE run_id = $1', [runId]);
  await settle('scored');
  expect(await bytes()).toBe(2000);
  await finishTarget(pool, { teamId: team.teamId, runId, generation: 2, ordinal: 0 }, {} as never);
  expect(await bytes()).toBe(1000);
  await pool.query('DELETE FROM run WHERE id = $1', [runId]);
  await pool.query('DELETE FROM target WHERE run_id = $1', [runId]);
  await pool.query(`UPDATE team_storage SET counted_at = now() - interval '1 hour'`);
  await countStorage(pool);
  expect((await pool.query('SELECT bytes FROM team_storage WHERE team_id = $1', [team.teamId])).rows[0].bytes).toBe(0);
});
