import { parseJson, type JsonObject } from '#lib/contracts/json';
import { ProblemError } from '#lib/contracts/problem';
import type { JobStatus } from '#lib/contracts/job';
import type { ResumeInput } from '#lib/contracts/run';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-event.js';
import { inTransaction, longQuery, type Pool, type PoolClient } from './pool.js';
import { RESULT_EVENT } from './read-log.js';
import { readBudgets, spentBudget } from './run-budget.js';

/** The item that a result row `r` belongs to: cases are counted in the order in which they take part. */
const ITEM_OF_RESULT = `((CASE WHEN cardinality(run.case_positions) = 0 THEN r.case_position ELSE array_position(run.case_positions, r.case_position) - 1 END) * run.samples + r.sample)`;

/**
 * Makes a stopped or finished run go on with the items that have no score: those that errored, and those that are missing.
 * What is scored stays as it is, and is not paid for again. A new job carries the run from now on. What the earlier job logged
 * of errored items stays in its log, while the results themselves make room for the new ones.
 * @throws ProblemError 404, 409 when there is nothing to resume, 422 when the budget is spent
 */
export async function resumeRun(
  pool: Pool,
  { teamId, userId, runId, budget }: { teamId: string; userId: string; runId: string } & ResumeInput,
  alongside?: (client: PoolClient, made: { jobId: string; runId: string }) => Promise<void>,
): Promise<{ jobId: string; runId: string; lanes: string[] }> {
  return inTransaction(pool, async (client) => {
    await lockUser(client, userId);
    const targets = await client.query<{ lane_id: string }>(
      'SELECT lane_id FROM target WHERE run_id = (SELECT id FROM run WHERE id = $1 AND team_id = $2) ORDER BY run_id, ordinal FOR UPDATE', [runId, teamId]);
    const { rows } = await client.query<{ status: JobStatus; config: string }>('SELECT status, config FROM run WHERE id = $1 AND team_id = $2 FOR UPDATE', [runId, teamId]);
    const run = rows[0];
    if (!run) throw new ProblemError(404, `No run with id "${runId}" in this team.`);
    if (!['completed', 'cancelled', 'budget_exceeded'].includes(run.status)) throw new ProblemError(409, `The run is ${run.status}. It can be resumed when it has ended.`);
    if (budget !== undefined) {
      const config = { ...(parseJson(run.config) as JsonObject), budget };
      await client.query('UPDATE run SET max_requests = $2, max_cost_usd = $3, config = $4 WHERE id = $1',
        [runId, budget?.max_requests ?? null, budget?.max_cost_usd ?? null, JSON.stringify(config)]);
    }

    // Deleted results keep their numbers in the log of the job that wrote them.
    await longQuery(client,
      `INSERT INTO job_event (job_id, seq, at, name, data)
       SELECT j.id, r.seq, r.settled_at, 'tool_eval_result', ${RESULT_EVENT}
       FROM result r JOIN job j ON j.result_ref = $1::text AND j.type = 'tool_eval' AND j.generation = r.generation WHERE r.run_id = $1::uuid AND r.outcome = 'errored'`, [runId]);
    // Their exchanges stay until new ones take their place: where a model had answered, its reply is scored and not asked for again.
    await longQuery(client, `DELETE FROM result WHERE run_id = $1 AND outcome = 'errored'`, [runId]);
    await longQuery(client, 'DELETE FROM redo WHERE run_id = $1', [runId]);
    await longQuery(client,
      `INSERT INTO redo (run_id, target, item)
       SELECT t.run_id, t.ordinal, i.item FROM target t CROSS JOIN LATERAL generate_series(0, t.cursor - 1) AS i(item)
       WHERE t.run_id = $1 EXCEPT SELECT r.run_id, r.target, ${ITEM_OF_RESULT} FROM result r JOIN run ON run.id = r.run_id WHERE r.run_id = $1`, [runId]);
    await client.query('UPDATE target SET settled = settled - errored, errored = 0 WHERE run_id = $1', [runId]);
    const left = await client.query<{ n: number }>('SELECT coalesce(sum(n - settled), 0)::int AS n FROM target WHERE run_id = $1', [runId]);
    if (left.rows[0]!.n === 0) throw new ProblemError(409, 'Every item of the run is scored; there is nothing to resume.');
    const spent = (await readBudgets(client, [runId])).get(runId);
    const why = spent && spentBudget(spent);
    if (why) throw new ProblemError(422, `The budget of the run is spent: ${why} Resume it with a larger one: {"budget": {...}}, or with {"budget": null}.`, [{ path: '/budget', message: 'is spent' }]);

    const jobId = newId();
    await client.query(
      `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total, generation)
       SELECT $1, team_id, $2, 'tool_eval', 'pending', id::text, $3, generation + 1 FROM run WHERE id = $4`, [jobId, userId, left.rows[0]!.n, runId]);
    await client.query(
      `UPDATE run SET job_id = $2, user_id = $3, generation = generation + 1, status = 'pending', finished_at = NULL, score = NULL, delta = NULL WHERE id = $1`, [runId, jobId, userId]);
    await client.query('UPDATE target SET summary = NULL, finished_at = NULL, user_id = $2, vtime = 0 WHERE run_id = $1', [runId, userId]);
    await client.query('DELETE FROM run_warning WHERE run_id = $1', [runId]);
    await logEvents(client, jobId, [{ name: 'job_created', data: { type: 'tool_eval', status: 'pending', result_ref: runId } }]);
    await admitJobs(client, userId);
    await alongside?.(client, { jobId, runId });
    return { jobId, runId, lanes: [...new Set(targets.rows.map(({ lane_id }) => lane_id))] };
  });
}
