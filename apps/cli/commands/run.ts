import type { Command } from 'commander';
import type { ApiClient, Submission } from '#lib/client/api-client';
import type { Estimate } from '#lib/contracts/estimate';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findGate } from '../lookup/find-named.js';
import { assumptionLines, estimateTable } from '../output/estimate-lines.js';
import { print, printJson } from '../output/terminal.js';
import { chooseSuite } from '../suite-files/import-once.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';
import { addRunSettings, runInput, type RunSettings } from './run-settings.js';

const SUITE = 'name or id of a suite, or a file, which is imported unless the server already has it';

export function addRun(program: Command): void {
  const run = subcommand(program, 'run', 'run a suite with models').argument('<suite>', SUITE);
  addFollowOptions(addRunSettings(run))
    .option('--gate <gate>', 'wait for the run to finish, and check it with this gate, which adds no samples')
    .action(serverAction<RunSettings & FollowOptions, [string]>(submit));
  run.addHelpText(
    ...examples(
      'toolmark run Weather --models simulator::perfect-ish,simulator::careless-arguments --watch',
      'toolmark run Weather --models simulator::perfect-ish --gate main',
      'toolmark run examples/weather.json --models simulator::perfect-ish --samples 3 --cache off --watch',
    ),
  );

  const estimate = subcommand(
    program,
    'estimate',
    'estimate what a run would take: requests, tokens, cost and time',
  ).argument('<suite>', SUITE);
  addRunSettings(estimate).action(serverAction<RunSettings, [string]>(estimateRun));
  estimate.addHelpText(...examples('toolmark estimate Weather --models simulator::perfect-ish --samples 10'));
}

async function submit(client: ApiClient, options: RunSettings & FollowOptions, suite: string): Promise<void> {
  const gate = options.gate === undefined ? undefined : await findGate(client, options.gate);
  const { suiteId, forget } = await chooseSuite(client, suite);
  const submitted = await runInput(client, suiteId, options)
    .then((input) => client.submit(input as Submission))
    .catch(async (error: Error) => {
      await forget();
      throw error;
    });
  await follow(client, submitted, { ...options, gate });
}

async function estimateRun(client: ApiClient, options: RunSettings & GlobalOptions, suite: string): Promise<void> {
  const { suiteId, forget } = await chooseSuite(client, suite);
  const estimate = await runInput(client, suiteId, options)
    .then((input) => client.call<Estimate>('POST', '/api/tool-eval/estimate', input))
    .finally(forget);
  if (options.json) return printJson(estimate);
  print(
    ...estimateTable(
      ['cached'],
      [
        ...estimate.targets.map((one): [string, typeof one, string] => [one.target, one, String(one.cached)]),
        ['all', estimate, String(estimate.cached)],
      ],
    ),
    ...assumptionLines(estimate),
  );
}
