import { improvedAfterCorrection } from '#lib/comparison/improved-after-correction';
import type { BestRun, Experiment } from '#lib/contracts/experiment';
import { targetName } from '#lib/contracts/target-name';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { ExperimentRunRepository, type ExperimentRun, type MadeComparison } from '#lib/db/read/experiment-runs';
import { settingsOf } from '../runs/settings-of-run.js';
import { noted } from '#lib/contracts/note';
import { notesOn } from './notes.js';

/** At a false-positive rate of 5 %, one in this many comparisons of equal runs is called better or worse. */
const COMPARISONS_PER_FALSE_ALARM = 20;

/** Experiments with the figures of their runs, in two statements for any number of experiments. */
export async function describeExperiments(
  db: Pool | PoolClient,
  teamId: string,
  experiments: readonly StoredExperiment[],
): Promise<Experiment[]> {
  if (experiments.length === 0) return [];
  const repository = new ExperimentRunRepository(db, teamId);
  const named = experiments.flatMap(({ baselineId, bestId }) => [baselineId, bestId]);
  const runs = await repository.find([...new Set(named.filter((id) => id !== null))]);
  const comparisons = await repository.comparisons(experiments.map(({ id }) => id));
  const runOf = (id: string | null): ExperimentRun | undefined => (id === null ? undefined : runs.get(id));
  return experiments.map((experiment) =>
    describe(experiment, {
      baseline: runOf(experiment.baselineId),
      best: runOf(experiment.bestId),
      made: comparisons.get(experiment.id) ?? [],
    }),
  );
}

interface Known {
  baseline: ExperimentRun | undefined;
  best: ExperimentRun | undefined;
  made: readonly MadeComparison[];
}

function describe(experiment: StoredExperiment, { baseline, best, made }: Known): Experiment {
  const comparisons = {
    made: made.length,
    expected_false_alarms: made.length / COMPARISONS_PER_FALSE_ALARM,
    improved_after_correction: improvedAfterCorrection(made),
  };
  const improved = made.filter(({ verdict }) => verdict === 'improved').length;
  return {
    id: experiment.id,
    name: experiment.name,
    suite_id: experiment.suiteId,
    suite_name: experiment.suiteName,
    description: experiment.description,
    status: experiment.status,
    margin: experiment.margin,
    measure: experiment.measure,
    baseline_eval_id: experiment.baselineId,
    baseline_score: baseline?.score ?? null,
    baseline_set_by: experiment.baselineSetBy,
    run_count: experiment.runCount,
    comparisons,
    best: best ? toBestRun(best, experiment) : null,
    ...noted(notesOn(experiment, { baseline, improved, comparisons })),
    refreshing: experiment.refreshing,
    created_at: experiment.createdAt.toISOString(),
    updated_at: experiment.updatedAt.toISOString(),
  };
}

/** The best run; null if a resume removed its score, so that it is no longer the best. */
function toBestRun(run: ExperimentRun, { baselineId, tiedWith }: StoredExperiment): BestRun | null {
  if (run.score === null) return null;
  const shown = comparisonWith(run, baselineId);
  return {
    score: run.score,
    eval_id: run.id,
    source: run.promotedBy?.type ?? 'eval',
    source_id: run.promotedBy?.id ?? run.id,
    config: settingsOf(run),
    targets: run.targets.map(targetName),
    comparison: shown && { verdict: shown.verdict, difference: shown.difference, ci: shown.ci },
    tied_with: tiedWith,
  };
}

/** The comparison of a run with this baseline. A comparison with an earlier baseline no longer counts. */
export const comparisonWith = (run: ExperimentRun, baselineId: string | null): ExperimentRun['comparison'] =>
  run.comparison?.baseline_eval_id === baselineId ? run.comparison : null;
