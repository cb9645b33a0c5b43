import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import type { JudgeSubmitted } from '#lib/judge/contract';
import { serverAction, examples, type GlobalOptions } from '../command.js';
import { JUDGE_ROUTE } from '../lookup/find-report.js';
import { estimateTable } from '../output/estimate-lines.js';
import { print, printJson } from '../output/terminal.js';
import { followParent } from './watched-jobs.js';
import { addJudgeSettings, judgeInput, type JudgeSettings } from './judge-settings.js';

interface JudgeOptions extends JudgeSettings, GlobalOptions {
  /** False with --no-watch. */
  watch: boolean;
  estimate?: boolean;
}

export function addJudge(program: Command): void {
  const judge = program
    .command('judge')
    .description('have a model judge the results of a run, or compare two runs; scores do not change')
    .argument('<run>', 'id or id prefix of a run or job');
  addJudgeSettings(judge)
    .option('--estimate', 'estimate what the report would take, without judging')
    .option('--no-watch', 'do not wait for the report to finish')
    .action(serverAction<JudgeOptions, [string]>(judgeRun));
  judge.addHelpText(
    ...examples(
      'toolmark judge RUN --judge simulator::judge:right',
      'toolmark judge RUN --judge simulator::judge:right --which sample --instructions "Dates are ISO."',
      'toolmark judge OTHER_RUN --against RUN --judge simulator::judge:right',
    ),
  );
}

async function judgeRun(client: ApiClient, options: JudgeOptions, run: string): Promise<void> {
  const input = await judgeInput(client, run, options);
  if (options.estimate) {
    const estimate = await client.call<JudgeEstimate>('POST', `${JUDGE_ROUTE}/estimate`, input);
    if (options.json) return printJson(estimate);
    const { judge, results, tokens_by: by } = estimate;
    return print(...estimateTable(['results'], [[judge, estimate, String(results)]]), '', `Tokens by ${by}.`);
  }
  await followParent(client, 'judge', await client.call<JudgeSubmitted>('POST', JUDGE_ROUTE, input), options);
}
