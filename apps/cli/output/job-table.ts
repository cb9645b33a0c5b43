import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { percent, table } from './table.js';

/** Jobs under a heading, with the runs that they carry out. The run of a rescore is not known here. */
export function jobTable(jobs: readonly Job[], runs: ReadonlyMap<string, Run>): string[] {
  return table([
    ['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted', ''],
    ...jobs.map(({ id, type, status, progress, result_ref: made, created_at: at, detail, error }) => {
      const run = runs.get(made ?? '');
      const ofRun = run ? [percent(run.score), suiteOf(run), modelNames(run), run.id] : ['-', '-', '-', '-'];
      return [id, type, status, `${progress.done}/${progress.total}`, ...ofRun, at, error ?? detail ?? ''];
    }),
  ]);
}

/** Runs under a heading, as `toolmark history` lists them. */
export function runTable(runs: readonly Run[]): string[] {
  return table([
    ['run', 'status', 'done', 'errored', 'score', 'suite', 'models', 'submitted'],
    ...runs.map((run) => [
      run.id,
      run.status,
      `${run.counts.settled}/${run.counts.total}`,
      String(run.counts.errored),
      percent(run.score),
      suiteOf(run),
      modelNames(run),
      run.created_at,
    ]),
  ]);
}

const suiteOf = ({ suite }: Run): string => `${suite.name} v${suite.version}`;

const MAX_NAMED_MODELS = 2;
function modelNames({ targets }: Run): string {
  const names = targets
    .slice(0, MAX_NAMED_MODELS)
    .map(({ target }) => target)
    .join(', ');
  return targets.length > MAX_NAMED_MODELS ? `${names} and ${targets.length - MAX_NAMED_MODELS} more` : names;
}
