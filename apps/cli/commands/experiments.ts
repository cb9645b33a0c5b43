import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Experiment, RunBestSubmitted, TimelineEntry } from '#lib/contracts/experiment';
import { commaSeparated, examples, listByDefault, number, serverAction, subcommand, integer } from '../command.js';
import type { GlobalOptions } from '../command.js';
import { findExperiment, findSuite } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { printList, readAll } from '../lookup/read-list.js';
import { printReport } from '../output/report-lines.js';
import { print, printJson } from '../output/terminal.js';
import { experimentReport, experimentTable, timelineTable } from '../reports/experiment.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';
import { queryOf } from '../query.js';
import { budgetOf } from './settings.js';
import { addDelete } from './delete.js';
import { EXPERIMENT_FILTERS } from '#lib/contracts/values/runs';

const EXPERIMENT = ['<experiment>', 'name, id or id prefix of an experiment'] as const;

interface ListOptions extends GlobalOptions {
  search?: string;
  status?: string;
  suite?: string;
}
interface CreateOptions extends GlobalOptions {
  suite: string;
  description?: string;
  margin?: number;
  measure?: string;
  baseline?: string;
}
interface RunBestOptions extends FollowOptions {
  models?: string[];
  samples?: number;
  maxRequests?: number;
  maxCostUsd?: number;
}

export function addExperiments(program: Command): void {
  const list = serverAction<ListOptions>(listExperiments);
  const experiments = program
    .command('experiments')
    .description('list, show and create experiments: runs of one suite, compared with a baseline');
  listByDefault(experiments, list).addHelpText(
    ...examples('toolmark experiments', 'toolmark experiments show Prompts'),
  );
  subcommand(experiments, 'list', 'list experiments, newest first')
    .addOption(new Option('--status <status>', 'which experiments (default: active)').choices(EXPERIMENT_FILTERS))
    .option('--suite <suite>', 'only experiments on this suite, by name or id')
    .option('--search <text>', 'only experiments whose name contains this text')
    .action(list)
    .addHelpText(...examples('toolmark experiments list --status all --suite Weather'));
  addReading(experiments);
  addMaking(experiments);
  addRunBest(experiments);
  addRemoving(experiments);
}

function addReading(experiments: Command): void {
  subcommand(experiments, 'show', 'show an experiment: its baseline, the best run so far, and caveats')
    .argument(...EXPERIMENT)
    .action(serverAction<GlobalOptions, [string]>(showExperiment))
    .addHelpText(...examples('toolmark experiments show Prompts'));
  experiments
    .command('timeline')
    .description('list everything that finished in an experiment, oldest first, against the baseline')
    .argument(...EXPERIMENT)
    .action(serverAction<GlobalOptions, [string]>(listTimeline))
    .addHelpText(...examples('toolmark experiments timeline Prompts'));
}

function addMaking(experiments: Command): void {
  subcommand(experiments, 'create', 'create an experiment; runs join it with toolmark run --experiment')
    .argument('<name>', 'what to call it')
    .requiredOption('--suite <suite>', 'suite of all its runs, by name or id')
    .option('--description <text>', 'what it tries, and why')
    .option('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number)
    .option(
      '--measure <name>',
      'what to compare: overall, passed, a metric of its runs, or conversation.state and the like',
    )
    .option('--baseline <run>', 'run to compare with (default: the first run that completes)')
    .action(serverAction<CreateOptions, [string]>(createExperiment))
    .addHelpText(
      ...examples('toolmark experiments create "Shorter prompts" --suite Weather --margin 0.05 --baseline RUN'),
    );
  subcommand(experiments, 'baseline', 'pin the baseline, the run that others are compared with')
    .argument(...EXPERIMENT)
    .argument('<run>', 'id or id prefix of a completed run or its job')
    .action(serverAction<GlobalOptions, [string, string]>(pinBaseline))
    .addHelpText(...examples('toolmark experiments baseline Prompts RUN'));
}

function addRunBest(experiments: Command): void {
  const runBest = subcommand(experiments, 'run-best', 'run the best configuration of an experiment again')
    .argument(...EXPERIMENT)
    .option('-m, --models <list>', 'other models to run, separated by commas: provider::model', commaSeparated)
    .option('-n, --samples <n>', 'samples of each case per model', integer)
    .option('--max-requests <n>', 'maximum requests of the run', integer)
    .option('--max-cost-usd <dollars>', 'maximum cost of the run in US dollars', number);
  addFollowOptions(runBest).action(serverAction<RunBestOptions, [string]>(submitBest));
  runBest.addHelpText(...examples('toolmark experiments run-best Prompts --samples 3 --watch'));
}

function addRemoving(experiments: Command): void {
  const changes = [
    ['archive', 'archived', 'hide an experiment from lists; it takes no new runs'],
    ['activate', 'active', 'restore an archived experiment'],
  ] as const;
  for (const [name, status, description] of changes)
    subcommand(experiments, name, description)
      .argument(...EXPERIMENT)
      .action(
        serverAction<GlobalOptions, [string]>((client, options, wanted) => setStatus(client, options, wanted, status)),
      )
      .addHelpText(...examples(`toolmark experiments ${name} "Old prompts"`));
  addDelete(
    experiments,
    'experiment',
    ['delete an experiment; its runs stay', 'toolmark experiments delete "Old prompts"'],
    EXPERIMENT,
    async (client, wanted) => `${ROUTE}/${await findExperiment(client, wanted)}`,
  );
}

const ROUTE = '/api/experiments';

async function listExperiments(client: ApiClient, options: ListOptions): Promise<void> {
  const { status, suite, search } = options;
  const suiteId = suite === undefined ? undefined : await findSuite(client, suite);
  const query = queryOf({ status, suite_id: suiteId, name: search });
  const items = await readAll<Experiment>(client, `${ROUTE}?${query}`);
  const none =
    status || suite || search
      ? 'No experiments match.'
      : 'No experiments. Create one: toolmark experiments create --help';
  printList({ items }, options, none, experimentTable);
}

async function showExperiment(client: ApiClient, options: GlobalOptions, wanted: string): Promise<void> {
  const experiment = await client.call<Experiment>('GET', `${ROUTE}/${await findExperiment(client, wanted)}`);
  printExperiment(experiment, options);
}

function printExperiment(experiment: Experiment, { json }: GlobalOptions): void {
  if (json) printJson(experiment);
  else printReport(experimentReport(experiment));
}

async function listTimeline(client: ApiClient, options: GlobalOptions, wanted: string): Promise<void> {
  const id = await findExperiment(client, wanted);
  const items = await readAll<TimelineEntry>(client, `${ROUTE}/${id}/timeline`);
  printList(
    { items },
    options,
    `Nothing has finished yet. Start a run: toolmark run --experiment ${id}`,
    timelineTable,
  );
}

async function createExperiment(client: ApiClient, options: CreateOptions, name: string): Promise<void> {
  const { suite, description, margin, measure, baseline } = options;
  const experiment = await client.call<Experiment>('POST', ROUTE, {
    name,
    suite_id: await findSuite(client, suite),
    description,
    margin,
    measure,
    baseline_eval_id: baseline === undefined ? undefined : (await findRun(client, baseline)).id,
  });
  printExperiment(experiment, options);
}

async function pinBaseline(client: ApiClient, options: GlobalOptions, wanted: string, run: string): Promise<void> {
  const id = await findExperiment(client, wanted);
  const body = { eval_id: (await findRun(client, run)).id };
  const experiment = await client.call<Experiment>('PUT', `${ROUTE}/${id}/baseline`, body);
  printExperiment(experiment, options);
}

async function submitBest(client: ApiClient, options: RunBestOptions, wanted: string): Promise<void> {
  const { models, samples } = options;
  const id = await findExperiment(client, wanted);
  const replaced = { models, samples, budget: budgetOf(options) };
  const submitted = await client.call<RunBestSubmitted>('POST', `${ROUTE}/${id}/run-best`, replaced);
  await follow(client, submitted, options);
}

type Status = Experiment['status'];
async function setStatus(client: ApiClient, options: GlobalOptions, wanted: string, status: Status): Promise<void> {
  const id = await findExperiment(client, wanted);
  const experiment = await client.call<Experiment>('PUT', `${ROUTE}/${id}`, { status });
  if (options.json) printJson(experiment);
  else print(`Experiment ${id} is ${experiment.status}.`);
}
