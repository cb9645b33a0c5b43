import { lockQuotas, quotaReached, readStates, type Growth } from '../catalogue/quotas.js';
import type { PoolClient } from '../connection/pool.js';

interface Work {
  teamId: string;
  /** The jobs that were submitted, without those of child runs and try-outs. */
  jobIds?: readonly string[];
  /** Number of items that were submitted; 0 for a parent, whose child runs are counted when they are made. */
  items: number;
  /** A step of a parent made it: only its items count. */
  isOfParent?: boolean;
}

/**
 * Counts what a transaction has submitted, and refuses it if the team now has more than its quotas allow. Call it last
 * (`keepQuotas`), and after `admitJobs`: only jobs that have to wait count as pending.
 * @throws ProblemError 409
 */
export async function countWork(client: PoolClient, { teamId, jobIds = [], items, isOfParent }: Work): Promise<void> {
  await lockQuotas(client, teamId, 'work');
  if (items > 0)
    await client.query(
      `INSERT INTO team_day AS d (team_id, day, items) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2)
       ON CONFLICT (team_id, day) DO UPDATE SET items = d.items + excluded.items`,
      [teamId, items],
    );
  const names = isOfParent ? (['items_a_day'] as const) : (['pending_jobs', 'items_a_day', 'stored_bytes'] as const);
  const states = await readStates(client, teamId, names);
  const added: Growth = { pending_jobs: await countPending(client, jobIds), items_a_day: items };
  for (const { name, limit, used } of states) {
    const more = added[name] ?? 0;
    // A parent will make items, and whatever runs stores replies: it does not begin where nothing is left.
    const isReached = more > 0 ? used > limit : name !== 'pending_jobs' && used >= limit;
    if (isReached) throw quotaReached({ name, limit, used: used - more }, more);
  }
}

async function countPending(client: PoolClient, jobIds: readonly string[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  const { rows } = await client.query<{ pending: number }>(
    `SELECT count(*)::int AS pending FROM job WHERE id = ANY ($1) AND status = 'pending'`,
    [jobIds],
  );
  return rows[0]!.pending;
}
