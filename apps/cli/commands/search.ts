import { InvalidArgumentError, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { SearchAnswer } from '#lib/contracts/search';
import type { Trends } from '#lib/contracts/trend';
import { SEARCH_TYPES, type SearchType } from '#lib/contracts/values/search';
import { commaSeparated, examples, integer, serverAction, subcommand, timeOf, type GlobalOptions } from '../command.js';
import { findExperiment, findSuite } from '../lookup/find-named.js';
import { beginning, percent, table } from '../output/table.js';
import { print, printError, printJson } from '../output/terminal.js';
import { queryOf } from '../query.js';

interface SearchOptions extends GlobalOptions {
  type?: SearchType[];
  limit: number;
}
interface TrendOptions extends GlobalOptions {
  suite?: string;
  experiment?: string;
  limit: number;
  model?: string[];
  part?: string;
  from?: string;
  to?: string;
  points?: number;
}

const MAX_NAME = 60;

export function addSearch(program: Command): void {
  const search = subcommand(
    program,
    'search',
    'find runs, suites, cases, models, experiments, gates and prompts by name',
  )
    .argument('<words...>', 'words that a name, note, prompt or id contains')
    .option('--type <list>', `only these, separated by commas: ${SEARCH_TYPES.join(', ')}`, readTypes)
    .option('-l, --limit <n>', 'maximum matches', integer, 20)
    .action(serverAction<SearchOptions, [string[]]>(printMatches));
  search.addHelpText(...examples('toolmark search weather', 'toolmark search nightly --type run,experiment'));

  const trends = subcommand(program, 'trends', 'show how the scores of suites went, run by run')
    .option('--suite <suite>', 'only this suite, by name or id')
    .option('--experiment <name>', 'the history of the runs of this experiment, by name or id')
    .option('-l, --limit <n>', 'how many of the newest runs of a suite', integer, 12)
    .option('--model <list>', 'the history of these models, separated by commas', commaSeparated)
    .option('--part <part>', 'the history over category:<name> or tool:<name>')
    .option('--from <time>', 'the history from then on, as 2026-11-01 or 2026-11-01T08:00:00Z', timeOf)
    .option('--to <time>', 'the history before then', timeOf)
    .option('--points <n>', 'the history with about so many runs of each model', integer)
    .action(serverAction<TrendOptions>(printTrends));
  trends.addHelpText(...examples('toolmark trends', 'toolmark trends --suite Weather --from 2026-11-01'));
}

function readTypes(text: string): SearchType[] {
  const words = commaSeparated(text) as SearchType[];
  if (words.every((word) => SEARCH_TYPES.includes(word))) return words;
  throw new InvalidArgumentError(`Expected ${SEARCH_TYPES.join(', ')}, separated by commas.`);
}

async function printMatches(client: ApiClient, options: SearchOptions, words: string[]): Promise<void> {
  const { type, limit } = options;
  const query = queryOf({ q: words.join(' '), types: type?.join(','), limit });
  const answer = await client.call<SearchAnswer>('GET', `/api/search?${query}`);
  if (options.json) return printJson(answer);
  const rows = answer.items.map((one) => [one.type, beginning(one.name, MAX_NAME), one.suite?.name ?? '-', one.id]);
  print(...(rows.length > 0 ? table([['type', 'name', 'suite', 'id'], ...rows]) : ['Nothing has this name.']));
  if (answer.partial.length > 0)
    printError(`There are more than a search looks through: ${answer.partial.join(', ')}.`);
}

async function printTrends(client: ApiClient, options: TrendOptions): Promise<void> {
  const { suite, experiment, limit, model, part, from, to, points, json } = options;
  const query = queryOf({
    suite_id: suite === undefined ? undefined : await findSuite(client, suite),
    experiment_id: experiment === undefined ? undefined : await findExperiment(client, experiment),
    ...{ limit, part, from, to, points },
  });
  for (const one of model ?? []) query.append('model', one);
  const trends = await client.call<Trends>('GET', `/api/trends?${query}`);
  if (json) return printJson(trends);
  const rows = trends.items.flatMap(({ suite: of, points: shown }) =>
    shown.map(({ run, finished_at: at, score, models, against }) => [
      of.name,
      at,
      run.name ?? run.id,
      percent(score),
      models.map(({ target, mean }) => `${target} ${percent(mean)}`).join(', '),
      against?.verdict ?? '-',
    ]),
  );
  const head = ['suite', 'ended', 'run', 'score', 'models', 'against the run before'];
  const isHistory = trends.items.some(({ history }) => history);
  const columns = isHistory ? head.length : head.length - 1;
  print(...(rows.length > 0 ? table([head, ...rows].map((row) => row.slice(0, columns))) : ['No completed runs yet.']));
  for (const { suite: of, history } of trends.items) {
    for (const { target, shift } of history?.models ?? [])
      if (shift)
        print(
          `${target}: ${shift.to < shift.from ? 'worse' : 'better'} since ${shift.name ?? shift.run_id}, ` +
            `${percent(shift.from)} to ${percent(shift.to)}`,
        );
    if (history && history.left_out > 0)
      printError(`${of.name}: ${history.shown} of ${history.runs} runs. ${history.how}`);
  }
  if (trends.next_cursor !== null) printError('There are more suites. Show one with --suite.');
}
