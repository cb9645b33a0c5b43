import type { PoolClient } from '../connection/pool.js';

/**
 * Locks a user's row until the transaction ends, which serialises everything that starts or ends jobs of the user.
 *
 * Every transaction takes its locks in one order, or two could wait for each other and Postgres would abort one of
 * them: suite, version of a suite, user, orchestration, provider, team, targets by key, run, experiment, job, in-flight
 * items by key, lease, lane, resting model, the team's quotas of work or of things (`lockQuotas`), the team's count of
 * stored bytes. Several rows of a
 * table are locked by their key: first `SELECT ... ORDER BY key FOR NO KEY UPDATE`, because an UPDATE or DELETE of many
 * locks them as it finds them. A row is locked `FOR NO KEY UPDATE`, which allows others to insert rows that refer to
 * it, unless it is deleted.
 *
 * Pending jobs start within the transaction that ended another one (`admitJobs`), so this locks targets after jobs, and
 * after the quotas of work: whoever waits for those holds no target of a pending run but those of its own user. A
 * transaction that holds targets of a pending run holds targets of no other run, or it holds the run's user.
 */
export async function lockUser(client: PoolClient, userId: string): Promise<void> {
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}

/**
 * As `lockUser`, for work that a loop retries: this and every later lock of the transaction fails after five seconds,
 * whatever blocks it.
 */
export async function lockUserOrTimeOut(client: PoolClient, userId: string): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'`);
  await lockUser(client, userId);
}
