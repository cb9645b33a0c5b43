import pg from 'pg';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import type { Logger } from '#lib/runtime/logger';

export type { Pool, PoolClient } from 'pg';

// bigint as number: counters and delivery tokens stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Postgres ends a transaction that is idle for this long: a process that froze in one would keep its locks. */
const IDLE_IN_TRANSACTION_MS = 5000;

/** SQL: begins a transaction. The timeout belongs to it, because a pooler lends its session to many. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

/**
 * Options of every connection to Postgres. A query without a reply for a minute fails, because its connection may have
 * been lost silently. After ten seconds of silence TCP sends a keep-alive, so that firewalls keep the connection open
 * and a long query notices a lost one.
 */
export const CONNECTION_OPTIONS = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Longer names, and other characters, Postgres changes and PgBouncer does not pass on. */
const [MAX_NAME_BYTES, NOT_IN_NAMES] = [63, /[^\w .:/@+-]/g];

/**
 * The database URL with a name that says what this release can play, score and decide (`level_of_session` in
 * prisma/functions), followed by the name in the URL. A session has no other setting: PgBouncer refuses them, and of
 * those that it lends to many processes it keeps only the name for each.
 */
function withLevel(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const given = url.searchParams.get('application_name') ?? [];
  const name = [`toolmark level ${WORKER_LEVEL}`, given].flat().join(' ').replace(NOT_IN_NAMES, '_');
  url.searchParams.set('application_name', name.slice(0, MAX_NAME_BYTES).trim());
  return url.href;
}

/** For queries that read a whole large run, and for migrations. */
export const LONG_QUERY_TIMEOUT_MS = 30 * 60_000;

/**
 * The level of this process's session (`level_of_session`). @throws while the database lacks the tables of this release
 */
export async function levelOfSession(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ level: number }>('SELECT level_of_session() AS level');
  return rows[0]!.level;
}

/** A query that reads a whole large run and may take half an hour. */
export function longQuery<Row extends pg.QueryResultRow>(
  client: pg.Pool | pg.PoolClient,
  text: string,
  values: unknown[] = [],
  name?: string,
): Promise<pg.QueryResult<Row>> {
  return client.query<Row>({ text, values, name, query_timeout: LONG_QUERY_TIMEOUT_MS } as pg.QueryConfig);
}

/** A pool that survives a restart of Postgres: broken idle connections are dropped and logged, never thrown. */
export function createPool(
  databaseUrl: string,
  max: number,
  logger?: Logger,
  queryTimeoutMs = CONNECTION_OPTIONS.query_timeout,
): pg.Pool {
  const pool = new pg.Pool({
    ...CONNECTION_OPTIONS,
    connectionString: withLevel(databaseUrl),
    max,
    query_timeout: queryTimeoutMs,
  });
  pool.on('error', (error) => logger?.warn({ error: error.message }, 'A connection to Postgres was lost'));
  return pool;
}

/**
 * Runs `work` in a transaction: commits when it returns, rolls back when it throws. Given a client, `work` joins the
 * caller's transaction.
 */
export async function inTransaction<Result>(
  db: pg.Pool | pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  if ('release' in db) return work(db);
  const client = await db.connect();
  let broken: Error | undefined;
  client.on('error', ignore);
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A silent connection would not answer a ROLLBACK either. Postgres rolls back when the connection is gone.
    if (isUnanswered(error)) broken = error as Error;
    else await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}
const ignore = (): void => {};

/** pg gives this error no code. */
const isUnanswered = (error: unknown): boolean => (error as Error).message === 'Query read timeout';

/**
 * SQLSTATEs: connection exception, transaction rollback, insufficient resources, lock not available, operator
 * intervention, system error.
 */
const POSTGRES_TRANSIENT = /^(08|40|53|55P03|57P|58)/;
const NETWORK_TRANSIENT = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** Errors of pg without a code. */
const CONNECTION_LOST =
  /Connection terminated|timeout exceeded|Client has encountered a connection error|connection timeout/i;

/**
 * Whether an error is transient: a lost or silent connection, a restarting server, a deadlock, a serialisation failure,
 * a full pool, a full disk.
 */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code && (POSTGRES_TRANSIENT.test(code) || NETWORK_TRANSIENT.test(code))) return true;
  return isUnanswered(error) || CONNECTION_LOST.test(message ?? '');
}

/** SQLSTATEs of transactions that conflicted with others. */
const CONTENTION = /^(40...|55P03)$/;

/** Whether an error is a conflict with concurrent changes of the same rows. Such an error is transient. */
export const isContention = (error: unknown): boolean => CONTENTION.test((error as { code?: string }).code ?? '');

/** Retries `work` after transient errors until `signal` aborts. Throws any other error at once. */
export async function retryTransient<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** attempt, 1000) * (0.5 + Math.random())));
    }
  }
}
