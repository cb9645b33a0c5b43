import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { PromptTuneEstimate, PromptTuneSubmitted } from '#lib/prompt-tune/contract';
import { onServer, withExamples } from '../command.js';
import { TUNE_ROUTES } from '../lookup/find-tune.js';
import { assumptionLines } from '../output/assumption-lines.js';
import { beginning, dollars, durationText, table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { listOf } from '../output/report.js';
import { chooseSuite } from '../suite-files/import-once.js';
import { followParent, type FollowParentOptions } from './conclude-parent.js';
import { addPromptTuneSettings, promptTuneInput, type PromptTuneSettings } from './prompt-tune-settings.js';

interface PromptTuneOptions extends PromptTuneSettings, FollowParentOptions {
  estimate?: boolean;
}

const ROUTE = TUNE_ROUTES.prompt_tune;
const MAX_TEXT = 1000;
const SHORT = '--models simulator::careless-arguments --meta-model simulator::perfect-ish';

export function addTunePrompt(tune: Command, suite: string): void {
  const prompt = tune
    .command('prompt')
    .description('have a model write the system prompt and descriptions with which models call tools best')
    .argument('<suite>', suite);
  addPromptTuneSettings(prompt)
    .option('--estimate', 'say what it would take, and run nothing')
    .option('-w, --watch', 'follow the tune to its end, and print what it found')
    .option('--report, --markdown <file>', 'follow the tune to its end, and write a report for a pull request')
    .action(onServer<PromptTuneOptions, [string]>(tunePrompt));
  withExamples(
    prompt,
    `toolmark tune prompt Weather ${SHORT} --estimate`,
    `toolmark tune prompt Weather ${SHORT} --mode quick --components system_prompt --estimate`,
    `toolmark tune prompt Weather ${SHORT} --base-prompt 'Call one tool.' --max-requests 1000 --estimate`,
  );
}

async function tunePrompt(client: ApiClient, options: PromptTuneOptions, suite: string): Promise<void> {
  if (options.estimate && (options.watch || options.markdown !== undefined))
    throw new Error('--estimate runs nothing that could be followed: leave --watch and --report out.');
  const { suiteId, forget } = await chooseSuite(client, suite);
  const post = async <Answer>(path: string): Promise<Answer> =>
    client.call('POST', path, await promptTuneInput(client, suiteId, options));
  if (options.estimate)
    return printEstimate(await post<PromptTuneEstimate>(`${ROUTE}/estimate`).finally(forget), options);
  const submitted = await post<PromptTuneSubmitted>(ROUTE).catch(async (error: Error) => {
    await forget();
    throw error;
  });
  await followParent(client, 'prompt_tune', submitted, options);
}

function printEstimate(estimate: PromptTuneEstimate, { json, metaModel }: PromptTuneOptions): void {
  if (json) return printJson(estimate);
  const row = (name: string, e: PromptTuneEstimate['meta'] & { duration_s?: number }): string[] => [
    name,
    String(e.requests),
    String(e.prompt_tokens),
    String(e.completion_tokens),
    dollars(e.cost_usd),
    e.duration_s === undefined ? '-' : durationText(e.duration_s),
  ];
  const { targets, meta, components, notes } = estimate;
  print(
    ...table([
      ['model', 'requests', 'prompt tokens', 'reply tokens', 'cost', 'time'],
      ...targets.map((target) => row(target.target, target)),
      row(`${metaModel} (writes)`, meta),
      row('all', estimate),
    ]),
    '',
    `Texts to write: ${components.length}. ${beginning(listOf(components), MAX_TEXT)}`,
    ...assumptionLines(estimate),
    ...notes.map((note) => `Note: ${note}`),
  );
}
