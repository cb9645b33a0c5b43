import pg from 'pg';
import type { Logger } from '#lib/runtime/logger';

export type { Pool, PoolClient } from 'pg';

// Counters and delivery tokens stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * A process that freezes inside a transaction would keep its locks; Postgres ends such a transaction after this
 * time.
 */
export const IDLE_IN_TRANSACTION_MS = 5000;

/**
 * Of every connection to Postgres. One that answers nothing for a minute is given up: it may have been lost without
 * a word. TCP asks after ten seconds of silence, so that what lies between keeps it, and a statement that may take
 * long learns of its loss.
 */
export const CONNECTION_OPTIONS = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Of what goes over a whole large run, or changes tables. */
export const LONG_QUERY_TIMEOUT_MS = 30 * 60_000;

/** Asks what goes over a whole large run: it may take half an hour. */
export function longQuery<Row extends pg.QueryResultRow>(
  client: pg.Pool | pg.PoolClient,
  text: string,
  values: unknown[] = [],
  name?: string,
): Promise<pg.QueryResult<Row>> {
  return client.query<Row>({ text, values, name, query_timeout: LONG_QUERY_TIMEOUT_MS } as pg.QueryConfig);
}

/** A pool that survives a restarted Postgres: broken idle connections are dropped and logged, never thrown. */
export function createPool(
  databaseUrl: string,
  max: number,
  logger?: Logger,
  queryTimeoutMs = CONNECTION_OPTIONS.query_timeout,
): pg.Pool {
  const pool = new pg.Pool({
    ...CONNECTION_OPTIONS,
    connectionString: databaseUrl,
    max,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // Compiling a statement that Postgres takes to be long costs half a second; all of these are short.
    options: '-c jit=off',
  });
  pool.on('error', (error) => logger?.warn({ error: error.message }, 'A connection to Postgres was lost'));
  return pool;
}

/**
 * Runs `work` in a transaction: commits what it returns, rolls back what it throws. With a client it is a part of
 * the caller's.
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
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that does not answer would not answer this either; Postgres rolls back when it is gone.
    if (isUnanswered(error)) broken = error as Error;
    else await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}
const ignore = (): void => {};

/** pg has no code for it. */
const isUnanswered = (error: unknown): boolean => (error as Error).message === 'Query read timeout';

/**
 * What Prisma calls a database that is not reachable, does not answer in time, closed the connection, has none
 * left, or chose its victim.
 */
const PRISMA_TRANSIENT = ['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'];

/**
 * A fault that passes by itself: lost or silent connection, restarting server, deadlock, serialisation failure,
 * full pool, full disk.
 */
export function isTransient(error: unknown): boolean {
  const { code, message, meta } = error as {
    code?: string;
    message?: string;
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  if (code && PRISMA_TRANSIENT.includes(code)) return true;
  const cause = meta?.driverAdapterError?.cause;
  if (cause?.originalCode) return isTransient({ code: cause.originalCode });
  if (code && /^(08|40|53|55P03|57P|58)/.test(code)) return true;
  if (code && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(code)) return true;
  return (
    isUnanswered(error) ||
    /Connection terminated|timeout exceeded|Client has encountered a connection error|connection timeout/i.test(
      message ?? '',
    )
  );
}

/** Repeats `work` through transient faults until `signal` aborts; other errors are thrown at once. */
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
