import { readJudgeableRun } from '#lib/judge/rows/judgeable-run';
import { storeLabels } from '#lib/judge/rows/store-labels';
import { createDatabase } from '../../../test/services.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { createParent } from '../testing/parent-fixture.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { countStatements } from '../testing/count-statements.js';
import { dyingPool } from '../testing/dying-pool.js';
import { settleRun } from '../testing/settled-run.js';
import { deleteOrchestrations, parentsToRemove, removeParent } from '../upkeep/delete-parents.js';
import { deleteRun } from '../upkeep/delete-run.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { JobRepository } from '../read/jobs.js';
import { readTeamEvents } from '../read/team-events.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { dispatchLane, type Delivery } from './dispatch-lane.js';
import { extendRun } from './extend-run.js';
import { finishRun, runsToFinish } from './finish-run.js';
import { commitStep, orchestrationsToAdvance, type NewChildRun } from './orchestrations.js';
import { submitRescore } from './rescore-run.js';
import { resumeChildren, resumeOrchestration } from './resume-orchestration.js';
import { resumeRun } from './resume-run.js';
import { runsMaybeOverBudget, stopIfOverBudget } from './run-budget.js';
import { settleItems } from './settle-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;
const one = async (text: string, values: unknown[]): Promise<any> => (await rows(text, values))[0];
const finishRuns = async (): Promise<void> => {
  for (const run of await runsToFinish(pool)) await finishRun(pool, run);
};
const CASES = 6;

/** A parent, and queries to inspect it. */
async function anOrchestration(options: { maxRequests?: number | null; runningJobs?: number } = {}) {
  const parent = await createParent(pool, { cases: CASES, ...options });
  const { id, teamId, jobId } = parent;
  return {
    ...parent,
    waits: async () =>
      (await orchestrationsToAdvance(pool, [{ type: 'gate' }], [])).some((found) => found.orchestrationId === id),
    job: (of = jobId) => new JobRepository(pool, teamId).read(of),
    children: () => rows('SELECT * FROM run WHERE orchestration_id = $1 ORDER BY id', [id]),
  };
}

/** Dispatches items of a lane and settles them. */
async function play(laneId: string, window: number): Promise<Delivery[]> {
  const deliveries = await dispatchLane(pool, laneId, window);
  await claimItems(pool, 'w', deliveries);
  await settleItems(
    pool,
    deliveries.map((delivery) => settlementOf(delivery)),
  );
  return deliveries;
}

describe('a step', () => {
  it('commits its child runs, events and state at once, and only the first of two processes commits', async () => {
    const parent = await anOrchestration();
    expect(await parent.waits()).toBe(true);
    const before = await parent.read();
    const step = { state: { found: 1 }, next: 'second', children: [parent.child('a')] };
    const committed = await Promise.all([commitStep(pool, before, step), commitStep(pool, before, step)]);
    expect(committed.filter(Boolean)).toEqual([[parent.laneId]]);
    expect(await parent.children()).toMatchObject([{ step: 'first', arm: 'a', status: 'queued', listed: false }]);
    expect(await parent.read()).toMatchObject({ step: 'second', state: { found: 1 }, revision: 1 });
    expect(await parent.waits()).toBe(false);
    await expect(parent.commit({ children: [parent.child('a')] })).rejects.toThrow(/unique/);
  });

  it('starts when no child run is in progress, and sees how each of them ended', async () => {
    const parent = await anOrchestration();
    await parent.commit({ children: [parent.child('a'), parent.child('b')] });
    const [a, b] = await parent.children();
    await settleRun(pool, a.id, [1, 1, 1, 1, 1, 1]);
    await finishRuns();
    expect(await parent.waits()).toBe(false);
    await settleRun(pool, b.id, [1, 1, 1, 1, 1, null]);
    await finishRuns();
    expect(await parent.waits()).toBe(true);
    expect((await parent.read()).children).toMatchObject([
      { id: a.id, arm: 'a', status: 'completed', requests: 6 },
      { id: b.id, arm: 'b', status: 'completed', requests: 6 },
    ]);
  });

  it('that ends the job leaves nothing to advance', async () => {
    const parent = await anOrchestration();
    await parent.commit({ next: null, end: { status: 'failed', error: 'The suite is gone.' } });
    expect(await parent.job()).toMatchObject({ status: 'failed', error: 'The suite is gone.' });
    expect(await parent.waits()).toBe(false);
    await expect(
      resumeOrchestration(pool, { teamId: parent.teamId, userId: parent.userId, tokenId: null, jobId: parent.jobId }),
    ).rejects.toThrow(/has its answer/);
  });
});

describe('child runs', () => {
  it('do not count as jobs of their user: one parent is one running job', async () => {
    const parent = await anOrchestration({ runningJobs: 2 });
    await parent.commit({ children: ['a', 'b', 'c'].map((arm) => parent.child(arm)) });
    const other = await parent.submit();
    const waiting = await parent.submit();
    expect((await parent.children()).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
    expect(await parent.job(other.jobId)).toMatchObject({ status: 'queued' });
    expect(await parent.job(waiting.jobId)).toMatchObject({ status: 'pending' });
  });

  it('make up the progress of their parent, and none of their events is sent to the team', async () => {
    const parent = await anOrchestration();
    expect((await parent.job()).progress).toMatchObject({ done: 0, total: CASES });
    await parent.commit({ children: [parent.child('a'), parent.child('b')] });
    await play(parent.laneId, 3);
    expect((await parent.job()).progress).toMatchObject({ done: 3, total: 2 * CASES });
    const events = await readTeamEvents(pool, [parent.teamId], 600, ['job_created'], false);
    expect(events.map(({ job_id }) => job_id)).toEqual([parent.jobId]);
  });

  it('need the workers that their parent needs, whichever process takes its step', async () => {
    const parent = await anOrchestration();
    await pool.query('UPDATE orchestration SET worker_level = 1 WHERE id = $1', [parent.id]);
    await parent.commit({ children: [parent.child('a')] });
    const [made] = await parent.children();
    expect(made.worker_level).toBe(1);
    await play(parent.laneId, 2);
    await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [made.id]);
    await parent.commit({ children: [{ step: 'first', arm: 'b', extend: { runId: made.id, samples: 1 } }] });
    expect((await parent.children())[1].worker_level).toBe(1);
  });

  it('share a lane with the other runs of their user as one', async () => {
    const parent = await anOrchestration();
    await parent.commit({ children: ['a', 'b', 'c'].map((arm) => parent.child(arm)) });
    const other = await parent.submit({ samples: 10 });
    const deliveries = await dispatchLane(pool, parent.laneId, 16);
    expect(deliveries.filter(({ runId }) => runId === other.runId)).toHaveLength(8);
  });

  it('share one budget: all of them stop when it is spent, and no more requests are made', async () => {
    const parent = await anOrchestration({ maxRequests: 5 });
    await parent.commit({ children: ['a', 'b', 'c'].map((arm) => parent.child(arm)) });
    expect(await dispatchLane(pool, parent.laneId, 3)).toHaveLength(3);
    const last = await dispatchLane(pool, parent.laneId, 16);
    expect(last).toHaveLength(2);
    const held = await rows(
      `SELECT run_id AS "runId", target, item, token::float8 AS token FROM in_flight i WHERE ${LANE_OF_ITEM} = $1`,
      [parent.laneId],
    );
    await claimItems(pool, 'w', held);
    await settleItems(
      pool,
      held.map((delivery) => settlementOf(delivery)),
    );
    expect(await dispatchLane(pool, parent.laneId, 16)).toEqual([]);
    for (const run of await runsMaybeOverBudget(pool)) await stopIfOverBudget(pool, run);
    expect((await parent.children()).map(({ status }) => status)).toEqual(Array(3).fill('budget_exceeded'));
    expect(await parent.waits()).toBe(true);
    expect((await parent.read()).children[0]!.detail).toBe('5 of 5 requests are made.');
    // The audit says why, in one entry for all runs of a step.
    const stopped = { action: 'job.stop', user_id: null, cause: '5 of 5 requests are made.' };
    expect(
      await rows('SELECT action, user_id, cause FROM audit WHERE team_id = $1 ORDER BY id', [parent.teamId]),
    ).toEqual([{ action: 'run.make', user_id: null, cause: `job ${parent.jobId}` }, ...[stopped, stopped, stopped]]);
  });

  it('are cancelled with their parent, immediately, and cannot be cancelled alone', async () => {
    const parent = await anOrchestration();
    const { teamId } = parent;
    await parent.commit({ children: [parent.child('a'), parent.child('b')] });
    await dispatchLane(pool, parent.laneId, 3);
    const [a, b] = await parent.children();
    await expect(cancelJob(pool, { teamId, jobId: a.job_id })).rejects.toThrow(`a tune, "${parent.id}"`);
    const before = await parent.read();
    const cancelled = await cancelJob(pool, { teamId, jobId: parent.jobId });
    expect(new Set((cancelled as { runIds: string[] }).runIds)).toEqual(new Set([a.id, b.id]));
    expect((await parent.children()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(await rows(`SELECT 1 FROM in_flight i WHERE ${LANE_OF_ITEM} = $1`, [parent.laneId])).toEqual([]);
    // A step that was computed earlier commits nothing.
    const late = { state: {}, next: 'second', children: [parent.child('a', 'second')] };
    expect(await commitStep(pool, before, late)).toBeUndefined();
    expect(await parent.waits()).toBe(false);
  });

  it('are resumed with their parent for missing results, and cannot be resumed alone', async () => {
    const parent = await anOrchestration();
    const { teamId, userId } = parent;
    await parent.commit({ children: [parent.child('a'), parent.child('b')] });
    const [a, b] = await parent.children();
    await settleRun(pool, a.id, [1, 1, 1, 1, 1, 1]);
    await finishRuns();
    await cancelJob(pool, { teamId, jobId: parent.jobId });
    await expect(resumeRun(pool, { teamId, userId, tokenId: null, runId: b.id })).rejects.toThrow(
      `a tune, "${parent.id}"`,
    );
    const resumed = await resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId: parent.jobId });
    expect(await parent.waits()).toBe(true);
    expect(await resumeChildren(pool, await parent.read())).toEqual([parent.laneId]);
    expect(await parent.waits()).toBe(false);
    expect(await parent.children()).toMatchObject([
      { id: a.id, status: 'completed', generation: 1 },
      { id: b.id, status: 'queued', generation: 2 },
    ]);
    expect((await parent.job(resumed.jobId)).progress).toMatchObject({ done: 0, total: CASES });
    expect(await play(parent.laneId, 100)).toHaveLength(CASES);
    await expect(resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId: resumed.jobId })).rejects.toThrow(
      /is queued/,
    );
  });

  it('are resumed in batches, each once despite crashes; a cancel stops it, another resume continues', async () => {
    const parent = await anOrchestration();
    const { teamId, userId, jobId } = parent;
    await parent.commit({ children: Array.from({ length: 7 }, (_, n) => parent.child(`${n}`)) });
    await cancelJob(pool, { teamId, jobId });
    const resume = async (of: string) =>
      (await resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId: of })).jobId;
    const generations = async () => (await parent.children()).map(({ generation }) => generation);
    const again = await resume(jobId);
    await resumeChildren(pool, await parent.read(), 3);
    expect(await generations()).toEqual([2, 2, 2, 1, 1, 1, 1]);
    expect(await parent.waits()).toBe(true);
    const late = await parent.read();
    await cancelJob(pool, { teamId, jobId: again });
    expect(await resumeChildren(pool, late, 3)).toBeUndefined();
    await resume(again);
    expect(await resumeChildren(pool, late, 3)).toBeUndefined();
    for (let [n, more] = [1, true]; more; n++) {
      const worker = dyingPool(pool, n);
      await resumeChildren(worker.pool, await parent.read(), 3).catch(() => {});
      more = (await parent.read()).resuming;
    }
    expect(await generations()).toEqual([3, 3, 3, 2, 2, 2, 2]);
    expect((await parent.children()).map(({ status }) => status)).toEqual(Array(7).fill('queued'));
    expect((await parent.job((await parent.read()).jobId)).progress).toMatchObject({ done: 0, total: 7 * CASES });
    expect(await parent.waits()).toBe(false);
  });

  it('are deleted with the owner of their parent, but promoted runs stay', async () => {
    const parent = await anOrchestration();
    const { teamId, subjectId } = parent;
    await parent.commit({ children: [parent.child('a'), parent.child('b')] });
    const [a, b] = await parent.children();
    const remove = () => inTransaction(pool, (client) => deleteOrchestrations(client, { teamId, subjectId }));
    await expect(deleteRun(pool, { teamId, runId: a.id })).rejects.toThrow(`a tune, "${parent.id}"`);
    expect(await remove()).toBe('unfinished');
    await cancelJob(pool, { teamId, jobId: parent.jobId });
    await pool.query('UPDATE run SET listed = true WHERE id = $1', [b.id]);
    expect(await remove()).toMatchObject([{ id: parent.id, status: 'cancelled' }]);
    expect(await one('SELECT orchestration_id FROM run WHERE id = $1', [b.id])).toEqual({ orchestration_id: null });
    while (await removeParent(pool, parent.id));
    expect(await parentsToRemove(pool)).not.toContain(parent.id);
    expect(await rows('SELECT id FROM run WHERE suite_id = $1', [parent.suiteId])).toEqual([{ id: b.id }]);
    const jobs = await rows('SELECT id FROM job WHERE team_id = $1', [teamId]);
    expect(jobs).toEqual([{ id: b.job_id }]);
    expect(await deleteRun(pool, { teamId, runId: b.id })).toBeInstanceOf(Object);
  });
});

describe('a parent with ten child runs, or with a hundred', () => {
  /** Number of statements needed to create its child runs, to resume and cancel them, and to delete it. */
  async function statementsOf(count: number) {
    const parent = await anOrchestration();
    const { teamId, userId, subjectId, jobId } = parent;
    const before = await parent.read();
    const children = Array.from({ length: count }, (_, n) => parent.child(`${n}`));
    const made = await countStatements(pool, (db) => commitStep(db, before, { state: {}, next: 'second', children }));
    const runs = await parent.children();
    expect(runs.map(({ arm }) => arm)).toEqual(children.map(({ arm }) => arm));
    const logs = await rows(
      `SELECT j.status, array_agg(e.name ORDER BY e.seq) AS log FROM job j JOIN job_event e ON e.job_id = j.id
       WHERE j.parent_id = $1 GROUP BY j.id`,
      [jobId],
    );
    expect(logs).toEqual(Array(count).fill({ status: 'queued', log: ['job_created', 'tool_eval_init'] }));
    const extensions = runs.map(({ id: runId }, n): NewChildRun => {
      return { step: 'second', arm: `${n}`, extend: { runId, samples: 1 } };
    });
    await stop(jobId);
    await pool.query(`UPDATE job SET status = 'running' WHERE id = $1`, [jobId]);
    const extending = await parent.read();
    const extended = await countStatements(pool, (db) =>
      commitStep(db, extending, { state: {}, next: 'third', children: extensions }),
    );
    expect((await parent.children()).slice(count).map((run) => run.extends_run_id)).toEqual(runs.map(({ id }) => id));
    await stop(jobId);
    const asked = await countStatements(pool, (db) =>
      resumeOrchestration(db, { teamId, userId, tokenId: null, jobId }),
    );
    const resuming = await parent.read();
    const resumed = await countStatements(pool, (db) => resumeChildren(db, resuming, 5000));
    expect((await parent.children()).map(({ generation }) => generation)).toEqual(Array(2 * count).fill(2));
    const cancelled = await countStatements(pool, (db) => cancelJob(db, { teamId, jobId: resuming.jobId }));
    const deleted = await countStatements(pool, (db) =>
      inTransaction(db, (client) => deleteOrchestrations(client, { teamId, subjectId })),
    );
    const removed = await countStatements(pool, (db) => removeParent(db, parent.id, { runs: 5000 }));
    return { made, extended, asked, resumed, cancelled, deleted, removed };
  }
  /** Simulates a cancel. */
  const stop = async (jobId: string): Promise<void> => {
    const family = 'SELECT id FROM job WHERE id = $1 OR parent_id = $1';
    await pool.query(`UPDATE run SET status = 'cancelled' WHERE job_id IN (${family})`, [jobId]);
    await pool.query(`UPDATE job SET status = 'cancelled' WHERE id IN (${family})`, [jobId]);
  };

  it('needs the same few statements for each operation', async () => {
    const ten = await statementsOf(10);
    expect(await statementsOf(100)).toEqual(ten);
    expect(Math.max(...Object.values(ten))).toBeLessThan(40);
  });
});

describe('a deleted parent', () => {
  it('disappears immediately, and its runs are deleted in batches, even if a worker dies midway', async () => {
    const parent = await anOrchestration();
    const { teamId, subjectId, jobId } = parent;
    await parent.commit({ children: Array.from({ length: 5 }, (_, n) => parent.child(`${n}`)) });
    const late = await parent.read();
    await cancelJob(pool, { teamId, jobId });
    await inTransaction(pool, (client) => deleteOrchestrations(client, { teamId, subjectId }));
    await expect(resumeOrchestration(pool, { teamId, userId: parent.userId, tokenId: null, jobId })).rejects.toThrow(
      /No job/,
    );
    await expect(parent.job()).rejects.toThrow(/No job/);
    expect(await commitStep(pool, late, { state: {}, next: 'second' })).toBeUndefined();
    const [a] = await parent.children();
    const of = { teamId, userId: parent.userId, tokenId: null, runId: a.id };
    await expect(resumeRun(pool, of)).rejects.toThrow(parent.id);
    await expect(extendRun(pool, { ...of, samples: 1 })).rejects.toThrow(/No run/);
    await expect(submitRescore(pool, { ...of, options: {} as never })).rejects.toThrow(/run/);
    await expect(inTransaction(pool, (client) => storeLabels(client, of, []))).rejects.toThrow(/run/);
    expect(await readJudgeableRun(pool, teamId, a.id)).toBeUndefined();
    expect(await removeParent(pool, parent.id, { runs: 2 })).toBe(true);
    expect(await parent.children()).toHaveLength(3);
    for (let n = 1; (await parentsToRemove(pool)).includes(parent.id); n++) {
      const worker = dyingPool(pool, n);
      await removeParent(worker.pool, parent.id, { runs: 2 }).catch(() => {});
    }
    expect(await rows('SELECT 1 FROM run WHERE team_id = $1', [teamId])).toEqual([]);
    expect(await rows('SELECT 1 FROM job WHERE team_id = $1', [teamId])).toEqual([]);
  });
});

describe('samples that are added to a run', () => {
  const extend = (team: Awaited<ReturnType<typeof createTeam>>, runId: string, more = {}) =>
    extendRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId, samples: 2, ...more });

  it('continue its numbers, use its cases and suite version, and are never answered by stored replies', async () => {
    const team = await createTeam(pool, { cases: 3 });
    const { runId } = await team.submit({ samples: 2 });
    await expect(extend(team, runId)).rejects.toThrow(/can be added when it has ended/);
    await settleRun(pool, runId, [1, 1, 1]);
    await finishRuns();
    await pool.query('UPDATE suite SET version = version + 1 WHERE id = $1', [team.suiteId]);
    const added = await Promise.all([extend(team, runId), extend(team, runId, { positions: [2] })]);
    const of = await one('SELECT suite_version_id, case_positions FROM run WHERE id = $1', [runId]);
    const [all, some] = await Promise.all(added.map((each) => one('SELECT * FROM run WHERE id = $1', [each.runId])));
    expect(all).toMatchObject({ ...of, samples: 2, extends_run_id: runId, listed: false });
    expect(some).toMatchObject({ ...of, case_positions: [2] });
    expect([all.first_sample, some.first_sample].sort()).toEqual([2, 4]);
    expect(JSON.parse(all.config)).toMatchObject({ samples: 2, cache: 'refresh' });
    await expect(extend(team, all.id)).rejects.toThrow('adds samples to another one');
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    expect(deliveries).toHaveLength(3 * 2 + 2);
  });

  it('are deleted with the run, which cannot be deleted while they are made', async () => {
    const team = await createTeam(pool, { cases: 3 });
    const { teamId } = team;
    const { runId } = await team.submit();
    await settleRun(pool, runId, [1, 1, 1]);
    await finishRuns();
    const added = await extend(team, runId);
    expect(await deleteRun(pool, { teamId, runId })).toBe('unfinished');
    await cancelJob(pool, { teamId, jobId: added.jobId });
    expect(await deleteRun(pool, { teamId, runId })).toBeInstanceOf(Object);
    expect(await rows('SELECT 1 FROM run WHERE team_id = $1', [teamId])).toEqual([]);
  });

  it('are refused beyond a thousand per case, and if a provider is gone', async () => {
    const team = await createTeam(pool, { cases: 3 });
    const { runId } = await team.submit();
    await settleRun(pool, runId, [1, 1, 1]);
    await finishRuns();
    await expect(extend(team, runId, { samples: 1000 })).rejects.toThrow(/the maximum is 1000/);
    await pool.query('DELETE FROM provider WHERE team_id = $1', [team.teamId]);
    await expect(extend(team, runId)).rejects.toThrow(/provider of the run was deleted/);
  });
});
