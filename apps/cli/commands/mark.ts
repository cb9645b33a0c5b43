import { Argument, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Marks, OwnTags, View } from '#lib/contracts/kept';
import { MARKED_KINDS, VIEW_LISTS, type MarkedKind, type ViewList } from '#lib/contracts/values/kept';
import { examples, jsonObject, repeatable, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findExperiment, findSuite } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';

interface MarkOptions extends GlobalOptions {
  tag?: string[];
  untag?: boolean;
  archive?: boolean;
}

const FINDERS: Record<MarkedKind, (client: ApiClient, wanted: string) => Promise<string>> = {
  run: async (client, wanted) => (await findRun(client, wanted)).id,
  suite: findSuite,
  experiment: findExperiment,
};

export function addMark(program: Command): void {
  const mark = subcommand(program, 'mark', 'tag or archive something, for yourself')
    .addArgument(new Argument('<kind>', 'what it is').choices(MARKED_KINDS))
    .argument('<id>', 'its id; the name of a suite or experiment')
    .option('--tag <tag>', 'your tag, repeatable; in place of earlier ones', repeatable(String))
    .option('--untag', 'remove your tags')
    .option('--archive', 'leave it out of your lists')
    .option('--no-archive', 'list it again')
    .action(serverAction<MarkOptions, [MarkedKind, string]>(change));
  mark.addHelpText(...examples('toolmark mark suite Weather --tag release', 'toolmark mark suite Weather --untag'));

  subcommand(program, 'tags', 'list your tags of runs')
    .action(serverAction<GlobalOptions>(printTags))
    .addHelpText(...examples('toolmark tags'));

  subcommand(program, 'view', 'show or keep your filters, order and columns of a list of the page')
    .addArgument(new Argument('<list>', 'the list').choices(VIEW_LISTS))
    .option('--set <json>', 'the view to keep, as JSON', jsonObject)
    .action(serverAction<GlobalOptions & { set?: object }, [ViewList]>(printView))
    .addHelpText(...examples('toolmark view runs'));
}

async function change(client: ApiClient, options: MarkOptions, kind: MarkedKind, wanted: string): Promise<void> {
  const { tag, untag, archive } = options;
  const marks = { tags: untag ? [] : tag, archived: archive };
  const path = `/api/me/marks/${kind}/${await FINDERS[kind](client, wanted)}`;
  const answer = await client.call<Marks>('PATCH', path, marks);
  if (options.json) return printJson(answer);
  const tags = answer.tags.length > 0 ? `Your tags: ${answer.tags.join(', ')}.` : 'No tags of yours.';
  print(`${tags}${answer.archived ? ' Your lists leave it out.' : ''}`);
}

async function printTags(client: ApiClient, { json }: GlobalOptions): Promise<void> {
  const tags = await client.call<OwnTags>('GET', '/api/me/tags');
  if (json) return printJson(tags);
  const rows = tags.items.map(({ tag, count }) => [tag, String(count)]);
  print(...(rows.length > 0 ? table([['tag', 'runs'], ...rows]) : ['You have no tags yet.']));
}

async function printView(client: ApiClient, { set }: { set?: object }, list: ViewList): Promise<void> {
  printJson(await client.call<View>(set ? 'PUT' : 'GET', `/api/me/views/${list}`, set));
}
