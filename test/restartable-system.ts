import pg from 'pg';
import { isFinished } from '#lib/contracts/values/jobs';
import { clientOf, type Client } from './client.js';
import { drawn, playsAll, repeatable } from './seed.js';
import { startProcess, until, type RunningProcess } from './processes.js';
import { createDatabase, createRedis, freePort } from './services.js';

/** Minimum number of commits until both were killed in each state. */
const COMMITS_FOR_ALL = 5;

/** An API and a worker that are killed and restarted, at the same address and on the same stores. */
export interface RestartableSystem {
  client: Client;
  simulator: RunningProcess;
  rows(text: string, values?: unknown[]): Promise<any[]>;
  /** The state of an orchestration: its step, and the progress of each of its child runs; `end` when it has ended. */
  placeOf(orchestrationId: string): Promise<string>;
  /** Requests to a model. */
  requests(model: string): Promise<number>;
  /**
   * Kills both in each state reached, until the state is `end`. A commit kills in every fifth state; `npm run
   * test:soak` in all.
   * @returns how often
   */
  restartAtEachState(placeOf: () => Promise<string>): Promise<number>;
  close(): Promise<void>;
}

export async function openRestartableSystem(): Promise<RestartableSystem> {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
  const port = String(await freePort());
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const simulator = await startProcess('simulator');
  const start = () => Promise.all([startProcess('api', { ...env, PORT: port }), startProcess('worker', env)]);
  let alive = await start();
  return {
    client: clientOf(alive[0].url),
    simulator,
    rows: async (text, values = []) => (await sql.query(text, values)).rows,
    requests: async (model) =>
      ((await (await fetch(`${simulator.url}/control/stats`)).json()) as any).models[model].requests,
    async placeOf(id) {
      const { rows } = await sql.query(
        `SELECT j.status, o.step, (
           SELECT string_agg(r.step || ' ' || r.arm || ' ' || r.status || ' ' || (
             SELECT sum(settled) * 2 / sum(n) FROM target WHERE run_id = r.id
           ), ', ' ORDER BY r.id) FROM run r WHERE r.orchestration_id = o.id
         ) AS children
         FROM orchestration o JOIN job j ON j.id = o.job_id WHERE o.id = $1`,
        [id],
      );
      const [{ status, step, children }] = rows as [any];
      return isFinished(status) ? 'end' : `${status}; next ${step}; ${children}`;
    },
    async restartAtEachState(placeOf): Promise<number> {
      const places = new Set<string>();
      let kills = 0;
      const isAtEnd = async (): Promise<boolean> => {
        const place = await placeOf();
        if (place === 'end') return true;
        if (places.has(place)) return false;
        places.add(place);
        if (playsAll || places.size % COMMITS_FOR_ALL === drawn(COMMITS_FOR_ALL)) {
          kills += 1;
          await Promise.all(alive.map((process) => process.kill('SIGKILL')));
          alive = await start();
        }
        return false;
      };
      await repeatable(() => until(isAtEnd, { timeoutMs: 540_000, everyMs: 25 }));
      return kills;
    },
    close: () => sql.end(),
  };
}
