import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Run } from '#lib/contracts/run';
import { onServer, withExamples } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { findSuite } from '../lookup/find-suite.js';
import { addListOptions, findInList, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { runTable } from '../output/job-table.js';
import { JOB_STATUSES } from './jobs.js';

interface HistoryOptions extends ListOptions {
  suite?: string;
  status?: string;
  model?: string;
  experiment?: string;
  orchestrated?: boolean;
}

export function addHistory(program: Command): void {
  const history = program
    .command('history')
    .description('list runs, the newest first')
    .option('--suite <suite>', 'only runs of this suite, by name or id')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(JOB_STATUSES))
    .option('--model <model>', 'only runs that ask this model')
    .option('--experiment <name>', 'only runs of this experiment, by name or id')
    .option('--orchestrated', 'also runs that a gate made, or that add samples to another');
  addListOptions(history).action(onServer<HistoryOptions>(listRuns));
  withExamples(history, 'toolmark history --suite Weather --status completed --limit 10');
}

const RUNS = '/api/tool-eval/history';

async function listRuns(client: ApiClient, options: HistoryOptions): Promise<void> {
  const { status, model } = options;
  const path = options.orchestrated ? `${RUNS}?orchestrated=true` : RUNS;
  const suiteId = options.suite === undefined ? undefined : await findSuite(client, options.suite);
  const experiment = options.experiment && (await findExperiment(client, options.experiment));
  const matches = (run: Run): boolean =>
    (suiteId === undefined || run.suite.id === suiteId) &&
    (status === undefined || run.status === status) &&
    (model === undefined || run.targets.some(({ target, model_id: id }) => target === model || id === model)) &&
    (experiment === undefined || run.experiment_id === experiment);
  const isFiltered = [suiteId, status, model, experiment].some((filter) => filter !== undefined);
  const list = isFiltered
    ? await findInList<Run>(client, path, options, matches)
    : await readList<Run>(client, path, options);
  printList(list, options, isFiltered ? 'No runs match.' : 'No runs yet. Start one: toolmark run --help', runTable);
}
