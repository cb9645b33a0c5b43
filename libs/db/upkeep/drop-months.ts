import { auditWork } from '../audit-work.js';
import { inTransaction, isTransient, longQuery, type Pool } from '../connection/pool.js';

/**
 * What is kept for some time, by its table, with what the audit calls its end. Rounds of conversations are parts of
 * exchanges and have no entry of their own.
 */
const ACTIONS = { exchange: 'exchange.drop', conversation_round: null, audit: 'audit.drop' } as const;

/**
 * Drops the rows of months that ended more than `keepDays` ago: raw exchanges, or the audit. Dropping a partition takes
 * no time, while deleting its rows would take hours and leave bloat. Verdicts are in another table and stay. Rounds of
 * conversations stay until the exchanges of their month are gone: what is left of a conversation would look whole.
 * @returns the partitions that were dropped; one that is in use is left for the next time
 */
export async function dropOldMonths(
  pool: Pool,
  table: keyof typeof ACTIONS,
  keepDays: number,
  now?: Date,
): Promise<string[]> {
  const dropped: string[] = [];
  // The clock of Postgres: that of one worker may be wrong.
  const { rows } = await pool.query<{ now: Date }>('SELECT coalesce($1::timestamptz, now()) AS now', [now]);
  const endedBeforeMs = rows[0]!.now.getTime() - keepDays * 86_400_000;
  const exchanges = table === 'conversation_round' ? await monthsOf(pool, 'exchange') : [];
  const needed = new Set(exchanges.map(({ month }) => month));
  const action = ACTIONS[table];
  for (const { name, month, untilMs } of await monthsOf(pool, table)) {
    if (untilMs > endedBeforeMs || needed.has(month)) continue;
    try {
      await inTransaction(pool, async (client) => {
        // Others that need the table wait for this no longer than two seconds.
        await client.query(`SET LOCAL lock_timeout = '2s'`);
        await longQuery(client, `DROP TABLE IF EXISTS ${name}`);
        if (action) await auditWork(client, null, action, month, { cause: 'retention' });
      });
      dropped.push(name);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
  return dropped;
}

interface Month {
  /** Its partition. */
  name: string;
  /** As YYYY-MM. */
  month: string;
  fromMs: number;
  untilMs: number;
}

/** The months of a table whose rows are kept, the oldest first. */
export async function monthsOf(pool: Pool, table: keyof typeof ACTIONS): Promise<Month[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = $1::regclass ORDER BY 1`,
    [table],
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = new RegExp(`^${table}_(\\d{4})_(\\d\\d)$`).exec(name) ?? [];
    if (!year || !month) return [];
    const [fromMs, untilMs] = [Date.UTC(Number(year), Number(month) - 1), Date.UTC(Number(year), Number(month))];
    return { name, month: `${year}-${month}`, fromMs, untilMs };
  });
}
