import type { Command } from 'commander';
import type { ApiClient, ExplainedResult } from '#lib/client/api-client';
import type { CurrentCost } from '#lib/contracts/billing';
import { differenceWords } from '#lib/contracts/difference-words';
import type { Actual } from '#lib/contracts/estimate';
import { figuresText, isConversationFigure } from '#lib/contracts/figures-text';
import type { Result } from '#lib/contracts/result';
import type { ResultNote } from '#lib/contracts/result-note';
import type { Run } from '#lib/contracts/run';
import { examples, serverAction, subcommand, integer, type GlobalOptions } from '../command.js';
import { findResult, type ResultChoice } from '../lookup/find-result.js';
import { findRun } from '../lookup/find-run.js';
import { readRescore } from '../lookup/read-rescore.js';
import { previousLines } from '../output/against.js';
import { baselineLines } from '../reports/experiment.js';
import { costOf } from '../output/job-table.js';
import { leaderboard } from '../output/leaderboard.js';
import { printReport } from '../output/report-lines.js';
import { factsPart, type Fact } from '../output/report.js';
import { conversationLines } from '../output/conversation-lines.js';
import { replyTextLines } from '../output/reply-text-lines.js';
import { dollars, percent, table } from '../output/table.js';
import { print, printJson, printJsonItems, printWarning } from '../output/terminal.js';
import { queryOf } from '../query.js';

const RUN = 'id or id prefix of a run or job';
const RESCORE = ['--rescore <id>', "use the verdicts of this rescore instead of the run's own"] as const;

interface ShowOptions extends GlobalOptions, ResultChoice {
  full?: boolean;
  currentPrices?: boolean;
  rescore?: string;
}
interface ResultsOptions extends GlobalOptions {
  rescore?: string;
  failed?: boolean;
  model?: string;
  category?: string;
  noted?: boolean;
}

export function addShow(program: Command): void {
  const show = program
    .command('show')
    .description('show a run with its leaderboard, or one result: the verdict, the reasons, and what the model said')
    .argument('<run>', RUN)
    .argument('[result]', 'id of a result, as toolmark results lists it; or name or id of its case')
    .option('--model <model>', 'the result of this model, if a case has several')
    .option('--sample <number>', 'the result of this sample, from 0', integer)
    .option('--full', 'print thoughts, texts of a conversation and the body of an error in full')
    .option('--current-prices', "also show what the run would cost at today's prices")
    .option(...RESCORE)
    .action(serverAction<ShowOptions, [string, string | undefined]>(showRun));
  show.addHelpText(
    ...examples(
      'toolmark show RUN',
      'toolmark show RUN --current-prices',
      'toolmark show RUN RESULT',
      'toolmark show RUN "Tokyo in Fahrenheit" --model simulator::perfect-ish --full',
    ),
  );

  const results = subcommand(program, 'results', 'list the results of a run')
    .argument('<run>', RUN)
    .option('--failed', 'only failed results, each with its explanation')
    .option('--model <model>', 'only results of this model')
    .option('--category <name>', 'only results of cases of this category')
    .option('--noted', 'only results with a note')
    .option(...RESCORE)
    .action(serverAction<ResultsOptions, [string]>(listResults));
  results.addHelpText(...examples('toolmark results RUN --failed', 'toolmark results RUN --noted'));
}

async function showRun(client: ApiClient, options: ShowOptions, id: string, wanted?: string): Promise<void> {
  const run = await findRun(client, id);
  const rescore = options.rescore === undefined ? undefined : await readRescore(client, run.id, options.rescore);
  if (wanted !== undefined) {
    const query = rescore ? `?rescore_id=${rescore.id}` : '';
    const result = await client.result(run.id, await findResult(client, run.id, wanted, options), query);
    return options.json ? printJson(result) : print(...resultLines(result, options.full ?? false));
  }
  const current = options.currentPrices ? await client.run(run.id, '?prices=current') : undefined;
  if (options.json) return printJson(rescore ?? current ?? run);
  for (const { code, message } of run.warnings) printWarning(message ?? code);
  const summaries = rescore?.summaries ?? run.summaries;
  const facts = [
    ...runFacts(run),
    ...(current?.current_cost ? currentCostFacts(current.current_cost) : []),
    ...(rescore ? [['Rescore', `${rescore.id} is ${rescore.status}`] as Fact] : []),
  ];
  printReport({ title: `Run ${run.id} is ${run.status} (job ${run.job_id}).`, parts: [factsPart(facts)] });
  print(
    '',
    ...(run.comparison ? baselineLines(run) : previousLines(run.against)),
    ...(summaries.length ? leaderboard({ summaries, config: run.config }) : progressTable(run)),
    '',
    `What failed: toolmark results ${run.id} --failed`,
  );
}

const SETTINGS = ['samples', 'temperature', 'tool_choice', 'cache', 'prompt_cache', 'max_tokens', 'timeout_s'];
function runFacts({ suite, config, created_at, finished_at, counts, actual, targets }: Run): Fact[] {
  const settings = SETTINGS.filter((name) => config[name] != null).map((name) => `${name} ${String(config[name])}`);
  return [
    ['Suite', `${suite.name} v${suite.version}`],
    ['Settings', settings.join(', ')],
    ['Submitted', `${created_at}${finished_at === null ? '' : `, finished ${finished_at}`}`],
    ['Items', `${counts.settled} of ${counts.total} settled, ${counts.errored} errored, ${counts.passed} passed`],
    ...(actual ? [['Took', tookText(actual)] as Fact] : []),
    ...targets.flatMap(({ target, usage }): Fact[] => {
      const rate = usage?.cache_hit_rate;
      return rate
        ? [['Cache', `${percent(rate)} of the prompt tokens of ${target} came from its provider's cache`]]
        : [];
    }),
  ];
}

const currentCostFacts = ({ cost_usd: cost, targets }: CurrentCost): Fact[] => [
  ['Prices', `at today's prices it would have cost ${cost === null ? 'an unknown amount' : dollars(cost)}`],
  ...targets.map(({ target, billed_usd: billed, cost_usd: now, by }): Fact => {
    const today =
      by === 'provider' ? 'as its provider reported' : `now ${now === null ? 'unknown, without prices' : dollars(now)}`;
    return ['', `${target}: billed ${billed === 0 ? 'nothing' : dollars(billed)}, ${today}`];
  }),
];

const tookText = (actual: Actual): string =>
  `${actual.duration_s.toFixed(1)} s, ${actual.requests} requests, ${actual.cached} stored replies, cost ` +
  costOf({ actual });

const progressTable = ({ targets }: Run): string[] =>
  table([
    ['model', 'settled', 'errored', 'passed'],
    ...targets.map(({ target, settled, total, errored, passed }) => [
      target,
      `${settled}/${total}`,
      String(errored),
      String(passed),
    ]),
  ]);

async function listResults(client: ApiClient, options: ResultsOptions, id: string): Promise<void> {
  const { failed, model, category, noted } = options;
  const { id: runId, warnings } = await findRun(client, id);
  const rescore = options.rescore === undefined ? undefined : await readRescore(client, runId, options.rescore);
  const verdicts = { rescore_id: rescore?.id };
  const query = queryOf({ ...verdicts, passed: failed ? 'false' : undefined, model, category, noted });
  const explained = async function* () {
    for await (const result of client.results(runId, `?${query}`)) {
      if (!failed) yield result;
      else
        yield { ...result, explanation: (await client.result(runId, result.id, `?${queryOf(verdicts)}`)).explanation };
    }
  };
  if (options.json) return printJsonItems(explained());
  for (const { code, message } of warnings) printWarning(message ?? code);
  for await (const result of explained()) {
    print(resultLine(result));
    if (result.note) print(`      ${noteText(result.note)}`);
    if ('explanation' in result) print(...result.explanation.map((sentence) => `      ${sentence}`));
  }
}

function resultLine({ id, passed, outcome, target, case_name, prompt, error_type, difference }: Result): string {
  const verdict = passed ? 'pass' : outcome === 'errored' ? 'error' : 'FAIL';
  const differs = difference ? [differenceWords(difference)] : [];
  return [verdict, target, case_name ?? prompt.slice(0, 60), error_type, ...differs, id].join('  ');
}

const noteText = ({ text, user, updated_at: at }: ResultNote): string =>
  `${text} (${user ?? 'somebody who is gone'}, ${at})`;

function expectedText({ tool, params, calls, goal }: Result['expected']): string {
  if (goal) return JSON.stringify(goal);
  const expected = calls ?? (tool == null ? [] : [{ tool, params }]);
  return expected.length ? JSON.stringify(expected) : 'no call';
}

function resultLines(result: ExplainedResult, isFull: boolean): string[] {
  const { prompt, expected, called, explanation, tool_score, param_score, overall } = result;
  const { latency_ms, attempts, cached, cost_usd, usage, metrics } = result;
  const fromCache = usage.cache_read_tokens ? ` (${usage.cache_read_tokens} from the provider's cache)` : '';
  const { prompt_tokens: sent, completion_tokens: got } = usage;
  const tokens = `${sent ?? '-'} prompt tokens${fromCache} and ${got ?? '-'} reply tokens`;
  const played = conversationLines(result, isFull);
  const figures = figuresText(metrics);
  return [
    resultLine(result),
    '',
    ...explanation,
    '',
    ...(played.length === 0 || result.error ? replyTextLines(result, isFull) : []),
    ...played,
    '',
    ...(result.note ? [`Note       ${noteText(result.note)}`] : []),
    `Prompt     ${prompt}`,
    `Expected   ${expectedText(expected)}`,
    `Called     ${called.length ? JSON.stringify(called) : 'nothing'}`,
    `Scores     overall ${percent(overall)}, tool ${percent(tool_score)}, parameters ${percent(param_score)}`,
    ...(figures === '' ? [] : [`Figures    ${figures}`]),
    ...Object.entries(metrics)
      .filter(([name]) => !isConversationFigure(name))
      .map(([name, verdict]) => `Metric     ${name}: ${JSON.stringify(verdict)}`),
    `Requests   ${cached ? 'none, answered by a stored reply' : attempts}`,
    `Took       ${latency_ms ?? '-'} ms, ${tokens}, cost ${cost_usd === null ? 'unknown' : dollars(cost_usd)}`,
  ];
}
