import { ProblemError } from '#lib/contracts/input/problem';
import type { PoolClient } from '../connection/pool.js';

// Transactions lock in one order (`lockUser`): an experiment comes after its runs.

/** The run that is the baseline of an experiment, and what made it that. */
interface Baseline {
  eval_id: string | null;
  set_by: 'user' | 'first_run' | null;
}

/**
 * Makes a run the baseline of an experiment, on behalf of a user. The figures of the experiment follow
 * (`refreshExperiment`). Lock and check the run first (`takeBaseline`): it could be deleted or resumed meanwhile.
 * @returns the earlier one; undefined if the team has no such experiment
 */
export async function pinBaseline(
  client: PoolClient,
  teamId: string,
  experimentId: string,
  runId: string,
): Promise<Baseline | undefined> {
  const { rows } = await client.query<Baseline>(
    `UPDATE experiment e SET baseline_run_id = $3, baseline_set_by = 'user', updated_at = now()
     FROM (
       SELECT id, baseline_run_id, baseline_set_by FROM experiment WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE
     ) b
     WHERE e.id = b.id RETURNING b.baseline_run_id AS eval_id, b.baseline_set_by AS set_by`,
    [teamId, experimentId, runId],
  );
  return rows[0];
}

/**
 * Deletes an experiment and its comparisons. Its runs and tunes remain, without it.
 * @returns what it was; undefined if the team has no such experiment
 */
export async function deleteExperiment(
  client: PoolClient,
  teamId: string,
  experimentId: string,
): Promise<{ name: string; suite_id: string; status: string; baseline_eval_id: string | null } | undefined> {
  const ofExperiment = [teamId, experimentId];
  // Another process that admits a pending run of such a user may already hold the experiment.
  await client.query(
    `SELECT 1 FROM users WHERE id IN (
       SELECT user_id FROM run WHERE team_id = $1 AND experiment_id = $2
       UNION SELECT user_id FROM orchestration WHERE team_id = $1 AND experiment_id = $2
     ) ORDER BY id FOR NO KEY UPDATE`,
    ofExperiment,
  );
  await client.query(
    'SELECT 1 FROM orchestration WHERE team_id = $1 AND experiment_id = $2 ORDER BY id FOR NO KEY UPDATE',
    ofExperiment,
  );
  await unlinkRuns(client, ofExperiment);
  await client.query('SELECT 1 FROM experiment WHERE team_id = $1 AND id = $2 FOR UPDATE', ofExperiment);
  await unlinkRuns(client, ofExperiment); // Runs submitted meanwhile.
  await client.query(
    'UPDATE orchestration SET experiment_id = NULL WHERE team_id = $1 AND experiment_id = $2',
    ofExperiment,
  );
  await client.query('DELETE FROM mark WHERE team_id = $1 AND subject_id = $2', ofExperiment);
  const { rows } = await client.query(
    `DELETE FROM experiment WHERE team_id = $1 AND id = $2
     RETURNING name, suite_id, status, baseline_run_id AS baseline_eval_id`,
    ofExperiment,
  );
  return rows[0];
}

async function unlinkRuns(client: PoolClient, ofExperiment: string[]): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM run WHERE team_id = $1 AND experiment_id = $2 ORDER BY id FOR NO KEY UPDATE',
    ofExperiment,
  );
  const runIds = rows.map(({ id }) => id);
  // A trigger raises their revisions, run by run.
  await client.query('SELECT 1 FROM experiment WHERE baseline_run_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [
    runIds,
  ]);
  await client.query(
    `UPDATE run SET experiment_id = NULL, delta = NULL, differs = '{}', comparison = NULL WHERE id = ANY ($1)`,
    [runIds],
  );
}

/**
 * Keeps the experiment of a submitted run from being deleted until the transaction ends. The last step of the
 * transaction: deleting an experiment locks the user first.
 * @throws ProblemError 422 when the experiment is gone
 */
export async function joinExperiment(client: PoolClient, teamId: string, experimentId: string | null): Promise<void> {
  if (experimentId === null) return;
  const { rowCount } = await client.query('SELECT 1 FROM experiment WHERE team_id = $1 AND id = $2 FOR KEY SHARE', [
    teamId,
    experimentId,
  ]);
  if (rowCount === 0)
    throw new ProblemError(422, 'The experiment of the run was deleted in the meantime.', [
      { path: '/experiment_id', message: 'name an existing one, or none' },
    ]).as('unknown_experiment');
}
