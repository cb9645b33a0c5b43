import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import { note, type Note } from '#lib/contracts/note';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';

/** Caveats about the figures of an experiment, each with what to do about it. */
export const notesOn = (experiment: StoredExperiment, baseline: ExperimentRun | undefined): Note[] =>
  baseline ? baselineNotes(experiment, baseline) : [withoutBaseline(experiment)];

function withoutBaseline({ id, suiteName, baselineDeleted }: StoredExperiment): Note {
  const because = (reason: string, text: string): Note => note('no_baseline', text, { experiment_id: id, reason });
  if (suiteName === null)
    return because('suite_deleted', 'There is no baseline, and the suite was deleted: no run can be compared.');
  return baselineDeleted
    ? because('deleted', 'The baseline was deleted, so nothing is compared. Pin another run.')
    : because(
        'none_yet',
        'There is no baseline yet, so nothing is compared. The first run that completes becomes it, unless you pin ' +
          'another.',
      );
}

function baselineNotes({ id, suiteVersion }: StoredExperiment, baseline: ExperimentRun): Note[] {
  const ids = { run_id: baseline.id, experiment_id: id };
  const errored = baseline.targets.reduce((sum, target) => sum + target.errored, 0);
  const items = baseline.targets.reduce((sum, target) => sum + target.n, 0);
  const notes: Note[] = [];
  if (baseline.samples === 1)
    notes.push(
      note(
        'baseline_one_sample',
        'The baseline has one sample per case, so that luck affects every comparison. Add samples to it, and to the ' +
          'run to compare it with.',
        ids,
      ),
    );
  if (errored > items * DEFAULT_MAX_ERRORED_SHARE)
    notes.push(
      note(
        'baseline_errored',
        `${errored} of the ${items} results of the baseline errored. With more than ` +
          `${DEFAULT_MAX_ERRORED_SHARE * 100} % there is no verdict: repeat them, or pin another run.`,
        { ...ids, errored, items },
      ),
    );
  if (suiteVersion !== null && suiteVersion !== baseline.suiteVersion)
    notes.push(
      note(
        'baseline_older_version',
        `The baseline ran version ${baseline.suiteVersion} of the suite, which is at version ${suiteVersion} now. ` +
          'New runs are compared over the cases that stayed the same.',
        { ...ids, version: baseline.suiteVersion, suite_version: suiteVersion },
      ),
    );
  return notes;
}
