import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { reverseDiff } from '#lib/contracts/prompt-diff';
import type { PromptDiff, PromptVersionHead } from '#lib/contracts/prompt-version';
import type { Suite } from '#lib/contracts/suite';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { NegativeAnswer } from '../exit-codes.js';
import { findPrompt, PROMPTS_ROUTE, promptsPath, readPrompt } from '../lookup/find-prompt.js';
import { printList, readAll } from '../lookup/read-list.js';
import { diffLines, promptLines, promptsTable } from '../output/prompt-diff.js';
import { ask, print, printJson, printMarked, printWarning } from '../output/terminal.js';

interface SuiteOption extends GlobalOptions {
  suite?: string;
}
type DiffOptions = SuiteOption & { to?: string };
type UseOptions = SuiteOption & { yes?: boolean };

/** `--to suite`: the current suite. */
const CURRENT_SUITE = 'suite';

export function addPrompts(program: Command): void {
  const list = serverAction<SuiteOption>(listPrompts);
  const prompts = subcommand(
    program,
    'prompts',
    'list, compare and apply prompt versions: texts that replace those of a suite',
  );
  listByDefault(prompts, list).addHelpText(...examples('toolmark prompts', 'toolmark prompts list --suite Weather'));
  const ofSuite = (command: Command): Command =>
    command.option('--suite <name>', 'suite of the versions, by name or id');
  const one = (name: string, description: string): Command =>
    ofSuite(subcommand(prompts, name, description).argument('<version>', 'tag, label, id or id prefix of a version'));
  ofSuite(subcommand(prompts, 'list', 'list versions, newest first'))
    .action(list)
    .addHelpText(...examples('toolmark prompts list --suite Weather'));
  one('show', 'show a version with its texts')
    .action(serverAction<SuiteOption, [string]>(showPrompt))
    .addHelpText(...examples('toolmark prompts show VERSION'));
  one('diff', 'compare a version with its parent, word by word')
    .option('--to <version>', 'compare with this version instead, or with the current suite: suite')
    .action(serverAction<DiffOptions, [string]>(diffPrompt))
    .addHelpText(...examples('toolmark prompts diff VERSION', 'toolmark prompts diff VERSION --to suite'));
  one('use', 'apply the texts of a version to its suite, after showing the changes')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(serverAction<UseOptions, [string]>(usePrompt))
    .addHelpText(...examples('toolmark prompts use VERSION --yes'));
}

async function listPrompts(client: ApiClient, options: SuiteOption): Promise<void> {
  const items = await readAll<PromptVersionHead>(client, await promptsPath(client, options.suite));
  printList({ items }, options, 'No prompt versions yet.', promptsTable);
}

async function showPrompt(client: ApiClient, options: SuiteOption, wanted: string): Promise<void> {
  const version = await readPrompt(client, wanted, options.suite);
  if (options.json) printJson(version);
  else print(...promptLines(version));
}

const readDiff = (client: ApiClient, id: string, to?: string): Promise<PromptDiff> =>
  client.call('GET', `${PROMPTS_ROUTE}/${id}/diff${to === undefined ? '' : `?to=${to}`}`);

/**
 * With `--to` from the version to the other; otherwise from its parent to the version, the usual direction of a change.
 */
async function diffPrompt(client: ApiClient, { suite, to, json }: DiffOptions, wanted: string): Promise<void> {
  const id = await findPrompt(client, wanted, suite);
  const other = to === undefined || to === CURRENT_SUITE ? to : await findPrompt(client, to, suite);
  const diff = await readDiff(client, id, other);
  if (json) return printJson(diff);
  const sides = [diff.from, diff.to].map((side) => (side === CURRENT_SUITE ? 'the current suite' : `version ${side}`));
  const [from, after] = other === undefined ? sides.toReversed() : sides;
  print(`From ${from} to ${after}:`, '');
  const components = other === undefined ? reverseDiff(diff.components) : diff.components;
  if (components.length === 0) print('The texts are the same.');
  else printMarked(diffLines(components));
}

async function usePrompt(client: ApiClient, options: UseOptions, wanted: string): Promise<void> {
  const version = await readPrompt(client, wanted, options.suite);
  if (version.suite_id === null) throw new NegativeAnswer(`The suite of prompt version ${version.id} was deleted.`);
  const suite = await readSuite(client, version.suite_id);
  const components = reverseDiff((await readDiff(client, version.id, CURRENT_SUITE)).components);
  if (components.length === 0) {
    if (options.json) return printJson({ suite_id: suite.id, version: suite.version, changed: false });
    return print(`The suite "${suite.name}" v${suite.version} already has the texts of prompt version ${version.id}.`);
  }
  if (!options.json) {
    print(`From the suite "${suite.name}" v${suite.version} to prompt version ${version.id}:`, '');
    printMarked(diffLines(components));
    print('');
  }
  await confirmUse(options, suite);
  const { version: now } = await readSuite(client, suite.id);
  if (now !== suite.version)
    throw new NegativeAnswer(
      `The suite changed in the meantime, from v${suite.version} to v${now}. Nothing was applied. Try again.`,
    );
  const { suiteUpdate: takeOver } = await import('#lib/contracts/prompt-components');
  const changed = await client.call<Suite & { warnings: string[] }>(
    'PATCH',
    `/api/tool-suites/${suite.id}`,
    takeOver(suite, version.components),
  );
  if (options.json) return printJson({ suite_id: suite.id, version: changed.version, changed: true });
  changed.warnings.forEach(printWarning);
  print(`The suite "${suite.name}" is now v${changed.version}, with the texts of prompt version ${version.id}.`);
}

const readSuite = (client: ApiClient, id: string): Promise<Suite> =>
  client.call('GET', `/api/tool-suites/${id}?cases=false`);

async function confirmUse({ yes, json }: UseOptions, { name, version }: Suite): Promise<void> {
  if (yes) return;
  const answer = json ? undefined : await ask(`Change the suite v${version}? [y/N] `);
  if (answer === undefined)
    throw new Error('Nothing was changed: without a terminal, --yes is needed to change the suite.');
  if (!/^y(es)?$/i.test(answer)) throw new NegativeAnswer(`Nothing was changed: "${name}" is still v${version}.`);
}
