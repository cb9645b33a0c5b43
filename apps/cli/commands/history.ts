import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Run } from '#lib/contracts/run';
import { examples, serverAction, subcommand, timeOf } from '../command.js';
import { findExperiment, findSuite } from '../lookup/find-named.js';
import { addListOptions, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { runTable } from '../output/job-table.js';
import { JOB_STATUSES } from '#lib/contracts/values/jobs';
import { RUN_ORDERS } from '#lib/contracts/values/runs';
import { queryOf } from '../query.js';

interface HistoryOptions extends ListOptions {
  suite?: string;
  status?: string;
  model?: string;
  experiment?: string;
  search?: string;
  from?: string;
  to?: string;
  order?: string;
  reverse?: boolean;
  orchestrated?: boolean;
  tag?: string;
  archived?: boolean;
}

export function addHistory(program: Command): void {
  const history = subcommand(program, 'history', 'list runs, newest first')
    .alias('runs')
    .option('--suite <suite>', 'only runs of this suite, by name or id')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(JOB_STATUSES))
    .option('--model <model>', 'only runs with this model')
    .option('--experiment <name>', 'only runs of this experiment, by name or id')
    .option('--search <text>', 'only runs with this text in their name, note or suite')
    .option('--from <time>', 'only runs submitted then or later, as 2026-11-01 or 2026-11-01T08:00:00Z', timeOf)
    .option('--to <time>', 'only runs submitted before then', timeOf)
    .addOption(new Option('--order <order>', 'the order of the runs').choices(RUN_ORDERS))
    .option('--reverse', 'the other way round: oldest or lowest first')
    .option('--tag <tag>', 'only runs with this tag of yours')
    .option('--archived', 'the runs that you have archived')
    .option('--orchestrated', 'include runs created by gates, and runs that add samples to another');
  addListOptions(history).action(serverAction<HistoryOptions>(listRuns));
  history.addHelpText(
    ...examples(
      'toolmark history --suite Weather --status completed --limit 10',
      'toolmark history --search nightly --from 2026-11-01 --order cost',
    ),
  );
}

async function listRuns(client: ApiClient, options: HistoryOptions): Promise<void> {
  const { status, model, orchestrated, order, reverse } = options;
  const filter = {
    suite_id: options.suite === undefined ? undefined : await findSuite(client, options.suite),
    experiment_id: options.experiment ? await findExperiment(client, options.experiment) : undefined,
    status,
    model: model || undefined,
    q: options.search || undefined,
    from: options.from,
    to: options.to,
    tag: options.tag,
    archived: options.archived ? 'true' : undefined,
  };
  const path = `/api/tool-eval/history?${queryOf({ ...filter, order, reverse, orchestrated })}`;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const list = await readList<Run>(client, path, options);
  printList(list, options, isFiltered ? 'No runs match.' : 'No runs yet. Start one: toolmark run --help', runTable);
}
