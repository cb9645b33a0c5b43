import type { LogEventData } from '#lib/contracts/event';
import type { Summary } from '#lib/contracts/summary';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { countTarget } from '../upkeep/count-storage.js';
import { admitJobs } from './admit-jobs.js';
import { MEAN_OF_TARGETS, storePair, type ComparedPair } from './experiment-pairs.js';
import { lockUserOrTimeOut } from './lock-user.js';
import { logEvents } from './log-events.js';
import { lockExperiment, placeRun, type ComparedRun } from './place-run.js';
import { askForFiguresOfListed } from './run-figures.js';

// Finishing is a separate step and not part of settling: two targets that end at the same instant would each leave the
// run to the other, and a summary of a million results would hold up a lane. First each target that has nothing left to
// settle gets its summary; then a run whose targets all have one is completed, with its job.

/** Maximum per team and turn, so that a team with very many does not hold up the others. */
const PER_TEAM = 20;

export interface TargetToFinish {
  teamId: string;
  runId: string;
  /** The generation of the run; each resume increments it. */
  generation: number;
  ordinal: number;
  target: string;
}

/** Targets without a summary that have nothing left to settle: everything is settled, or their run was stopped. */
export async function targetsToFinish(pool: Pool): Promise<TargetToFinish[]> {
  const { rows } = await pool.query<TargetToFinish>({
    name: 'targets_to_finish',
    text: `SELECT "teamId", "runId", generation, ordinal, target FROM (
       SELECT r.team_id AS "teamId", t.run_id AS "runId", r.generation, t.ordinal,
         t.provider_key || '::' || t.model_id AS target,
         row_number() OVER (PARTITION BY r.team_id ORDER BY t.run_id, t.ordinal) AS n
       FROM target t JOIN run r ON r.id = t.run_id
       WHERE t.finished_at IS NULL AND (t.settled = t.n OR r.status IN ('cancelled', 'budget_exceeded'))
         AND r.status <> 'pending' AND r.worker_level <= level_of_session()
     ) done
     WHERE n <= $1 ORDER BY n LIMIT 1000`,
    values: [PER_TEAM],
  });
  return rows;
}

/**
 * Stores a target's final summary, once, and logs it unless the run was stopped. Changes nothing if the run was resumed
 * since.
 */
export async function finishTarget(
  pool: Pool,
  { runId, generation, ordinal }: Omit<TargetToFinish, 'target'>,
  summary: Summary,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // A separate statement, so that the next one sees the changes of the previous lock holder.
    await client.query('SELECT 1 FROM target WHERE run_id = $1 AND ordinal = $2 FOR NO KEY UPDATE', [runId, ordinal]);
    const { rows } = await client.query<{ job_id: string; status: string }>(
      `UPDATE target t SET summary = $3, finished_at = now(),
         -- What a resume replaced was added to what it replaced: it is counted again.
         result_bytes = CASE WHEN r.generation > 1 THEN 0 ELSE t.result_bytes END
       FROM run r
       WHERE t.run_id = $1 AND t.ordinal = $2 AND t.finished_at IS NULL AND r.id = t.run_id AND r.generation = $4
       RETURNING r.job_id, r.status`,
      [runId, ordinal, JSON.stringify(summary), generation],
    );
    if (rows[0]?.status === 'running') {
      await logEvents(client, rows[0].job_id, [{ name: 'tool_eval_summary', data: { eval_id: runId, summary } }]);
    }
  });
  // Outside of the transaction, because it takes a while for a million results; if it fails, `TargetCounts` does it.
  if (generation > 1) await countTarget(pool, runId, ordinal).catch(() => {});
}

/** A run whose targets are all finished. */
export interface RunToFinish {
  id: string;
  teamId: string;
  userId: string;
  generation: number;
  /** Also null when the run has no result to compare. */
  experimentId: string | null;
}

/** Running runs whose targets are all finished, and stopped ones that are not closed. */
export async function runsToFinish(pool: Pool): Promise<RunToFinish[]> {
  const { rows } = await pool.query<RunToFinish>({
    name: 'runs_to_finish',
    // The first condition of the inner query must be identical to that of the index run_to_finish.
    text: `SELECT id, "teamId", "userId", generation, "experimentId" FROM (
       SELECT r.id, r.team_id AS "teamId", r.user_id AS "userId", r.generation,
         CASE WHEN r.status = 'running' OR EXISTS (
           SELECT 1 FROM target t WHERE t.run_id = r.id AND t.settled > t.errored
         ) THEN r.experiment_id END AS "experimentId",
         row_number() OVER (PARTITION BY r.team_id ORDER BY r.id) AS n
       FROM run r
       WHERE (r.status = 'running' OR (r.status IN ('cancelled', 'budget_exceeded') AND r.score IS NULL
           AND nullif(r.generation, r.closed_generation) IS NOT NULL))
         AND r.worker_level <= level_of_session()
         AND NOT EXISTS (SELECT 1 FROM target t WHERE t.run_id = r.id AND t.finished_at IS NULL)
     ) done
     WHERE n <= $1 ORDER BY n LIMIT 1000`,
    values: [PER_TEAM],
  });
  return rows;
}

/**
 * Finishes a run whose targets are all finished, with its job, once. A run that was stopped only gets its score, if it
 * has one, and is closed: a resume reopens it by raising the generation. A run of an experiment gets its place in it in
 * the same transaction; nothing happens while it has to be compared again because the experiment got another baseline
 * meanwhile.
 * @param compared the run compared with its experiment's baseline; undefined for a run without an experiment
 * @returns the id of the job that changed
 */
export async function finishRun(pool: Pool, run: RunToFinish, compared?: ComparedRun): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, run.userId);
    if (!(await lockFinishable(client, run))) return undefined;
    const experiment = compared && (await lockExperiment(client, compared));
    if (experiment === 'changed') return undefined;
    const pair = experiment ? compared!.pair : null;
    const scored = await storeScore(client, run.id, pair);
    if (experiment && pair) await storePair(client, experiment.id, pair);
    const completed = await client.query(
      `UPDATE run SET status = 'completed', finished_at = now() WHERE id = $1 AND status = 'running'`,
      [run.id],
    );
    if (completed.rowCount || scored?.score != null) await askForFiguresOfListed(client, { runId: run.id });
    if (!scored || completed.rowCount === 0) return undefined;
    const placed = experiment ? await placeRun(client, experiment, compared!) : [];
    const { job_id: jobId, score } = scored;
    await client.query(`UPDATE job SET status = 'completed', finished_at = now(), detail = NULL WHERE id = $1`, [
      jobId,
    ]);
    await logEvents(client, jobId, [
      { name: 'tool_eval_complete', data: { eval_id: run.id, score, ...besideBaseline(pair) } },
      ...placed,
      { name: 'job_completed', data: { status: 'completed', result_ref: run.id } },
    ]);
    await noteForJudge(client, run.id);
    await admitJobs(client, run.userId);
    return jobId;
  });
}

const besideBaseline = (
  pair: ComparedPair | null,
): Pick<LogEventData<'tool_eval_complete'>, 'delta' | 'differs' | 'comparison'> =>
  pair ? { delta: pair.delta, differs: pair.differs, comparison: pair.comparison } : { delta: null };

/**
 * Locks a run, so that it cannot be resumed, and checks again whether its targets are finished: it may have been
 * resumed since it was found.
 */
async function lockFinishable(client: PoolClient, { id: runId, generation }: RunToFinish): Promise<boolean> {
  const found = await client.query('SELECT 1 FROM run WHERE id = $1 AND generation = $2 FOR NO KEY UPDATE', [
    runId,
    generation,
  ]);
  if (found.rowCount === 0) return false;
  const unfinished = await client.query('SELECT 1 FROM target WHERE run_id = $1 AND finished_at IS NULL LIMIT 1', [
    runId,
  ]);
  return unfinished.rowCount === 0;
}

async function storeScore(
  client: PoolClient,
  runId: string,
  pair: ComparedPair | null,
): Promise<{ job_id: string; score: number | null } | undefined> {
  const { rows } = await client.query<{ job_id: string; score: number | null }>(
    `UPDATE run r SET score = s.score, cost_usd = s.cost_usd, errored_share = s.errored_share, delta = $2,
       differs = $3, comparison = $4, closed_generation = generation
     FROM (
       SELECT ${MEAN_OF_TARGETS} AS score, sum(cost_usd) AS cost_usd,
         sum(errored)::float8 / nullif(sum(settled), 0) AS errored_share
       FROM target WHERE run_id = $1
     ) s
     WHERE r.id = $1 RETURNING r.job_id, r.score`,
    [runId, pair?.delta ?? null, pair?.differs ?? [], pair ? JSON.stringify(pair.comparison) : null],
  );
  return rows[0];
}

/** Records that a run has ended and can be judged. Child runs and extensions are judged only on request. */
export async function noteForJudge(client: PoolClient, runId: string): Promise<void> {
  await client.query(
    `INSERT INTO run_to_judge (run_id)
     SELECT id FROM run WHERE id = $1 AND orchestration_id IS NULL AND extends_run_id IS NULL ON CONFLICT DO NOTHING`,
    [runId],
  );
}
