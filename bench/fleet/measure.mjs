// What a fleet asks of Postgres and Redis while `seconds` pass, and what that costs them.
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs, storeCpuMs } from '../system.mjs';

/** Postgres counts statements; a fleet of 100 needs more connections than usual. */
export const POSTGRES_SETTINGS = [
  'max_connections=4500',
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.max=5000',
];

const difference = (after, before) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));

/** @returns everything per second, and the most expensive statements and commands by name */
export async function measure({ sql, redis, pids, seconds }) {
  await sql.query('SELECT pg_stat_statements_reset()');
  const read = async () => ({ at: performance.now(), ...(await counters(sql, redis, pids)) });
  const before = await read();
  await delay(seconds * 500);
  const connections = await connectionsOf(sql, redis);
  await delay(seconds * 500);
  const after = await read();
  const statements = await statementsOf(sql);
  const passed = (after.at - before.at) / 1000;
  const perSecond = Object.fromEntries(
    Object.entries(difference(after.counts, before.counts)).map(([name, n]) => [name, n / passed]),
  );
  const commands = Object.entries(difference(after.commands, before.commands))
    .map(([name, calls]) => ({ name, calls: calls / passed }))
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls);
  return {
    ...perSecond,
    ...connections,
    ...(await notificationsOf(redis)),
    statements: statements.reduce((sum, { calls }) => sum + calls / passed, 0),
    commands: commands.reduce((sum, { calls }) => sum + calls, 0),
    topStatements: statements.map(({ text, calls, ms }) => ({ text, calls: calls / passed, ms: ms / passed })),
    topCommands: commands,
  };
}

/** CPU in per cent of a core, because a second has 1000 ms: 10 ms are one per cent. */
async function counters(sql, redis, pids) {
  const { rows } = await sql.query(
    `SELECT (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::int
       AS transactions, (SELECT coalesce(sum(settled), 0) FROM target)::int AS items`,
  );
  const info = await redisInfo(redis);
  return {
    counts: {
      ...rows[0],
      postgresCpu: storeCpuMs('postgres') / 10,
      redisCpu: (Number(info.used_cpu_sys) + Number(info.used_cpu_user)) * 100,
      workerCpu: pids.workers.reduce((sum, pid) => sum + cpuMs(pid), 0) / 10,
      apiCpu: cpuMs(pids.api) / 10,
      redisKilobytes: Number(info.total_net_output_bytes) / 1000,
    },
    commands: Object.fromEntries(
      Object.entries(info)
        .filter(([name]) => name.startsWith('cmdstat_'))
        .map(([name, value]) => [name.slice('cmdstat_'.length), Number(/calls=(\d+)/.exec(value)[1])]),
    ),
  };
}

async function redisInfo(redis) {
  const sections = await Promise.all(['stats', 'cpu', 'clients', 'commandstats'].map((one) => redis.info(one)));
  const lines = sections.join('\r\n').split('\r\n');
  return Object.fromEntries(lines.filter((line) => line.includes(':')).map((line) => line.split(/:(.*)/s)));
}

async function connectionsOf(sql, redis) {
  const { rows } = await sql.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return {
    postgresConnections: rows[0].n,
    redisConnections: Number((await redisInfo(redis)).connected_clients) - 1,
  };
}

async function statementsOf(sql) {
  const { rows } = await sql.query(
    `SELECT query AS text, sum(calls)::int AS calls, sum(total_exec_time)::float8 AS ms FROM pg_stat_statements
     WHERE query NOT LIKE '%pg_stat%' GROUP BY 1 ORDER BY 2 DESC`,
  );
  return rows.map((row) => ({ ...row, text: row.text.replaceAll(/\s+/g, ' ') }));
}

const LISTENING_SECONDS = 5;

/** Notifications published and received a second, over some seconds in which one listener more hears all of them. */
async function notificationsOf(redis) {
  const listener = redis.duplicate();
  const byChannel = new Map();
  listener.on('pmessage', (_pattern, channel, message) => {
    const of = byChannel.get(channel) ?? { published: 0, bytes: 0 };
    byChannel.set(channel, { published: of.published + 1, bytes: of.bytes + message.length });
  });
  await listener.psubscribe('*');
  await delay(LISTENING_SECONDS * 1000);
  listener.disconnect();
  const sum = { published: 0, received: 0, receivedKilobytes: 0 };
  for (const [channel, { published, bytes }] of byChannel) {
    const [, listeners] = await redis.pubsub('NUMSUB', channel);
    sum.published += published / LISTENING_SECONDS;
    sum.received += (published * listeners) / LISTENING_SECONDS;
    sum.receivedKilobytes += (bytes * listeners) / 1000 / LISTENING_SECONDS;
  }
  return sum;
}
