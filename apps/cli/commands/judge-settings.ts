import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { jsonObject, limit, limitOf, number, wholeNumber } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { findRun } from '../lookup/find-run.js';
import { budgetOf, textOrFile } from './run-settings.js';

export interface JudgeSettings {
  judge?: string;
  against?: string;
  which?: string;
  sampleSize?: number;
  below?: number;
  samples?: number;
  instructions?: string;
  /** False with --no-reference. */
  reference?: boolean;
  allowSelf?: boolean;
  seed?: number;
  temperature?: number;
  maxTokens?: number | 'none';
  timeout?: number;
  params?: object;
  maxRequests?: number;
  maxCostUsd?: number;
  experiment?: string;
}

// Repeated here, because loading the contracts would make each command start slower; program.spec.ts compares them.
export const JUDGED_RESULTS = ['failed', 'all', 'sample'];

/** The options of every setting of a report. */
export const addJudgeSettings = (command: Command): Command =>
  command
    .option('-j, --judge <model>', 'model that judges; the default judge of the team when left out')
    .option('--against <run>', 'compare the replies with those of this run, the baseline')
    .addOption(
      new Option(
        '--which <results>',
        'judge what did not pass, all results, or a random sample, which speaks for all',
      ).choices(JUDGED_RESULTS),
    )
    .option(
      '--sample-size <n>',
      'how many results --which sample draws, or how many cases --against at most',
      wholeNumber,
    )
    .option('--below <score>', 'only what did not pass and scored below this, 0 to 1', number)
    .option('-n, --samples <n>', 'how often each is judged; the majority counts', wholeNumber)
    .option('--instructions <text>', "in place of the team's: what to mind in this suite; @FILE reads it from a file")
    .option('--no-reference', 'do not show the judge what cases expect')
    .option('--allow-self', 'let a model judge itself, which is refused otherwise')
    .option('--seed <n>', 'decides what is drawn', wholeNumber)
    .option('--temperature <t>', 'sampling temperature of the judge, 0 to 2', number)
    .option('--max-tokens <n>', 'most tokens of one reply of the judge (default: 4096); none sets no limit', limit)
    .option('--timeout <seconds>', 'longest time for one request', number)
    .option('--params <json>', 'further parameters for each request, as a JSON object', jsonObject)
    .option('--max-requests <n>', 'most requests that the report may make', wholeNumber)
    .option('--max-cost-usd <dollars>', 'most that the report may cost', number)
    .option('--experiment <name>', 'experiment that the report belongs to, by name or id');

/** What the API takes for these options. What is left out has the default of the API. */
export async function judgeInput(client: ApiClient, run: string, options: JudgeSettings) {
  const { against, which, below, experiment } = options;
  if (against !== undefined && (which !== undefined || below !== undefined))
    throw new Error('--against compares the cases that both runs have: leave --which and --below out.');
  const { id } = await findRun(client, run);
  return {
    ...(against === undefined ? { eval_id: id } : { a: (await findRun(client, against)).id, b: id }),
    judge: options.judge,
    which,
    sample_size: options.sampleSize,
    below,
    samples: options.samples,
    instructions: options.instructions === undefined ? undefined : textOrFile(options.instructions),
    reference: options.reference === false ? false : undefined,
    allow_self: options.allowSelf,
    seed: options.seed,
    temperature: options.temperature,
    max_tokens: limitOf(options.maxTokens),
    timeout_s: options.timeout,
    params: options.params,
    budget: budgetOf(options),
    experiment_id: experiment === undefined ? undefined : await findExperiment(client, experiment),
  };
}
