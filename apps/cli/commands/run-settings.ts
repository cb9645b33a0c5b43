import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { TOOL_CHOICES, MODEL_ORDERS } from '#lib/contracts/values/runs';
import { JUDGE_TIMES } from '#lib/contracts/values/judging';
import { commaSeparated, idOrObject, jsonObject, limit, number, repeatable, integer } from '../command.js';
import { findExperiment } from '../lookup/find-named.js';
import {
  addSettings,
  budgetSettings,
  perTarget,
  CACHE_SETTINGS,
  experimentSetting,
  fieldsOf,
  setting,
  textOrFile,
} from './settings.js';

/** Options that are not sent to the API unchanged. */
export interface ConfigOptions {
  models?: string[];
  modelParams?: Record<string, object>;
  params?: object;
  seed?: number;
  systemPrompt?: string;
  systemPromptFor?: Record<string, string>;
  [setting: string]: unknown;
}
export interface RunSettings extends ConfigOptions {
  models: string[];
  experiment?: string;
}

const modelsOption = (): Option =>
  new Option('-m, --models <list>', 'models to run, separated by commas: provider::model').argParser(commaSeparated);

const SAMPLES = setting('-n, --samples <n>', 'samples of each case per model', integer);
/** Settings of a single request. */
const REQUEST = [
  setting('--temperature <t>', 'sampling temperature, 0 to 2', number),
  setting('--tool-choice <choice>', 'whether models must call a tool', TOOL_CHOICES),
  setting('--max-tokens <n>', 'maximum tokens per reply; none for no limit', limit),
  setting('--params <json>', 'additional parameters for each request, as a JSON object', jsonObject, null),
  setting('--system-prompt <text>', "follows the suite's system prompt; @FILE reads a file", textOrFile, null),
  setting('--base-prompt <text>', "replaces the suite's system prompt; empty for none; @FILE reads a file", textOrFile),
  setting('--metric <id>', 'another metric, repeatable; a JSON object sets options', repeatable(idOrObject), 'metrics'),
];
const CONFIG = [
  SAMPLES,
  ...REQUEST,
  setting('--timeout <seconds>', 'maximum time per request', number, 'timeout_s'),
  setting('--seed <n>', 'seed sent with each request', integer, null),
  setting('--model-params <model=json>', 'override --params for one model; repeatable', perTarget(jsonObject), null),
  setting('--system-prompt-for <model=text>', '--system-prompt for one model, repeatable', perTarget(textOrFile), null),
  setting(
    '--tool-override <place=text>',
    'replaces a description, such as tools/get_weather/description=...; repeatable',
    perTarget(textOrFile),
    'tool_overrides',
  ),
  setting('--prompt-version <version>', 'id or tag of the prompt version to use', String, 'prompt_version_id'),
  setting('--tag <tag>', 'only cases with one of these tags, repeatable', repeatable(String), 'case_filter.tags'),
  setting('--category <name>', 'only cases of this category', String, 'case_filter.category'),
  setting('--model-order <order>', 'whether models of one provider run one after another or in parallel', MODEL_ORDERS),
  ...CACHE_SETTINGS,
  ...budgetSettings('run'),
];
const OF_RUN = [
  experimentSetting('experiment of the run, by name or id; with --watch, prints the comparison with its baseline'),
  setting('--name <name>', 'display name of the run'),
  setting('--note <text>', 'note about the run'),
  setting('--judge <model>', 'have a model judge the failed results; scores do not change', String, 'judge.judge'),
  setting('--judge-when <when>', 'judge during the run, or after it (the default)', JUDGE_TIMES, 'judge.when'),
  setting('--judge-below <score>', 'judge only results that score below this, 0 to 1', number, 'judge.below'),
];

/** Adds an option for every setting of a run. */
export const addRunSettings = (command: Command): Command =>
  addSettings(command.addOption(modelsOption().makeOptionMandatory()), [...CONFIG, ...OF_RUN]);

/** The same options, each optional: the other run's value is the default. */
export const addConfig = (command: Command): Command => addSettings(command.addOption(modelsOption()), CONFIG);

/** Adds the options of a single request, for some models. */
export const addRequestSettings = (command: Command): Command =>
  addSettings(command.addOption(modelsOption().makeOptionMandatory()), REQUEST);

/** The API fields for these options. Omitted ones get the API's default. */
export const runInput = async (client: ApiClient, suiteId: string, options: RunSettings) => ({
  suite_id: suiteId,
  ...fieldsOf(OF_RUN, options),
  ...configOf(options),
  experiment_id: options.experiment === undefined ? undefined : await findExperiment(client, options.experiment),
});

/** Only the settings. Omitted ones are undefined. */
export const configOf = (options: ConfigOptions) => ({ ...fieldsOf(CONFIG, options), ...requestOf(options) });

/** The API fields for the options of a single request. */
export function requestOf(options: ConfigOptions) {
  const { models, modelParams, params, seed } = options;
  const unasked = Object.keys(modelParams ?? {}).find((target) => !models?.includes(target));
  if (unasked !== undefined)
    throw new Error(`--model-params names "${unasked}", which is not one of --models. Write MODEL={"name": value}.`);
  return {
    ...fieldsOf(REQUEST, options),
    models: models?.map((target) => targetOf(target, modelParams)),
    params: params || seed !== undefined ? { ...params, ...(seed !== undefined && { seed }) } : undefined,
    system_prompt: systemPrompt(options),
  };
}

function targetOf(target: string, paramsByTarget: Record<string, object> = {}) {
  const params = paramsByTarget[target];
  if (!params) return target;
  const at = target.indexOf('::');
  if (at < 0) throw new Error(`--model-params needs the full name of the model: provider::${target}`);
  return { provider_key: target.slice(0, at), model_id: target.slice(at + 2), params };
}

function systemPrompt({ systemPrompt: forAll, systemPromptFor: byModel }: ConfigOptions) {
  return byModel ? { ...(forAll !== undefined && { '*': forAll }), ...byModel } : forAll;
}
