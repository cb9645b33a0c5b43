import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import {
  commaSeparated,
  jsonObject,
  limit,
  limitOf,
  number,
  repeated,
  wholeNumber,
  type GlobalOptions,
} from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { chooseSpaces, type SpaceOptions } from '../search-space/choose-spaces.js';
import { readSpace } from '../search-space/read-space.js';
import { budgetOf, CACHE_MODES, promptCacheOption, textOrFile, TOOL_CHOICES } from './run-settings.js';

export interface TuneSettings extends SpaceOptions, GlobalOptions {
  models: string[];
  mode?: string;
  trials?: number;
  maxCombinations?: number;
  baseTemperature?: number;
  baseToolChoice?: string;
  baseMaxTokens?: number | 'none';
  baseParams?: object;
  baseSystemPrompt?: string;
  measure?: string;
  margin?: number;
  samples?: number;
  holdout?: number;
  seed?: number;
  timeout?: number;
  maxRequests?: number;
  maxCostUsd?: number;
  cache?: string;
  promptCache?: string;
  experiment?: string;
}

export const TUNE_MODES = ['adaptive', 'grid', 'random'];
export const TUNE_MEASURES = ['overall', 'passed'];

export const addSpaceOptions = (command: Command): Command =>
  command
    .option(
      '--space <parameter=values>',
      'values to try: a,b or MIN..MAX/STEP or MIN..MAX:COUNT[:log], repeatable',
      repeated(readSpace),
    )
    .option('--space-file <file>', 'a search space as JSON; --space wins over it');

export const addTuneSettings = (command: Command): Command =>
  addSearch(
    addSpaceOptions(
      command.requiredOption(
        '-m, --models <list>',
        'models to tune, separated by commas: provider::model',
        commaSeparated,
      ),
    ).option(
      '--preset <preset>',
      'a search space that the team keeps, by name or id; --space and --space-file win over it',
    ),
  )
    .option('--base-temperature <t>', 'temperature of the base, which every arm is compared with', number)
    .addOption(new Option('--base-tool-choice <choice>', 'tool choice of the base').choices(TOOL_CHOICES))
    .option('--base-max-tokens <n>', 'most tokens of one reply of the base; none sets no limit', limit)
    .option('--base-params <json>', 'further parameters of the base, as a JSON object', jsonObject)
    .option('--base-system-prompt <text>', 'system prompt of all arms; @FILE reads it from a file')
    .option('--timeout <seconds>', 'longest time for one request', number)
    .addOption(new Option('--cache <mode>', 'whether stored replies answer').choices(CACHE_MODES))
    .addOption(promptCacheOption())
    .option('--max-requests <n>', 'most requests that the tune may make', wholeNumber)
    .option('--max-cost-usd <dollars>', 'most that the tune may cost', number)
    .option('--experiment <name>', 'experiment in which the winner is run at the end, by name or id');

const addSearch = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--mode <mode>',
        'grid tries every combination, random some; adaptive, the default, gives more cases to those that do well',
      ).choices(TUNE_MODES),
    )
    .option('--trials <n>', 'combinations tried per model by --mode random', wholeNumber)
    .option('--max-combinations <n>', 'maximum combinations per model for --mode grid', wholeNumber)
    .addOption(new Option('--measure <name>', 'what is maximised').choices(TUNE_MEASURES))
    .option('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number)
    .option('-n, --samples <n>', 'samples of each case per arm during the search', wholeNumber)
    .option('--holdout <share>', 'share of the cases that only confirm; 0 confirms nothing (default: 0.3)', number)
    .option('--seed <n>', 'seed of everything random', wholeNumber);

/** What the API takes for these options. What is left out has the default of the API. */
export async function tuneInput(client: ApiClient, suiteId: string, options: TuneSettings) {
  const { models, mode, trials, measure, margin, samples, holdout, seed, cache, experiment } = options;
  return {
    suite_id: suiteId,
    models,
    ...(await chooseSpaces(client, options)),
    mode,
    trials,
    base: baseOf(options),
    measure,
    margin,
    samples,
    holdout,
    seed,
    timeout_s: options.timeout,
    budget: budgetOf(options),
    cache,
    prompt_cache: options.promptCache,
    experiment_id: experiment === undefined ? undefined : await findExperiment(client, experiment),
    max_combinations: options.maxCombinations,
  };
}

/** Settings that are left out have the default of the API. */
const baseOf = (options: TuneSettings) => ({
  temperature: options.baseTemperature,
  tool_choice: options.baseToolChoice,
  max_tokens: limitOf(options.baseMaxTokens),
  params: options.baseParams,
  system_prompt: options.baseSystemPrompt === undefined ? undefined : textOrFile(options.baseSystemPrompt),
});
