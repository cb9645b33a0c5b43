import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamTune, TuneArm } from '#lib/contracts/param-tune';
import { listsByDefault, onServer, withExamples, type GlobalOptions } from '../command.js';
import { findTune, modelOf, readArms, TUNES_ROUTE } from '../lookup/find-tune.js';
import { addListOptions, DEFAULT_LIMIT, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { print, printJson } from '../output/terminal.js';
import { armsTable, tuneLines, tunesTable } from '../output/tune-lines.js';
import { exitByStatus, watch } from './conclude-tune.js';

const TUNE = ['<tune>', 'id of a tune or its job, or the beginning of either'] as const;

interface ShowOptions extends GlobalOptions {
  watch?: boolean;
  markdown?: boolean;
}

export function addTunes(program: Command): void {
  const list = onServer<Partial<ListOptions>>(listTunes);
  const tunes = listsByDefault(
    program.command('tunes').description('searches for settings: list them, and read what they found'),
    list,
  );
  withExamples(tunes, 'toolmark tunes', 'toolmark tunes show TUNE');
  const listing = tunes.command('list').description('list tunes, the newest first').action(list);
  withExamples(addListOptions(listing), 'toolmark tunes list --limit 5');
  withExamples(
    tunes
      .command('show')
      .description('show what a tune found for each model, and the command that runs it')
      .argument(...TUNE)
      .option('-w, --watch', 'follow it to its end first')
      .option('--markdown', 'print it for a pull request')
      .action(onServer<ShowOptions, [string]>(showTune)),
    'toolmark tunes show TUNE',
    'toolmark tunes show TUNE --markdown',
  );
  const arms = tunes
    .command('arms')
    .description('list the arms of a tune: every combination of values, with what it measured')
    .argument(...TUNE)
    .option('--model <model>', 'only arms of this model');
  addListOptions(arms).action(onServer<ListOptions & { model?: string }, [string]>(listArms));
  withExamples(arms, 'toolmark tunes arms TUNE --model simulator::perfect-ish');
  withExamples(
    tunes
      .command('delete')
      .description('delete a tune and its runs, but not the one that it promoted')
      .argument(...TUNE)
      .action(onServer<GlobalOptions, [string]>(deleteTune)),
    'toolmark tunes delete OLD_TUNE',
  );
}

async function listTunes(client: ApiClient, options: Partial<ListOptions>): Promise<void> {
  const list = await readList<ParamTune>(client, TUNES_ROUTE, { limit: DEFAULT_LIMIT, ...options });
  printList(list, options, 'No tunes yet. Begin: toolmark tune params --help', tunesTable);
}

async function showTune(client: ApiClient, options: ShowOptions, wanted: string): Promise<void> {
  if (options.json && options.markdown) throw new Error('Choose one of --json and --markdown.');
  const tune = await findTune(client, wanted);
  const report = options.watch
    ? await watch(client, { job_id: tune.job_id, tune_id: tune.id }, options)
    : { tune, arms: options.json ? [] : await readArms(client, tune.id) };
  if (options.markdown) {
    const { tuneMarkdown } = await import('../output/tune-markdown.js');
    print(...tuneMarkdown(report));
  } else if (options.json) printJson(report.tune);
  else print(...tuneLines(report));
  if (options.watch) exitByStatus(report.tune, options);
}

async function listArms(client: ApiClient, options: ListOptions & { model?: string }, wanted: string): Promise<void> {
  const tune = await findTune(client, wanted);
  const query = options.model === undefined ? '' : `?${new URLSearchParams({ target: modelOf(tune, options.model) })}`;
  const list = await readList<TuneArm>(client, `${TUNES_ROUTE}/${tune.id}/combos${query}`, options);
  printList(list, options, 'The tune has no arms.', armsTable);
}

async function deleteTune(client: ApiClient, options: GlobalOptions, wanted: string): Promise<void> {
  const { id } = await findTune(client, wanted);
  await client.call('DELETE', `${TUNES_ROUTE}/${id}`);
  if (options.json) printJson({ id });
  else print(`Deleted tune ${id}`);
}
