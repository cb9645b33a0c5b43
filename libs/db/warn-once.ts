import { logEvents } from './log-event.js';
import { inTransaction, type Pool } from './pool.js';

/** Logs that something is done differently than asked: once per run and code, whichever of its workers notices first. */
export async function warnOnce(pool: Pool, runId: string, code: string, message: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ job_id: string }>(
      `INSERT INTO run_warning (run_id, code) SELECT id, $2 FROM run WHERE id = $1 AND status = 'running'
       ON CONFLICT DO NOTHING RETURNING (SELECT job_id FROM run WHERE id = $1)`,
      [runId, code],
    );
    if (rows[0]) await logEvents(client, rows[0].job_id, [{ name: 'eval_warning', data: { code, message } }]);
  });
}
