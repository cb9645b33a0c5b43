import { endWithPeriod } from '#lib/contracts/input/problem';
import type { Pool } from '../connection/pool.js';
import { commitStep, readOrchestration } from './orchestrations.js';

/** After this many consecutive failures the job of an orchestration reports them. */
const REPORTED_FROM = 3;
/** After this many consecutive failures it ends: they took at least eight minutes. */
const MAX_FAILURES = 10;
const MAX_REASON_LENGTH = 500;

/**
 * Reports in the job of an orchestration that its step fails repeatedly, or ends the job as failed. It can be resumed
 * from where it ended.
 * @param failures number of consecutive failures of the step
 * @returns whether the job has changed
 */
export async function tellOfFailures(
  pool: Pool,
  { orchestrationId, jobId }: { orchestrationId: string; jobId: string },
  failures: number,
  reason: string,
): Promise<boolean> {
  if (failures < REPORTED_FROM) return false;
  const said = endWithPeriod(reason.slice(0, MAX_REASON_LENGTH));
  if (failures < MAX_FAILURES) {
    const { rowCount } = await pool.query(
      `UPDATE job SET detail = $2 WHERE id = $1 AND status IN ('queued', 'running')`,
      [jobId, `Its next step has failed ${failures} times and will be retried. The last time: ${said}`],
    );
    return rowCount === 1;
  }
  const orchestration = await readOrchestration(pool, orchestrationId);
  if (!orchestration) return false;
  const { state, step: next } = orchestration;
  const error = `Its next step failed ${failures} times in a row. The last time: ${said} Resume the job to retry it.`;
  return (await commitStep(pool, orchestration, { state, next, end: { status: 'failed', error } })) !== undefined;
}
