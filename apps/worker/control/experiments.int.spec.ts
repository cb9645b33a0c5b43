import { pino } from 'pino';
import type { BaselineComparison } from '#lib/contracts/comparison';
import { insertRow } from '#lib/db/connection/insert-row';
import { createPool, inTransaction, type Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { deleteExperiment, pinBaseline } from '#lib/db/engine/experiments';
import { runsToFinish } from '#lib/db/engine/finish-run';
import { resumeRun } from '#lib/db/engine/resume-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { newId } from '#lib/runtime/ids';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { inProcessComparer } from '../../../test/in-process-comparer.js';
import { replayWithDeaths } from '../../../test/process-deaths.js';
import { createDatabase, createRedis } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { comparePair, type ComparePair } from './compare-pair.js';
import { Finisher } from './finish.js';
import { ExperimentRefresher } from './refresh-experiments.js';

let pool: Pool;
let locks: Pool;
let redis: Redis;
let worker: ReturnType<typeof aWorker>;
let drop: () => Promise<void>;
beforeAll(async () => {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  [pool, locks] = [createPool(database.url, 10), createPool(database.url, 20)];
  redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  worker = aWorker();
  drop = async () => {
    await Promise.all([pool.end(), locks.end(), redis.quit()]);
    await Promise.all([database.drop(), close()]);
  };
});
afterAll(() => drop());

type Team = Awaited<ReturnType<typeof createTeam>>;
const never = new AbortController().signal;
const realCompare: ComparePair = (...pair) => comparePair(inProcessComparer(pool), ...pair);

/** The steps of a worker process that end runs and refresh experiments. */
function aWorker({ db = pool, compare = realCompare }: { db?: Pool; compare?: ComparePair } = {}) {
  const failures: string[] = [];
  const finisher = new Finisher({
    pool: db,
    locks: db === pool ? locks : db,
    redis,
    compare,
    onTargetFinished: () => {},
    onJobFinished: () => {},
    onPlaced: () => {},
    onCompareFailure: (error) => failures.push(error.message),
  });
  const refresher = new ExperimentRefresher({
    pool: db,
    compare,
    onMoreToDo: () => {},
    onFailure: (error) => failures.push(error.message),
  });
  return {
    failures,
    async finish(): Promise<void> {
      for (const run of await runsToFinish(db)) await finisher.finishRun(run, never);
    },
    async finishSideBySide(): Promise<void> {
      await Promise.all((await runsToFinish(db)).map((run) => finisher.finishRun(run, never)));
    },
    async refresh(): Promise<void> {
      for (let found = await refresher.toRefresh(); found.length; found = await refresher.toRefresh())
        for (const experiment of found) await refresher.refresh(experiment, never);
    },
    async work(): Promise<void> {
      await this.finish();
      await this.refresh();
    },
  };
}

const CASES = 10;
const right = (count: number, cases = CASES): Outcome[] => Array.from({ length: cases }, (_, n) => Number(n < count));

async function anExperiment(cases = CASES) {
  const team = await createTeam(pool, { cases, runningJobs: 100 });
  const id = newId();
  await insertRow(pool, 'experiment', { id, team_id: team.teamId, suite_id: team.suiteId, name: 'e' });
  return {
    ...team,
    id,
    /** A run whose models have replied: it ends with the finisher's next turn. */
    async replied(outcomes: readonly Outcome[], input: Parameters<Team['submit']>[0] = {}) {
      const run = await team.submit({ experiment_id: id, ...input });
      await settleRun(pool, run.runId, outcomes);
      return run;
    },
    async ended(outcomes: readonly Outcome[], input: Parameters<Team['submit']>[0] = {}) {
      const run = await this.replied(outcomes, input);
      await worker.finish();
      return run;
    },
    pin: (runId: string) => inTransaction(pool, (client) => pinBaseline(client, team.teamId, id, runId)),
    resume: (runId: string) => resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId }),
  };
}

interface StoredExperiment {
  baseline_run_id: string | null;
  baseline_set_by: string | null;
  best_run_id: string | null;
  tied_with: string[];
  revision: number;
  refreshed_revision: number;
}
interface StoredRun {
  status: string;
  score: number | null;
  delta: number | null;
  differs: string[];
  comparison: BaselineComparison | null;
}
const experiment = async (id: string): Promise<StoredExperiment> =>
  (await pool.query<StoredExperiment>('SELECT * FROM experiment WHERE id = $1', [id])).rows[0]!;
const run = async (id: string): Promise<StoredRun> => {
  const { rows } = await pool.query<Omit<StoredRun, 'comparison'> & { comparison: string | null }>(
    'SELECT status, score, delta, differs, comparison FROM run WHERE id = $1',
    [id],
  );
  const { comparison, ...rest } = rows[0]!;
  return { ...rest, comparison: comparison === null ? null : (JSON.parse(comparison) as BaselineComparison) };
};
const log = async (jobId: string): Promise<[string, Record<string, unknown>][]> =>
  (
    await pool.query<{ name: string; data: string }>(
      `SELECT name, data FROM job_event
       WHERE job_id = $1 AND name NOT IN ('job_created', 'tool_eval_init') ORDER BY seq`,
      [jobId],
    )
  ).rows.map(({ name, data }) => [name, JSON.parse(data) as Record<string, unknown>]);
const best = async (id: string): Promise<string | null> => (await experiment(id)).best_run_id;
const isFresh = async (id: string): Promise<boolean> => {
  const { revision, refreshed_revision: refreshed } = await experiment(id);
  return revision === refreshed;
};

describe('a run of an experiment that ends', () => {
  it('is the baseline and the best run if it is the first, and is compared with the baseline otherwise', async () => {
    const exp = await anExperiment();
    const first = await exp.ended(right(5));
    expect(await experiment(exp.id)).toMatchObject({
      baseline_run_id: first.runId,
      baseline_set_by: 'first_run',
      best_run_id: first.runId,
    });
    expect(
      (await pool.query('SELECT action, changes::json, cause FROM audit WHERE subject = $1', [exp.id])).rows,
    ).toEqual([
      {
        action: 'experiment.baseline',
        changes: [{ field: 'baseline', before: null, after: first.runId }],
        cause: 'the first run that ended',
      },
    ]);
    expect(await run(first.runId)).toEqual({
      status: 'completed',
      score: 0.5,
      delta: null,
      differs: [],
      comparison: null,
    });
    expect(await log(first.jobId)).toEqual([
      ['tool_eval_complete', { eval_id: first.runId, score: 0.5, delta: null }],
      ['experiment_best_updated', { experiment_id: exp.id, eval_id: first.runId, score: 0.5, previous: null }],
      ['job_completed', { status: 'completed', result_ref: first.runId }],
    ]);

    const second = await exp.ended(right(8));
    const { delta, differs, comparison } = await run(second.runId);
    expect({ delta, differs, comparison }).toEqual({
      delta: 0.8 - 0.5,
      differs: [],
      comparison: expect.objectContaining({
        baseline_eval_id: first.runId,
        verdict: 'inconclusive',
        difference: expect.closeTo(0.3, 12),
        n_cases: 10,
        text: expect.any(String),
      }),
    });
    expect((await log(second.jobId)).map(([name]) => name)).toEqual([
      'tool_eval_complete',
      'experiment_best_updated',
      'job_completed',
    ]);
    expect((await log(second.jobId))[0]![1]).toEqual({ eval_id: second.runId, score: 0.8, delta, differs, comparison });
    expect((await log(second.jobId))[1]![1]).toMatchObject({ eval_id: second.runId, previous: first.runId });

    // A run that is not better changes nothing, and equal scores keep the earlier run.
    const third = await exp.ended(right(8));
    expect((await log(third.jobId)).map(([name]) => name)).toEqual(['tool_eval_complete', 'job_completed']);
    expect(await best(exp.id)).toBe(second.runId);
  });

  it('is not the best run by a rounding difference when its verdicts come in another order', async () => {
    const exp = await anExperiment();
    const first = await exp.ended([0.3, 0.2, 0.1, ...right(0, 7)]);
    const second = await exp.ended([0.1, 0.2, 0.3, ...right(0, 7)]);
    expect((await run(second.runId)).score).toBeGreaterThan((await run(first.runId)).score!);
    expect((await run(second.runId)).delta).toBe(0);
    expect(await best(exp.id)).toBe(first.runId);
  });

  it('leaves one baseline and one best run when two end at one instant, and each logs its events once', async () => {
    const exp = await anExperiment();
    const runs = [await exp.replied(right(5)), await exp.replied(right(7))];
    const workers = [worker, aWorker(), aWorker()];
    for (let turn = 0; turn < 5; turn++)
      await Promise.all(workers.map((one) => one.finishSideBySide().catch(() => {})));
    await worker.work();
    const { baseline_run_id: baseline, best_run_id: bestId } = await experiment(exp.id);
    expect(bestId).toBe(runs[1]!.runId);
    const [first, second] = baseline === runs[0]!.runId ? runs : [...runs].reverse();
    expect(baseline).toBe(first!.runId);
    expect((await run(second!.runId)).delta).toBeCloseTo(baseline === runs[0]!.runId ? 0.2 : -0.2, 12);
    const names = [await log(first!.jobId), await log(second!.jobId)].map((events) => events.map(([name]) => name));
    expect(names.map((all) => all.filter((name) => name !== 'experiment_best_updated'))).toEqual([
      ['tool_eval_complete', 'job_completed'],
      ['tool_eval_complete', 'job_completed'],
    ]);
    expect(names[0]).toContain('experiment_best_updated');
    expect(names.flat().filter((name) => name === 'experiment_best_updated')).toHaveLength(
      baseline === runs[0]!.runId ? 2 : 1,
    );
  });

  it('is compared again when another baseline is pinned meanwhile', async () => {
    const exp = await anExperiment();
    const [first, second] = [await exp.ended(right(5)), await exp.ended(right(7))];
    const third = await exp.replied(right(9));
    let pinned = false;
    const pinsMeanwhile = aWorker({
      compare: async (...pair) => {
        const compared = await realCompare(...pair);
        if (!pinned) await exp.pin(second.runId);
        pinned = true;
        return compared;
      },
    });
    await pinsMeanwhile.finish();
    expect(await run(third.runId)).toMatchObject({ status: 'running', score: null, comparison: null });
    expect(await log(third.jobId)).toEqual([]);
    await pinsMeanwhile.finish();
    expect(await run(third.runId)).toMatchObject({ status: 'completed', delta: 0.9 - 0.7 });
    await worker.refresh();
    expect((await run(first.runId)).delta).toBeCloseTo(-0.2, 12);
    expect(await run(second.runId)).toMatchObject({ delta: null, comparison: null });
    expect(await experiment(exp.id)).toMatchObject({ baseline_set_by: 'user', best_run_id: third.runId });
  });

  it('ends without a comparison when comparing fails, and is compared later; other runs are not affected', async () => {
    const [exp, other] = [await anExperiment(), await anExperiment()];
    const first = await exp.ended(right(5));
    await other.ended(right(5));
    const [bad, good] = [await exp.replied(right(9)), await exp.replied(right(7))];
    const others = await other.replied(right(7));
    let isBroken = true;
    const broken = aWorker({
      compare: async (experimentOf, one, ...rest) => {
        if (isBroken && one.id === bad.runId) throw new Error('a bug');
        return realCompare(experimentOf, one, ...rest);
      },
    });
    await broken.work();
    expect(await run(bad.runId)).toMatchObject({ status: 'completed', score: 0.9, delta: null, comparison: null });
    expect((await log(bad.jobId)).map(([name]) => name)).toEqual(['tool_eval_complete', 'job_completed']);
    for (const { runId } of [good, others]) expect((await run(runId)).delta).toBeCloseTo(0.2, 12);
    expect(await isFresh(exp.id)).toBe(false);
    expect(await isFresh(other.id)).toBe(true);
    expect(broken.failures).toEqual(['a bug', 'a bug']);
    isBroken = false;
    await aWorker().refresh();
    expect((await run(bad.runId)).delta).toBeCloseTo(0.4, 12);
    expect(await experiment(exp.id)).toMatchObject({ baseline_run_id: first.runId, best_run_id: bad.runId });
    expect(await isFresh(exp.id)).toBe(true);
  });

  it('ends without an experiment when its experiment is deleted meanwhile', async () => {
    const exp = await anExperiment();
    await exp.ended(right(5));
    const second = await exp.replied(right(7));
    await aWorker({
      compare: async (...pair) => {
        const compared = await realCompare(...pair);
        await inTransaction(pool, (client) => deleteExperiment(client, exp.teamId, exp.id));
        return compared;
      },
    }).finish();
    expect(await run(second.runId)).toMatchObject({ status: 'completed', score: 0.7, delta: null, comparison: null });
    expect(await log(second.jobId)).toEqual([
      ['tool_eval_complete', { eval_id: second.runId, score: 0.7, delta: null }],
      ['job_completed', { status: 'completed', result_ref: second.runId }],
    ]);
  });
});

describe('the figures of an experiment', () => {
  it('are recomputed when the baseline was resumed', async () => {
    const exp = await anExperiment();
    const first = await exp.ended([...right(5, 9), null]);
    const second = await exp.ended(right(8));
    await worker.refresh();
    expect((await run(second.runId)).delta).toBeCloseTo(0.8 - 5 / 9, 12);
    await exp.resume(first.runId);
    await worker.refresh();
    expect(await run(second.runId)).toMatchObject({ delta: null, comparison: null });
    expect(await experiment(exp.id)).toMatchObject({ baseline_run_id: first.runId, best_run_id: second.runId });
    await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [first.runId]);
    await settleRun(pool, first.runId, [...right(5, 9), 1]);
    await worker.work();
    expect((await run(second.runId)).delta).toBeCloseTo(0.2, 12);
    expect((await run(second.runId)).comparison).toMatchObject({ n_cases: 10 });
    expect(await isFresh(exp.id)).toBe(true);
  });

  it('are recomputed when another baseline is pinned while they are computed', async () => {
    const e = await anExperiment();
    const [first, second, third] = [await e.ended(right(4)), await e.ended(right(6)), await e.ended(right(8))];
    await e.pin(second.runId);
    let isPinned = false;
    const refresher = aWorker({
      compare: async (...pair) => {
        if (!isPinned) await e.pin(third.runId);
        isPinned = true;
        return realCompare(...pair);
      },
    });
    await refresher.refresh();
    expect(await run(first.runId)).toMatchObject({
      delta: expect.closeTo(-0.4, 12),
      comparison: { baseline_eval_id: third.runId },
    });
    expect(await run(third.runId)).toMatchObject({ delta: null, comparison: null });
    const { revision, refreshed_revision } = await experiment(e.id);
    expect(refreshed_revision).toBe(revision);
  });

  it('are corrected where the previous release ended a run with a plain difference', async () => {
    const exp = await anExperiment();
    await exp.ended(right(5));
    const run1 = await exp.replied(right(9), { models: ['b'] });
    await endAsTheReleaseBefore(run1.runId);
    expect((await run(run1.runId)).delta).toBeCloseTo(0.4, 12);
    expect(await isFresh(exp.id)).toBe(false);
    await worker.refresh();
    expect(await run(run1.runId)).toMatchObject({ delta: null, differs: ['targets'] });
    const run2 = await exp.replied(right(9));
    await endAsTheReleaseBefore(run2.runId);
    await worker.refresh();
    expect(await run(run2.runId)).toMatchObject({
      delta: 0.9 - 0.5,
      differs: [],
      comparison: expect.objectContaining({ n_cases: 10 }),
    });
    expect(await best(exp.id)).toBe(run2.runId);
  });

  it('begin with the first completed run if the previous release ended it', async () => {
    const exp = await anExperiment();
    const first = await exp.replied(right(5));
    await endAsTheReleaseBefore(first.runId);
    const second = await exp.ended(right(7));
    await worker.refresh();
    expect(await experiment(exp.id)).toMatchObject({
      baseline_run_id: first.runId,
      baseline_set_by: 'first_run',
      best_run_id: second.runId,
    });
    expect((await run(second.runId)).delta).toBeCloseTo(0.2, 12);
  });

  it('lose the baseline when its run is deleted, and no other run takes its place', async () => {
    const exp = await anExperiment();
    const [first, second] = [await exp.ended(right(5)), await exp.ended(right(7))];
    await worker.refresh();
    await deleteRun(pool, { teamId: exp.teamId, runId: first.runId });
    const third = await exp.ended(right(9));
    await worker.refresh();
    expect(await experiment(exp.id)).toMatchObject({ baseline_run_id: null, best_run_id: null, tied_with: [] });
    for (const { runId } of [second, third])
      expect(await run(runId)).toMatchObject({ delta: null, differs: [], comparison: null });
    expect(await isFresh(exp.id)).toBe(true);
    await exp.pin(second.runId);
    await worker.refresh();
    expect((await run(third.runId)).delta).toBeCloseTo(0.2, 12);
    expect(await best(exp.id)).toBe(third.runId);
  });

  it('name the next best run when the best run is deleted, and the runs that are not shown to be worse', async () => {
    const exp = await anExperiment(40);
    const [first] = [await exp.ended(right(5, 40)), await exp.ended(right(30, 40))];
    const [third, fourth] = [await exp.ended(right(32, 40)), await exp.ended(right(33, 40))];
    await worker.refresh();
    const { best_run_id: bestId, tied_with: tied } = await experiment(exp.id);
    expect(bestId).toBe(fourth.runId);
    expect(tied).toHaveLength(2);
    expect(tied[0]).toBe(third.runId);
    expect(tied).not.toContain(first.runId);
    await deleteRun(pool, { teamId: exp.teamId, runId: fourth.runId });
    await worker.refresh();
    expect(await best(exp.id)).toBe(third.runId);
    expect((await experiment(exp.id)).tied_with).toEqual([tied[1]]);
  });

  it('never name a run as tied with the best one that they call worse', async () => {
    const exp = await anExperiment(100);
    await exp.ended(right(100, 100));
    const worse = [await exp.ended(right(94, 100)), await exp.ended(right(94, 100)), await exp.ended(right(94, 100))];
    const close = await exp.ended(right(98, 100));
    await worker.refresh();
    for (const { runId } of worse) expect((await run(runId)).comparison?.verdict).toBe('regressed');
    expect((await experiment(exp.id)).tied_with).toEqual([close.runId]);
  });

  it('say which model got worse, although the mean over the models does not', async () => {
    const exp = await anExperiment(40);
    await exp.ended(right(30, 40), { models: ['a', 'b'] });
    const broken = await exp.replied(right(40, 40), { models: ['a', 'b'] });
    await pool.query(
      `UPDATE result SET passed = case_position < 20, overall = (case_position < 20)::int
       WHERE run_id = $1 AND target = 1`,
      [broken.runId],
    );
    await worker.finish();
    const { comparison } = await run(broken.runId);
    expect(comparison).toMatchObject({
      verdict: 'inconclusive',
      models: { regressed: 1, improved: 1, worst: { verdict: 'regressed', from: 0.75, to: 0.5 } },
    });
    await worker.refresh();
    expect((await experiment(exp.id)).tied_with).toEqual([]);
  });

  it('are completed by a worker of this release where one before left out the models', async () => {
    const exp = await anExperiment(40);
    await exp.ended(right(30, 40));
    const second = await exp.ended(right(20, 40));
    await worker.refresh();
    await pool.query(
      `UPDATE experiment_comparison SET comparison = (comparison::jsonb - 'models')::text WHERE experiment_id = $1`,
      [exp.id],
    );
    await pool.query('UPDATE experiment SET models_compared = false WHERE id = $1', [exp.id]);
    await worker.refresh();
    expect((await run(second.runId)).comparison?.models).toMatchObject({ regressed: 1, worst: { from: 0.75 } });
  });
});

describe('the best run', () => {
  it('has the models of the baseline, all its cases, tool_choice auto, and few errors', async () => {
    const exp = await anExperiment(40);
    await pool.query(`UPDATE suite_case SET tags = '{half}' WHERE suite_id = $1 AND position < 38`, [exp.suiteId]);
    const first = await exp.ended(right(5, 40));
    const all = right(40, 40);
    await exp.ended(all, { models: ['b'] });
    await exp.ended(all, { models: ['a', 'b'] });
    await exp.ended(all.slice(0, 38), { case_filter: { tags: ['half'] } });
    await exp.ended(all, { tool_choice: 'none' });
    await exp.ended([...right(37, 37), null, null, null]);
    const recorded = await exp.replied(all);
    await pool.query(
      `UPDATE run SET config = (config::jsonb || '{"recorded":true,"tool_choice":null}')::text WHERE id = $1`,
      [recorded.runId],
    );
    await worker.finish();
    const stopped = await exp.replied(all);
    await cancelJob(pool, { teamId: exp.teamId, jobId: stopped.jobId });
    await worker.work();
    expect(await run(stopped.runId)).toMatchObject({ status: 'cancelled', score: 1, delta: 1 - 5 / 40 });
    expect(await experiment(exp.id)).toMatchObject({ best_run_id: first.runId, tied_with: [] });
    const fair = await exp.ended([...right(6, 38), null, null]);
    expect(await best(exp.id)).toBe(fair.runId);
  });
});

describe('a run without the metric that its experiment compares', () => {
  it('has a delta but no verdict', async () => {
    const exp = await anExperiment();
    await pool.query(`UPDATE experiment SET measure = 'bleu' WHERE id = $1`, [exp.id]);
    await exp.ended(right(5));
    const second = await exp.ended(right(7));
    await worker.refresh();
    expect(await run(second.runId)).toMatchObject({
      delta: 0.7 - 0.5,
      comparison: {
        verdict: 'not_comparable',
        difference: null,
        ci: null,
        p: null,
        text: expect.stringContaining('"bleu"'),
      },
    });
    expect(await best(exp.id)).toBe(second.runId);
    expect(worker.failures).toEqual([]);
  });
});

describe('a delta', () => {
  it('covers the common cases when the suite has changed, and is null when too few are left', async () => {
    const exp = await anExperiment();
    await exp.ended(right(5));
    await changeCases(exp.suiteId, 1);
    // The changed case, which was right, is no longer compared: 4 of 9 before, 9 of 9 now.
    const second = await exp.ended(right(10));
    expect(await run(second.runId)).toMatchObject({ delta: 1 - 4 / 9, differs: [], comparison: { n_cases: 9 } });
    await changeCases(exp.suiteId, 3);
    const third = await exp.ended(right(10));
    expect(await run(third.runId)).toMatchObject({
      delta: null,
      differs: ['cases'],
      comparison: { n_cases: 7, difference: expect.any(Number) },
    });
    const [, data] = (await log(third.jobId))[0]!;
    expect(data).toMatchObject({ delta: null, differs: ['cases'], comparison: { n_cases: 7 } });
    expect(await best(exp.id)).toBe(second.runId);
  });

  it('is null for a run that was stopped before it scored all common cases', async () => {
    const exp = await anExperiment();
    await exp.ended(right(5));
    const stopped = await exp.replied([...right(9, 9), undefined]);
    await cancelJob(pool, { teamId: exp.teamId, jobId: stopped.jobId });
    await worker.work();
    expect(await run(stopped.runId)).toMatchObject({
      status: 'cancelled',
      score: 1,
      delta: null,
      differs: ['cases'],
      comparison: { n_cases: 9 },
    });
    expect((await log(stopped.jobId)).map(([name]) => name)).toEqual(['job_cancelled']);
  });
});

describe('a storm of submits, ends, resumes, pins and deletions', () => {
  it('leaves figures that agree with the runs, and logs each event once', async () => {
    const exp = await anExperiment();
    const users = [exp.userId, await exp.anotherUser(), await exp.anotherUser()];
    const runs = [await exp.ended(right(5))];
    const replies = (n: number): Outcome[] => (n % 4 ? right((n * 7) % 10) : [...right(n % 9, 9), null]);
    const one = (n: number): string => runs[(n * 13) % runs.length]!.runId;
    // Expected refusals have a status; the error of a deadlock victim does not, and is rethrown.
    const refused = (error: { status?: number; code?: string }): void => {
      if (error.status === undefined) throw error as Error;
    };
    const pin = (runId: string) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          `SELECT 1 FROM run WHERE id = $1 AND status = 'completed' AND score IS NOT NULL FOR SHARE`,
          [runId],
        );
        if (rowCount) await pinBaseline(client, exp.teamId, exp.id, runId);
      });
    const resume = async (n: number): Promise<void> => {
      await resumeRun(pool, { teamId: exp.teamId, userId: users[n % 3]!, tokenId: null, runId: one(n) });
      await settleRun(pool, one(n), right(n % 10));
    };
    const workers = [worker, aWorker()];
    for (let round = 0; round < 25; round++)
      await Promise.all([
        exp.replied(replies(round), { userId: users[round % 3] }).then((submitted) => runs.push(submitted)),
        ...workers.flatMap((each) => [each.finishSideBySide(), each.refresh()]),
        pin(one(round)),
        round % 2 ? resume(round).catch(refused) : undefined,
        round % 3 ? undefined : deleteRun(pool, { teamId: exp.teamId, runId: one(round + 1) }),
        round % 5 ? undefined : cancelJob(pool, { teamId: exp.teamId, jobId: runs.at(-1)!.jobId }),
      ]);
    const { rows: last } = await pool.query<{ id: string }>(
      `SELECT id FROM run WHERE experiment_id = $1 AND status = 'completed' AND score IS NOT NULL LIMIT 1`,
      [exp.id],
    );
    await pin(last[0]!.id);
    await worker.work();
    expect(await isFresh(exp.id)).toBe(true);
    const wrong = await pool.query(
      `SELECT r.id, r.delta, r.score - b.score FROM experiment e JOIN run b ON b.id = e.baseline_run_id
         JOIN run r ON r.experiment_id = e.id AND r.id <> b.id
       WHERE e.id = $1 AND r.status = 'completed' AND r.score IS NOT NULL AND b.status = 'completed'
         AND (r.comparison IS NULL OR r.delta IS NULL OR abs(r.delta - (r.score - b.score)) > 1e-9)`,
      [exp.id],
    );
    expect(wrong.rows).toEqual([]);
    const twice = await pool.query(
      `SELECT job_id, name FROM job_event
       WHERE name IN ('tool_eval_complete', 'experiment_best_updated', 'job_completed')
       GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    expect(twice.rows).toEqual([]);
    const orphans = await pool.query(
      `SELECT 1 FROM experiment_comparison c WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = c.run_id)
         OR NOT EXISTS (SELECT 1 FROM run WHERE id = c.against_run_id)`,
    );
    expect(orphans.rowCount).toBe(0);
  }, 60_000);
});

describe('a finisher that is killed', () => {
  it('after any statement changes nothing twice when it is repeated', async () => {
    await replayWithDeaths([{ pool }], (_world, db) => storyOf(db), { least: 30, most: 100 });
  }, 120_000);
});

/** How two runs of a new experiment end, first in a process with this pool, and then in one that survives. */
async function storyOf(db: Pool) {
  const exp = await anExperiment();
  const runs = [await exp.ended(right(5)), await exp.ended(right(6)), await exp.replied(right(9))];
  await aWorker({ db })
    .work()
    .catch(() => {});
  // Postgres takes a moment to notice that a process is gone, and only then frees its locks.
  await until(async () => {
    await worker.work();
    return (await run(runs[2]!.runId)).status === 'completed' && (await isFresh(exp.id));
  });
  const names = new Map([[exp.id, 'experiment'], ...runs.map(({ runId }, n) => [runId, `run ${n}`] as const)]);
  const { revision, refreshed_revision: refreshed, ...rest } = await experiment(exp.id);
  const story = {
    isFresh: revision === refreshed,
    experiment: { baseline: rest.baseline_run_id, best: rest.best_run_id, tied: rest.tied_with },
    runs: await Promise.all(runs.map(({ runId }) => run(runId))),
    logs: await Promise.all(runs.map(({ jobId }) => log(jobId))),
    comparisons: (
      await pool.query(
        `SELECT run_id, against_run_id, delta FROM experiment_comparison WHERE experiment_id = $1 ORDER BY 1, 2`,
        [exp.id],
      )
    ).rows,
  };
  const text = [...names].reduce((all, [id, name]) => all.replaceAll(id, name), JSON.stringify(story));
  return JSON.parse(text) as object;
}

/** The statements with which the previous release ends a run: its delta is a plain difference of scores. */
async function endAsTheReleaseBefore(runId: string): Promise<void> {
  await pool.query(
    `UPDATE run r SET score = s.score, delta = s.score - b.score
     FROM (SELECT avg((summary::json ->> 'overall')::float8) AS score FROM target WHERE run_id = $1) s, (
       SELECT base.score
       FROM (SELECT 1) one LEFT JOIN run self ON self.id = $1
         LEFT JOIN experiment e ON e.id = self.experiment_id
         LEFT JOIN run base ON base.id = e.baseline_run_id AND base.id <> $1
     ) b
     WHERE r.id = $1`,
    [runId],
  );
  await pool.query(`UPDATE run SET status = 'completed', finished_at = now() WHERE id = $1`, [runId]);
}

/** The next version of the suite changes the questions of its first cases. */
async function changeCases(suiteId: string, count: number): Promise<void> {
  await pool.query(
    `UPDATE suite_case SET body = '{"prompt":"hello","expected_tool":null}' WHERE suite_id = $1 AND position < $2`,
    [suiteId, count],
  );
  await pool.query('UPDATE suite SET version = version + 1 WHERE id = $1', [suiteId]);
}
