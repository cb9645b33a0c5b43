import { pino } from 'pino';
import { isFinished } from '#lib/contracts/values/jobs';
import type { Job } from '#lib/contracts/job';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import { JobRepository } from '#lib/db/read/jobs';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import type { OrchestrationKind } from '../apps/worker/orchestration/kind.js';
import { Orchestrator } from '../apps/worker/orchestration/orchestrate.js';
import { inProcessComparer } from './in-process-comparer.js';
import { createDatabase, createRedis } from './services.js';
import { until } from './until.js';

const never = new AbortController().signal;

export interface Stores {
  pool: Pool;
  redis: Redis;
}

/** The stores of a test file about orchestrations. */
export async function openStores(): Promise<Stores & { close(): Promise<void> }> {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  const pool = createPool(database.url, 10);
  const redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  return {
    pool,
    redis,
    async close(): Promise<void> {
      await Promise.all([pool.end(), redis.quit()]);
      await Promise.all([database.drop(), close()]);
    },
  };
}

/** A child run: its purpose, and its number of cases. */
export interface Child {
  id: string;
  step: string;
  arm: string;
  cases: number;
}
export type Replies = (child: Child) => Outcome[] | Promise<Outcome[]>;

/** Everything that can happen to an orchestration that is submitted and has not begun. */
export function orchestrationOf(
  stores: Stores,
  { teamId, id }: { teamId: string; id: string },
  kind: OrchestrationKind,
) {
  const { pool, redis } = stores;
  const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;
  const jobs = new JobRepository(pool, teamId);
  const jobIdNow = async (): Promise<string> =>
    (await rows('SELECT job_id FROM orchestration WHERE id = $1', [id]))[0].job_id;
  /** A worker process's part in it. */
  const aWorker = (db: Pool): Orchestrator =>
    new Orchestrator({
      pool: db,
      redis,
      kinds: [kind],
      steps: { pool: db, comparing: inProcessComparer(db) },
      onChildren: () => {},
      onMoreToDo: () => {},
    });
  return {
    rows,
    jobIdNow,
    children: (): Promise<(Child & { status: string; samples: number; extends_run_id: string | null })[]> =>
      rows(
        `SELECT r.id, step, arm, status, samples, extends_run_id, t.n / r.samples AS cases
         FROM run r JOIN target t ON t.run_id = r.id WHERE orchestration_id = $1 ORDER BY r.id`,
        [id],
      ),
    job: async (): Promise<Job> => jobs.read(await jobIdNow()),
    /** Makes this worker perform all steps that are due. */
    async step(db = pool): Promise<void> {
      const makeSteps = await this.foundByAWorker(db);
      await makeSteps();
    },
    /** Finds the work that a worker could do now. @returns a function that does it, now or later */
    async foundByAWorker(db = pool): Promise<() => Promise<void>> {
      const worker = aWorker(db);
      const found = await worker.toAdvance();
      return async () => {
        for (const waiting of found) if (waiting.orchestrationId === id) await worker.advance(waiting, never);
      };
    },
    async reply(replies: Replies): Promise<void> {
      for (const child of await this.children())
        if (!isFinished(child.status as never)) await settleRun(pool, child.id, await replies(child));
      for (const run of await runsToFinish(pool)) await finishRun(pool, run);
    },
    /** Continues until its end. @returns its result */
    async end(replies: Replies): Promise<any> {
      const goOn = async (): Promise<void> => (await this.step(), this.reply(replies));
      const isEnded = async () => (await goOn(), isFinished((await jobs.read(await jobIdNow())).status));
      await until(isEnded, { what: `orchestration ${id} to end`, timeoutMs: 120_000 });
      return this.state();
    },
    state: async () => JSON.parse((await rows('SELECT state FROM orchestration WHERE id = $1', [id]))[0].state),
    log: async () =>
      (await rows('SELECT name, data FROM job_event WHERE job_id = $1 ORDER BY seq', [await jobIdNow()])).map(
        ({ name: event, data }) => [event, JSON.parse(data)] as [string, any],
      ),
  };
}
