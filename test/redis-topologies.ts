import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterFile } from './after-file.js';
import { freePort, redisProgram } from './services.js';
import { until } from './until.js';

const PASSWORD = 'a password: @/?';
const SENTINEL_PASSWORD = 'of & sentinels';
/** A master that is silent for this long is replaced. */
const DOWN_AFTER_MS = 1000;
const SLOTS = 16_384;

/** Several Redis processes on loopback, of which a replica takes over when its master fails. They save nothing. */
export interface RedisTopology {
  /** As REDIS_URL. */
  url: string;
  /**
   * Ends the master that has a key, as a power failure does, or freezes it, and waits until another one has it.
   * @returns brings the server back, as a replica
   */
  failMaster(of: { key: string; signal: 'SIGKILL' | 'SIGSTOP' }): Promise<() => Promise<void>>;
}

/** A master and its replica, watched by three Sentinels. */
export async function startSentinels(): Promise<RedisTopology> {
  const start = startIn('sentinel');
  const master = await start([]);
  const replica = await start(['--replicaof', '127.0.0.1', String(master.port)]);
  await until(async () => (await replica.redis.info('replication')).includes('master_link_status:up'));
  const watched = [
    `sentinel monitor toolmark 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds toolmark ${DOWN_AFTER_MS}`,
    'sentinel failover-timeout toolmark 3000',
    `sentinel auth-pass toolmark "${PASSWORD}"`,
    `sentinel sentinel-pass "${SENTINEL_PASSWORD}"`,
    `requirepass "${SENTINEL_PASSWORD}"`,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => start(watched, SENTINEL_PASSWORD)));
  for (const { redis } of sentinels)
    await until(async () => {
      const [known] = (await redis.call('SENTINEL', 'MASTERS')) as string[][];
      const of = (name: string): string | undefined => known![known!.indexOf(name) + 1];
      return of('num-other-sentinels') === '2' && of('num-slaves') === '1';
    });
  const portOfMaster = async (): Promise<number> => {
    const found = await sentinels[0]!.redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'toolmark');
    return Number((found as string[])[1]);
  };
  const nodes = sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
  return {
    url:
      `redis+sentinel://:${encodeURIComponent(PASSWORD)}@${nodes}/toolmark/1?` +
      new URLSearchParams({ sentinel_password: SENTINEL_PASSWORD }).toString(),
    failMaster: ({ signal }) => fail([master, replica], portOfMaster, signal),
  };
}

/** Three masters with a third of the keys each, and a replica of each. */
export async function startCluster(): Promise<RedisTopology> {
  const start = startIn('cluster');
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(DOWN_AFTER_MS)];
  const servers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => start(options)));
  const [first] = servers as [Server];
  for (const { port } of servers.slice(1)) await first.redis.cluster('MEET', '127.0.0.1', port);
  for (const [n, { redis }] of servers.slice(0, 3).entries()) {
    const [from, to] = [n, n + 1].map((third) => Math.floor((third * SLOTS) / 3)) as [number, number];
    await redis.cluster('ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
  }
  for (const [n, { redis }] of servers.slice(3).entries()) {
    const id = await servers[n]!.redis.cluster('MYID');
    await until(async () => (await redis.cluster('REPLICATE', id as string)) === 'OK');
  }
  const linkOf = async ({ redis }: Server): Promise<boolean> =>
    (await redis.info('replication')).includes('master_link_status:up');
  await until(async () => (await Promise.all(servers.slice(3).map(linkOf))).every(Boolean));
  for (const { redis } of servers)
    await until(async () => {
      const known = (await redis.cluster('SLOTS')) as unknown[][];
      return known.length === 3 && known.every((range) => range.length === 4);
    });
  const portOf = async (key: string): Promise<number> => {
    const { redis } = servers.find(({ isRunning }) => isRunning())!;
    const slot = await redis.cluster('KEYSLOT', key);
    const ranges = await redis.cluster('SLOTS');
    return ranges.find(([from, to]) => from <= slot && slot <= to)![2]![1];
  };
  const nodes = servers.slice(0, 2).map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis+cluster://:${encodeURIComponent(PASSWORD)}@${nodes.join()}`,
    failMaster: ({ key, signal }) => fail(servers, () => portOf(key), signal),
  };
}

async function fail(
  servers: readonly Server[],
  portOfMaster: () => Promise<number>,
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<() => Promise<void>> {
  const port = await portOfMaster();
  const failed = servers.find((server) => server.port === port)!;
  failed.stop(signal);
  const successor = await until(async () => ((await portOfMaster()) === port ? undefined : portOfMaster()), {
    what: 'a replica to take over',
  });
  const { redis } = servers.find((server) => server.port === successor)!;
  await until(async () => (await redis.info('replication')).includes('role:master'));
  return async () => {
    await failed.resume();
    await until(async () => (await failed.redis.info('replication')).includes('master_link_status:up'), {
      what: 'the failed server to be a replica',
    });
  };
}

interface Server {
  port: number;
  redis: Redis;
  isRunning(): boolean;
  stop(signal: 'SIGKILL' | 'SIGSTOP'): void;
  resume(): Promise<void>;
}

/** Starts servers that end with the test file. */
function startIn(name: string): (options: readonly string[], sentinelPassword?: string) => Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), `toolmark-redis-${name}-`));
  const kills: (() => void)[] = [];
  const killAll = (): void => kills.forEach((kill) => kill());
  process.once('exit', killAll);
  afterFile(async () => {
    killAll();
    process.off('exit', killAll);
    rmSync(folder, { recursive: true, force: true });
  });
  return async (options, sentinelPassword) => {
    const port = await clusterPort();
    const args = sentinelPassword
      ? [sentinelFile(folder, port, options), '--sentinel']
      : [
          ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'],
          ...['--requirepass', PASSWORD, '--masterauth', PASSWORD, '--maxmemory-policy', 'noeviction'],
          ...['--cluster-config-file', `nodes-${port}.conf`, '--repl-diskless-sync-delay', '0', ...options],
        ];
    let child: ChildProcess;
    let isFrozen = false;
    const begin = (): void => {
      child = spawn(redisProgram()!, args, { stdio: 'ignore' });
    };
    begin();
    const redis = new Redis({ port, password: sentinelPassword ?? PASSWORD, retryStrategy: () => 100 });
    redis.on('error', () => {}); // It connects again.
    kills.push(() => (redis.disconnect(), child.kill('SIGKILL')));
    await until(() => redis.ping());
    return {
      port,
      redis,
      isRunning: () => child.signalCode === null && child.exitCode === null && !isFrozen,
      stop(signal) {
        isFrozen = signal === 'SIGSTOP';
        child.kill(signal);
      },
      async resume() {
        if (isFrozen) child.kill('SIGCONT');
        else begin();
        isFrozen = false;
        await until(() => redis.ping());
      },
    };
  };
}

/** Sentinels write what they learn into their files. */
function sentinelFile(folder: string, port: number, lines: readonly string[]): string {
  const file = join(folder, `sentinel-${port}.conf`);
  writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...lines, ''].join('\n'));
  return file;
}

/** A node of a Cluster also listens 10,000 above its port. */
async function clusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_000) return port;
  }
}
