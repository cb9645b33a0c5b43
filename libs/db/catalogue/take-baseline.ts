import { isFinished, type JobStatus } from '#lib/contracts/job';
import { ProblemError } from '#lib/contracts/input/problem';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import type { Pool, PoolClient } from '../connection/pool.js';

/** What a baseline is for, an experiment or a gate, and where in the request it is named. */
export interface BaselineUse {
  runId: string;
  suiteId: string;
  measure: string;
  path: string;
}

interface BaselineRow {
  suite_id: string;
  suite_name: string;
  status: JobStatus;
  score: number | null;
  config: string;
  extends_run_id: string | null;
}

/**
 * Checks that a run can be a baseline, locks it until the transaction ends, so that it is neither deleted nor resumed
 * meanwhile, and lists it in the history: a run that a gate run made becomes one like any other.
 * @throws ProblemError 422
 */
export async function takeBaseline(db: Pool | PoolClient, teamId: string, use: BaselineUse): Promise<void> {
  const { rows } = await db.query<BaselineRow>(
    `SELECT suite_id, suite_name, status, score, config, extends_run_id FROM run WHERE id = $1 AND team_id = $2
     FOR NO KEY UPDATE`,
    [use.runId, teamId],
  );
  const refused = refusal(use, rows[0]);
  if (refused) throw new ProblemError(422, refused.detail, [{ path: use.path, message: refused.message }]);
  await db.query('UPDATE run SET listed = true WHERE id = $1 AND NOT listed', [use.runId]);
}

function refusal(
  { runId, suiteId, measure }: BaselineUse,
  run: BaselineRow | undefined,
): { detail: string; message: string } | undefined {
  if (!run)
    return {
      detail: `No run with id "${runId}" in this team. GET /api/tool-eval/history lists the runs with their ids.`,
      message: 'does not exist',
    };
  if (run.suite_id !== suiteId)
    return {
      detail:
        `The run is of another suite ("${run.suite_name}"); scores of different suites cannot be compared. ` +
        `Name a run of suite ${suiteId}.`,
      message: `is a run of suite ${run.suite_id}`,
    };
  if (run.extends_run_id !== null)
    return {
      detail:
        `The run adds samples to another one. Name that one, ${run.extends_run_id}: ` +
        'it is read together with the samples that were added to it.',
      message: `adds samples to run ${run.extends_run_id}`,
    };
  if (run.status !== 'completed') return unfinished(runId, run.status);
  if (run.score === null)
    return {
      detail:
        'Nothing in the run is scored: all its results errored. Resume it with ' +
        `POST /api/tool-eval/history/${runId}/resume, or name another run.`,
      message: 'has no score',
    };
  return unmeasured(measure, run.config);
}

const unfinished = (runId: string, status: JobStatus): { detail: string; message: string } => ({
  detail: isFinished(status)
    ? `The run ended early (${status}), and a baseline needs all of its results. Resume it with ` +
      `POST /api/tool-eval/history/${runId}/resume, or name a completed run.`
    : `The run is not finished (${status}). Wait for its end, or name a completed run.`,
  message: `is ${status}, not completed`,
});

function unmeasured(measure: string, config: string): { detail: string; message: string } | undefined {
  if (measure === 'overall' || measure === 'passed') return undefined;
  const names = ((JSON.parse(config) as { metrics?: RunMetric[] }).metrics ?? []).map(metricName);
  if (names.includes(measure)) return undefined;
  return {
    detail:
      `The run has no metric "${measure}", which is to be compared. ` +
      `${names.length ? `Its metrics: ${names.join(', ')}.` : 'It has no metrics.'} ` +
      'Name a run that asked for it in "metrics".',
    message: `has no metric "${measure}"`,
  };
}
