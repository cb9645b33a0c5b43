import type { LogEvent } from '#lib/contracts/event';
import { auditWork } from '../audit-work.js';
import type { PoolClient } from '../connection/pool.js';
import { areCandidatesKnown, readCandidates } from './best-run.js';
import type { ComparedPair, RunOfExperiment } from './experiment-pairs.js';

/** A run that is ending, compared with the baseline of its experiment before its last transaction. */
export interface ComparedRun {
  experimentId: string;
  run: RunOfExperiment;
  baseline: RunOfExperiment | null;
  /** Null for the baseline itself, and when the run could not be compared: the refresh does it later. */
  pair: ComparedPair | null;
}

export interface LockedExperiment {
  id: string;
  teamId: string;
  suiteId: string;
  baselineDeleted: boolean;
  bestId: string | null;
}

/**
 * Locks the experiment of a run that is already locked, and checks that the run was compared with the current baseline.
 * @returns undefined when the experiment was deleted; `changed` when the run has to be compared again
 */
export async function lockExperiment(
  client: PoolClient,
  { experimentId, run, baseline }: ComparedRun,
): Promise<LockedExperiment | 'changed' | undefined> {
  const { rows } = await client.query<LockedExperiment & { baselineId: string | null }>(
    `SELECT id, team_id AS "teamId", suite_id AS "suiteId",
       baseline_run_id AS "baselineId", baseline_deleted AS "baselineDeleted",
       best_run_id AS "bestId"
     FROM experiment WHERE id = $1 FOR NO KEY UPDATE`,
    [experimentId],
  );
  if (!rows[0]) return undefined;
  const { baselineId, ...experiment } = rows[0];
  // A separate statement, which sees the changes of the previous lock holder.
  const generations = await client.query<{ id: string; generation: number }>(
    'SELECT id, generation FROM run WHERE id = ANY ($1)',
    [[run.id, baselineId]],
  );
  const isAsCompared = [run, ...(baseline ? [baseline] : [])].every(({ id, generation }) =>
    generations.rows.some((now) => now.id === id && now.generation === generation),
  );
  return isAsCompared && baselineId === (baseline?.id ?? null) ? experiment : 'changed';
}

/**
 * Gives a run that has just completed its place in its experiment: it may be the first one, which becomes the baseline,
 * or the best one.
 * @returns the events to log
 */
export async function placeRun(
  client: PoolClient,
  experiment: LockedExperiment,
  { run, baseline }: ComparedRun,
): Promise<LogEvent[]> {
  const isFirst = baseline === null && !experiment.baselineDeleted && (await becomeBaseline(client, experiment, run));
  const known = isFirst ? run : baseline;
  return known ? updateBest(client, experiment, known) : [];
}

/** Of an experiment whose first run became its baseline. */
export const auditFirstRun = (client: PoolClient, teamId: string, experimentId: string, runId: string): Promise<void> =>
  auditWork(client, teamId, 'experiment.baseline', experimentId, {
    after: { baseline: runId },
    cause: 'the first run that ended',
  });

async function becomeBaseline(
  client: PoolClient,
  { id, teamId, suiteId }: LockedExperiment,
  run: RunOfExperiment,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE experiment SET baseline_run_id = $2, baseline_set_by = 'first_run', updated_at = now()
     WHERE id = $1 AND EXISTS (SELECT 1 FROM run WHERE id = $2 AND suite_id = $3 AND score IS NOT NULL)
       AND NOT EXISTS (
         SELECT 1 FROM run WHERE experiment_id = $1 AND id <> $2 AND suite_id = $3 AND status = 'completed'
           AND score IS NOT NULL
       )`,
    [id, run.id, suiteId],
  );
  if (rowCount) await auditFirstRun(client, teamId, id, run.id);
  return rowCount !== 0;
}

/** Leaves the best run to the refresh while not all runs are compared with the baseline. */
async function updateBest(
  client: PoolClient,
  { id, bestId }: LockedExperiment,
  baseline: RunOfExperiment,
): Promise<LogEvent[]> {
  if (!(await areCandidatesKnown(client, id, baseline))) return [];
  const [best] = await readCandidates(client, id, baseline, 1);
  if ((best?.id ?? null) === bestId) return [];
  await client.query(`UPDATE experiment SET best_run_id = $2, tied_with = '{}', updated_at = now() WHERE id = $1`, [
    id,
    best?.id ?? null,
  ]);
  const data = { experiment_id: id, eval_id: best?.id ?? null, score: best?.score ?? null, previous: bestId };
  return [{ name: 'experiment_best_updated', data }];
}
