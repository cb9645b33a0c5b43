import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Gate, GateRun } from '#lib/gate/contract';
import {
  commaSeparated,
  examples,
  listByDefault,
  number,
  serverAction,
  repeatable,
  subcommand,
  integer,
} from '../command.js';
import type { GlobalOptions } from '../command.js';
import { findExperiment, findGate, findSuite } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { addListOptions, printList, readList, type ListOptions, readAll } from '../lookup/read-list.js';
import { printReport } from '../output/report-lines.js';
import { printJson } from '../output/terminal.js';
import { gateRunsTable, gatesTable, rulesReport } from '../reports/gate.js';
import { addDelete } from './delete.js';
import { addSettings, fieldsOf, perTarget, setting } from './settings.js';

const GATE = ['<gate>', 'name, id or id prefix of a gate'] as const;

/** The other rules are sent to the API unchanged. */
interface RuleOptions extends GlobalOptions {
  baseline?: string;
  baselineOf?: string;
}

export function addGates(program: Command): void {
  const list = serverAction<GlobalOptions>(listGates);
  const gates = subcommand(program, 'gates', 'list, show and create gates, which decide whether a change may ship');
  listByDefault(gates, list).addHelpText(...examples('toolmark gates', 'toolmark gates show main'));
  subcommand(gates, 'list', 'list gates, newest first')
    .action(list)
    .addHelpText(...examples('toolmark gates list'));
  subcommand(gates, 'show', 'show the rules of a gate')
    .argument(...GATE)
    .action(serverAction<GlobalOptions, [string]>(showGate))
    .addHelpText(...examples('toolmark gates show main'));
  addMaking(gates);
  addListOptions(subcommand(gates, 'runs', 'list the runs of a gate, newest first').argument(...GATE))
    .action(serverAction<ListOptions, [string]>(listGateRuns))
    .addHelpText(...examples('toolmark gates runs main'));
  addDelete(
    gates,
    'gate',
    ['delete a gate', 'toolmark gates delete "Old gate"'],
    GATE,
    async (client, wanted) => `${ROUTE}/${await findGate(client, wanted)}`,
  );
}

function addMaking(gates: Command): void {
  addSettings(
    subcommand(gates, 'create', 'create a gate; its rules are fixed before it measures a run')
      .argument('<name>', 'what to call it')
      .requiredOption('--suite <suite>', 'suite to run, by name or id'),
    RULES,
  )
    .action(serverAction<RuleOptions & { suite: string }, [string]>(createGate))
    .addHelpText(...examples('toolmark gates create release --suite Weather --baseline RUN --margin 0.03 --looks 2'));
  addSettings(
    subcommand(gates, 'update', 'rename a gate, or change its rules, which creates its next version')
      .argument(...GATE)
      .option('--name <name>', 'new name'),
    RULES,
  )
    .action(serverAction<RuleOptions & { name?: string }, [string]>(updateGate))
    .addHelpText(...examples('toolmark gates update main --margin 0.05 --looks 2'));
}

const RULES = [
  setting('--baseline <run>', 'completed run that others are measured against', String, null),
  setting('--baseline-of <experiment>', 'the current baseline of this experiment', String, null),
  setting(
    '-m, --models <list>',
    'models that must pass, separated by commas (default: those of the baseline)',
    commaSeparated,
  ),
  setting(
    '--measure <name>',
    'what to compare: overall, passed, a metric of the runs, or conversation.state and the like',
  ),
  setting('--margin <share>', 'the largest loss that may ship, 0 to 1 (default: 0.02, two points)', number),
  setting('--floor <share>', 'minimum pass rate, regardless of the baseline, 0 to 1', number, 'floor.pass_rate'),
  setting(
    '--floor-of <metric=share>',
    'minimum mean of a metric, or of a figure of conversations, such as conversation.state=0.9, repeatable',
    perTarget(number),
    'floor.metrics',
  ),
  setting('--max-errored-share <share>', 'share of errored results above which nothing is measured, 0 to 1', number),
  setting(
    '--critical-tag <tag>',
    'cases with this tag must not break, repeatable',
    repeatable(String),
    'critical_tags',
  ),
  setting('--looks <n>', 'maximum looks of a gate run at its data, 1 to 4', integer),
  setting('--max-requests <n>', 'maximum requests of a gate run, including added samples', integer),
];

const ROUTE = '/api/gates';

async function listGates(client: ApiClient, options: GlobalOptions): Promise<void> {
  const items = await readAll<Gate>(client, ROUTE);
  printList({ items }, options, 'No gates. Create one: toolmark gates create --help', gatesTable);
}

const showGate = async (client: ApiClient, options: GlobalOptions, wanted: string): Promise<void> =>
  printGate(await client.call<Gate>('GET', `${ROUTE}/${await findGate(client, wanted)}`), options);

async function createGate(client: ApiClient, options: RuleOptions & { suite: string }, name: string): Promise<void> {
  if (options.baseline === undefined && options.baselineOf === undefined)
    throw new Error('A gate needs a baseline: give --baseline RUN or --baseline-of EXPERIMENT.');
  const body = { name, suite_id: await findSuite(client, options.suite), ...(await rulesOf(client, options)) };
  printGate(await client.call<Gate>('POST', ROUTE, body), options);
}

async function updateGate(client: ApiClient, options: RuleOptions & { name?: string }, wanted: string): Promise<void> {
  const id = await findGate(client, wanted);
  const body = { name: options.name, ...(await rulesOf(client, options)) };
  printGate(await client.call<Gate>('PUT', `${ROUTE}/${id}`, body), options);
}

/** The API fields for these options. Omitted options are undefined. */
async function rulesOf(client: ApiClient, options: RuleOptions) {
  const { baseline, baselineOf } = options;
  if (baseline !== undefined && baselineOf !== undefined)
    throw new Error('Choose one of --baseline and --baseline-of.');
  const ofRun = baseline === undefined ? undefined : { eval_id: (await findRun(client, baseline)).id };
  const ofExperiment =
    baselineOf === undefined ? undefined : { experiment_id: await findExperiment(client, baselineOf) };
  return { baseline: ofRun ?? ofExperiment, ...fieldsOf(RULES, options) };
}

function printGate(gate: Gate, { json }: GlobalOptions): void {
  if (json) printJson(gate);
  else printReport(rulesReport(gate));
}

async function listGateRuns(client: ApiClient, options: ListOptions, wanted: string): Promise<void> {
  const id = await findGate(client, wanted);
  const list = await readList<GateRun>(client, `${ROUTE}/${id}/runs`, options);
  printList(list, options, `No gate runs yet. Start one: toolmark gate ${id}`, gateRunsTable);
}
