import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamTuneEstimate } from '#lib/param-tune/contract';
import type { PromptTuneEstimate } from '#lib/prompt-tune/contract';
import { examples, serverAction, subcommand } from '../command.js';
import { TUNE_ROUTES, type TuneType } from '../lookup/find-tune.js';
import { assumptionLines, estimateTable } from '../output/estimate-lines.js';
import { listOf, MAX_SENTENCE } from '../output/report.js';
import { beginning } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { chooseSuite } from '../suite-files/import-once.js';
import { followParent, type FollowParentOptions, type SubmittedParent } from './watched-jobs.js';
import { addPromptTuneSettings, addTuneSettings, promptTuneInput, tuneInput } from './tune-settings.js';
import type { PromptTuneSettings, TuneSettings } from './tune-settings.js';

interface TuneOptions extends FollowParentOptions {
  estimate?: boolean;
}

const SUITE = 'name or id of a suite, or a file, which is imported unless the server already has it';
const PARAMS = '--models simulator::perfect-ish --space temperature=0..1/0.5 --holdout 0.4';
const PROMPT = '--models simulator::careless-arguments --meta-model simulator::perfect-ish';

export function addTune(program: Command): void {
  const tune = subcommand(program, 'tune', 'search for the settings or prompts with which models call tools best');
  tune.addHelpText(...examples(`toolmark tune params Weather ${PARAMS} --estimate`));
  const params = subcommand(
    tune,
    'params',
    'search for the parameter values with which each model calls tools best',
  ).argument('<suite>', SUITE);
  addEnd(addTuneSettings(params), '--markdown <file>').action(
    serverAction<TuneOptions & TuneSettings, [string]>((client, options, suite) =>
      submit(client, options, 'param_tune', suite, (suiteId) => tuneInput(client, suiteId, options)),
    ),
  );
  params.addHelpText(
    ...examples(
      `toolmark tune params Weather ${PARAMS} --space tool_choice=auto,required --estimate`,
      `toolmark tune params Weather ${PARAMS} --mode grid --max-requests 500 --watch`,
      `toolmark tune params Weather ${PARAMS} --space max_tokens=256..1024:3:log --max-requests 1000`,
    ),
  );
  const prompt = tune
    .command('prompt')
    .description('have a model write the system prompt and descriptions with which models call tools best')
    .argument('<suite>', SUITE);
  addEnd(addPromptTuneSettings(prompt), '--report, --markdown <file>').action(
    serverAction<TuneOptions & PromptTuneSettings, [string]>((client, options, suite) =>
      submit(client, options, 'prompt_tune', suite, (suiteId) => promptTuneInput(client, suiteId, options)),
    ),
  );
  prompt.addHelpText(
    ...examples(
      `toolmark tune prompt Weather ${PROMPT} --estimate`,
      `toolmark tune prompt Weather ${PROMPT} --mode quick --components system_prompt --estimate`,
      `toolmark tune prompt Weather ${PROMPT} --base-prompt 'Call one tool.' --max-requests 1000 --estimate`,
    ),
  );
}

const addEnd = (command: Command, report: string): Command =>
  command
    .option('--estimate', 'estimate what it would take, without running it')
    .option('-w, --watch', 'wait for the tune to finish, and print its outcome')
    .option(report, 'wait for the tune to finish, and write a Markdown report for a pull request');

async function submit(
  client: ApiClient,
  options: TuneOptions & { metaModel?: string },
  type: TuneType,
  suite: string,
  inputOf: (suiteId: string) => Promise<object>,
): Promise<void> {
  if (options.estimate && (options.watch || options.markdown !== undefined))
    throw new Error('--estimate starts no tune: leave out --watch and --markdown.');
  const { suiteId, forget } = await chooseSuite(client, suite);
  const post = async <Answer>(path: string): Promise<Answer> => client.call('POST', path, await inputOf(suiteId));
  const route = TUNE_ROUTES[type];
  if (options.estimate) {
    const estimate = await post<ParamTuneEstimate | PromptTuneEstimate>(`${route}/estimate`).finally(forget);
    if (options.json) return printJson(estimate);
    const lines = 'meta' in estimate ? promptLines(estimate, options.metaModel!) : paramLines(estimate);
    return print(...lines, ...assumptionLines(estimate), ...estimate.notes.map((note) => `Note: ${note}`));
  }
  const submitted = await post<SubmittedParent>(route).catch(async (error: Error) => {
    await forget();
    throw error;
  });
  await followParent(client, type, submitted, options);
}

function paramLines({ combinations, distinct, targets, ...all }: ParamTuneEstimate): string[] {
  const sum = Object.values(distinct).reduce((total, count) => total + count, 0);
  return [
    ...estimateTable(
      ['distinct'],
      [
        ...targets.map((one): [string, typeof one, string] => [one.target, one, String(distinct[one.target] ?? '-')]),
        ['all', all, String(sum)],
      ],
    ),
    '',
    `${combinations} combinations in total. Those that are not distinct make the same requests as another one.`,
  ];
}

const promptLines = ({ targets, meta, components, ...all }: PromptTuneEstimate, metaModel: string): string[] => [
  ...estimateTable(
    [],
    [...targets.map((one): [string, typeof one] => [one.target, one]), [`${metaModel} (writes)`, meta], ['all', all]],
  ),
  '',
  `Texts to write: ${components.length}. ${beginning(listOf(components), MAX_SENTENCE)}`,
];
