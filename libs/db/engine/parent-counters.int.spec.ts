import { readFile } from 'node:fs/promises';
import { seed } from '../../../test/seed.js';
import { createDatabase } from '../../../test/services.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { insertRow } from '../connection/insert-row.js';
import { createPool, inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { JobRepository } from '../read/jobs.js';
import { createParent } from '../testing/parent-fixture.js';
import { settlementOf } from '../testing/run-fixture.js';
import { settleRun } from '../testing/settled-run.js';
import { deleteOrchestrations, removeParent } from '../upkeep/delete-parents.js';
import { deleteRun } from '../upkeep/delete-run.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { dispatchLane } from './dispatch-lane.js';
import { finishRun, runsToFinish } from './finish-run.js';
import type { NewChildRun } from './orchestrations.js';
import { locateItems, prepareRun } from './prepare-run.js';
import { resumeChildren, resumeOrchestration } from './resume-orchestration.js';
import { readBudgets, runsMaybeOverBudget } from './run-budget.js';
import { settleItems, type Settlement } from './settle-items.js';

// Counts the activity of all teams and drops triggers, so it needs a separate database.
let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

const rows = async (text: string, values: unknown[] = []): Promise<any[]> => (await pool.query(text, values)).rows;
const CASES = 4;

async function aParentWith(budget: { maxRequests?: number | null; maxCostUsd?: number | null } = {}) {
  const parent = await createParent(pool, { cases: CASES, ...budget });
  const present = async (): Promise<string> =>
    (await rows('SELECT job_id FROM orchestration WHERE id = $1', [parent.id]))[0].job_id;
  return {
    ...parent,
    make: (...children: NewChildRun[]) => parent.commit({ children }),
    present,
    progress: async (of?: string) =>
      (await new JobRepository(pool, parent.teamId).read(of ?? (await present()))).progress,
    runs: () => rows('SELECT * FROM run WHERE orchestration_id = $1 ORDER BY id', [parent.id]),
  };
}
type Parent = Awaited<ReturnType<typeof aParentWith>>;

/** Creates many child runs that wait for their first items, as copies of one. @returns their ids */
async function makeMany(parent: Parent, n: number): Promise<string[]> {
  await parent.make(parent.child('like'));
  const [like] = await parent.runs();
  await pool.query(
    `WITH made AS (SELECT gen_random_uuid() AS id, gen_random_uuid() AS job_id, n FROM generate_series(2, $2) n),
       jobs AS (
         INSERT INTO job (id, team_id, user_id, type, status, result_ref, total, parent_id)
         SELECT m.job_id, team_id, user_id, type, status, m.id, total, parent_id FROM job, made m WHERE job.id = $3
       ), runs AS (
         INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
           config, samples, listed, orchestration_id, step, arm, worker_level)
         SELECT m.id, team_id, user_id, m.job_id, suite_id, suite_version_id, suite_name, suite_version, status, config,
           samples, listed, orchestration_id, step, m.n, worker_level FROM run, made m WHERE run.id = $1
       )
     INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, n, active, active_for)
     SELECT m.id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, target.n, active, active_for
     FROM target, made m WHERE run_id = $1`,
    [like.id, n, like.job_id],
  );
  return (await parent.runs()).map(({ id }) => id);
}

/** Takes items of the parent's lane and settles them, each with its own case and sample. */
async function play({ laneId }: Parent, window: number, errs: () => boolean = () => false): Promise<void> {
  const deliveries = await dispatchLane(pool, laneId, window);
  await claimItems(pool, 'w', deliveries);
  const settlements = await inTransaction(pool, async (client) => {
    const made: Settlement[] = [];
    for (const [n, one] of deliveries.entries()) {
      const [place] = await locateItems(client, one.runId, one.item, one.item + 1);
      const outcome = errs() ? 'errored' : 'scored';
      made.push({ ...settlementOf(one, outcome), ...place!, costUsd: n % 2 ? 0.25 : 0.5 });
    }
    return made;
  });
  await settleItems(pool, settlements);
}

/** Ends the child runs that have no items left. */
async function finish(parent: Parent): Promise<void> {
  await pool.query(
    `UPDATE target t SET finished_at = now(), summary = '{}' FROM run r
     WHERE r.id = t.run_id AND r.orchestration_id = $1 AND t.settled = t.n AND t.finished_at IS NULL`,
    [parent.id],
  );
  for (const run of await runsToFinish(pool)) if (run.teamId === parent.teamId) await finishRun(pool, run);
}

async function cancel(parent: Parent): Promise<void> {
  await cancelJob(pool, { teamId: parent.teamId, jobId: await parent.present() });
}

async function resume(parent: Parent): Promise<void> {
  const { teamId, userId, id: orchestrationId } = parent;
  const { jobId } = await resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId: await parent.present() });
  while (await resumeChildren(pool, { id: orchestrationId, jobId, teamId, userId, tokenId: null }));
  for (const { id } of await parent.runs()) while ((await prepareRun(pool, { id }))?.more);
}

/** For each job of the parent: its counters, and the sums over its child runs. */
async function countersAndSums({ id }: Parent): Promise<{ counters: unknown; sums: unknown }> {
  const counters = await rows(
    `SELECT generation, sum(total)::int AS total, sum(done)::int AS done, sum(errored)::int AS errored
     FROM parent_counter WHERE orchestration_id = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );
  const sums = await rows(
    `SELECT p.generation, sum(c.total)::int AS total, sum(c.done)::int AS done, sum(c.errored)::int AS errored
     FROM job p JOIN job c ON c.parent_id = p.id WHERE p.result_ref = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );
  const money = 'sum(requests)::int AS requests, sum(cost_usd) AS cost';
  return {
    counters: [counters, await rows(`SELECT ${money} FROM parent_counter WHERE orchestration_id = $1`, [id])],
    sums: [
      sums,
      await rows(`SELECT ${money} FROM target WHERE run_id IN (SELECT id FROM run WHERE orchestration_id = $1)`, [id]),
    ],
  };
}

/** Number of table rows read by `read` on its connection. */
async function rowsRead(read: (client: PoolClient) => Promise<unknown>): Promise<number> {
  return inTransaction(pool, async (client) => {
    const soFar = async (): Promise<number> => {
      const { rows: found } = await client.query<{ n: number }>(
        'SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS n FROM pg_stat_xact_user_tables',
      );
      return found[0]!.n;
    };
    const before = await soFar();
    await read(client);
    return (await soFar()) - before;
  });
}

describe('the counters of a parent', () => {
  it('are the sums over its child runs, whatever happened to those', async () => {
    const random = seededRandom(seed);
    const parent = await aParentWith();
    await parent.make(parent.child('a'), parent.child('b'));
    let arms = 0;
    const steps = [
      () => play(parent, 3, () => random() < 0.3),
      () => play(parent, 20, () => random() < 0.3),
      () => finish(parent),
      () => cancel(parent),
      () => resume(parent),
      async () => void (await parent.make(parent.child(`c${arms++}`))),
      async () => {
        const [ended] = (await parent.runs()).filter((run) => isFinished(run.status) && !run.extends_run_id);
        const extend = ended && { runId: ended.id, samples: 1 };
        if (extend) await parent.make({ step: 'more', arm: `${arms++}`, extend });
      },
    ];
    for (let n = 0; n < 40; n++) {
      // A step that is not possible now, such as resuming a running parent, changes nothing.
      await steps[Math.floor(random() * steps.length)]!().catch((error) => {
        if (!(error instanceof ProblemError)) throw error;
      });
      const { counters, sums } = await countersAndSums(parent);
      expect(counters).toEqual(sums);
    }
  });

  it('are its progress, and after two resumes the progress of the current job', async () => {
    const parent = await aParentWith();
    await parent.make(parent.child('a'), parent.child('b'));
    for (const window of [3, 3, 1]) await play(parent, window, () => true);
    expect(await parent.progress()).toMatchObject({ done: 7, errored: 7, total: 2 * CASES });
    await cancel(parent);
    await resume(parent);
    expect(await parent.progress()).toMatchObject({ done: 0, errored: 0, total: 2 * CASES });
    await play(parent, 2);
    await cancel(parent);
    await resume(parent);
    expect(await parent.progress()).toMatchObject({ done: 0, total: 2 * CASES - 2 });
    await play(parent, 100);
    expect(await parent.progress()).toMatchObject({ done: 2 * CASES - 2, total: 2 * CASES - 2 });
    expect(await parent.progress(parent.jobId)).toMatchObject({ done: 7, errored: 7, total: 2 * CASES });
  });

  it('count no error twice after a resume, and a cancel returns before errors are recounted', async () => {
    const parent = await aParentWith({ maxRequests: 9 });
    const { teamId, userId, id } = parent;
    await parent.make(parent.child('a'));
    await play(parent, 3, () => true);
    await cancel(parent);
    const { jobId } = await resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId: parent.jobId });
    await resumeChildren(pool, { id, jobId, teamId, userId, tokenId: null });
    await cancel(parent);
    expect(await parent.progress()).toMatchObject({ done: 0, errored: 0, total: CASES });
    const [a] = await parent.runs();
    expect((await readBudgets(pool, [a.id])).get(a.id)).toMatchObject({ requests: 3, settled: 3 });
  });

  it('apply its budget to the spending of all its generations', async () => {
    const parent = await aParentWith({ maxRequests: 9 });
    await parent.make(parent.child('a'), parent.child('b'));
    await play(parent, 4, () => true);
    await cancel(parent);
    await resume(parent);
    await play(parent, 3);
    const [a, b] = await parent.runs();
    const spent = { maxRequests: 9, requests: 7, cost: 2.75, settled: 7, inFlight: 0 };
    expect(Object.fromEntries(await readBudgets(pool, [a.id, b.id]))).toEqual({
      [a.id]: expect.objectContaining(spent),
      [b.id]: expect.objectContaining(spent),
    });
  });

  it('stay when a run that it promoted is deleted, and are deleted with the parent', async () => {
    const parent = await aParentWith({ maxRequests: 100 });
    await parent.make(parent.child('a'), parent.child('b'));
    await play(parent, 2 * CASES);
    await finish(parent);
    await cancel(parent);
    const [a, b] = await parent.runs();
    await pool.query('UPDATE run SET listed = true WHERE id = $1', [a.id]);
    expect(await deleteRun(pool, { teamId: parent.teamId, runId: a.id })).toBeInstanceOf(Object);
    expect(await parent.progress()).toMatchObject({ done: 2 * CASES, total: 2 * CASES });
    expect((await readBudgets(pool, [b.id])).get(b.id)).toMatchObject({ requests: 2 * CASES });
    await inTransaction(pool, (client) => deleteOrchestrations(client, parent));
    while (await removeParent(pool, parent.id));
    expect(await rows('SELECT 1 FROM parent_counter WHERE orchestration_id = $1', [parent.id])).toEqual([]);
  });

  it('start once with the figures from before the counters, even if a parent is resumed meanwhile', async () => {
    await pool.query('DELETE FROM orchestration'); // Those of other tests have counters.
    const [running, resumed, ended, between] = [
      await aParentWith(),
      await aParentWith(),
      await aParentWith(),
      await aParentWith(),
    ];
    const parents = [running, resumed, ended, between];
    await pool.query('DROP TRIGGER count_for_parents ON job; DROP TRIGGER count_for_parents ON target');
    for (const parent of parents) {
      await parent.make(parent.child('a'), parent.child('b'));
      await play(parent, 3, () => parent === resumed);
      if (parent !== running) await cancel(parent);
    }
    await resume(resumed);
    await play(resumed, 2);
    await pool.query(
      await readFile('prisma/migrations/20261127010300_counters_of_ended_parents/migration.sql', 'utf8'),
    );
    await resume(between);
    for (const parent of [running, between]) await play(parent, 2);
    const text = await readFile('prisma/functions/count-for-parents.sql', 'utf8');
    for (const _ of [1, 2]) {
      await inTransaction(pool, (client) => client.query(text));
      for (const parent of parents) {
        const { counters, sums } = await countersAndSums(parent);
        expect(counters).toEqual(sums);
        await play(parent, 1);
      }
    }
  });
});

describe('with many child runs', () => {
  it('budgets are read once for their parent, not once for each of them', async () => {
    const parent = await aParentWith({ maxRequests: 1_000_000 });
    const ids = await makeMany(parent, 300);
    await pool.query('UPDATE team SET monthly_cap_usd = 5 WHERE id = $1', [parent.teamId]);
    await play(parent, 8);
    expect(await rowsRead((client) => readBudgets(client, ids))).toBeLessThan(20 * ids.length);
  });

  it('the progress of their parent reads none of them, and its detail is that of the first waiting run', async () => {
    const parent = await aParentWith();
    const ids = await makeMany(parent, 100);
    const waiting = ids.slice(30, 60);
    await pool.query(`UPDATE job SET detail = 'Waits for ' || id WHERE result_ref = ANY ($1::text[])`, [waiting]);
    const [first] = await rows('SELECT min(id::text) AS id FROM job WHERE result_ref = ANY ($1::text[])', [waiting]);
    const jobs = (client: PoolClient) => new JobRepository(client, parent.teamId);
    const read = (client: PoolClient) => jobs(client).read(parent.jobId);
    await pool.query('ANALYZE job'); // as autovacuum does within a minute
    expect(await rowsRead(read)).toBeLessThan(50);
    expect(await inTransaction(pool, read)).toMatchObject({
      progress: { done: 0, total: 100 * CASES },
      detail: `Waits for ${first.id}`,
    });
    await cancel(parent);
    expect(await inTransaction(pool, read)).toMatchObject({ detail: null });
  });

  it('none is stopped below the cap of the team, and twenty per turn beyond it', async () => {
    const [parent, other] = [await aParentWith(), await aParentWith()];
    const ids = await makeMany(parent, 50);
    await other.make(other.child('a'));
    const teams = [parent.teamId, other.teamId];
    await pool.query('UPDATE team SET monthly_cap_usd = 5 WHERE id = ANY ($1)', [teams]);
    for (const team of [parent, other]) await play(team, 2);
    const stopped = async () => (await runsMaybeOverBudget(pool)).filter(({ teamId }) => teams.includes(teamId));
    expect(await stopped()).toEqual([]);
    await pool.query('UPDATE spending SET cost_usd = 5 WHERE team_id = ANY ($1)', [teams]);
    const found = await stopped();
    expect(found.filter(({ teamId }) => teamId === other.teamId)).toHaveLength(1);
    expect(found.filter(({ id }) => ids.includes(id))).toHaveLength(20);
    expect(new Set(found.map(({ id }) => id)).size).toBe(21);
    const [last] = ids.slice(-1);
    await insertRow(pool, 'in_flight', { run_id: last, target: 0, item: 3, lane_id: parent.laneId, token: 1 });
    await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [last]);
    expect((await stopped()).map(({ teamId }) => teamId)).toEqual([other.teamId]);
  });
});

it('a run without known costs continues beyond the cap of its team', async () => {
  const parent = await aParentWith();
  await parent.make(parent.child('a'));
  await pool.query('UPDATE team SET monthly_cap_usd = 0 WHERE id = $1', [parent.teamId]);
  const [a] = await parent.runs();
  expect((await readBudgets(pool, [a.id])).get(a.id)).toMatchObject({ capLeft: null, cost: 0 });
  expect((await runsMaybeOverBudget(pool)).map(({ id }) => id)).not.toContain(a.id);
  await settleRun(pool, a.id, [1]);
  expect((await readBudgets(pool, [a.id])).get(a.id)).toMatchObject({ requests: 1, capLeft: null });
});
