import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { commaSeparated, jsonObject, limit, limitOf, number, wholeNumber, type GlobalOptions } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import {
  budgetOf,
  byTarget,
  CACHE_MODES,
  promptCacheOption,
  textOrFile,
  textsOrFiles,
  TOOL_CHOICES,
} from './run-settings.js';
import { TUNE_MEASURES } from './tune-settings.js';

export interface PromptTuneSettings extends GlobalOptions {
  models: string[];
  metaModel: string;
  mode?: string;
  components?: string[];
  basePrompt?: string;
  toolOverride?: Record<string, string>;
  variants?: number;
  population?: number;
  generations?: number;
  selectionRatio?: number;
  minibatch?: number;
  maxEvals?: number;
  maxGrowth?: number;
  holdout?: number;
  seed?: number;
  measure?: string;
  margin?: number;
  samples?: number;
  temperature?: number;
  toolChoice?: string;
  maxTokens?: number | 'none';
  params?: object;
  timeout?: number;
  cache?: string;
  promptCache?: string;
  maxRequests?: number;
  maxCostUsd?: number;
  experiment?: string;
  metaTemperature?: number;
  metaMaxTokens?: number | 'none';
  metaTimeout?: number;
  metaParams?: object;
}

export const PROMPT_TUNE_MODES = ['quick', 'evolutionary', 'reflective'];

export const addPromptTuneSettings = (command: Command): Command =>
  addRequests(
    addSearch(
      command
        .requiredOption(
          '-m, --models <list>',
          'models that the texts are for, separated by commas: provider::model',
          commaSeparated,
        )
        .requiredOption('--meta-model <model>', 'model that writes the texts: provider::model'),
    ),
  );

const addSearch = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--mode <mode>',
        'how texts are found; reflective, the default, improves one text at a time by what went wrong',
      ).choices(PROMPT_TUNE_MODES),
    )
    .option(
      '--components <list>',
      'texts to write, separated by commas: system_prompt, tools/*/description, tools/NAME/parameters/*/description',
      commaSeparated,
    )
    .option(
      '--base-prompt <text>',
      "system prompt to begin with instead of the suite's; empty for none; @FILE reads it from a file",
    )
    .option(
      '--tool-override <place=text>',
      "begin with this description instead of the suite's, repeatable",
      byTarget(String),
    )
    .option('--variants <n>', 'texts that --mode quick tries', wholeNumber)
    .option('--population <n>', 'texts of a generation of --mode evolutionary', wholeNumber)
    .option('--generations <n>', 'generations of --mode evolutionary', wholeNumber)
    .option('--selection-ratio <share>', 'share of a generation that becomes parents of the next', number)
    .option('--minibatch <n>', 'cases that one step of --mode reflective is about', wholeNumber)
    .option('--max-evals <n>', 'most items that --mode reflective measures: cases, samples, models', wholeNumber)
    .option('--max-growth <times>', 'maximum length of a text, as a multiple of its length in the base', number)
    .addOption(new Option('--measure <name>', 'what is maximised').choices(TUNE_MEASURES))
    .option('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number)
    .option('-n, --samples <n>', 'samples of each case per text during the search', wholeNumber)
    .option('--holdout <share>', 'share of the cases that only confirm; 0 confirms nothing (default: 0.3)', number)
    .option('--seed <n>', 'seed of everything random', wholeNumber);

const addRequests = (command: Command): Command =>
  command
    .option('--temperature <t>', 'sampling temperature of the models, 0 to 2', number)
    .addOption(new Option('--tool-choice <choice>', 'whether models must call a tool').choices(TOOL_CHOICES))
    .option('--max-tokens <n>', 'most tokens of one reply; none sets no limit', limit)
    .option('--params <json>', 'further parameters for each request, as a JSON object', jsonObject)
    .option('--timeout <seconds>', 'longest time for one request', number)
    .option('--meta-temperature <t>', 'sampling temperature of the meta model (default: 1)', number)
    .option('--meta-max-tokens <n>', 'most tokens of one of its replies (default: 8192); none sets no limit', limit)
    .option('--meta-params <json>', 'further parameters for each request to it, as a JSON object', jsonObject)
    .option('--meta-timeout <seconds>', 'longest time for one request to it', number)
    .addOption(new Option('--cache <mode>', 'whether stored replies answer').choices(CACHE_MODES))
    .addOption(promptCacheOption())
    .option('--max-requests <n>', 'most requests that the tune may make', wholeNumber)
    .option('--max-cost-usd <dollars>', 'most that the tune may cost', number)
    .option('--experiment <name>', 'experiment in which the best texts are run at the end, by name or id');

/** What the API takes for these options. What is left out has the default of the API. */
export const promptTuneInput = async (client: ApiClient, suiteId: string, options: PromptTuneSettings) => ({
  suite_id: suiteId,
  models: options.models,
  meta_model: options.metaModel,
  mode: options.mode,
  components: options.components,
  base: {
    system_prompt: options.basePrompt === undefined ? undefined : textOrFile(options.basePrompt),
    tools: options.toolOverride && textsOrFiles(options.toolOverride),
  },
  variants: options.variants,
  population: options.population,
  generations: options.generations,
  selection_ratio: options.selectionRatio,
  minibatch: options.minibatch,
  max_evals: options.maxEvals,
  max_growth: options.maxGrowth,
  holdout: options.holdout,
  seed: options.seed,
  measure: options.measure,
  margin: options.margin,
  samples: options.samples,
  temperature: options.temperature,
  tool_choice: options.toolChoice,
  max_tokens: limitOf(options.maxTokens),
  params: options.params,
  timeout_s: options.timeout,
  cache: options.cache,
  prompt_cache: options.promptCache,
  budget: budgetOf(options),
  experiment_id: options.experiment === undefined ? undefined : await findExperiment(client, options.experiment),
  meta_params: {
    temperature: options.metaTemperature,
    max_tokens: limitOf(options.metaMaxTokens),
    timeout_s: options.metaTimeout,
    params: options.metaParams,
  },
});
