import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Gate, GateRun } from '#lib/gate/contract';
import { commaSeparated, listsByDefault, number, onServer, repeated, wholeNumber, examples } from '../command.js';
import type { GlobalOptions } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { findGate } from '../lookup/find-gate.js';
import { findRun } from '../lookup/find-run.js';
import { findSuite } from '../lookup/find-suite.js';
import { addListOptions, printList, readList, type ListOptions, readAll } from '../lookup/read-list.js';
import { printReport } from '../output/report-lines.js';
import { printJson } from '../output/terminal.js';
import { gateRunsTable, gatesTable, rulesReport } from '../reports/gate.js';
import { addDelete } from './delete.js';

const GATE = ['<gate>', 'name, id or id prefix of a gate'] as const;

interface RuleOptions extends GlobalOptions {
  baseline?: string;
  baselineOf?: string;
  models?: string[];
  measure?: string;
  margin?: number;
  floor?: number;
  maxErroredShare?: number;
  criticalTag?: string[];
  looks?: number;
  maxRequests?: number;
}

export function addGates(program: Command): void {
  const list = onServer<GlobalOptions>(listGates);
  const gates = listsByDefault(
    program.command('gates').description('list, show and create gates, which decide whether a change may ship'),
    list,
  );
  gates.addHelpText(...examples('toolmark gates', 'toolmark gates show main'));
  gates
    .command('list')
    .description('list gates, newest first')
    .action(list)
    .addHelpText(...examples('toolmark gates list'));
  gates
    .command('show')
    .description('show the rules of a gate')
    .argument(...GATE)
    .action(onServer<GlobalOptions, [string]>(showGate))
    .addHelpText(...examples('toolmark gates show main'));
  addMaking(gates);
  addListOptions(
    gates
      .command('runs')
      .description('list the runs of a gate, newest first')
      .argument(...GATE),
  )
    .action(onServer<ListOptions, [string]>(listGateRuns))
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
  addRules(
    gates
      .command('create')
      .description('create a gate; its rules are fixed before it measures a run')
      .argument('<name>', 'what to call it')
      .requiredOption('--suite <suite>', 'suite to run, by name or id'),
  )
    .action(onServer<RuleOptions & { suite: string }, [string]>(createGate))
    .addHelpText(...examples('toolmark gates create release --suite Weather --baseline RUN --margin 0.03 --looks 2'));
  addRules(
    gates
      .command('update')
      .description('rename a gate, or change its rules, which creates its next version')
      .argument(...GATE)
      .option('--name <name>', 'new name'),
  )
    .action(onServer<RuleOptions & { name?: string }, [string]>(updateGate))
    .addHelpText(...examples('toolmark gates update main --margin 0.05 --looks 2'));
}

const addRules = (command: Command): Command =>
  command
    .option('--baseline <run>', 'completed run that others are measured against')
    .option('--baseline-of <experiment>', 'the current baseline of this experiment')
    .option(
      '-m, --models <list>',
      'models that must pass, separated by commas (default: those of the baseline)',
      commaSeparated,
    )
    .option('--measure <name>', 'what to compare: overall, passed, or a metric of the runs')
    .option('--margin <share>', 'the largest loss that may ship, 0 to 1 (default: 0.02, two points)', number)
    .option('--floor <share>', 'minimum pass rate, regardless of the baseline, 0 to 1', number)
    .option('--max-errored-share <share>', 'share of errored results above which nothing is measured, 0 to 1', number)
    .option('--critical-tag <tag>', 'cases with this tag must not break, repeatable', repeated(String))
    .option('--looks <n>', 'maximum looks of a gate run at its data, 1 to 4', wholeNumber)
    .option('--max-requests <n>', 'maximum requests of a gate run, including added samples', wholeNumber);

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
  const { baseline, baselineOf, models, measure, margin, floor, criticalTag, looks, maxRequests } = options;
  if (baseline !== undefined && baselineOf !== undefined)
    throw new Error('Choose one of --baseline and --baseline-of.');
  return {
    baseline:
      baseline !== undefined
        ? { eval_id: (await findRun(client, baseline)).id }
        : baselineOf !== undefined
          ? { experiment_id: await findExperiment(client, baselineOf) }
          : undefined,
    models,
    measure,
    margin,
    floor: floor === undefined ? undefined : { pass_rate: floor },
    max_errored_share: options.maxErroredShare,
    critical_tags: criticalTag,
    looks,
    max_requests: maxRequests,
  };
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
