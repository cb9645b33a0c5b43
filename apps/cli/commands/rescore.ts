import { InvalidArgumentError, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Rescore } from '#lib/contracts/rescore';
import type { Run } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { examples, idOrObject, jsonObject, number, serverAction, repeatable, subcommand } from '../command.js';
import type { GlobalOptions } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { findRun } from '../lookup/find-run.js';
import { readRescore } from '../lookup/read-rescore.js';
import { leaderboard } from '../output/leaderboard.js';
import { print, printJson } from '../output/terminal.js';
import { SCORING_MODES } from '#lib/contracts/values/verdicts';
import { addSettings, fieldsOf, setting } from './settings.js';

const SETTINGS = [
  setting(
    '--metric <id>',
    "replaces the run's metrics, repeatable; a JSON object sets options",
    repeatable(idOrObject),
    'metrics',
  ),
  setting('--pass-threshold <score>', 'overall score that a case needs to pass, 0 to 1', number),
  setting('--param-scoring <mode>', 'how expected values are compared', SCORING_MODES),
  setting('--scoring-config <json>', 'how expected arguments are compared, as a JSON object', jsonObject),
  setting(
    '--suite-version <number>',
    "score with this version of the suite, or `current`, instead of the run's own",
    versionOrCurrent,
    null,
  ),
];

/** The present version has no number of its own in a command. */
const CURRENT = 'current';
function versionOrCurrent(text: string): number | typeof CURRENT {
  if (text === CURRENT) return CURRENT;
  const version = Number(text);
  if (!/^\d+$/.test(text) || version < 1) throw new InvalidArgumentError(`Expected a version, or "${CURRENT}".`);
  return version;
}

export function addRescore(program: Command): void {
  const rescore = subcommand(
    program,
    'rescore',
    'score the stored replies of a run again, without calling models',
  ).argument('<run>', 'id or id prefix of a run or job');
  addSettings(rescore, SETTINGS)
    .option('-w, --watch', 'wait for the verdicts and print their leaderboard')
    .action(serverAction<RescoreOptions, [string]>(rescoreRun))
    .addHelpText(
      ...examples(
        'toolmark rescore RUN --param-scoring fuzzy --metric ragas_tool_call_f1 --watch',
        'toolmark rescore RUN --suite-version current --watch',
      ),
    );
}

interface RescoreOptions extends GlobalOptions {
  watch?: boolean;
  suiteVersion?: number | typeof CURRENT;
}

async function rescoreRun(client: ApiClient, options: RescoreOptions, id: string): Promise<void> {
  const run = await findRun(client, id);
  const submitted = await client.call<{ job_id: string; rescore_id: string }>(
    'POST',
    `/api/tool-eval/history/${run.id}/rescore`,
    { ...fieldsOf(SETTINGS, options), suite_version: await versionOf(client, run, options.suiteVersion) },
  );
  const { job_id: jobId, rescore_id: rescoreId } = submitted;
  if (!options.watch) {
    if (options.json) return printJson(submitted);
    return print(`Submitted: rescore ${rescoreId} of run ${run.id}, job ${jobId}`);
  }
  const { watchWork } = await import('../watch-run.js');
  const job = await watchWork(client, jobId, { silent: options.json === true });
  const rescore: Rescore = await readRescore(client, run.id, rescoreId);
  if (options.json) printJson(rescore);
  else
    print(
      ...leaderboard({ summaries: rescore.summaries, config: run.config }),
      ...unmatchedText(rescore),
      '',
      `Rescore ${rescoreId} is ${job.status}. Its results: toolmark results ${run.id} --rescore ${rescoreId}`,
    );
  if (job.status !== 'completed') process.exitCode = EXIT.negative;
}

async function versionOf(
  client: ApiClient,
  { suite }: Run,
  asked: RescoreOptions['suiteVersion'],
): Promise<number | undefined> {
  if (asked !== CURRENT) return asked;
  return (await client.call<Suite>('GET', `/api/tool-suites/${suite.id}`)).version;
}

const MOST_NAMED = 10;
/** The cases that the version does not judge. */
function unmatchedText({ unmatched, suite_version: version }: Rescore): string[] {
  if (!unmatched || unmatched.count === 0) return [];
  const { count, results, cases } = unmatched;
  const names = cases.slice(0, MOST_NAMED).map(({ id, name }) => name ?? id);
  const others = count - names.length;
  return [
    '',
    `Left out, because version ${version} does not have ${count === 1 ? 'it' : 'them'} or asks otherwise: ` +
      `${count} ${count === 1 ? 'case' : 'cases'}, ${results} ${results === 1 ? 'result' : 'results'} ` +
      `(${[...names, ...(others > 0 ? [`${others} more`] : [])].join(', ')})`,
  ];
}
