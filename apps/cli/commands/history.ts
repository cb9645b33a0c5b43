import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Run } from '#lib/contracts/run';
import { examples, serverAction, subcommand } from '../command.js';
import { findExperiment, findSuite } from '../lookup/find-named.js';
import { addListOptions, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { runTable } from '../output/job-table.js';
import { JOB_STATUSES } from '#lib/contracts/values/jobs';
import { queryOf } from '../query.js';

interface HistoryOptions extends ListOptions {
  suite?: string;
  status?: string;
  model?: string;
  experiment?: string;
  orchestrated?: boolean;
}

export function addHistory(program: Command): void {
  const history = subcommand(program, 'history', 'list runs, newest first')
    .option('--suite <suite>', 'only runs of this suite, by name or id')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(JOB_STATUSES))
    .option('--model <model>', 'only runs with this model')
    .option('--experiment <name>', 'only runs of this experiment, by name or id')
    .option('--orchestrated', 'include runs created by gates, and runs that add samples to another');
  addListOptions(history).action(serverAction<HistoryOptions>(listRuns));
  history.addHelpText(...examples('toolmark history --suite Weather --status completed --limit 10'));
}

async function listRuns(client: ApiClient, options: HistoryOptions): Promise<void> {
  const { status, model, orchestrated } = options;
  const filter = {
    suite_id: options.suite === undefined ? undefined : await findSuite(client, options.suite),
    experiment_id: options.experiment ? await findExperiment(client, options.experiment) : undefined,
    status,
    model: model || undefined,
  };
  const path = `/api/tool-eval/history?${queryOf({ ...filter, orchestrated })}`;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const list = await readList<Run>(client, path, options);
  printList(list, options, isFiltered ? 'No runs match.' : 'No runs yet. Start one: toolmark run --help', runTable);
}
