import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { ProblemError, type Facts } from '#lib/contracts/input/problem';
import type { ProblemCode } from '#lib/contracts/problem-codes';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import { COMPARED_FIGURES } from '#lib/contracts/values/conversations';
import type { Pool, PoolClient } from '../connection/pool.js';

/** A run that a request names, and where in the request. */
export interface NamedRun {
  runId: string;
  /** The suite it must belong to. */
  suiteId: string;
  path: string;
}

interface RunRow {
  suite_id: string;
  suite_name: string;
  status: JobStatus;
  score: number | null;
  config: string;
  samples: number;
  extends_run_id: string | null;
  has_conversations: boolean;
}

type Refusal = { detail: string; message: string; code?: ProblemCode; params?: Facts } | undefined;

/**
 * A run of a suite that can be measured by itself: not one that adds samples to another run, which is read together
 * with that one.
 * @param lock lock mode of the row
 * @throws ProblemError 422
 */
export async function readRunOfSuite(
  db: Pool | PoolClient,
  teamId: string,
  named: NamedRun,
  lock: 'FOR NO KEY UPDATE' | '' = '',
): Promise<RunRow> {
  const { rows } = await db.query<RunRow>(
    `SELECT suite_id, suite_name, status, score, config, samples, extends_run_id,
       (SELECT has_conversations FROM suite_version WHERE id = run.suite_version_id) AS has_conversations
     FROM run WHERE id = $1 AND team_id = $2 ${lock}`,
    [named.runId, teamId],
  );
  refuse(named, unsuitable(named, rows[0]));
  return rows[0]!;
}

/**
 * Checks that a run can be the baseline of an experiment or a gate, locks it until the transaction ends, so that it
 * cannot be deleted or resumed meanwhile, and lists it in the history: a run made by a gate run becomes an ordinary
 * run.
 * @throws ProblemError 422
 */
export async function takeBaseline(
  db: Pool | PoolClient,
  teamId: string,
  use: NamedRun & { measure: string },
): Promise<void> {
  const { status, score, ...run } = await readRunOfSuite(db, teamId, use, 'FOR NO KEY UPDATE');
  if (status !== 'completed') refuse(use, unfinished(use.runId, status));
  if (score === null) refuse(use, unscored(use.runId));
  refuse(use, unmeasured(use.measure, run));
  await db.query('UPDATE run SET listed = true WHERE id = $1 AND NOT listed', [use.runId]);
}

function refuse({ path }: NamedRun, refused: Refusal): void {
  if (!refused) return;
  const { detail, message, code = 'baseline_unusable', params = {} } = refused;
  throw new ProblemError(422, detail, [{ path, message }]).as(code, params);
}

function unsuitable({ runId, suiteId }: NamedRun, run: RunRow | undefined): Refusal {
  if (!run)
    return {
      detail: `No run with id "${runId}" in this team.`,
      message: 'does not exist',
      code: 'unknown_run',
      params: { id: runId },
    };
  if (run.suite_id !== suiteId)
    return {
      detail:
        `The run is of another suite ("${run.suite_name}"); scores of different suites cannot be compared. ` +
        'Choose a run of the same suite.',
      message: `is a run of suite ${run.suite_id}`,
    };
  if (run.extends_run_id === null) return undefined;
  return {
    detail:
      'The run adds samples to another one. Choose that one: it is read together with the samples that were added to ' +
      'it.',
    message: `adds samples to run ${run.extends_run_id}`,
    code: 'adds_samples',
    params: { run_id: run.extends_run_id },
  };
}

const unscored = (runId: string): Refusal => ({
  detail: 'Nothing in the run is scored: all its results errored. Repeat what errored, or choose another run.',
  message: 'has no score',
  params: { run_id: runId },
});

const unfinished = (runId: string, status: JobStatus): Refusal => ({
  detail: isFinished(status)
    ? `The run ended early (${status}), and a baseline needs all of its results. Resume it, or choose a completed run.`
    : `The run is not finished (${status}). Wait for its end, or choose a completed run.`,
  message: `is ${status}, not completed`,
  code: isFinished(status) ? 'baseline_unusable' : 'run_unfinished',
  params: { run_id: runId, status },
});

function unmeasured(
  measure: string,
  { config, has_conversations: hasConversations }: Pick<RunRow, 'config' | 'has_conversations'>,
): Refusal {
  if (measure === 'overall' || measure === 'passed') return undefined;
  const names = ((JSON.parse(config) as { metrics?: RunMetric[] }).metrics ?? []).map(metricName);
  if (hasConversations) names.push(...COMPARED_FIGURES);
  if (names.includes(measure)) return undefined;
  return {
    detail:
      `The run has no metric "${measure}", which is to be compared. ` +
      `${names.length ? `Its metrics: ${names.join(', ')}.` : 'It has no metrics.'} ` +
      'Name a run that asked for it in "metrics".',
    message: `has no metric "${measure}"`,
  };
}
