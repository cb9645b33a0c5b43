import { newId } from '#lib/runtime/ids';
import type { Pool, PoolClient } from './pool.js';

const LEASE_MS = 10_000;

/** Another process may hold the lease, because this one could not renew it in time, or it was taken away. */
export class LeaseExpired extends Error {}

/**
 * Runs `work` while this process holds the lease of `name`, or not at all. A lease is a row that is renewed until
 * `work` ends: however long `work` waits, the lease occupies no connection. The lease of a process that died or froze
 * expires after `LEASE_MS`. A frozen process may wake up and work concurrently with the next holder, so each write of
 * `work` must tolerate a second writer.
 * @param work its signal aborts when the lease is lost
 * @returns whether `work` ran here
 */
export async function withLease(
  pool: Pool,
  name: string,
  work: (lost: AbortSignal) => Promise<void>,
  leaseMs = LEASE_MS,
): Promise<boolean> {
  const holder = newId();
  if (!(await take(pool, name, holder, leaseMs))) return false;
  const lost = new AbortController();
  let isRenewing = false;
  const renewal = setInterval(() => {
    if (isRenewing) return;
    isRenewing = true;
    void renew(pool, name, holder, leaseMs)
      .then(
        (isMine) =>
          isMine || lost.abort(new LeaseExpired(`The lease "${name}" expired or was taken by another process.`)),
      )
      .catch(() => {}) // Retried until another process has taken the lease.
      .finally(() => (isRenewing = false));
  }, leaseMs / 3);
  try {
    await work(lost.signal);
  } finally {
    clearInterval(renewal);
    // If that fails, the lease expires.
    await pool.query('DELETE FROM lease WHERE name = $1 AND holder = $2', [name, holder]).catch(() => {});
  }
  return true;
}

async function take(pool: Pool, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO lease AS l (name, holder, until) VALUES ($1, $2, now() + $3 * interval '1 ms')
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE l.until < now()`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
}

/** @returns whether this holder still has the lease */
async function renew(pool: Pool, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE lease SET until = now() + $3 * interval '1 ms' WHERE name = $1 AND holder = $2`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
}

/** Their holders notice at the next renewal. */
export async function takeLeasesAway(db: Pool | PoolClient, names: readonly string[]): Promise<void> {
  await db.query('DELETE FROM lease WHERE name = ANY ($1)', [names]);
}

/** Removes leases left behind by processes that died. A lease that was taken again has a later end. */
export async function removeExpiredLeases(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM lease WHERE until < now() - interval '1 hour'`);
}
