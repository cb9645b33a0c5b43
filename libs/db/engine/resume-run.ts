import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/problem';
import type { JobStatus } from '#lib/contracts/job';
import type { ResumeInput } from '#lib/contracts/run';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { LaneRepository } from '../catalogue/lanes.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { cancelPreparation } from './prepare-run.js';
import { lockProviders } from '../catalogue/move-targets.js';
import { readBudgets, budgetExceeded } from './run-budget.js';

/**
 * Makes a stopped or finished run go on with the items that have no score: those that errored, and those that are
 * missing. What is scored stays as it is, and is not paid for again. A new job carries the run from now on. However
 * large the run, a few rows are written here. What the earlier job logged of errored items stays in its log, while
 * the results themselves make room for the new ones. Their exchanges stay until new ones take their place: where a
 * model had answered, its reply is scored and not asked for again. A recorded run asks nobody either way.
 * @throws ProblemError 404, 409 when there is nothing to resume, 422 when the budget is spent
 */
export async function resumeRun(
  pool: Pool | PoolClient,
  { teamId, userId, runId, budget }: { teamId: string; userId: string; runId: string } & ResumeInput,
): Promise<{ jobId: string; runId: string; lanes: string[] }> {
  return inTransaction(pool, async (client) => {
    await lockUser(client, userId);
    await lockProviders(
      client,
      'SELECT t.provider_id FROM target t JOIN run r ON r.id = t.run_id WHERE r.id = $1 AND r.team_id = $2',
      [runId, teamId],
    );
    await client.query(
      `SELECT 1 FROM target WHERE run_id = (SELECT id FROM run WHERE id = $1 AND team_id = $2)
        ORDER BY run_id, ordinal FOR UPDATE`,
      [runId, teamId],
    );
    const { rows } = await client.query<{ status: JobStatus; config: string }>(
      'SELECT status, config FROM run WHERE id = $1 AND team_id = $2 FOR UPDATE',
      [runId, teamId],
    );
    const run = rows[0];
    if (!run) throw new ProblemError(404, `No run with id "${runId}" in this team.`);
    if (!['completed', 'cancelled', 'budget_exceeded'].includes(run.status))
      throw new ProblemError(409, `The run is ${run.status}. It can be resumed when it has ended.`);
    if (budget !== undefined) {
      const config = { ...(parseJson(run.config) as JsonObject), budget };
      await client.query('UPDATE run SET max_requests = $2, max_cost_usd = $3, config = $4 WHERE id = $1', [
        runId,
        budget?.max_requests ?? null,
        budget?.max_cost_usd ?? null,
        JSON.stringify(config),
      ]);
    }

    await cancelPreparation(client, runId);
    const left = await client.query<{ n: number }>(
      'SELECT coalesce(sum(n - settled + errored), 0)::int AS n FROM target WHERE run_id = $1',
      [runId],
    );
    if (left.rows[0]!.n === 0)
      throw new ProblemError(409, 'Every item of the run is scored; there is nothing to resume.');
    const spent = (await readBudgets(client, [runId])).get(runId);
    const why = spent && budgetExceeded(spent);
    if (why)
      throw new ProblemError(
        422,
        `The budget of the run is spent: ${why} Resume it with a larger one: {"budget": {...}}, or ` +
          'with {"budget": null}.',
        [{ path: '/budget', message: 'is spent' }],
      );

    const jobId = newId();
    await client.query(
      `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total, generation)
       SELECT $1, team_id, $2, 'tool_eval', 'pending', id::text, $3, generation + 1 FROM run WHERE id = $4`,
      [jobId, userId, left.rows[0]!.n, runId],
    );
    await client.query(
      `UPDATE run SET job_id = $2, user_id = $3, generation = generation + 1, status = 'pending', finished_at =
        NULL, score = NULL, delta = NULL WHERE id = $1`,
      [runId, jobId, userId],
    );
    // Items below the cursor without a score are looked for behind the answer (`prepareRun`); what errored counts
    // no more from now on.
    await client.query(
      `INSERT INTO preparation (run_id, target, generation, end_item, errored)
       SELECT t.run_id, t.ordinal, r.generation, t.cursor, t.errored FROM target t JOIN run r ON r.id = t.run_id
         WHERE r.id = $1 AND t.settled - t.errored < t.cursor`,
      [runId],
    );
    const { rowCount: isRecorded } = await client.query('SELECT 1 FROM target WHERE run_id = $1 AND recorded LIMIT 1', [
      runId,
    ]);
    const laneOfRecorded = isRecorded ? await new LaneRepository(client, teamId).ensureRecordedLane() : null;
    // Its providers may have moved since. Items of one that was deleted end by saying so, in a lane that is made
    // for that.
    const { rows: targets } = await client.query<{ lane_id: string }>(
      `UPDATE target t SET settled = settled - errored, errored = 0, summary = NULL, finished_at = NULL, user_id =
        $2, vtime = 0, lane_id = coalesce((
         SELECT coalesce(m.lane_id, p.lane_id) FROM provider p LEFT JOIN model m ON m.provider_id = p.id
           AND m.model_id = t.model_id WHERE p.id = t.provider_id), $3, t.lane_id)
       WHERE run_id = $1 RETURNING lane_id`,
      [runId, userId, laneOfRecorded],
    );
    await client.query(
      `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency)
       SELECT DISTINCT ON (lane_id) lane_id, $2::uuid, provider_key, 'deleted ' || lane_id, 1 FROM target
         WHERE run_id = $1 ON CONFLICT DO NOTHING`,
      [runId, teamId],
    );
    await logEvents(client, jobId, [
      { name: 'job_created', data: { type: 'tool_eval', status: 'pending', result_ref: runId } },
    ]);
    await admitJobs(client, userId);
    return { jobId, runId, lanes: [...new Set(targets.map(({ lane_id }) => lane_id))] };
  });
}
