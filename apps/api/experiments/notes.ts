import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import type { Experiment } from '#lib/contracts/experiment';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';

interface NoteFacts {
  baseline: ExperimentRun | undefined;
  /** Number of runs that are better before the correction for multiple comparisons. */
  improved: number;
  comparisons: Experiment['comparisons'];
}

/** Caveats about the figures of an experiment, each with what to do about it. */
export function notesOn(experiment: StoredExperiment, { baseline, improved, comparisons }: NoteFacts): string[] {
  return [
    ...(baseline ? baselineNotes(experiment, baseline) : [withoutBaseline(experiment)]),
    ...correctionNote(improved, comparisons),
  ];
}

function withoutBaseline({ id, suiteName, baselineDeleted }: StoredExperiment): string {
  if (suiteName === null) return 'There is no baseline, and the suite was deleted: no run can be compared.';
  const pin = `PUT /api/experiments/${id}/baseline pins`;
  return baselineDeleted
    ? `The baseline was deleted, so nothing is compared. ${pin} another run.`
    : 'There is no baseline yet, so nothing is compared. The first run of the experiment that completes becomes it; ' +
        `${pin} another.`;
}

function baselineNotes({ suiteVersion }: StoredExperiment, baseline: ExperimentRun): string[] {
  const errored = baseline.targets.reduce((sum, target) => sum + target.errored, 0);
  const items = baseline.targets.reduce((sum, target) => sum + target.n, 0);
  const notes = [];
  if (baseline.samples === 1)
    notes.push(
      'The baseline has one sample per case: one lucky or unlucky draw affects every comparison. Add samples to it ' +
        `with POST /api/tool-eval/history/${baseline.id}/samples, and to the run to compare it with; ` +
        '`GET /api/compare?extended=true` and gates read them together.',
    );
  if (errored > items * DEFAULT_MAX_ERRORED_SHARE)
    notes.push(
      `${errored} of the ${items} results of the baseline errored. With more than ` +
        `${DEFAULT_MAX_ERRORED_SHARE * 100} % there is no verdict: repeat them with ` +
        `POST /api/tool-eval/history/${baseline.id}/resume, or pin another run.`,
    );
  if (suiteVersion !== null && suiteVersion !== baseline.suiteVersion)
    notes.push(
      `The baseline ran version ${baseline.suiteVersion} of the suite, which is at version ${suiteVersion} now. ` +
        'New runs are compared over the cases that stayed the same.',
    );
  return notes;
}

function correctionNote(improved: number, { made, improved_after_correction }: Experiment['comparisons']): string[] {
  const lost = improved - improved_after_correction.length;
  if (lost <= 0) return [];
  return [
    `Significantly better than the baseline before the correction for ${made} comparisons: ${improved}; after it: ` +
      `${improved - lost}. Run the others again with more samples before trusting them.`,
  ];
}
