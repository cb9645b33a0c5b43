import { createDatabase } from '../../../test/services.js';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import { readSpentByToken } from '../catalogue/spending.js';
import { createPool, type Pool } from '../connection/pool.js';
import { createParent } from '../testing/parent-fixture.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { claimItems } from './claim-items.js';
import { dispatchLane } from './dispatch-lane.js';
import { extendRun } from './extend-run.js';
import { prepareRun } from './prepare-run.js';
import { resumeChildren, resumeOrchestration } from './resume-orchestration.js';
import { resumeRun } from './resume-run.js';
import { runsMaybeOverBudget, stopIfOverBudget } from './run-budget.js';
import { settleItems } from './settle-items.js';

// Looks for runs of all teams to stop, so it needs a separate database.
let pool: Pool;
/** As a worker of the release before. */
let earlier: Pool;
beforeAll(async () => {
  const { url } = await createDatabase();
  pool = createPool(url, 12);
  const named = new URL(url);
  named.searchParams.set('options', `-c toolmark.worker_level=${SUBMIT_LEVEL}`);
  earlier = createPool(String(named), 2);
});
afterAll(() => Promise.all([pool.end(), earlier.end()]));

type Team = Awaited<ReturnType<typeof createTeam>>;
const one = async (text: string, ...values: unknown[]): Promise<any> => (await pool.query(text, values)).rows[0];
const jobOf = (runId: string) =>
  one('SELECT status, detail FROM job WHERE id = (SELECT job_id FROM run WHERE id = $1)', runId);
const COST = 1;

/** Takes items of a lane and settles them, each for a dollar. @returns how many there were */
async function play({ laneId }: Pick<Team, 'laneId'>, window = 100, on = pool): Promise<number> {
  const deliveries = await dispatchLane(on, laneId, window);
  await claimItems(on, 'w', deliveries);
  await settleItems(
    on,
    deliveries.map((delivery) => ({ ...settlementOf(delivery), costUsd: COST })),
  );
  return deliveries.length;
}

/** Plays until nothing is dispatched any more, and stops what is over its budget. */
async function playOut(team: Team): Promise<number> {
  let played = 0;
  for (let n = await play(team, 2); n > 0; n = await play(team, 2)) played += n;
  for (const run of await runsMaybeOverBudget(pool)) if (run.teamId === team.teamId) await stopIfOverBudget(pool, run);
  return played;
}

const SPENT = 'The monthly cap of the token "ci" is spent; an owner can raise it, or wait for the next month.';

it('the runs of a token stop together when its monthly cap is spent, and say why; those of others go on', async () => {
  const team = await createTeam(pool, { cases: 20, runningJobs: 9 });
  const { teamId, userId } = team;
  const tokenId = await team.cappedToken(5.5);
  const [first, second] = [await team.submit({ tokenId }), await team.submit({ tokenId })];
  const free = await team.submit();
  const played = await playOut(team);
  // A window of two for each of its runs may be under way when the last dollar is spent.
  expect(played - 20).toBeGreaterThanOrEqual(6);
  expect(played - 20).toBeLessThanOrEqual(6 + 4);
  expect(await readSpentByToken(pool, tokenId)).toBe((played - 20) * COST);
  for (const { runId } of [first, second])
    expect(await jobOf(runId)).toEqual({ status: 'budget_exceeded', detail: SPENT });
  expect(await one('SELECT settled FROM target WHERE run_id = $1', free.runId)).toEqual({ settled: 20 });

  const resume = (by: string | null) => resumeRun(pool, { teamId, userId, tokenId: by, runId: first.runId });
  await expect(resume(tokenId)).rejects.toMatchObject({ status: 422, message: expect.stringContaining(SPENT) });
  expect(await one('SELECT token_id FROM run WHERE id = $1', first.runId)).toEqual({ token_id: tokenId });
  await pool.query(`UPDATE token_spending SET month = month - interval '1 month' WHERE token_id = $1`, [tokenId]);
  await resume(tokenId); // in the next month
  while ((await prepareRun(pool, { id: first.runId }))?.more);
  expect(await playOut(team)).toBeGreaterThanOrEqual(6);
  await resume(null); // by a person
  while ((await prepareRun(pool, { id: first.runId }))?.more);
  await playOut(team);
  expect(await one('SELECT settled FROM target WHERE run_id = $1', first.runId)).toEqual({ settled: 20 });
});

it('child runs and added samples spend what the token of their parent, or of whoever adds them, has left', async () => {
  const parent = await createParent(pool, { cases: 4, cap: 3 });
  const { teamId, userId, tokenId } = parent;
  await parent.commit({ children: [parent.child('a'), parent.child('b')] });
  await playOut(parent);
  const spent = await readSpentByToken(pool, tokenId!);
  expect([spent >= 3, spent <= 3 + 3]).toEqual([true, true]);
  const [a, b] = (await parent.read()).children;
  expect(new Set([a!.status, b!.status])).toContain('budget_exceeded');
  const stopped = [a!, b!].find(({ status }) => status === 'budget_exceeded')!;
  expect(stopped.detail).toBe(SPENT);

  await parent.commit({ children: [], end: { status: 'budget_exceeded', detail: SPENT } });
  const of = { teamId, userId, jobId: parent.jobId };
  await expect(resumeOrchestration(pool, { ...of, tokenId })).rejects.toThrow(SPENT);
  const other = await parent.cappedToken(100);
  const { jobId } = await resumeOrchestration(pool, { ...of, tokenId: other });
  while (await resumeChildren(pool, { id: parent.id, jobId, teamId, userId, tokenId: other }));
  while ((await prepareRun(pool, { id: stopped.id }))?.more);
  await playOut(parent);
  expect((await readSpentByToken(pool, tokenId!)) + (await readSpentByToken(pool, other))).toBe(8);

  await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [a!.id]);
  await extendRun(pool, { teamId, userId, tokenId: other, runId: a!.id, samples: 1 });
  await playOut(parent);
  expect((await readSpentByToken(pool, tokenId!)) + (await readSpentByToken(pool, other))).toBe(12);
});

it('workers of the release before leave the work of a token with a cap alone, and do all other work', async () => {
  const team = await createTeam(pool, { runningJobs: 9 });
  const { teamId, userId } = team;
  const levels = async (runId: string) => (await one('SELECT worker_level FROM run WHERE id = $1', runId)).worker_level;
  const plain = newId();
  await pool.query(
    `INSERT INTO token (id, team_id, user_id, name, role, hash) VALUES ($1, $2, $3, 'x', 'editor', $4)`,
    [...[plain, teamId, userId, plain]],
  );
  const capped = await team.submit({ tokenId: await team.cappedToken(100) });
  const others = [await team.submit({ tokenId: plain }), await team.submit()];
  expect(await levels(capped.runId)).toBe(SUBMIT_LEVEL + 1);
  expect(await Promise.all(others.map(({ runId }) => levels(runId)))).toEqual([SUBMIT_LEVEL, SUBMIT_LEVEL]);
  expect(await play(team, 100, earlier)).toBe(8);
  const held = await dispatchLane(pool, team.laneId, 100);
  expect(held).toHaveLength(4);
  const { runs } = await settleItems(
    earlier,
    held.map((delivery) => ({ ...settlementOf(delivery), costUsd: COST })),
  );
  expect(runs.size).toBe(0);
  // A token that is deleted lets its runs go on.
  await pool.query('DELETE FROM token WHERE team_id = $1', [teamId]);
  const settlements = held.map((delivery) => ({ ...settlementOf(delivery), costUsd: COST }));
  expect((await settleItems(pool, settlements)).runs.size).toBe(1);
});

it('settlements of several tokens with caps do not wait for each other, and lose no cent', async () => {
  const team = await createTeam(pool, { cases: 60, runningJobs: 99 });
  const tokens = [await team.cappedToken(1000), await team.cappedToken(1000), await team.cappedToken(1000)];
  for (const tokenId of [...tokens, ...tokens.toReversed()]) await team.submit({ tokenId });
  const deliveries = await dispatchLane(pool, team.laneId, 1000);
  expect(deliveries).toHaveLength(6 * 60);
  await claimItems(pool, 'w', deliveries);
  const batches = Map.groupBy(deliveries, (_delivery, n) => n % 30);
  await Promise.all(
    [...batches.values()].map((batch, n) =>
      settleItems(
        pool,
        (n % 2 ? batch : batch.toReversed()).map((one) => ({ ...settlementOf(one), costUsd: COST })),
      ),
    ),
  );
  for (const tokenId of tokens) expect(await readSpentByToken(pool, tokenId)).toBe(120);
});
