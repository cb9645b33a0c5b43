import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterFile } from './after-file.js';
import { clientOf, type Client } from './client.js';
import { startProcess, type RunningProcess } from './processes.js';
import { createDatabase, createLastingDatabase, createRedis, lastingRedis } from './services.js';

/** The part of a system that is visible to one of its teams. */
export interface TeamSystem {
  /** Private to the test file, and so are its models. */
  simulator: RunningProcess;
  /** An owner of the team. */
  client: Client;
  teamId: string;
  /** Creates teams. */
  operator: Client;
  sql: pg.Pool;
  databaseUrl: string;
  redisUrl: string;
  /** A test may end shared workers: they are replaced for the next file. */
  workers: RunningProcess[];
  /** Starts another worker. */
  startWorker(): Promise<void>;
  /** Switches a simulated model off (`{on: false, status}`) and on. */
  control(model: string, state: object): Promise<unknown>;
  /** Sets the replies of a scripted model. */
  script(id: string, body: object): Promise<unknown>;
  /** The simulator's counters by model. */
  stats(): Promise<Record<string, { requests: number; in_flight: number }>>;
  /** Requests to a model, or to all models together. */
  requests(model?: string): Promise<number>;
}

export interface System extends TeamSystem {
  /** Kills the API and, after `away` has ended, restarts it at the same address. */
  restartApi(away?: () => Promise<void>): Promise<void>;
}

/** Processes and stores that the test files of a jest worker share; each file has a separate team. */
interface Shared {
  operator: Client;
  databaseUrl: string;
  redisUrl: string;
  /** Workers that have not exited. */
  workers: RunningProcess[];
}
let shared: Promise<Shared> | undefined;
let workersOfShared: Promise<unknown> = Promise.resolve();

/** The shared API as its operator, who creates teams. */
export const sharedApi = (): Promise<Shared> => (shared ??= startShared());

async function startShared(): Promise<Shared> {
  const [databaseUrl, redisUrl] = [await createLastingDatabase(), lastingRedis()];
  const { url } = await startProcess('api', envOf({ databaseUrl, redisUrl }), { lasts: true });
  return { operator: clientOf(url), databaseUrl, redisUrl, workers: [] };
}

const envOf = ({ databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string }) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: 'warn',
});
const WORKERS_OF_SHARED = 2;

async function startWorkerOf(system: Shared): Promise<void> {
  const worker = await startProcess('worker', envOf(system), { lasts: true });
  system.workers.push(worker);
  void worker.exited.then(() => {
    const index = system.workers.indexOf(worker);
    if (index >= 0) system.workers.splice(index, 1);
  });
}
const startMissingWorkersOf = (system: Shared): Promise<unknown> => {
  const start = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: Math.max(0, WORKERS_OF_SHARED - system.workers.length) }, () => startWorkerOf(system)),
    );
  return (workersOfShared = workersOfShared.then(start, start));
};

/** The shared API without workers: submitted jobs do not begin, and a test may play the worker. */
export async function sharedIdleApi(): Promise<Shared> {
  const system = await sharedApi();
  await workersOfShared;
  await Promise.all(system.workers.map((worker) => worker.stop()));
  return system;
}

/** A new team of the shared API, whose jobs end with the test file. */
export async function createTeamIn({ operator }: Shared): Promise<{ client: Client; teamId: string }> {
  const { status, body } = await operator.post('/api/teams', { name: `team ${randomUUID()}` });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  const client = clientOf(operator.url, body.token.token);
  afterFile(() => cancelJobs(client));
  return { client, teamId: body.id };
}

async function cancelJobs(client: Client): Promise<void> {
  const { body } = await client.get('/api/jobs?status=pending&status=queued&status=running&limit=200');
  for (const { id } of body.items ?? []) await client.post(`/api/jobs/${id}/cancel`);
}

/** A new team for the test file in a system with two workers, which all test files share. */
export async function joinSystem(): Promise<TeamSystem> {
  const [system, simulator] = await Promise.all([sharedApi(), startProcess('simulator')]);
  const [team] = await Promise.all([createTeamIn(system), startMissingWorkersOf(system)]);
  return {
    ...teamViewOf(system, simulator),
    ...team,
    operator: system.operator,
    workers: system.workers,
    startWorker: () => startWorkerOf(system),
  };
}

/**
 * An API, workers and the simulator as processes, on their own stores. They end with the test file.
 * @param options.way to the database, for the processes
 */
export async function startSystem({ workers = 1, way = (url: string) => url } = {}): Promise<System> {
  const database = await createDatabase();
  const stores = { databaseUrl: database.url, redisUrl: (await createRedis()).url };
  const env = envOf({ ...stores, databaseUrl: way(database.url) });
  const worker = () => startProcess('worker', env);
  const [simulator, firstApi, ...started] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    ...Array.from({ length: workers }, worker),
  ]);
  let api = firstApi;
  const client = clientOf(api.url);
  return {
    ...teamViewOf(stores, simulator),
    client,
    operator: client,
    teamId: (await client.get('/api/me')).body.team.id,
    workers: started,
    restartApi: async (away) => {
      await api.kill('SIGKILL');
      await away?.();
      api = await startProcess('api', { ...env, PORT: new URL(api.url).port });
    },
    startWorker: async () => void started.push(await worker()),
  };
}

function teamViewOf(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  simulator: RunningProcess,
): Omit<TeamSystem, 'client' | 'teamId' | 'operator' | 'workers' | 'startWorker'> {
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  sql.on('error', () => {});
  afterFile(() => sql.end());
  const post = (path: string, body: object) =>
    fetch(`${simulator.url}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const stats: TeamSystem['stats'] = async () =>
    ((await (await fetch(`${simulator.url}/control/stats`)).json()) as any).models;
  return {
    simulator,
    databaseUrl,
    redisUrl,
    sql,
    stats,
    control: (model, state) => post(`models/${model}`, state),
    script: (id, body) => post(`scripted/${id}`, body),
    requests: async (model) =>
      Object.entries(await stats()).reduce(
        (sum, [name, { requests }]) => sum + (model === undefined || name === model ? requests : 0),
        0,
      ),
  };
}
