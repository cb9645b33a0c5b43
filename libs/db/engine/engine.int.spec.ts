import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { NO_USAGE } from '#lib/contracts/cost';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { cancelJob } from './cancel-job.js';
import { claimItems, renewLeases } from './claim-items.js';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { busyLanes, laneLoads } from './busy-lanes.js';
import { dispatchLane, type LeveledDelivery } from './dispatch-lane.js';
import { runsToFinish, targetsToFinish, finishRun, finishTarget } from './finish-run.js';
import { findExchanges } from '../read/for-workers/exchanges.js';
import { BEGIN, createPool, inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { reconcileLane } from './reconcile-lane.js';
import { resumeRun } from './resume-run.js';
import { stopIfOverBudget } from './run-budget.js';
import { SettingsRepository } from '../catalogue/settings.js';
import { startPendingJobs } from './start-pending-jobs.js';
import { settleItems, type Outcome } from './settle-items.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

const count = async (table: string, runId: string): Promise<number> =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE run_id = $1`, [runId])).rows[0]!.n;

/** Runs `inside` in a transaction that stays open until the other side waits for one of its locks. */
async function whileLocked(
  lock: (client: PoolClient) => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await lock(client);
    const waiting = other();
    for (;;) {
      const { rows } = await pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      if (rows.length) break;
    }
    await client.query('COMMIT');
    await waiting;
  } finally {
    client.release();
  }
}

const cancelInside = (runId: string) => async (client: PoolClient) => {
  await client.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [runId]);
  await client.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [runId]);
  await client.query('UPDATE target SET active = false WHERE run_id = $1', [runId]);
  await client.query('DELETE FROM in_flight WHERE run_id = $1', [runId]);
};
const setLimit = (teamId: string, limit: number) =>
  new SettingsRepository(pool, teamId).setRunningJobs(limit).then(() => startPendingJobs(pool, teamId));
const noneMissing = async (): Promise<LeveledDelivery[]> => [];
const allMissing = async (deliveries: LeveledDelivery[]): Promise<LeveledDelivery[]> => deliveries;
const finishRuns = async (): Promise<void> =>
  void (await Promise.all((await runsToFinish(pool)).map((run) => finishRun(pool, run))));
const summary = { target: 'sim::a', overall: 1 } as never;

describe('settling', () => {
  it('stores the results of this delivery, numbers the log without gaps and raises the counters', async () => {
    const team = await createTeam(pool);
    const { runId, jobId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    expect(deliveries.map((d) => d.item)).toEqual([0, 1, 2, 3]);
    await claimItems(pool, 'w1', deliveries);
    // Two workers settle at the same time.
    await Promise.all([
      settleItems(
        pool,
        deliveries.slice(0, 2).map((d) => settlementOf(d)),
      ),
      settleItems(pool, [settlementOf(deliveries[2]!), settlementOf(deliveries[3]!, 'errored')]),
    ]);
    const events = await pool.query<{ seq: number }>(
      'SELECT seq FROM job_event WHERE job_id = $1 UNION ALL SELECT seq FROM result WHERE run_id = $2 ORDER BY 1',
      [jobId, runId],
    );
    expect(events.rows.map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const target = await pool.query('SELECT settled, errored, passed, overall_sum FROM target WHERE run_id = $1', [
      runId,
    ]);
    expect(target.rows).toEqual([{ settled: 4, errored: 1, passed: 3, overall_sum: 3 }]);
    expect(await count('in_flight', runId)).toBe(0);
    expect(await count('exchange', runId)).toBe(4);
  });

  it.each([
    ['small', 0],
    ['large', 100_000],
  ])('stores the exchange of each item at its place: %s ones', async (_size, more) => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 3);
    await claimItems(pool, 'w1', deliveries);
    await settleItems(
      pool,
      deliveries.map((d) => ({
        ...settlementOf(d),
        exchange: d.item === 1 ? Buffer.alloc(0) : Buffer.from(`said of ${d.item}`.padEnd(more)),
      })),
    );
    const found = await findExchanges(
      pool,
      runId,
      [2, 3, 0, 1].map((casePosition) => ({ target: 0, casePosition, sample: 0 })),
    );
    expect(found.map((exchange) => exchange?.toString())).toEqual([
      'said of 2'.padEnd(more),
      undefined,
      'said of 0'.padEnd(more),
      undefined,
    ]);
  });

  it('stores the syntax of calls that a host left in the text', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 3);
    await claimItems(pool, 'w1', deliveries);
    const settlements = deliveries.map((d) => settlementOf(d, d.item === 2 ? 'errored' : 'scored'));
    const written = settlements[1]!.result as Extract<Outcome, { outcome: 'scored' }>;
    const verdict = { ...written.verdict, evidence: { ...written.verdict.evidence, syntax: 'hermes' as const } };
    settlements[1] = { ...settlements[1]!, result: { ...written, verdict } };
    const settled = await settleItems(pool, settlements);
    expect(settled.runs.get(runId)).toEqual({ items: 3, ended: false });
    const { rows } = await pool.query('SELECT syntax FROM result WHERE run_id = $1 ORDER BY case_position', [runId]);
    expect(rows).toEqual([{ syntax: null }, { syntax: 'hermes' }, { syntax: null }]);
  });

  it('reports exactly when a target has nothing left to settle', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    await claimItems(pool, 'w1', deliveries);
    const settled = async (from: number, to: number) =>
      (
        await settleItems(
          pool,
          deliveries.slice(from, to).map((d) => settlementOf(d)),
        )
      ).runs.get(runId);
    expect(await settled(0, 3)).toEqual({ items: 3, ended: false });
    expect(await settled(2, 4)).toEqual({ items: 1, ended: true }); // one of the two was settled before
    expect(await settled(0, 4)).toBeUndefined();
  });

  it('reports which items of a batch were stored', async () => {
    const team = await createTeam(pool);
    await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 100);
    await claimItems(pool, 'w1', deliveries);
    await settleItems(pool, [settlementOf(deliveries[1]!)]);
    expect(
      (
        await settleItems(
          pool,
          deliveries.slice(0, 3).map((d) => settlementOf(d)),
        )
      ).stored,
    ).toEqual([true, false, true]);
  });

  it('clamps a count to the maximum of its column', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    const [delivery] = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', [delivery!]);
    await settleItems(pool, [
      {
        ...settlementOf(delivery!),
        usage: { ...NO_USAGE, promptTokens: 2 * (2 ** 31 - 1), completionTokens: -1 },
        attempts: 40_000,
      },
    ]);
    const { rows } = await pool.query(
      'SELECT prompt_tokens, completion_tokens, attempts FROM result WHERE run_id = $1',
      [runId],
    );
    expect(rows).toEqual([{ prompt_tokens: 2 ** 31 - 1, completion_tokens: 0, attempts: 32_767 }]);
  });

  it('keeps invalid amounts of money out of the sums of a team', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', deliveries);
    const costs = [Infinity, NaN, -5, 1e308];
    await settleItems(
      pool,
      deliveries.map((delivery, n) => ({ ...settlementOf(delivery), costUsd: costs[n]! })),
    );
    const { rows } = await pool.query('SELECT cost_usd FROM result WHERE run_id = $1 ORDER BY case_position', [runId]);
    expect(rows.map((row) => row.cost_usd)).toEqual([1e6, null, 0, 1e6]);
    expect((await new SettingsRepository(pool, team.teamId).readSpending()).spent_usd).toBe(2e6);
  });

  it('gives a duplicate delivery to the worker that claims it first', async () => {
    const team = await createTeam(pool, { cases: 1 });
    await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 10);
    expect(await claimItems(pool, 'w1', deliveries)).toHaveLength(1);
    expect(await claimItems(pool, 'w2', deliveries)).toEqual([]);
    expect(await claimItems(pool, 'w1', deliveries)).toEqual([]);
  });

  it('ignores a late reply whose item was taken over, and leaves the newer delivery its claim', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    const [late] = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'frozen', [late!]);
    await pool.query(`UPDATE in_flight SET lease_until = now() - interval '1 s' WHERE run_id = $1`, [runId]);
    // Postgres was unreachable for a moment
    expect((await reconcileLane(pool, team.laneId, 'w2', false, noneMissing)).redeliver).toEqual([]);
    const {
      redeliver: [newer],
    } = await reconcileLane(pool, team.laneId, 'w2', true, noneMissing);
    expect(await claimItems(pool, 'w2', [newer!])).toMatchObject([{ lost: 1, crashes: 0 }]);

    expect((await settleItems(pool, [settlementOf(late!)])).stored).toEqual([false]);
    expect([await count('result', runId), await count('in_flight', runId)]).toEqual([0, 1]);
    // By its key alone, the late reply would find and remove the row of the newer delivery.
    const byKey = await pool.query('SELECT 1 FROM in_flight WHERE run_id = $1 AND target = $2 AND item = $3', [
      runId,
      late!.target,
      late!.item,
    ]);
    expect(byKey.rowCount).toBe(1);

    await settleItems(pool, [settlementOf(newer!)]);
    await settleItems(pool, [settlementOf(newer!)]);
    expect([await count('result', runId), await count('in_flight', runId)]).toEqual([1, 0]);
  });

  it('ignores a reply that arrives while its run is being cancelled', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    const [delivery] = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', [delivery!]);
    let settled = -1;
    await whileLocked(cancelInside(runId), async () => {
      settled = (await settleItems(pool, [settlementOf(delivery!)])).runs.size;
    });
    expect([settled, await count('result', runId)]).toEqual([0, 0]);
  });

  it('reads the status of a run after locking it, and settles nothing of a run stopped meanwhile', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', deliveries);
    const stop = async (client: PoolClient) => {
      await client.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [runId]);
      await client.query(`UPDATE run SET status = 'budget_exceeded' WHERE id = $1`, [runId]);
    };
    let settled: unknown;
    await whileLocked(stop, async () => {
      settled = await settleItems(
        pool,
        deliveries.map((delivery) => settlementOf(delivery)),
      );
    });
    expect(settled).toEqual({ runs: new Map(), stored: [false] });
    expect([await count('result', runId), await count('in_flight', runId)]).toEqual([0, 1]);
  });
});

describe('dispatching', () => {
  it('takes no items of a run that is cancelled while the dispatcher waits', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    let deliveries: LeveledDelivery[] = [];
    await whileLocked(cancelInside(runId), async () => {
      deliveries = await dispatchLane(pool, team.laneId, 10);
    });
    expect([deliveries, await count('in_flight', runId)]).toEqual([[], 0]);
  });

  it('reports which lanes are busy, how full one is, and whether it has more', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const lane = async () => (await laneLoads(pool, [team.laneId]))[0];
    const isBusy = async () => (await busyLanes(pool)).some(({ id }) => id === team.laneId);
    expect(await lane()).toMatchObject({ max_concurrency: 8, waiting: true, in_flight: 0, levels: [SUBMIT_LEVEL] });
    expect(await isBusy()).toBe(true);
    await dispatchLane(pool, team.laneId, 3);
    expect(await lane()).toMatchObject({ waiting: true, in_flight: 3 });
    await dispatchLane(pool, team.laneId, 10);
    expect(await lane()).toMatchObject({ waiting: false, in_flight: 4, levels: [SUBMIT_LEVEL] });
    expect(await isBusy()).toBe(true);
    await pool.query('UPDATE in_flight SET worker = $2 WHERE run_id = $1', [runId, 'w1']);
    await settleItems(
      pool,
      (
        await pool.query(`SELECT run_id AS "runId", target, item, token FROM in_flight WHERE run_id = $1`, [runId])
      ).rows.map((row: LeveledDelivery) => settlementOf(row)),
    );
    expect([await lane(), await isBusy()]).toEqual([undefined, false]);
  });

  it('starts the next model of a provider after the previous one is dispatched, or in parallel', async () => {
    const team = await createTeam(pool, { cases: 3 });
    await team.submit({ models: ['a', 'b'] });
    expect((await dispatchLane(pool, team.laneId, 2)).map((d) => d.target)).toEqual([0, 0]);
    expect((await dispatchLane(pool, team.laneId, 4)).map((d) => d.target)).toEqual([0]);
    expect((await dispatchLane(pool, team.laneId, 4)).map((d) => d.target)).toEqual([1]);
    const parallel = await createTeam(pool, { cases: 8 });
    await parallel.submit({ models: ['a', 'b'], model_order: 'parallel' });
    expect(new Set((await dispatchLane(pool, parallel.laneId, 8)).map((d) => d.target))).toEqual(new Set([0, 1]));
  });

  it.each([['\\u0000'], ['\\ud800']])(
    'takes items of a run whose parameters hold %s, which jsonb refuses',
    async (text) => {
      const team = await createTeam(pool, { cases: 2 });
      const { runId } = await team.submit();
      await pool.query('UPDATE run SET config = replace(config, $2, $3) WHERE id = $1', [
        runId,
        '"params":{}',
        `"params":{"stop":"${text}"}`,
      ]);
      expect(
        (await pool.query<{ config: string }>('SELECT config FROM run WHERE id = $1', [runId])).rows[0]!.config,
      ).toContain(text);
      expect(await dispatchLane(pool, team.laneId, 10)).toHaveLength(2);
    },
  );

  it('waits only for targets whose items it takes', async () => {
    const team = await createTeam(pool, { cases: 4 });
    const [first, second] = [await team.submit(), await team.submit()];
    await inTransaction(pool, async (client) => {
      await client.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [second.runId]);
      expect((await dispatchLane(pool, team.laneId, 4)).map(({ runId }) => runId)).toEqual(Array(4).fill(first.runId));
    });
    expect((await dispatchLane(pool, team.laneId, 8)).map(({ runId }) => runId)).toEqual(Array(4).fill(second.runId));
  });

  it('does not wait for a locked target of the lane, but serves the others', async () => {
    const [team, other] = [await createTeam(pool), await createTeam(pool)];
    const { runId } = await team.submit();
    await other.submit();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [runId]);
      await expect(dispatchLane(pool, team.laneId, 10)).rejects.toMatchObject({ code: '55P03' });
      expect(await dispatchLane(pool, other.laneId, 10)).toHaveLength(4);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('shares a lane between users, whatever the number of their runs', async () => {
    const team = await createTeam(pool, { cases: 100, runningJobs: 10 });
    const big = await Promise.all(Array.from({ length: 5 }, () => team.submit()));
    await dispatchLane(pool, team.laneId, 40);
    const small = await team.submit({ userId: await team.anotherUser() });
    const deliveries = await dispatchLane(pool, team.laneId, 80);
    expect(deliveries.filter((d) => d.runId === small.runId)).toHaveLength(20);
    for (const { runId } of big) expect(deliveries.filter((d) => d.runId === runId)).toHaveLength(4);
  });
});

describe('finishing', () => {
  it('finishes a run once when its last two targets end at the same instant and two processes notice', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId, jobId } = await team.submit({ models: ['a', 'b'], model_order: 'parallel' });
    const deliveries = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', deliveries);
    await Promise.all(deliveries.map((delivery) => settleItems(pool, [settlementOf(delivery)])));
    const done = (await targetsToFinish(pool)).filter((target) => target.runId === runId);
    expect(done.map((target) => target.target)).toEqual(['sim::a', 'sim::b']);
    await Promise.all([...done, ...done].map((target) => finishTarget(pool, target, summary)));
    await Promise.all([finishRuns(), finishRuns()]);
    const events = await pool.query<{ name: string }>('SELECT name FROM job_event WHERE job_id = $1 ORDER BY seq', [
      jobId,
    ]);
    expect(events.rows.map((row) => row.name)).toEqual([
      'job_created',
      'tool_eval_init',
      'tool_eval_summary',
      'tool_eval_summary',
      'tool_eval_complete',
      'job_completed',
    ]);
    expect((await pool.query('SELECT status, score FROM run WHERE id = $1', [runId])).rows).toEqual([
      { status: 'completed', score: 1 },
    ]);
  });

  it('considers a target finished once its last item is settled, and not before', async () => {
    const team = await createTeam(pool, { cases: 2 });
    const { runId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 10);
    await claimItems(pool, 'w1', deliveries);
    const found = async () => (await targetsToFinish(pool)).filter((target) => target.runId === runId).length;
    const seen = [await found()];
    for (const delivery of deliveries) {
      await settleItems(pool, [settlementOf(delivery)]);
      seen.push(await found());
    }
    expect(seen).toEqual([0, 0, 1]);
  });

  it('does not touch a run that was resumed after it was found finished', async () => {
    const team = await createTeam(pool, { cases: 3 });
    const { runId, jobId } = await team.submit();
    const deliveries = await dispatchLane(pool, team.laneId, 1);
    await claimItems(pool, 'w1', deliveries);
    await settleItems(
      pool,
      deliveries.map((delivery) => settlementOf(delivery)),
    );
    await cancelJob(pool, { teamId: team.teamId, jobId });
    const [done] = (await targetsToFinish(pool)).filter((target) => target.runId === runId);
    await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
    await finishTarget(pool, done!, summary);
    const stored = async () =>
      (
        await pool.query(
          `SELECT r.status, r.score, t.summary, t.finished_at FROM run r JOIN target t ON t.run_id = r.id
            WHERE r.id = $1`,
          [runId],
        )
      ).rows[0];
    expect(await stored()).toEqual({ status: 'queued', score: null, summary: null, finished_at: null });

    // The same while the finisher is waiting: it found a cancelled run without a score, and its turn comes after the
    // resume.
    await cancelJob(pool, {
      teamId: team.teamId,
      jobId: (await pool.query<{ job_id: string }>('SELECT job_id FROM run WHERE id = $1', [runId])).rows[0]!.job_id,
    });
    await finishTarget(
      pool,
      (await targetsToFinish(pool)).find((target) => target.runId === runId)!,
      summary,
    );
    await whileLocked(
      async (client) => {
        await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [team.userId]);
        await client.query(`UPDATE run SET status = 'running' WHERE id = $1`, [runId]);
        await client.query('UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1', [runId]);
      },
      () => finishRuns(),
    );
    expect(await stored()).toMatchObject({ status: 'running', score: null });
    await pool.query('DELETE FROM run WHERE id = $1', [runId]);
  });

  it('does not wait for a locked user, but retries in the next turn', async () => {
    const team = await createTeam(pool);
    const { runId, jobId } = await team.submit();
    const of = { teamId: team.teamId, userId: team.userId, generation: 1, experimentId: null };
    const run = { id: runId, jobId, ...of };
    const client = await pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0'); // Simulates a busy one.
      await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [team.userId]);
      const ended = await Promise.allSettled([finishRun(pool, run), stopIfOverBudget(pool, run)]);
      expect(ended).toEqual(
        [1, 2].map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: '55P03' }) })),
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    await pool.query('DELETE FROM run WHERE id = $1', [runId]);
  }, 30_000);
});

describe('reconciling', () => {
  it('requeues items that the queue has lost, without counting a crash', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    const [delivery] = await dispatchLane(pool, team.laneId, 10);
    const tooYoung = await reconcileLane(pool, team.laneId, 'w', true, allMissing);
    expect(tooYoung.redeliver).toEqual([]);
    await pool.query(`UPDATE in_flight SET queued_at = now() - interval '3 s' WHERE run_id = $1`, [runId]);
    const { redeliver } = await reconcileLane(pool, team.laneId, 'w', true, allMissing);
    expect(redeliver).toHaveLength(1);
    expect(redeliver[0]!.token).not.toBe(delivery!.token);
    expect(await claimItems(pool, 'w', [delivery!])).toEqual([]); // the old queue job, in case it is still delivered
    expect(await claimItems(pool, 'w', redeliver)).toMatchObject([{ token: redeliver[0]!.token, crashes: 0 }]);
  });

  const loseLease = async (runId: string): Promise<void> =>
    void (await pool.query(`UPDATE in_flight SET lease_until = now() - interval '1 s' WHERE run_id = $1`, [runId]));

  it('gives up an item after five crashes', async () => {
    const team = await createTeam(pool, { cases: 1 });
    const { runId } = await team.submit();
    let [delivery] = await dispatchLane(pool, team.laneId, 10);
    for (let crash = 1; crash <= 5; crash++) {
      await claimItems(pool, 'w', [delivery!]);
      await renewLeases(pool, 'w', [{ ...delivery!, begun: true }]);
      await loseLease(runId);
      const { redeliver, poisoned } = await reconcileLane(pool, team.laneId, 'w', true, noneMissing);
      expect([redeliver.length, poisoned.length]).toEqual(crash < 5 ? [1, 0] : [0, 1]);
      delivery = redeliver[0] ?? poisoned[0];
    }
    await settleItems(pool, [settlementOf(delivery!, 'errored')]);
    expect(await count('result', runId)).toBe(1);
  });

  it('counts no crash for items that only waited in a process that died, however often', async () => {
    const team = await createTeam(pool, { cases: 2 });
    const { runId } = await team.submit();
    let deliveries = await dispatchLane(pool, team.laneId, 10);
    for (let death = 1; death <= 6; death++) {
      await claimItems(pool, 'w', deliveries);
      if (death <= 2) await renewLeases(pool, 'w', [{ ...deliveries.find(({ item }) => item === 0)!, begun: true }]);
      await loseLease(runId);
      deliveries = (await reconcileLane(pool, team.laneId, 'w', true, noneMissing)).redeliver;
      expect(deliveries).toHaveLength(2);
    }
    const { rows } = await pool.query('SELECT item, lost, crashes FROM in_flight WHERE run_id = $1 ORDER BY item', [
      runId,
    ]);
    expect(rows).toEqual([
      { item: 0, lost: 6, crashes: 2 },
      { item: 1, lost: 6, crashes: 0 },
    ]);
  });
});

describe('a process that freezes', () => {
  it('loses its locks to others', async () => {
    const team = await createTeam(pool);
    await team.submit();
    const frozen = await pool.connect();
    let lost = false;
    frozen.on('error', () => (lost = true)); // Postgres closed it
    await frozen.query(BEGIN);
    await frozen.query(`SELECT pg_advisory_xact_lock(hashtext('dispatch'), hashtext($1))`, [team.laneId]);
    await until(() => dispatchLane(pool, team.laneId, 100).then((deliveries) => deliveries.length), {
      what: 'the lock of the frozen one',
    });
    expect(lost).toBe(true);
    frozen.release(true);
  }, 60_000);
});

describe('the limit of running jobs', () => {
  it('applies to concurrent submits, and the next job starts when one is cancelled', async () => {
    const team = await createTeam(pool, { runningJobs: 1 });
    const jobs = await Promise.all([team.submit(), team.submit(), team.submit()]);
    const statuses = async (): Promise<string[]> =>
      (
        await pool.query<{ status: string }>('SELECT status FROM job WHERE id = ANY($1) ORDER BY id', [
          jobs.map((job) => job.jobId),
        ])
      ).rows.map((row) => row.status);
    expect((await statuses()).sort()).toEqual(['pending', 'pending', 'queued']);
    const running = (
      await pool.query<{ id: string }>(`SELECT id FROM job WHERE id = ANY($1) AND status = 'queued'`, [
        jobs.map((job) => job.jobId),
      ])
    ).rows[0]!.id;
    expect(await cancelJob(pool, { teamId: team.teamId, jobId: running })).toEqual({
      runIds: [expect.any(String)],
      status: 'queued',
    });
    expect(await cancelJob(pool, { teamId: team.teamId, jobId: running })).toBe('finished');
    expect((await statuses()).sort()).toEqual(['cancelled', 'pending', 'queued']);
  });

  it('starts pending jobs when it is raised, in order, only for users of the team', async () => {
    const [team, others] = [await createTeam(pool, { runningJobs: 1 }), await createTeam(pool, { runningJobs: 1 })];
    const grace = await team.anotherUser();
    const submitted = [];
    for (let n = 0; n < 4; n++) submitted.push(await team.submit());
    for (let n = 0; n < 2; n++) submitted.push(await team.submit({ userId: grace }));
    for (let n = 0; n < 2; n++) submitted.push(await others.submit());
    const ids = submitted.map(({ jobId }) => jobId);
    const statuses = async (): Promise<string[]> =>
      (
        await pool.query<{ status: string }>(
          'SELECT status FROM job WHERE id = ANY ($1) ORDER BY array_position($1, id)',
          [ids],
        )
      ).rows.map(({ status }) => status);
    expect(await statuses()).toEqual([
      'queued',
      'pending',
      'pending',
      'pending',
      'queued',
      'pending',
      'queued',
      'pending',
    ]);
    const { jobs, lanes } = await setLimit(team.teamId, 3);
    expect(await statuses()).toEqual([
      'queued',
      'queued',
      'queued',
      'pending',
      'queued',
      'queued',
      'queued',
      'pending',
    ]);
    expect(jobs.sort()).toEqual([ids[1], ids[2], ids[5]].sort());
    expect(lanes).toEqual([team.laneId]);
    expect(await setLimit(team.teamId, 1)).toEqual({ jobs: [], lanes: [] });
    expect((await statuses()).filter((status) => status === 'queued')).toHaveLength(6);
  });

  it('also starts a job that was concurrently submitted under the earlier limit', async () => {
    const team = await createTeam(pool, { runningJobs: 1 });
    await team.submit();
    const jobId = newId();
    await whileLocked(
      async (client) => {
        await client.query(
          `INSERT INTO job (id, team_id, user_id, type, status) VALUES ($1, $2, $3, 'rescore', 'pending')`,
          [jobId, team.teamId, team.userId],
        );
        expect(await admitJobs(client, team.userId)).toEqual([]);
      },
      async () => expect(await setLimit(team.teamId, 2)).toMatchObject({ jobs: [jobId] }),
    );
  });
});
