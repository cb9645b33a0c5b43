import pg from 'pg';
import { SUBMIT_LEVEL, WORKER_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../../test/services.js';
import { insertRow } from '../connection/insert-row.js';
import { createPool, levelOfSession, type Pool } from '../connection/pool.js';
import { waitingLanes } from '../read/for-workers/waiting-lanes.js';
import { FINDS, WRITES } from '../testing/first-workers.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { busyLanes, laneLoads } from './busy-lanes.js';
import { dispatchLane } from './dispatch-lane.js';
import { runsToFinish, targetsToFinish } from './finish-run.js';
import { orchestrationsToAdvance, submitOrchestration } from './orchestrations.js';
import { runsToPrepare } from './prepare-run.js';
import { reconcileLane } from './reconcile-lane.js';
import { experimentsToRefresh } from './refresh-experiment.js';
import { rescoresToContinue, submitRescore } from './rescore-run.js';
import { resumeOrchestration } from './resume-orchestration.js';
import { resumeRun } from './resume-run.js';
import { askForFigures, runsToCount } from './run-figures.js';
import { settleItems } from './settle-items.js';

let pool: Pool;
/** Does not report a level. */
let first: pg.Pool;
beforeAll(async () => {
  const { url } = await createDatabase();
  pool = createPool(url, 4);
  first = new pg.Pool({ connectionString: url, max: 2 });
  first.on('error', () => {});
}, 60_000);
afterAll(() => Promise.all([pool.end(), first.end()]));

type Team = Awaited<ReturnType<typeof createTeam>>;
const ids = async (db: pg.Pool, sql: string): Promise<string[]> => (await db.query(sql)).rows.map(({ id }) => id);
const levelOf = async (table: string, id: string): Promise<number> =>
  (await pool.query(`SELECT worker_level FROM ${table} WHERE id = $1`, [id])).rows[0].worker_level;

/** A run as submitted by the previous release. */
async function submittedBefore(team: Team): Promise<string> {
  const { runId } = await team.submit();
  await pool.query('UPDATE run SET worker_level = 1 WHERE id = $1', [runId]);
  await pool.query('UPDATE target SET active = true WHERE run_id = $1', [runId]);
  return runId;
}

async function inExperiment(team: Team): Promise<string> {
  const id = newId();
  await insertRow(pool, 'experiment', { id, team_id: team.teamId, suite_id: team.suiteId, name: id });
  return id;
}

/** A run that has ended, in an experiment, with a rescore, a parent and figures that wait for a worker. */
async function everythingOf(team: Team): Promise<{ runId: string; parentId: string }> {
  const { teamId, userId } = team;
  const { runId } = await team.submit({ experiment_id: await inExperiment(team) });
  await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [runId]);
  await submitRescore(pool, { teamId, userId, tokenId: null, runId, options: { metrics: [] } as never });
  await askForFigures(pool, { runId });
  const of = { type: 'gate' as const, step: 'look', input: {}, total: 0, maxRequests: null, maxCostUsd: null };
  const { id: parentId } = await submitOrchestration(pool, { teamId, userId, tokenId: null, subjectId: runId, ...of });
  await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [runId]);
  return { runId, parentId };
}

it('submitted and resumed jobs have the level of the release, or their higher previous one', async () => {
  const team = await createTeam(pool);
  const { teamId, userId } = team;
  const { runId, jobId } = await team.submit();
  expect([await levelOf('run', runId), await levelOfSession(pool)]).toEqual([SUBMIT_LEVEL, WORKER_LEVEL]);
  const before = await submittedBefore(team);
  await cancelJob(pool, {
    teamId,
    jobId: (await pool.query('SELECT job_id FROM run WHERE id = $1', [before])).rows[0].job_id,
  });
  await resumeRun(pool, { teamId, userId, tokenId: null, runId: before });
  expect(await levelOf('run', before)).toBe(SUBMIT_LEVEL);
  await cancelJob(pool, { teamId, jobId });
  await pool.query('UPDATE run SET worker_level = 9 WHERE id = $1', [runId]);
  await resumeRun(pool, { teamId, userId, tokenId: null, runId });
  expect(await levelOf('run', runId)).toBe(9);
});

describe('a worker of a release without levels', () => {
  it('finds the items of earlier runs, and none of a later run in the same lane', async () => {
    const team = await createTeam(pool);
    const before = await submittedBefore(team);
    const { runId: later } = await team.submit();
    expect(await ids(first, FINDS.busyLanes)).toContain(team.laneId);
    expect(await ids(first, FINDS.backlogs)).toContain(before);
    expect(await ids(first, FINDS.backlogs)).not.toContain(later);
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    expect(new Set(deliveries.map(({ runId, level }) => `${runId} ${level}`))).toEqual(
      new Set([`${before} 1`, `${later} ${SUBMIT_LEVEL}`]),
    );
    expect(await laneLoads(pool, [team.laneId])).toMatchObject([{ in_flight: 8, levels: [1, SUBMIT_LEVEL] }]);
    expect(await busyLanes(pool)).toContainEqual(
      expect.objectContaining({ id: team.laneId, levels: [1, SUBMIT_LEVEL] }),
    );
    await pool.query(`UPDATE in_flight SET queued_at = now() - interval '1 min', lease_until = now() - interval '1 s'`);
    for (const find of [FINDS.unclaimed, FINDS.expired])
      expect(new Set(await ids(first, find))).toEqual(new Set([before]));
    expect(await ids(first, FINDS.stuckAt)).toContain(team.laneId);
    await pool.query('DELETE FROM in_flight WHERE run_id = $1', [before]);
    expect(await ids(first, FINDS.stuckAt)).not.toContain(team.laneId);
    expect(await waitingLanes(pool, [team.laneId])).toContainEqual(
      expect.objectContaining({ id: team.laneId, queued: 4 }),
    );
  });

  it('stores no verdict of a later run, whatever items it holds, and every one of an earlier run', async () => {
    const team = await createTeam(pool);
    const before = await submittedBefore(team);
    const { runId: later } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    expect(await claimItems(first, 'old', deliveries)).toHaveLength(4);
    await pool.query(`UPDATE in_flight SET worker = 'old', lease_until = now() + interval '1 min'`);
    const { runs } = await settleItems(
      first,
      deliveries.map((delivery) => settlementOf(delivery)),
    );
    expect([...runs.keys()]).toEqual([before]);
    expect((await pool.query('SELECT count(*)::int AS n FROM in_flight WHERE run_id = $1', [later])).rows[0].n).toBe(4);
  });

  it('and its API admit, cancel, resume and move later runs without seeing their items', async () => {
    const team = await createTeam(pool);
    const { runId, jobId } = await team.submit();
    const target = async () =>
      (await pool.query('SELECT active, active_for FROM target WHERE run_id = $1', [runId])).rows[0];
    await first.query('UPDATE target SET active = false WHERE run_id = $1', [runId]);
    expect(await target()).toEqual({ active: false, active_for: null });
    await first.query('UPDATE target SET active = true WHERE run_id = $1', [runId]);
    expect(await target()).toEqual({ active: false, active_for: SUBMIT_LEVEL });
    await dispatchLane(pool, team.laneId, 2);
    const lane = newId();
    await first.query(
      `UPDATE in_flight i SET lane_id = $2, token = nextval('delivery_token'), queued_at = '-infinity'
       WHERE run_id = $1`,
      [runId, lane],
    );
    const moved = await pool.query('SELECT DISTINCT lane_id, hidden_lane_id FROM in_flight WHERE run_id = $1', [runId]);
    expect(moved.rows).toEqual([{ lane_id: null, hidden_lane_id: lane }]);
    expect((await reconcileLane(pool, lane, 'w', true, async (all) => all)).redeliver).toHaveLength(2);
    expect(await cancelJob(first, { teamId: team.teamId, jobId })).toMatchObject({ runIds: [runId] });
    await resumeRun(first, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
  });

  it.each(Object.entries(WRITES))('cannot store %s of a later release', async (_what, write) => {
    const { runId } = await everythingOf(await createTeam(pool));
    await expect(first.query(write, [runId])).rejects.toThrow(
      `This is left to workers of a later release (level ${SUBMIT_LEVEL}, this one has 1)`,
    );
    expect((await pool.query(write, [runId])).rowCount).toBe(1);
  });

  it('adds samples to a later run, for later workers', async () => {
    const { runId } = await (await createTeam(pool)).submit();
    const { rows } = await first.query<{ worker_level: number }>(
      `INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
         config, samples, extends_run_id)
       SELECT gen_random_uuid(), team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version,
         'pending', config, 1, id FROM run WHERE id = $1 RETURNING worker_level`,
      [runId],
    );
    expect(rows).toEqual([{ worker_level: SUBMIT_LEVEL }]);
  });

  it('has an API that can resume a parent of a later release', async () => {
    const team = await createTeam(pool);
    const { parentId } = await everythingOf(team);
    const { rows } = await pool.query('SELECT job_id FROM orchestration WHERE id = $1', [parentId]);
    await cancelJob(first, { teamId: team.teamId, jobId: rows[0].job_id });
    await resumeOrchestration(first, {
      teamId: team.teamId,
      userId: team.userId,
      tokenId: null,
      jobId: rows[0].job_id,
    });
    expect(await levelOf('orchestration', parentId)).toBe(SUBMIT_LEVEL);
  });
});

it('a gate, tune or judge of conversations needs the workers that know them', async () => {
  const team = await createTeam(pool);
  const { teamId, userId, suiteId } = team;
  const { runId } = await team.submit();
  const { rows } = await pool.query('SELECT suite_version_id AS id FROM run WHERE id = $1', [runId]);
  const gateId = newId();
  await insertRow(pool, 'gate', { id: gateId, team_id: teamId, name: 'g', suite_id: suiteId, rules: '{}' });
  const of = { teamId, userId, tokenId: null, step: 'run', input: {}, total: 0, maxRequests: null, maxCostUsd: null };
  const levels = async (): Promise<number[]> => {
    const gate = await submitOrchestration(pool, { ...of, type: 'gate', subjectId: gateId });
    const tune = await submitOrchestration(pool, { ...of, type: 'param_tune', suiteVersionId: rows[0].id });
    const judge = await submitOrchestration(pool, { ...of, type: 'judge' });
    const report = { id: judge.id, root_id: judge.id, version: 1, team_id: teamId, run_id: runId };
    await insertRow(pool, 'judge_report', { ...report, judge: 'sim::a', source: 'user' });
    return Promise.all([gate, tune, judge].map(({ id }) => levelOf('orchestration', id)));
  };
  expect(await levels()).toEqual([SUBMIT_LEVEL, SUBMIT_LEVEL, SUBMIT_LEVEL]);
  await pool.query('UPDATE suite_version SET has_conversations = true WHERE id = $1', [rows[0].id]);
  expect(await levels()).toEqual([WORKER_LEVEL, WORKER_LEVEL, WORKER_LEVEL]);
});

it('a worker skips jobs of a later release and does the others', async () => {
  const team = await createTeam(pool, { runningJobs: 99 });
  const { teamId } = team;
  const found = async (): Promise<string[]> => {
    const steps = {
      busyLanes: (await busyLanes(pool)).filter((lane) => lane.id === team.laneId),
      loads: await laneLoads(pool, [team.laneId]),
      dispatch: await dispatchLane(pool, team.laneId, 3),
      targets: (await targetsToFinish(pool)).filter((one) => one.teamId === teamId),
      runs: (await runsToFinish(pool)).filter((one) => one.teamId === teamId),
      prepare: (await runsToPrepare(pool)).filter((one) => one.teamId === teamId),
      rescore: (await rescoresToContinue(pool)).filter((one) => one.teamId === teamId),
      orchestrate: (await orchestrationsToAdvance(pool, [{ type: 'gate' }], [])).filter((one) => one.teamId === teamId),
      count: (await runsToCount(pool)).filter((one) => one.teamId === teamId),
      refresh: (await experimentsToRefresh(pool, [])).filter((one) => one.teamId === teamId),
    };
    return Object.entries(steps).flatMap(([step, work]) => (work.length ? [step] : []));
  };
  const ended = await everythingOf(team);
  await pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [ended.runId]);
  const settled = await team.submit();
  await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [settled.runId]);
  await pool.query('UPDATE target SET settled = n, active = false WHERE run_id = $1', [settled.runId]);
  const finished = await team.submit();
  await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [finished.runId]);
  await pool.query('UPDATE target SET active = false, finished_at = now() WHERE run_id = $1', [finished.runId]);
  const resumed = await team.submit();
  await insertRow(pool, 'preparation', { run_id: resumed.runId, target: 0, generation: 1, end_item: 4, errored: 0 });
  const all = [
    'busyLanes',
    'loads',
    'dispatch',
    'targets',
    'runs',
    'prepare',
    'rescore',
    'orchestrate',
    'count',
    'refresh',
  ];
  const setLevel = async (level: number): Promise<void> => {
    for (const table of ['run', 'rescore', 'orchestration'])
      await pool.query(`UPDATE ${table} SET worker_level = $1 WHERE team_id = $2`, [level, teamId]);
    await pool.query(
      `UPDATE target SET active = active_for IS NOT NULL WHERE run_id IN (SELECT id FROM run WHERE team_id = $1)`,
      [teamId],
    );
  };
  await setLevel(WORKER_LEVEL + 1);
  expect(await found()).toEqual([]);
  await setLevel(1);
  expect(await found()).toEqual(all);
});
