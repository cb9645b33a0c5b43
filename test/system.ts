import pg from 'pg';
import { clientOf, type Client } from './client.js';
import { startProcess, type RunningProcess } from './processes.js';
import { createDatabase, createRedis } from './services.js';

export interface System {
  simulator: RunningProcess;
  workers: RunningProcess[];
  /** Starts one more. */
  startWorker(): Promise<void>;
  /** Kills the API and starts it again at the same address, when `away` has ended. */
  restartApi(away?: () => Promise<void>): Promise<void>;
  client: Client;
  sql: pg.Pool;
  /** Switches a model of the simulator off (`{on: false, status}`) and on. */
  control(model: string, state: object): Promise<unknown>;
  /** Sets the replies of a scripted model. */
  script(id: string, body: object): Promise<unknown>;
  /** The simulator's counters of its models. */
  stats(): Promise<Record<string, { requests: number; in_flight: number }>>;
  /** Requests to a model, or to all models together. */
  requests(model?: string): Promise<number>;
}

/** An API, workers and the simulator as processes, on their own stores. They end with the test file. */
export async function startSystem({ workers = 1 } = {}): Promise<System> {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const worker = () => startProcess('worker', { ...env, LOG_LEVEL: 'warn' });
  const [simulator, firstApi, ...started] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    ...Array.from({ length: workers }, worker),
  ]);
  let api = firstApi;
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const post = (path: string, body: object) =>
    fetch(`${simulator.url}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const stats: System['stats'] = async () =>
    ((await (await fetch(`${simulator.url}/control/stats`)).json()) as any).models;
  return {
    simulator,
    workers: started,
    client: clientOf(api.url),
    sql,
    stats,
    restartApi: async (away) => {
      await api.kill('SIGKILL');
      await away?.();
      api = await startProcess('api', { ...env, PORT: new URL(api.url).port });
    },
    startWorker: async () => void started.push(await worker()),
    control: (model, state) => post(`models/${model}`, state),
    script: (id, body) => post(`scripted/${id}`, body),
    requests: async (model) =>
      Object.entries(await stats()).reduce(
        (sum, [name, { requests }]) => sum + (model === undefined || name === model ? requests : 0),
        0,
      ),
  };
}
