import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamTuneEstimate, ParamTuneSubmitted } from '#lib/param-tune/contract';
import { onServer, withExamples } from '../command.js';
import { TUNE_ROUTES } from '../lookup/find-tune.js';
import { assumptionLines } from '../output/assumption-lines.js';
import { dollars, durationText, table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { chooseSuite } from '../suite-files/import-once.js';
import { followParent, type FollowParentOptions } from './conclude-parent.js';
import { addTunePrompt } from './tune-prompt.js';
import { addTuneSettings, tuneInput, type TuneSettings } from './tune-settings.js';

interface TuneOptions extends TuneSettings, FollowParentOptions {
  estimate?: boolean;
}

const SUITE = 'name or id of a suite, or a file, which is imported unless the server has its content';
const SHORT = '--models simulator::perfect-ish --space temperature=0..1/0.5 --holdout 0.4';

export function addTune(program: Command): void {
  const tune = program.command('tune').description('search for what lets models call tools best');
  withExamples(tune, `toolmark tune params Weather ${SHORT} --estimate`);
  const params = tune
    .command('params')
    .description('search for the values of parameters with which each model calls tools best')
    .argument('<suite>', SUITE);
  addTuneSettings(params)
    .option('--estimate', 'say what it would take, and run nothing')
    .option('-w, --watch', 'follow the tune to its end, and print what it found')
    .option('--markdown <file>', 'follow the tune to its end, and write a report for a pull request')
    .action(onServer<TuneOptions, [string]>(tuneParams));
  withExamples(
    params,
    `toolmark tune params Weather ${SHORT} --space tool_choice=auto,required --estimate`,
    `toolmark tune params Weather ${SHORT} --mode grid --max-requests 500 --watch`,
    `toolmark tune params Weather ${SHORT} --space max_tokens=256..1024:3:log --max-requests 1000`,
  );
  addTunePrompt(tune, SUITE);
}

async function tuneParams(client: ApiClient, options: TuneOptions, suite: string): Promise<void> {
  if (options.estimate && (options.watch || options.markdown !== undefined))
    throw new Error('--estimate runs nothing that could be followed: leave --watch and --markdown out.');
  const { suiteId, forget } = await chooseSuite(client, suite);
  const post = async <Answer>(path: string): Promise<Answer> =>
    client.call('POST', path, await tuneInput(client, suiteId, options));
  if (options.estimate)
    return printEstimate(await post<ParamTuneEstimate>(`${TUNE_ROUTES.param_tune}/estimate`).finally(forget), options);
  const submitted = await post<ParamTuneSubmitted>(TUNE_ROUTES.param_tune).catch(async (error: Error) => {
    await forget();
    throw error;
  });
  await followParent(client, 'param_tune', submitted, options);
}

function printEstimate(estimate: ParamTuneEstimate, { json }: TuneOptions): void {
  if (json) return printJson(estimate);
  const row = (
    name: string,
    combinations: string,
    e: Pick<ParamTuneEstimate, 'requests' | 'prompt_tokens' | 'completion_tokens' | 'cost_usd' | 'duration_s'>,
  ): string[] => [
    name,
    combinations,
    String(e.requests),
    String(e.prompt_tokens),
    String(e.completion_tokens),
    dollars(e.cost_usd),
    durationText(e.duration_s),
  ];
  const { combinations, distinct, targets, notes } = estimate;
  print(
    ...table([
      ['model', 'distinct', 'requests', 'prompt tokens', 'reply tokens', 'cost', 'time'],
      ...targets.map((target) => row(target.target, String(distinct[target.target] ?? '-'), target)),
      row('all', String(Object.values(distinct).reduce((sum, count) => sum + count, 0)), estimate),
    ]),
    '',
    `${combinations} combinations in all. Those that are not distinct make the same requests as another.`,
    ...assumptionLines(estimate),
    ...notes.map((note) => `Note: ${note}`),
  );
}
