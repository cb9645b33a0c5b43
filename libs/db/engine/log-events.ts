import type { LogEvent } from '#lib/contracts/event';
import { toStorable } from '#lib/contracts/json/storable';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

const EVENTS = new BatchColumns<LogEvent>({
  name: ['text', ({ name }) => name],
  data: ['text', ({ data }) => JSON.stringify(data)],
});

/**
 * Appends to a job's durable log. Takes the job's row lock, so that the numbers have no gap and follow the order of
 * commits. Lock target rows before, never after.
 */
export async function logEvents(client: PoolClient, jobId: string, events: LogEvent[]): Promise<void> {
  if (events.length === 0) return;
  await client.query(
    `WITH numbered AS (UPDATE job SET last_seq = last_seq + $2 WHERE id = $1 RETURNING last_seq - $2 AS before)
     INSERT INTO job_event (job_id, seq, name, data)
     SELECT $1, before + u.n, u.name, u.data FROM numbered, ${EVENTS.unnest(3, 'n')}`,
    [jobId, events.length, ...EVENTS.values(events)],
  );
}

const MAX_MESSAGE_LENGTH = 2000;

/**
 * Stores with a run that something is done differently than asked, and logs it: once per code, whichever worker
 * notices first. A resumed run has a new job with a log of its own, so the warning is logged there again.
 */
export async function logWarning(pool: Pool | PoolClient, runId: string, code: string, message: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ job_id: string }>(
      `INSERT INTO run_warning AS known (run_id, code, message, at, generation)
       SELECT id, $2, $3, now(), generation FROM run WHERE id = $1 AND status = 'running'
       ON CONFLICT (run_id, code) DO UPDATE SET generation = excluded.generation, message = excluded.message
         WHERE known.generation < excluded.generation
       RETURNING (SELECT job_id FROM run WHERE id = $1)`,
      [runId, code, toStorable(message).slice(0, MAX_MESSAGE_LENGTH)],
    );
    if (rows[0]) await logEvents(client, rows[0].job_id, [{ name: 'eval_warning', data: { code, message } }]);
  });
}
