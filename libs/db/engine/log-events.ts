import type { LogEvent } from '#lib/contracts/event';
import type { PoolClient } from '../connection/pool.js';

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
