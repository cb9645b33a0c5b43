import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { againstText } from './against.js';
import { dollars, percent, table } from './table.js';

/** Jobs under a heading, with the runs that they carry out. The run of a rescore is not known here. */
export function jobTable(jobs: readonly Job[], runs: ReadonlyMap<string, Run>): string[] {
  return table([
    ['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted', ''],
    ...jobs.map(({ id, type, status, progress, result_ref: made, created_at: at, detail, error, blocked }) => {
      const run = runs.get(made ?? '');
      const ofRun = run ? [percent(run.score), suiteOf(run), modelNames(run), run.id] : ['-', '-', '-', '-'];
      return [
        id,
        type,
        status,
        `${progress.done}/${progress.total}`,
        ...ofRun,
        at,
        error ?? blocked?.text ?? detail ?? '',
      ];
    }),
  ]);
}

/** Runs under a heading, as `toolmark history` lists them. */
export function runTable(runs: readonly Run[]): string[] {
  return table([
    ['run', 'name', 'status', 'done', 'errored', 'score', 'against', 'cost', 'suite', 'models', 'submitted'],
    ...runs.map((run) => [
      run.id,
      run.name ?? '-',
      run.status,
      `${run.counts.settled}/${run.counts.total}`,
      String(run.counts.errored),
      percent(run.score),
      againstText(run.against),
      costOf(run),
      suiteOf(run),
      modelNames(run),
      run.created_at,
    ]),
  ]);
}

const suiteOf = ({ suite }: Run): string => `${suite.name} v${suite.version}`;

/** "at least $0.22" where a model has no prices. */
export const costOf = ({ actual }: Pick<Run, 'actual'>): string => {
  if (!actual) return '-';
  if (actual.cost_usd !== null) return dollars(actual.cost_usd);
  return actual.known_cost_usd > 0 ? `at least ${dollars(actual.known_cost_usd)}` : 'unknown';
};

const MAX_NAMED_MODELS = 2;
function modelNames({ targets }: Run): string {
  const names = targets
    .slice(0, MAX_NAMED_MODELS)
    .map(({ target }) => target)
    .join(', ');
  return targets.length > MAX_NAMED_MODELS ? `${names} and ${targets.length - MAX_NAMED_MODELS} more` : names;
}
