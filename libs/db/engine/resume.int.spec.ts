import fc from '../../../test/fast-check.js';
import { createDatabase } from '../../../test/services.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { deleteRun, purgeRun } from '../upkeep/delete-run.js';
import { dispatchLane, type Delivery } from './dispatch-lane.js';
import { runsToFinish, targetsToFinish, finishRun, finishTarget } from './finish-run.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { prepareRun, runsToPrepare } from './prepare-run.js';
import { RESULT_EVENT } from '../read/log.js';
import { resumeRun } from './resume-run.js';
import { settleItems } from './settle-items.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { logWarning } from './log-events.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;
const one = async (text: string, values: unknown[]): Promise<any> => (await rows(text, values))[0];
const SAMPLES = 2;
const SELECTED = [1, 2, 4, 7];
const N = SELECTED.length * SAMPLES;

/** A run of two models over four of eight cases, two samples each, and everything that can happen to it. */
async function aRun() {
  const team = await createTeam(pool, { cases: 8, runningJobs: 2 });
  await pool.query(`UPDATE suite_case SET tags = '{in}' WHERE suite_id = $1 AND position = ANY ($2)`, [
    team.suiteId,
    SELECTED,
  ]);
  const { runId } = await team.submit({
    models: ['a', 'b'],
    model_order: 'parallel',
    samples: SAMPLES,
    case_filter: { tags: ['in'] },
  });
  const held: Delivery[] = [];
  const jobId = async (): Promise<string> => (await one('SELECT job_id FROM run WHERE id = $1', [runId])).job_id;
  const settle = async (count: number, outcome: 'scored' | 'errored'): Promise<void> => {
    const taken = held.splice(0, count);
    await settleItems(
      pool,
      taken.map((delivery) => ({
        ...settlementOf(delivery, outcome),
        casePosition: SELECTED[Math.floor(delivery.item / SAMPLES)]!,
        sample: delivery.item % SAMPLES,
      })),
    );
  };
  return {
    ...team,
    runId,
    jobId,
    settle,
    async dispatch(window: number): Promise<void> {
      const deliveries = await dispatchLane(pool, team.laneId, window);
      await claimItems(pool, 'w', deliveries);
      held.push(...deliveries);
    },
    piece: (size: number) => prepareRun(pool, { id: runId }, size),
    cancel: async () => cancelJob(pool, { teamId: team.teamId, jobId: await jobId() }),
    resume: (budget?: null) =>
      resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId, budget }),
    async finish(): Promise<void> {
      for (const done of (await targetsToFinish(pool)).filter((target) => target.runId === runId))
        await finishTarget(pool, done, { target: done.target, overall: 1 } as never);
      for (const run of (await runsToFinish(pool)).filter(({ id }) => id === runId)) await finishRun(pool, run);
    },
    /** Operations of the previous release, which does not know preparation. */
    before: {
      async admit(): Promise<void> {
        await pool.query(
          `UPDATE target SET active = true WHERE run_id IN (SELECT id FROM run WHERE id = $1
            AND status IN ('queued', 'running'))
             AND (cursor < n OR EXISTS (SELECT 1 FROM redo WHERE redo.run_id = target.run_id
               AND redo.target = ordinal))`,
          [runId],
        );
      },
      cancel: () =>
        inTransaction(pool, async (client) => {
          await client.query('SELECT 1 FROM target WHERE run_id = $1 ORDER BY ordinal FOR UPDATE', [runId]);
          const { rowCount } = await client.query(
            `UPDATE run SET status = 'cancelled', finished_at = now() WHERE id = $1
              AND status IN ('pending', 'queued', 'running')`,
            [runId],
          );
          if (!rowCount) return;
          await client.query(`UPDATE job SET status = 'cancelled' WHERE id = (SELECT job_id FROM run WHERE id = $1)`, [
            runId,
          ]);
          await client.query('UPDATE target SET active = false WHERE run_id = $1', [runId]);
          await client.query('DELETE FROM in_flight WHERE run_id = $1', [runId]);
        }),
      resume: () =>
        inTransaction(pool, async (client) => {
          const {
            rows: [run],
          } = await client.query(
            `SELECT 1 FROM run WHERE id = $1 AND status IN ('completed', 'cancelled') FOR UPDATE`,
            [runId],
          );
          const {
            rows: [left],
          } = await client.query('SELECT sum(n - settled + errored)::int AS n FROM target WHERE run_id = $1', [runId]);
          if (!run || left.n === 0) return;
          await client.query(
            `INSERT INTO job_event (job_id, seq, at, name, data)
              SELECT j.id, r.seq, r.settled_at, 'tool_eval_result', ${RESULT_EVENT}
          FROM result r JOIN job j ON j.result_ref = $1::text AND j.generation = r.generation
            WHERE r.run_id = $1::uuid AND r.outcome = 'errored'`,
            [runId],
          );
          await client.query(`DELETE FROM result WHERE run_id = $1 AND outcome = 'errored'`, [runId]);
          await client.query('DELETE FROM redo WHERE run_id = $1', [runId]);
          await client.query(
            `INSERT INTO redo SELECT t.run_id, t.ordinal, i FROM target t CROSS
              JOIN LATERAL generate_series(0, t.cursor - 1) i WHERE t.run_id = $1
           EXCEPT SELECT r.run_id, r.target, (array_position(run.case_positions, r.case_position) - 1) * run.samples
             + r.sample FROM result r JOIN run ON run.id = r.run_id WHERE r.run_id = $1`,
            [runId],
          );
          await client.query(
            `UPDATE target SET settled = settled - errored, errored = 0, summary = NULL, finished_at = NULL
              WHERE run_id = $1`,
            [runId],
          );
          await client.query(
            `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total, generation)
          SELECT gen_random_uuid(), team_id, user_id, 'tool_eval', 'queued', id::text, $2, generation + 1 FROM run
            WHERE id = $1`,
            [runId, left.n],
          );
          await client.query(
            `UPDATE run r SET job_id = j.id, generation = j.generation, status = 'queued', score = NULL FROM job j
              WHERE r.id = $1 AND j.result_ref = $1::text AND j.generation = r.generation + 1`,
            [runId],
          );
          await client.query('UPDATE target SET active = true WHERE run_id = $1', [runId]);
        }),
    },
  };
}

/** Checks the invariants of a run. */
async function check(runId: string): Promise<void> {
  const targets = await rows(
    `SELECT t.ordinal, t.n, t.cursor, t.settled, t.errored, coalesce(p.errored, 0) AS waiting, p.target IS NOT NULL
      AS preparing, r.status, r.generation, p.generation AS prepared_for,
       (SELECT count(*)::int FROM result x WHERE x.run_id = $1 AND x.target = t.ordinal) AS results,
       (SELECT count(*)::int FROM result x WHERE x.run_id = $1 AND x.target = t.ordinal
         AND x.outcome = 'errored') AS errors,
       (SELECT count(*)::int FROM (
          SELECT item FROM redo WHERE run_id = $1 AND target = t.ordinal UNION ALL SELECT item FROM in_flight
            WHERE run_id = $1 AND target = t.ordinal
          UNION ALL SELECT (array_position(r.case_positions, x.case_position) - 1) * r.samples + x.sample
            FROM result x WHERE x.run_id = $1 AND x.target = t.ordinal
        ) i) AS known,
       (SELECT count(*)::int FROM (
          SELECT item FROM redo WHERE run_id = $1 AND target = t.ordinal UNION SELECT item FROM in_flight
            WHERE run_id = $1 AND target = t.ordinal
          UNION SELECT (array_position(r.case_positions, x.case_position) - 1) * r.samples + x.sample FROM result x
            WHERE x.run_id = $1 AND x.target = t.ordinal
        ) i) AS items
     FROM target t JOIN run r ON r.id = t.run_id LEFT JOIN preparation p ON p.run_id = t.run_id
       AND p.target = t.ordinal WHERE t.run_id = $1 ORDER BY 1`,
    [runId],
  );
  for (const t of targets) {
    const waiting = t.prepared_for === t.generation ? t.waiting : 0;
    expect({ settled: t.settled + waiting, errored: t.errored + waiting }).toEqual({
      settled: t.results,
      errored: t.errors,
    });
    expect(t.settled).toBeLessThanOrEqual(t.n);
    expect(t.known).toBe(t.items); // an item waits to be repeated, is in flight, or has a result
    if (!t.preparing && (t.status === 'queued' || t.status === 'running')) expect(t.items).toBe(t.cursor);
    if (t.status === 'completed') expect([t.settled, t.results]).toEqual([t.n, t.n]);
  }
  const logs = await rows(
    `SELECT j.last_seq, count(s.seq)::int AS n, count(DISTINCT s.seq)::int AS numbers FROM job j LEFT JOIN LATERAL (
       SELECT seq FROM job_event WHERE job_id = j.id UNION ALL SELECT seq FROM result WHERE run_id = $1::uuid
         AND generation = j.generation) s ON true
     WHERE j.result_ref = $1::text GROUP BY j.id, j.last_seq`,
    [runId],
  );
  for (const log of logs) expect([log.n, log.numbers]).toEqual([log.last_seq, log.last_seq]);
}

const DO = {
  resume: (run: Run) =>
    run.resume().catch((error: { status?: number }) => {
      if (error.status !== 409) throw error;
    }),
  piece: (run: Run, size: number) => run.piece(size),
  dispatch: (run: Run, size: number) => run.dispatch(size),
  score: (run: Run, size: number) => run.settle(size, 'scored'),
  fail: (run: Run, size: number) => run.settle(size, 'errored'),
  cancel: (run: Run) => run.cancel(),
  finish: (run: Run) => run.finish(),
};
const DO_BEFORE = {
  'admit as the release before': (run: Run) => run.before.admit(),
  'cancel as the release before': (run: Run) => run.before.cancel(),
  'resume as the release before': (run: Run) => run.before.resume(),
};
type Run = Awaited<ReturnType<typeof aRun>>;
type Doing = keyof typeof DO | keyof typeof DO_BEFORE;
const everything: Record<Doing, (run: Run, size: number) => Promise<unknown>> = { ...DO, ...DO_BEFORE };
/** Mostly steps that make progress. */
const steps = (names: Doing[]) =>
  fc.array(
    fc.record({
      what: fc.constantFrom<Doing>(...names, 'resume', 'resume', 'piece', 'piece', 'piece', 'dispatch', 'fail'),
      size: fc.integer({ min: 1, max: 7 }),
    }),
    { minLength: 10, maxLength: 40 },
  );
const sixTimes = (...names: Doing[]): Doing[] => Array.from({ length: 6 }, () => names).flat();
const doing = (...names: Doing[]): [{ what: Doing; size: number }[]] => [names.map((what) => ({ what, size: 3 }))];

/** Whether a run is completed, or was stopped between its last item and its end: it has nothing left to resume. */
const isScored = async (runId: string): Promise<boolean> =>
  (
    await one(
      `SELECT status = 'completed' OR (score IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM target WHERE run_id = run.id AND settled - errored < n
       )) AS scored FROM run WHERE id = $1`,
      [runId],
    )
  ).scored;

/** Continues until nothing is left to do. */
async function complete(run: Run): Promise<void> {
  for (let turn = 0; !(await isScored(run.runId)); turn++) {
    expect(turn).toBeLessThan(40);
    for (const what of ['resume', 'piece', 'dispatch', 'score', 'finish'] as const) await DO[what](run, 2 * N);
  }
}

it.each([
  ['', Object.keys(DO), [doing('resume', ...sixTimes('piece'), ...sixTimes('dispatch', 'score'))]],
  [
    ', next to the previous release, which prepares nothing',
    Object.keys(everything),
    [
      doing(
        'resume',
        'piece',
        'piece',
        'cancel',
        'resume',
        'admit as the release before',
        'dispatch',
        'piece',
        'piece',
        'piece',
      ),
      doing(
        'resume',
        'piece',
        'piece',
        'cancel',
        'resume',
        'admit as the release before',
        'dispatch',
        'fail',
        'piece',
        'piece',
        'piece',
        'piece',
        'piece',
      ),
      doing('resume', 'piece', 'cancel as the release before', 'piece', 'resume', 'piece'),
      doing(
        'resume',
        'piece',
        'cancel as the release before',
        'resume as the release before',
        'piece',
        'dispatch',
        'fail',
        'piece',
        'piece',
      ),
      doing(
        'resume',
        'piece',
        'cancel as the release before',
        'resume as the release before',
        'dispatch',
        'fail',
        'cancel',
        'resume',
      ),
    ],
  ],
] as [string, Doing[], [{ what: Doing; size: number }[]][]][])(
  'counters, logs and items are exact after every step of a resume, however it is stopped and continued%s',
  async (_beside, names, examples) => {
    await fc.assert(
      fc.asyncProperty(steps(names), async (happenings) => {
        const run = await aRun();
        await run.dispatch(12);
        await run.settle(3, 'scored');
        await run.settle(7, 'errored');
        await run.cancel();
        for (const { what, size } of happenings) {
          await everything[what](run, size);
          await check(run.runId);
        }
        await run.cancel();
        await complete(run);
        if ((await one('SELECT sum(errored)::int AS n FROM target WHERE run_id = $1', [run.runId])).n > 0) {
          await run.resume();
          await complete(run);
        }
        await check(run.runId);
        expect(
          await rows('SELECT target, case_position, sample, outcome FROM result WHERE run_id = $1 ORDER BY 1, 2, 3', [
            run.runId,
          ]),
        ).toEqual(
          [0, 1].flatMap((target) =>
            SELECTED.flatMap((case_position) =>
              [0, 1].map((sample) => ({ target, case_position, sample, outcome: 'scored' })),
            ),
          ),
        );
      }),
      { numRuns: 30, examples },
    );
  },
);

/** A run that ended with all items of both models errored, except for two scored ones. */
async function aFailedRun(): Promise<Run> {
  const run = await aRun();
  await run.dispatch(2 * N);
  await run.settle(2, 'scored');
  await run.settle(2 * N, 'errored');
  await run.finish();
  return run;
}
const stateOf = (run: Run) =>
  one(
    `SELECT r.status AS run, j.status AS job, j.detail, j.total, j.done, bool_or(t.active_for IS NOT NULL) AS active,
      sum(t.settled)::int AS settled, sum(t.errored)::int AS errored
   FROM run r JOIN job j ON j.id = r.job_id JOIN target t ON t.run_id = r.id WHERE r.id = $1 GROUP BY 1, 2, 3, 4, 5`,
    [run.runId],
  );
const events = async (jobId: string): Promise<string[]> =>
  (await rows('SELECT name FROM job_event WHERE job_id = $1 ORDER BY seq', [jobId])).map(({ name }) => name);

it('reports how far a resumed run is prepared, and starts it once it is', async () => {
  const run = await aFailedRun();
  const { jobId, lanes } = await run.resume();
  expect(lanes).toEqual([run.laneId]);
  const preparing = { run: 'queued', job: 'queued', active: false, settled: 2, errored: 0, total: 14, done: 0 };
  expect(await stateOf(run)).toEqual({ ...preparing, detail: 'preparing 0 of 16' });
  expect(await run.piece(5)).toEqual({ more: true, lanes: [] });
  expect(await stateOf(run)).toEqual({ ...preparing, detail: 'preparing 5 of 16' });
  expect(await run.piece(5)).toEqual({ more: true, lanes: [] });
  expect(await stateOf(run)).toEqual({ ...preparing, detail: 'preparing 8 of 16' }); // a batch has items of one model
  await run.dispatch(10);
  expect(await one('SELECT count(*)::int AS n FROM in_flight WHERE run_id = $1', [run.runId])).toEqual({ n: 0 });
  expect(await events(jobId)).toEqual(['job_created']);
  expect(await run.piece(8)).toEqual({ more: false, lanes: [run.laneId] });
  expect(await stateOf(run)).toEqual({ ...preparing, active: true, detail: null });
  expect(await events(jobId)).toEqual(['job_created', 'tool_eval_init']);
  expect(await run.piece(8)).toBeUndefined();
});

it('prepares a run whose job waits for another when that job is admitted, not before', async () => {
  const run = await aFailedRun();
  const [first, second] = [await run.submit(), await run.submit()];
  await run.resume();
  expect(await stateOf(run)).toMatchObject({ run: 'pending', job: 'pending', detail: null });
  expect((await runsToPrepare(pool)).filter(({ id }) => id === run.runId)).toEqual([]);
  expect(await run.piece(100)).toBeUndefined();
  await cancelJob(pool, { teamId: run.teamId, jobId: first.jobId });
  expect(await stateOf(run)).toMatchObject({ run: 'queued', job: 'queued', detail: 'preparing 0 of 16' });
  expect((await runsToPrepare(pool)).filter(({ id }) => id === run.runId)).toEqual([
    { id: run.runId, teamId: run.teamId, jobId: await run.jobId() },
  ]);
  await cancelJob(pool, { teamId: run.teamId, jobId: second.jobId });
});

it('cancels a run during its preparation, and unprepared items count as before', async () => {
  const run = await aFailedRun();
  await run.resume();
  await run.piece(5);
  expect(await run.cancel()).toMatchObject({ runIds: [expect.any(String)] });
  expect(await stateOf(run)).toMatchObject({
    run: 'cancelled',
    job: 'cancelled',
    detail: null,
    active: false,
    settled: 13,
    errored: 11,
  });
  expect(await run.piece(100)).toBeUndefined();
  await run.finish();
  expect((await one('SELECT score FROM run WHERE id = $1', [run.runId])).score).toBe(1);
  await run.resume();
  expect(await stateOf(run)).toMatchObject({ detail: 'preparing 0 of 16', total: 14, settled: 2, errored: 0 });
  await complete(run);
  await check(run.runId);
});

it('ends the preparation of a run that the previous release has stopped or resumed again meanwhile', async () => {
  const run = await aFailedRun();
  const parts = () => rows('SELECT 1 FROM preparation WHERE run_id = $1', [run.runId]);
  await run.resume();
  await run.piece(5);
  await run.before.cancel();
  expect(await stateOf(run)).toMatchObject({ run: 'cancelled', settled: 2, errored: 0 });
  expect(await run.piece(100)).toBeUndefined();
  expect(await stateOf(run)).toMatchObject({ run: 'cancelled', active: false, settled: 13, errored: 11 });
  expect(await parts()).toEqual([]);

  await run.resume();
  await run.piece(5);
  await run.before.cancel();
  await run.before.resume();
  expect(await run.piece(100)).toBeUndefined();
  expect(await stateOf(run)).toMatchObject({ run: 'queued', active: true, settled: 2, errored: 0 });
  expect(await parts()).toEqual([]);
  await complete(run);
  await check(run.runId);
});

it('blocks nobody: while a batch is prepared, its user can submit and other runs are dispatched', async () => {
  const run = await aFailedRun();
  await run.resume();
  const client = await pool.connect();
  try {
    await client.query('BEGIN; LOCK TABLE redo IN SHARE MODE');
    const piece = run.piece(100);
    while (
      (await rows(`SELECT 1 FROM pg_locks l WHERE l.relation = 'redo'::regclass AND NOT l.granted`, [])).length === 0
    );
    const next = await run.submit();
    expect(await one('SELECT status FROM job WHERE id = $1', [next.jobId])).toEqual({ status: 'queued' });
    expect(await dispatchLane(pool, run.laneId, 100)).toHaveLength(8);
    expect(await prepareRun(pool, { id: run.runId })).toBeUndefined(); // another process is preparing it
    await client.query('COMMIT');
    expect(await piece).toEqual({ more: true, lanes: [] });
  } finally {
    client.release();
  }
});

it('deletes a run that was stopped during its preparation, with its logs', async () => {
  const run = await aFailedRun();
  await run.resume();
  await run.piece(3);
  expect(await deleteRun(pool, run)).toBe('unfinished');
  await run.cancel();
  const jobs = (await rows('SELECT id FROM job WHERE result_ref = $1', [run.runId])).map(({ id }) => id);
  expect(jobs).toHaveLength(2);
  expect(await deleteRun(pool, run)).toBeInstanceOf(Object);
  while (await purgeRun(pool, run.runId, 3));
  for (const table of ['result', 'exchange', 'redo', 'preparation', 'purge'])
    expect(await rows(`SELECT 1 FROM ${table} WHERE run_id = $1`, [run.runId])).toEqual([]);
  expect(await rows('SELECT 1 FROM job_event WHERE job_id = ANY ($1)', [jobs])).toEqual([]);
});

test('a warning stays with a resumed run, and is logged once for each of its jobs', async () => {
  const run = await aRun();
  const warnings = () => rows('SELECT code, message FROM run_warning WHERE run_id = $1 ORDER BY code', [run.runId]);
  const told = async () =>
    (
      await rows(
        `SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning' ORDER BY seq`,
        [await run.jobId()],
      )
    ).map(({ code }) => code);
  await run.dispatch(2);
  await run.settle(2, 'errored');
  for (const code of ['a', 'b', 'a']) await logWarning(pool, run.runId, code, `${code} then`);
  expect(await told()).toEqual(['a', 'b']);
  await run.cancel();
  await run.resume();
  while (await run.piece(100));
  await run.dispatch(1);
  expect(await told()).toEqual([]);
  for (const code of ['a', 'c', 'a']) await logWarning(pool, run.runId, code, `${code} now`);
  expect(await told()).toEqual(['a', 'c']);
  expect(await warnings()).toEqual([
    { code: 'a', message: 'a now' },
    { code: 'b', message: 'b then' },
    { code: 'c', message: 'c now' },
  ]);
  await run.cancel();
  await logWarning(pool, run.runId, 'd', 'too late');
  expect(await deleteRun(pool, { teamId: run.teamId, runId: run.runId })).toBeInstanceOf(Object);
  while (await purgeRun(pool, run.runId));
  expect(await warnings()).toEqual([]);
});
