import type { LogEvent } from '#lib/contracts/event';
import { toStorable } from '#lib/contracts/json/storable';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

/**
 * Appends to a job's durable log. Takes the job's row lock, so that numbers have no gap and follow the order of
 * commits; whoever also locks target rows must do that first.
 */
export async function logEvents(client: PoolClient, jobId: string, events: LogEvent[]): Promise<void> {
  await client.query(
    `WITH numbered AS (UPDATE job SET last_seq = last_seq + $2 WHERE id = $1 RETURNING last_seq - $2 AS before)
     INSERT INTO job_event (job_id, seq, name, data)
     SELECT $1, before + e.n, e.name, e.data
       FROM numbered, unnest($3::text[], $4::text[]) WITH ORDINALITY AS e(name, data, n)`,
    [jobId, events.length, events.map((event) => event.name), events.map((event) => JSON.stringify(event.data))],
  );
}

const LONGEST = 2000;

/**
 * Keeps with a run that something is done differently than asked, and logs it: once per code, whichever of its
 * workers notices first. The job of a resumed run has a log of its own, so it is logged there again.
 */
export async function logWarning(pool: Pool, runId: string, code: string, message: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ job_id: string }>(
      `INSERT INTO run_warning AS known (run_id, code, message, at, generation) SELECT id, $2, $3, now(), generation
        FROM run WHERE id = $1 AND status = 'running'
       ON CONFLICT (run_id, code) DO UPDATE SET generation = excluded.generation, message = excluded.message
         WHERE known.generation < excluded.generation
       RETURNING (SELECT job_id FROM run WHERE id = $1)`,
      [runId, code, toStorable(message).slice(0, LONGEST)],
    );
    if (rows[0]) await logEvents(client, rows[0].job_id, [{ name: 'eval_warning', data: { code, message } }]);
  });
}
