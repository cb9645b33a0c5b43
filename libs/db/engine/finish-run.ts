import type { Summary } from '#lib/contracts/summary';
import { admitJobs } from './admit-jobs.js';
import { lockUserOrTimeOut } from './lock-user.js';
import { logEvents } from './log-events.js';
import { inTransaction, type Pool } from '../connection/pool.js';

/** Those that a turn of the loop looks for, of each team: one with very many keeps nobody else waiting. */
const A_TEAM = 20;

export interface TargetToFinish {
  teamId: string;
  runId: string;
  /** Of the run; a resume makes the next. */
  generation: number;
  ordinal: number;
  target: string;
}

/** Targets that have nothing left to settle (all settled, or their run was stopped) and no summary yet. */
export async function targetsToFinish(pool: Pool): Promise<TargetToFinish[]> {
  const { rows } = await pool.query<TargetToFinish>(
    `SELECT "teamId", "runId", generation, ordinal, target FROM (
       SELECT r.team_id AS "teamId", t.run_id AS "runId", r.generation, t.ordinal, t.provider_key || '::' ||
         t.model_id AS target,
         row_number() OVER (PARTITION BY r.team_id ORDER BY t.run_id, t.ordinal) AS n
       FROM target t JOIN run r ON r.id = t.run_id
       WHERE t.finished_at IS NULL AND (t.settled = t.n OR r.status IN ('cancelled', 'budget_exceeded'))
         AND r.status <> 'pending') done
     WHERE n <= $1 ORDER BY n LIMIT 1000`,
    [A_TEAM],
  );
  return rows;
}

/**
 * Stores a target's final summary, once, and logs it unless the run was stopped. Nothing happens if the run was
 * resumed since.
 */
export async function finishTarget(
  pool: Pool,
  { runId, generation, ordinal }: Omit<TargetToFinish, 'target'>,
  summary: Summary,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // In a statement of its own: the next one sees what whoever held the lock has done.
    await client.query('SELECT 1 FROM target WHERE run_id = $1 AND ordinal = $2 FOR UPDATE', [runId, ordinal]);
    const { rows } = await client.query<{ job_id: string; status: string }>(
      `UPDATE target t SET summary = $3, finished_at = now() FROM run r
       WHERE t.run_id = $1 AND t.ordinal = $2 AND t.finished_at IS NULL AND r.id = t.run_id AND r.generation = $4
         RETURNING r.job_id, r.status`,
      [runId, ordinal, JSON.stringify(summary), generation],
    );
    if (rows[0]?.status === 'running') {
      await logEvents(client, rows[0].job_id, [{ name: 'tool_eval_summary', data: { eval_id: runId, summary } }]);
    }
  });
}

/** A run that has nothing left to do but to be finished. */
export interface RunToFinish {
  id: string;
  teamId: string;
  userId: string;
}

/** Runs whose targets are all finished: those that are to be completed, and stopped ones that have no score yet. */
export async function runsToFinish(pool: Pool): Promise<RunToFinish[]> {
  const { rows } = await pool.query<RunToFinish>(
    // The first condition of the inner query is, to the letter, the one of the index run_unfinished.
    `SELECT id, "teamId", "userId" FROM (
       SELECT r.id, r.team_id AS "teamId", r.user_id AS "userId", row_number() OVER (PARTITION BY r.team_id
         ORDER BY r.id) AS n FROM run r
       WHERE (r.status = 'running' OR (r.status IN ('cancelled', 'budget_exceeded') AND r.score IS NULL))
         AND NOT EXISTS (SELECT 1 FROM target t WHERE t.run_id = r.id AND t.finished_at IS NULL)
         AND (r.status = 'running' OR EXISTS (SELECT 1 FROM target t WHERE t.run_id = r.id
           AND t.settled > t.errored))) done
     WHERE n <= $1 ORDER BY n LIMIT 1000`,
    [A_TEAM],
  );
  return rows;
}

/**
 * Finishes a run whose targets are all finished, with its job, once. A stopped run gets its score only.
 * @returns the id of the job that moved
 */
export async function finishRun(pool: Pool, run: RunToFinish): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, run.userId);
    // It may have been resumed since it was found: look again, in a statement of its own, once nobody can.
    await client.query('SELECT 1 FROM run WHERE id = $1 FOR UPDATE', [run.id]);
    const unfinished = await client.query('SELECT 1 FROM target WHERE run_id = $1 AND finished_at IS NULL LIMIT 1', [
      run.id,
    ]);
    if (unfinished.rowCount) return undefined;
    // The mean over the targets' overall means; targets with nothing scored are left out.
    const scored = await client.query<{ job_id: string; status: string; score: number | null; delta: number | null }>(
      `UPDATE run r SET score = s.score, delta = s.score - b.score
       FROM (SELECT avg((summary::json ->> 'overall')::float8) AS score FROM target WHERE run_id = $1) s,
         (SELECT base.score FROM (SELECT 1) one LEFT JOIN run self ON self.id = $1
            LEFT JOIN experiment e ON e.id = self.experiment_id LEFT JOIN run base ON base.id = e.baseline_run_id
              AND base.id <> $1) b
       WHERE r.id = $1 RETURNING r.job_id, r.status, r.score, r.delta`,
      [run.id],
    );
    const finished = await client.query(
      `UPDATE run SET status = 'completed', finished_at = now() WHERE id = $1 AND status = 'running'`,
      [run.id],
    );
    const row = scored.rows[0];
    if (!row || finished.rowCount === 0) return undefined;
    await client.query(`UPDATE job SET status = 'completed', finished_at = now(), detail = NULL WHERE id = $1`, [
      row.job_id,
    ]);
    await logEvents(client, row.job_id, [
      { name: 'tool_eval_complete', data: { eval_id: run.id, score: row.score, delta: row.delta } },
      { name: 'job_completed', data: { status: 'completed', result_ref: run.id } },
    ]);
    await admitJobs(client, run.userId);
    return row.job_id;
  });
}
