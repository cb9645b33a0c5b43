import type { LogEvent } from '#lib/contracts/event';
import type { JobStatus } from '#lib/contracts/job-status';
import { toStorable } from '#lib/contracts/json/storable';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

/** An event and the job in whose log it is written. */
export type JobEvent = LogEvent & { jobId: string };

const EVENTS = new BatchColumns<JobEvent>({
  job_id: ['uuid', ({ jobId }) => jobId],
  name: ['text', ({ name }) => name],
  data: ['text', ({ data }) => JSON.stringify(data)],
});

/**
 * Appends to the durable logs of jobs. Takes the jobs' row locks, so that the numbers have no gap and follow the order
 * of commits. Lock target rows before, never after.
 */
export async function logJobEvents(client: PoolClient, events: readonly JobEvent[]): Promise<void> {
  if (events.length === 0) return;
  await client.query(
    `WITH event AS (
       SELECT job_id, name, data, row_number() OVER (PARTITION BY job_id ORDER BY n) AS nth
       FROM ${EVENTS.unnest(1, 'n')}
     ), numbered AS (
       UPDATE job j SET last_seq = last_seq + more.n
       FROM (SELECT job_id, max(nth)::int AS n FROM event GROUP BY job_id) more
       WHERE j.id = more.job_id RETURNING j.id, j.last_seq - more.n AS before
     )
     INSERT INTO job_event (job_id, seq, name, data)
     SELECT e.job_id, before + nth, e.name, e.data FROM event e JOIN numbered ON id = e.job_id`,
    EVENTS.values(events),
  );
}

/** The same for one job. */
export const logEvents = (client: PoolClient, jobId: string, events: readonly LogEvent[]): Promise<void> =>
  logJobEvents(
    client,
    events.map((event) => ({ ...event, jobId })),
  );

const MAX_MESSAGE_LENGTH = 2000;

/**
 * Stores a warning with a run, that something is done differently than requested, once per code and generation.
 * @param status the status that the run must have, or nothing is stored
 * @returns its job; undefined when the warning is already stored
 */
export async function storeWarning(
  client: PoolClient,
  { runId, code, message, status }: { runId: string; code: string; message: string; status: JobStatus },
): Promise<string | undefined> {
  const { rows } = await client.query<{ job_id: string }>(
    `INSERT INTO run_warning AS known (run_id, code, message, at, generation)
     SELECT id, $2, $3, now(), generation FROM run WHERE id = $1 AND status = $4
     ON CONFLICT (run_id, code) DO UPDATE SET generation = excluded.generation, message = excluded.message
       WHERE known.generation < excluded.generation
     RETURNING (SELECT job_id FROM run WHERE id = $1)`,
    [runId, code, toStorable(message).slice(0, MAX_MESSAGE_LENGTH), status],
  );
  return rows[0]?.job_id;
}

/**
 * Stores a warning with a run that continues, and logs it: once per code, whichever worker notices first. A resumed run
 * has a new job with its own log, so the warning is logged there again.
 */
export async function logWarning(pool: Pool | PoolClient, runId: string, code: string, message: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const jobId = await storeWarning(client, { runId, code, message, status: 'running' });
    if (jobId !== undefined) await logEvents(client, jobId, [{ name: 'eval_warning', data: { code, message } }]);
  });
}
