import fc from '../../../test/fast-check.js';
import { createDatabase } from '../../../test/services.js';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { busyLanes } from '#lib/db/engine/busy-lanes';
import { MAX_SILENCE_S } from '#lib/db/engine/live-workers';
import { LANE_OF_ITEM } from '#lib/db/lane-of-item';
import { createTeam } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';
import { Fleet, OWNED_STEPS } from './fleet.js';

let url: string;
let pool: Pool;
/** Its sessions are of the level before. */
let lower: Pool;
/** The runs of the tests, each on a lane of its own with one slot, which two workers serve. */
const runs: { runId: string; laneId: string }[] = [];
beforeAll(async () => {
  ({ url } = await createDatabase());
  pool = createPool(url, 4);
  const named = new URL(url);
  named.searchParams.set('options', `-c toolmark.worker_level=${SUBMIT_LEVEL - 1}`);
  lower = createPool(named.href, 2);
  for (let n = 0; n < 20; n++) {
    const team = await createTeam(pool);
    runs.push({ ...(await team.submit()), laneId: team.laneId });
  }
}, 60_000);
afterAll(() => Promise.all([pool.end(), lower.end()]));

let nowMs = 0;
beforeEach(async () => {
  await pool.query('DELETE FROM worker');
  await pool.query('DELETE FROM served');
  await pool.query('DELETE FROM in_flight');
  await pool.query('UPDATE lane SET max_concurrency = 1');
  await pool.query('UPDATE target SET active = true');
});

/** A worker of the fleet, whose trouble with Redis the test decides. */
function createWorker({ on = pool, hasRedis = true } = {}) {
  const state = { hasRedis };
  const workerId = `worker-${newId()}`;
  const fleet = new Fleet({ pool: on, workerId, hasRedis: async () => state.hasRedis, now: () => nowMs });
  return Object.assign(state, { fleet, workerId });
}
type TestWorker = ReturnType<typeof createWorker>;
const createWorkers = (count: number): TestWorker[] => Array.from({ length: count }, () => createWorker());

/** Each looks twice: those that looked first do not know the last ones yet. */
async function look(workers: TestWorker[]): Promise<void> {
  for (let n = 0; n < 2; n++) for (const { fleet } of workers) await fleet.look();
}
const silence = (workers: TestWorker[]) =>
  pool.query(`UPDATE worker SET seen_at = now() - $2 * interval '1 s' WHERE id = ANY ($1)`, [
    workers.map(({ workerId }) => workerId),
    MAX_SILENCE_S + 1,
  ]);

const lanesOf = ({ fleet }: TestWorker): string[] =>
  fleet
    .shares()
    .filter(({ isOwner }) => isOwner)
    .map(({ lane }) => lane.id);
const stepsOf = ({ fleet }: TestWorker): string[] => OWNED_STEPS.filter((step) => fleet.ownsStep(step));
/** The owner of each step and lane. Fails when one has none or several. */
function ownersAmong(workers: TestWorker[]): Map<string, TestWorker> {
  const owned = workers.flatMap((worker) =>
    [...stepsOf(worker), ...lanesOf(worker)].map((key) => [key, worker] as const),
  );
  expect(owned.map(([key]) => key).sort()).toEqual([...OWNED_STEPS, ...runs.map(({ laneId }) => laneId)].sort());
  return new Map(owned);
}
const noneOf = (worker: TestWorker) => expect([...stepsOf(worker), ...lanesOf(worker)]).toEqual([]);
const slotsIn = (laneId: string, workers: TestWorker[]): number[] =>
  workers
    .flatMap(({ fleet }) => fleet.shares().filter(({ lane }) => lane.id === laneId))
    .map(({ slots }) => slots)
    .filter((slots) => slots > 0);
const changed = (before: Map<string, TestWorker>, after: Map<string, TestWorker>): number =>
  [...before].filter(([key, worker]) => after.get(key) !== worker).length;

describe('owners', () => {
  it('each step and lane has one among the live workers, and who has not looked yet owns nothing', async () => {
    const workers = createWorkers(5);
    workers.forEach(noneOf);
    await look(workers);
    expect(new Set(ownersAmong(workers).values()).size).toBeGreaterThan(2);
    expect(workers.map(({ fleet }) => fleet.size)).toEqual([5, 5, 5, 5, 5]);
  });

  it.each([
    ['silent', silence],
    ['stopped', (gone: TestWorker[]) => Promise.all(gone.map(({ fleet }) => fleet.leave()))],
  ])('what belonged to a worker that is %s is of the others, and all else stays', async (_why, end) => {
    const workers = createWorkers(4);
    await look(workers);
    const before = ownersAmong(workers);
    const [gone, ...rest] = workers as [TestWorker, ...TestWorker[]];
    await end([gone]);
    await look(rest);
    expect(changed(before, ownersAmong(rest))).toBe([...stepsOf(gone), ...lanesOf(gone)].length);
  });

  it('a worker that has left does not come back by a look that had begun', async () => {
    const [one, other] = createWorkers(2) as [TestWorker, TestWorker];
    await look([one, other]);
    const looking = one.fleet.look();
    await Promise.all([looking, one.fleet.leave()]);
    await one.fleet.look();
    await other.fleet.look();
    ownersAmong([other]);
  });

  it('with a third replaced at once, each has one after the next looks, and most keep theirs', async () => {
    const workers = createWorkers(9);
    await look(workers);
    const before = ownersAmong(workers);
    await silence(workers.slice(0, 3));
    const replaced = [...workers.slice(3), ...createWorkers(3)];
    await look(replaced);
    expect(changed(before, ownersAmong(replaced))).toBeLessThan(before.size * 0.75);
  });

  it('a worker without Redis leaves its lanes to others, not its steps; while none has it all are alike', async () => {
    const workers = createWorkers(3);
    await look(workers);
    const before = ownersAmong(workers);
    const [first, ...rest] = workers as [TestWorker, ...TestWorker[]];
    const steps = stepsOf(first);
    first.hasRedis = false;
    await look(workers);
    expect([lanesOf(first), stepsOf(first)]).toEqual([[], steps]);
    expect(first.fleet.shares().every(({ slots }) => slots === 0)).toBe(true);
    ownersAmong(workers);
    for (const worker of rest) worker.hasRedis = false;
    await look(workers);
    expect(changed(before, ownersAmong(workers))).toBe(0);
  });

  it('a local clock that is a minute off changes nothing', async () => {
    const workers = createWorkers(3);
    await look(workers);
    const before = ownersAmong(workers);
    const realNow = Date.now;
    for (const offMs of [60_000, -60_000]) {
      Date.now = () => realNow() + offMs;
      await workers[0]!.fleet.look().finally(() => (Date.now = realNow));
      await look(workers.slice(1));
      expect(changed(before, ownersAmong(workers))).toBe(0);
    }
  });

  it('workers that do not know each other both own all, until they do', async () => {
    const [one, other] = createWorkers(2) as [TestWorker, TestWorker];
    await one.fleet.look();
    await pool.query('DELETE FROM worker'); // As after a crash of Postgres.
    await other.fleet.look();
    for (const worker of [one, other]) ownersAmong([worker]);
    await look([one, other]);
    ownersAmong([one, other]);
  });
});

describe('what nobody serves', () => {
  /** Two workers that have known all lanes for a while, of which nobody has served any. */
  async function idleWorkers(): Promise<[TestWorker, TestWorker]> {
    const workers = createWorkers(2) as [TestWorker, TestWorker];
    await look(workers);
    nowMs += (MAX_SILENCE_S - 1) * 1000;
    await look(workers);
    ownersAmong(workers); // It may have begun only just.
    nowMs += 2000;
    await look(workers);
    return workers;
  }

  it('is of everybody after some seconds, until somebody serves it', async () => {
    const [one, other] = await idleWorkers();
    for (const worker of [one, other]) ownersAmong([worker]);
    expect(slotsIn(runs[0]!.laneId, [one, other])).toHaveLength(2);
    for (const step of OWNED_STEPS) one.fleet.hasServedStep(step);
    for (const { laneId } of runs) other.fleet.hasServedLane(laneId);
    await look([one, other]);
    ownersAmong([one, other]);
  });

  it('stays with its owner when Postgres was away, or this process: nobody could serve', async () => {
    const workers = await idleWorkers();
    nowMs += 60_000;
    await look(workers);
    ownersAmong(workers);
    nowMs += (MAX_SILENCE_S - 1) * 1000;
    await look(workers);
    await pool.query('ALTER TABLE served RENAME TO away');
    await Promise.all(workers.map(({ fleet }) => expect(fleet.look()).rejects.toThrow('served')));
    await pool.query('ALTER TABLE away RENAME TO served');
    nowMs += 2000;
    await look(workers);
    ownersAmong(workers);
  });

  it('has no more workers of a lane while Redis is away from all of them', async () => {
    const workers = await idleWorkers();
    for (const worker of workers) worker.hasRedis = false;
    await look(workers);
    expect(workers.flatMap(lanesOf).sort()).toEqual(runs.map(({ laneId }) => laneId).sort());
  });
});

describe('shares', () => {
  it.each([
    [1, 2, [1, 1]],
    [8, 2, [5, 5]],
    [64, 5, [15, 15, 15, 15, 15]],
    [4, 1, [5]],
  ])('a lane for %i requests among %i workers: %j', async (maxConcurrency, count, slots) => {
    await pool.query('UPDATE lane SET max_concurrency = $1', [maxConcurrency]);
    const workers = createWorkers(count);
    await look(workers);
    for (const { laneId } of runs) expect(slotsIn(laneId, workers)).toEqual(slots);
  });

  it('a lane has no more servers than it has use for', async () => {
    await pool.query('UPDATE lane SET max_concurrency = 20');
    const workers = createWorkers(10);
    await look(workers);
    for (const { laneId } of runs) expect(slotsIn(laneId, workers)).toEqual([8, 8, 8]);
  });

  it('a worker of a lower level owns nothing, and serves only what it can play', async () => {
    const olders = [createWorker({ on: lower }), createWorker({ on: lower }), createWorker({ on: lower })];
    const newer = createWorker();
    const level = SUBMIT_LEVEL - 1;
    const { runId, laneId } = runs[0]!;
    await pool.query('UPDATE target SET active_for = $2 WHERE run_id = $1', [runId, level]);
    await look([...olders, newer]);
    olders.forEach(noneOf);
    ownersAmong([newer]);
    const levels = [...olders, newer].flatMap(({ fleet }) =>
      fleet.shares().flatMap(({ lane, slots }) => (slots > 0 ? lane.levels.map((one) => [lane.id, one]) : [])),
    );
    expect(levels.filter(([id]) => id === laneId)).toEqual([
      [laneId, level],
      [laneId, level],
    ]);
    expect(levels.filter(([id]) => id !== laneId)).toEqual(runs.slice(1).map(() => [expect.any(String), SUBMIT_LEVEL]));
  });
});

describe('busy lanes', () => {
  const levels = async () => Object.fromEntries((await busyLanes(pool)).map((lane) => [lane.id, lane.levels]));
  const grouped = async () => {
    const { rows } = await pool.query<{ id: string; levels: number[] }>(
      `SELECT id, array_agg(DISTINCT level ORDER BY level) AS levels FROM (
         SELECT lane_id AS id, active_for::int AS level FROM target WHERE active_for IS NOT NULL
         UNION ALL SELECT ${LANE_OF_ITEM}, worker_level::int FROM in_flight i
       ) work WHERE level <= level_of_session() GROUP BY id`,
    );
    return Object.fromEntries(rows.map((row) => [row.id, row.levels]));
  };
  const someLevel = fc.integer({ min: 1, max: SUBMIT_LEVEL + 1 });
  const someRun = fc.nat(runs.length || 19);

  it('are exactly those with items to dispatch or in flight', async () => {
    const rows = fc.record({
      waiting: fc.array(fc.tuple(someRun, someLevel), { maxLength: 10 }),
      flying: fc.array(fc.tuple(someRun, someLevel, fc.boolean()), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(rows, async ({ waiting, flying }) => {
        await pool.query('DELETE FROM in_flight');
        await pool.query('UPDATE target SET active = false, active_for = NULL');
        await pool.query(
          `UPDATE target SET active_for = w.level FROM unnest($1::uuid[], $2::int[]) w (run_id, level)
           WHERE target.run_id = w.run_id`,
          [waiting.map(([run]) => runs[run]!.runId), waiting.map(([, level]) => level)],
        );
        await pool.query(
          `INSERT INTO in_flight (run_id, target, item, token, lane_id, hidden_lane_id, worker_level)
           SELECT gen_random_uuid(), 0, 0, 1, CASE WHEN NOT hides THEN lane END, CASE WHEN hides THEN lane END, level
           FROM unnest($1::uuid[], $2::bool[], $3::int[]) f (lane, hides, level)`,
          [
            flying.map(([run]) => runs[run]!.laneId),
            flying.map(([, , hides]) => hides),
            flying.map(([, level]) => level),
          ],
        );
        expect(await levels()).toEqual(await grouped());
      }),
      { numRuns: 25 },
    );
  });

  it('are found by index probes alone, however many items are in flight', async () => {
    await pool.query(
      `INSERT INTO in_flight (run_id, target, item, token, hidden_lane_id, worker_level)
       SELECT $1, 0, n, n, $2, 6 FROM generate_series(1, 20000) n`,
      [runs[0]!.runId, runs[0]!.laneId],
    );
    await pool.query('ANALYZE in_flight');
    let text = '';
    await busyLanes({ query: async (query: { text: string }) => ((text = query.text), { rows: [] }) } as never);
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`);
    const scans: any[] = [];
    const walk = (node: any): void => {
      if (node['Relation Name'] === 'in_flight') scans.push(node);
      node.Plans?.forEach(walk);
    };
    walk(rows[0]['QUERY PLAN'][0].Plan);
    expect(scans.map((node) => node['Index Name'])).toEqual(['in_flight_lane_level', 'in_flight_lane_level']);
    for (const node of scans) expect(node['Actual Rows']).toBeLessThanOrEqual(1);
  });
});
