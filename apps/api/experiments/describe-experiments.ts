import { improvedAfterCorrection } from '#lib/comparison/improved-after-correction';
import type { BestRun, Experiment, ExperimentSince } from '#lib/contracts/experiment';
import { targetName } from '#lib/contracts/target-name';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { ExperimentRunRepository, type ExperimentRun, type MadeComparison } from '#lib/db/read/experiment-runs';
import { settingsOf } from '../runs/settings-of-run.js';
import { noted } from '#lib/contracts/note';
import { changedSettings } from './config-summary.js';
import { notesOn } from './notes.js';
import { describeSince, stretchOf, type Stretch } from './since.js';

/** At a false-positive rate of 5 %, one in this many comparisons of equal runs is called better or worse. */
const COMPARISONS_PER_FALSE_ALARM = 20;

/** Experiments with the figures of their runs, in a few statements for any number of experiments. */
export async function describeExperiments(
  db: Pool | PoolClient,
  teamId: string,
  experiments: readonly StoredExperiment[],
): Promise<Experiment[]> {
  if (experiments.length === 0) return [];
  const repository = new ExperimentRunRepository(db, teamId);
  const compared = await repository.lastCompared(experiments.map(({ id }) => id));
  const stretches = new Map(experiments.map(({ id }) => [id, stretchOf(compared.get(id) ?? [])]));
  const named = experiments.flatMap(({ id, baselineId, bestId }) => {
    const stretch = stretches.get(id);
    return [baselineId, bestId, stretch?.first.id ?? null, stretch?.before?.id ?? null];
  });
  const runs = await repository.find([...new Set(named.filter((id) => id !== null))]);
  const comparisons = await repository.comparisons(experiments.map(({ id }) => id));
  const runOf = (id: string | null): ExperimentRun | undefined => (id === null ? undefined : runs.get(id));
  return experiments.map((experiment) =>
    describe(experiment, {
      baseline: runOf(experiment.baselineId),
      best: runOf(experiment.bestId),
      made: comparisons.get(experiment.id) ?? [],
      since: sinceOf(stretches.get(experiment.id), runOf, experiment.baselineId),
    }),
  );
}

function sinceOf(
  stretch: Stretch | undefined,
  runOf: (id: string | null) => ExperimentRun | undefined,
  baselineId: string | null,
): ExperimentSince | null {
  const before = runOf(stretch?.before?.id ?? baselineId);
  const first = runOf(stretch?.first.id ?? null);
  if (!stretch || !first || !before) return null;
  return describeSince(stretch, before.id, changedSettings(first, before));
}

interface Known {
  baseline: ExperimentRun | undefined;
  best: ExperimentRun | undefined;
  made: readonly MadeComparison[];
  since: ExperimentSince | null;
}

function describe(experiment: StoredExperiment, { baseline, best, made, since }: Known): Experiment {
  const comparisons = {
    made: made.length,
    expected_false_alarms: made.length / COMPARISONS_PER_FALSE_ALARM,
    improved_after_correction: improvedAfterCorrection(made),
  };
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
    since,
    ...noted(notesOn(experiment, baseline)),
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
