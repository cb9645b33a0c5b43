import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Rescore } from '#lib/contracts/rescore';
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
];

export function addRescore(program: Command): void {
  const rescore = subcommand(
    program,
    'rescore',
    'score the stored replies of a run again, without calling models',
  ).argument('<run>', 'id or id prefix of a run or job');
  addSettings(rescore, SETTINGS)
    .option('-w, --watch', 'wait for the verdicts and print their leaderboard')
    .action(serverAction<RescoreOptions, [string]>(rescoreRun))
    .addHelpText(...examples('toolmark rescore RUN --param-scoring fuzzy --metric ragas_tool_call_f1 --watch'));
}

interface RescoreOptions extends GlobalOptions {
  watch?: boolean;
}

async function rescoreRun(client: ApiClient, options: RescoreOptions, id: string): Promise<void> {
  const run = await findRun(client, id);
  const submitted = await client.call<{ job_id: string; rescore_id: string }>(
    'POST',
    `/api/tool-eval/history/${run.id}/rescore`,
    fieldsOf(SETTINGS, options),
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
      '',
      `Rescore ${rescoreId} is ${job.status}. Its results: toolmark results ${run.id} --rescore ${rescoreId}`,
    );
  if (job.status !== 'completed') process.exitCode = EXIT.negative;
}
