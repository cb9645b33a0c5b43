import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ComparedItem, Comparison, Comparisons } from '#lib/contracts/comparison';
import { parseJson } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { number, serverAction, repeatable, examples, type GlobalOptions } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { rescoreIdOf } from '../lookup/read-rescore.js';
import { queryOf } from '../query.js';
import { reportLines } from '../output/report-lines.js';
import { reportMarkdown } from '../output/report-markdown.js';
import { print, printJson, printMarked } from '../output/terminal.js';
import { comparisonReport, type ShownComparison } from '../reports/comparison.js';

interface CompareOptions extends GlobalOptions {
  measure?: string;
  margin?: number;
  pairs?: string[];
  clusterBy?: string;
  rescoreA?: string;
  rescoreB?: string;
  maxErroredShare?: number;
  partial?: boolean;
  extended?: boolean;
  markdown?: boolean;
}

export function addCompare(program: Command): void {
  const compare = program
    .command('compare')
    .description('compare runs case by case, with a verdict on whether the difference is real')
    .argument('<baseline>', 'id or id prefix of a run or job')
    .argument('<run...>', 'the run to compare, or up to five')
    .option(
      '--measure <name>',
      'what to compare: overall, passed, a metric of both runs, or conversation.state and the like',
    )
    .option('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number)
    .option('--pairs <a~b>', 'a model of the baseline and the one to compare it with, repeatable', repeatable(String))
    .option('--cluster-by <tag:prefix>', 'treat cases that share a tag with this prefix as one cluster')
    .option('--rescore-a <id>', 'use the verdicts of this rescore of the baseline')
    .option('--rescore-b <id>', 'use the verdicts of this rescore of the other run')
    .option('--max-errored-share <share>', 'share of errored results above which no verdict is given, 0 to 1', number)
    .option('--partial', 'compare the settled results of unfinished runs, without a verdict')
    .option('--extended', 'include the samples added to each run')
    .option('--markdown', 'print it as Markdown for a pull request')
    .action(serverAction<CompareOptions, [string, string[]]>(compareRuns));
  compare.addHelpText(
    ...examples(
      'toolmark compare RUN OTHER_RUN',
      'toolmark compare RUN OTHER_RUN --measure passed --margin 0.05 --markdown',
      'toolmark compare RUN RUN --pairs simulator::careless-arguments~simulator::perfect-ish',
    ),
  );
}

async function compareRuns(client: ApiClient, options: CompareOptions, baseline: string, others: string[]) {
  if (options.json && options.markdown) throw new Error('Choose one of --json and --markdown.');
  if (others.length > 1 && (options.rescoreA ?? options.rescoreB) !== undefined)
    throw new Error('--rescore-a and --rescore-b need exactly two runs. Compare the others one by one.');
  const runIds: string[] = [];
  for (const id of [baseline, ...others]) runIds.push((await findRun(client, id)).id);
  const settings = await settingsOf(client, options, runIds);
  const comparisons: ShownComparison[] = [];
  for (const comparison of await readComparisons(client, runIds, settings, options.clusterBy))
    comparisons.push({ ...comparison, broken: await readBroken(client, comparison, settings) });
  if (options.json) return printJson(others.length > 1 ? { comparisons } : comparisons[0]);
  const reports = comparisons.map(comparisonReport);
  if (options.markdown) print(...reports.flatMap((report) => reportMarkdown(report, reports.length)));
  else reports.forEach((report, index) => printMarked([...(index ? ['', ''] : []), ...reportLines(report)]));
}

/** Settings of both the comparison and the list of its cases. */
async function settingsOf(client: ApiClient, options: CompareOptions, [a, b]: string[]): Promise<URLSearchParams> {
  const { measure, margin, pairs, rescoreA, rescoreB, maxErroredShare, partial, extended } = options;
  const settings = queryOf({
    measure,
    margin,
    rescore_a: await rescoreIdOf(client, a!, rescoreA),
    rescore_b: await rescoreIdOf(client, b!, rescoreB),
    max_errored_share: maxErroredShare,
    partial,
    extended,
  });
  for (const pair of pairs ?? []) settings.append('pairs', pair);
  return settings;
}

async function readComparisons(
  client: ApiClient,
  runIds: string[],
  settings: URLSearchParams,
  clusterBy: string | undefined,
): Promise<Comparison[]> {
  const query = new URLSearchParams(settings);
  if (clusterBy !== undefined) query.set('cluster_by', clusterBy);
  const [a, b] = runIds;
  if (runIds.length === 2) return [await client.call('GET', `/api/compare?a=${a}&b=${b}&${query}`)];
  return (await client.call<Comparisons>('GET', `/api/compare?runs=${runIds.join(',')}&${query}`)).comparisons;
}

const MAX_BROKEN = 20;

/** The first cases that the run broke. Numbers in calls are kept as they were written. */
async function readBroken(client: ApiClient, { a, b }: Comparison, settings: URLSearchParams): Promise<ComparedItem[]> {
  const query = `a=${a.id}&b=${b.id}&outcome=broken&limit=${MAX_BROKEN}&${settings}`;
  const page = parseJson(await client.text(`/api/compare/items?${query}`)) as unknown as Page<ComparedItem>;
  return page.items;
}
