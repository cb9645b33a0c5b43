import { createDatabase } from '../../../test/services.js';
import { setQuotas } from '../catalogue/quotas.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { countStorage, countTargets } from '../upkeep/count-storage.js';
import { dispatchLane } from './dispatch-lane.js';
import { finishTarget } from './finish-run.js';
import { resumeRun } from './resume-run.js';
import { runsMaybeOverBudget, stopIfOverBudget } from './run-budget.js';
import { settleItems } from './settle-items.js';

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
  await countTargets(pool);
  expect(await bytes()).toBe(1000);
  await pool.query('DELETE FROM run WHERE id = $1', [runId]);
  await pool.query('DELETE FROM target WHERE run_id = $1', [runId]);
  await pool.query(`UPDATE team_storage SET counted_at = now() - interval '1 hour'`);
  await countStorage(pool);
  expect((await pool.query('SELECT bytes FROM team_storage WHERE team_id = $1', [team.teamId])).rows[0].bytes).toBe(0);
});
