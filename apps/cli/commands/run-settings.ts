import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { commaSeparated, idOrObject, jsonObject, limit, limitOf, number, repeated, wholeNumber } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { readText } from '../suite-files/read-suite-file.js';

/** Without the suite and what belongs to it. */
export interface ConfigOptions {
  models?: string[];
  modelParams?: Record<string, object>;
  params?: object;
  seed?: number;
  samples?: number;
  temperature?: number;
  toolChoice?: string;
  maxTokens?: number | 'none';
  timeout?: number;
  systemPrompt?: string;
  systemPromptFor?: Record<string, string>;
  basePrompt?: string;
  toolOverride?: Record<string, string>;
  promptVersion?: string;
  metric?: (string | object)[];
  tag?: string[];
  category?: string;
  modelOrder?: string;
  cache?: string;
  promptCache?: string;
  maxRequests?: number;
  maxCostUsd?: number;
}
export interface RunSettings extends ConfigOptions {
  models: string[];
  experiment?: string;
  name?: string;
  note?: string;
  judge?: string;
  judgeWhen?: string;
  judgeBelow?: number;
}

export const TOOL_CHOICES = ['required', 'auto', 'none'];
export const MODEL_ORDERS = ['sequential', 'parallel'];
export const PROMPT_CACHE_MODES = ['off', '5m', '1h'];
export const CACHE_MODES = ['off', 'use', 'refresh'];
export const JUDGE_TIMES = ['inline', 'after'];

/** `TARGET=VALUE`, several times. A model's id may have a colon, but hardly an equals sign. */
export const byTarget =
  <Value>(read: (value: string) => Value) =>
  (text: string, previous: Record<string, Value> = {}): Record<string, Value> => {
    const at = text.indexOf('=');
    return { ...previous, [at < 0 ? '' : text.slice(0, at)]: read(text.slice(at + 1)) };
  };

const modelsOption = (): Option =>
  new Option('-m, --models <list>', 'models to ask, separated by commas: provider::model').argParser(commaSeparated);

/** The options of every setting that a run has. */
export const addRunSettings = (command: Command): Command =>
  addSettings(command.addOption(modelsOption().makeOptionMandatory()))
    .option('--experiment <name>', 'experiment of the run, by name or id; a watched run ends with its comparison')
    .option('--name <name>', 'display name of the run')
    .option('--note <text>', 'note about the run')
    .option('--judge <model>', 'have a model judge what does not pass; it changes no score')
    .addOption(
      new Option('--judge-when <when>', 'judge while the run goes on, or when it is done, the default').choices(
        JUDGE_TIMES,
      ),
    )
    .option('--judge-below <score>', 'judge only what scores below this, 0 to 1', number);

/** The same where each may be left out, to be as in another run. */
export const addConfig = (command: Command): Command => addSettings(command.addOption(modelsOption()));

export const promptCacheOption = (): Option =>
  new Option('--prompt-cache <time>', 'ask providers to cache tools and system prompt').choices(PROMPT_CACHE_MODES);

const addSettings = (command: Command): Command =>
  command
    .option('-n, --samples <n>', 'how often each case is played with each model', wholeNumber)
    .option('--temperature <t>', 'sampling temperature, 0 to 2', number)
    .addOption(new Option('--tool-choice <choice>', 'whether models must call a tool').choices(TOOL_CHOICES))
    .option('--max-tokens <n>', 'most tokens of one reply; none sets no limit', limit)
    .option('--timeout <seconds>', 'longest time for one request', number)
    .option('--seed <n>', 'seed that is sent with each request', wholeNumber)
    .option('--params <json>', 'further parameters for each request, as a JSON object', jsonObject)
    .option(
      '--model-params <model=json>',
      'parameters for one model, which win over --params; repeatable',
      byTarget(jsonObject),
    )
    .option('--system-prompt <text>', "follows the suite's system prompt; @FILE reads it from a file")
    .option('--system-prompt-for <model=text>', 'the same for one model, repeatable', byTarget(String))
    .option('--base-prompt <text>', "replaces the suite's system prompt; empty for none; @FILE reads it from a file")
    .option(
      '--tool-override <place=text>',
      'replaces a description, such as tools/get_weather/description=...; repeatable',
      byTarget(String),
    )
    .option('--prompt-version <version>', "id or tag of a prompt version, whose texts replace the suite's")
    .option('--metric <id>', 'further metric, repeatable; a JSON object gives it options', repeated(idOrObject))
    .option('--tag <tag>', 'only cases with one of these tags, repeatable', repeated(String))
    .option('--category <name>', 'only cases of this category')
    .addOption(new Option('--model-order <order>', 'whether models of one provider take turns').choices(MODEL_ORDERS))
    .addOption(new Option('--cache <mode>', 'whether stored replies answer').choices(CACHE_MODES))
    .addOption(promptCacheOption())
    .option('--max-requests <n>', 'most requests that the run may make', wholeNumber)
    .option('--max-cost-usd <dollars>', 'most that the run may cost', number);

/** What the API takes for these options. What is left out has the default of the API. */
export const runInput = async (client: ApiClient, suiteId: string, options: RunSettings) => ({
  suite_id: suiteId,
  name: options.name,
  note: options.note,
  ...configOf(options),
  experiment_id: options.experiment === undefined ? undefined : await findExperiment(client, options.experiment),
  judge: judgeOf(options),
});

/** Without a model it is the default judge of the team. */
const judgeOf = ({ judge, judgeWhen: when, judgeBelow: below }: RunSettings) =>
  judge === undefined && when === undefined && below === undefined ? undefined : { judge, when, below };

/** The settings alone. What is left out is undefined. */
export function configOf(options: ConfigOptions) {
  const { maxRequests, maxCostUsd, tag: tags, category } = options;
  const unasked = Object.keys(options.modelParams ?? {}).find((target) => !options.models?.includes(target));
  if (unasked !== undefined)
    throw new Error(`--model-params names "${unasked}", which is not one of --models. Write MODEL={"name": value}.`);
  return {
    models: options.models?.map((target) => targetOf(target, options.modelParams)),
    samples: options.samples,
    temperature: options.temperature,
    tool_choice: options.toolChoice,
    max_tokens: limitOf(options.maxTokens),
    timeout_s: options.timeout,
    params:
      options.params || options.seed !== undefined
        ? { ...options.params, ...(options.seed !== undefined && { seed: options.seed }) }
        : undefined,
    system_prompt: systemPrompt(options),
    base_prompt: options.basePrompt === undefined ? undefined : textOrFile(options.basePrompt),
    tool_overrides: options.toolOverride && textsOrFiles(options.toolOverride),
    prompt_version_id: options.promptVersion,
    metrics: options.metric,
    case_filter: tags || category !== undefined ? { tags, category } : undefined,
    model_order: options.modelOrder,
    cache: options.cache,
    prompt_cache: options.promptCache,
    budget: budgetOf({ maxRequests, maxCostUsd }),
  };
}

export const budgetOf = ({ maxRequests, maxCostUsd }: { maxRequests?: number; maxCostUsd?: number }) =>
  maxRequests === undefined && maxCostUsd === undefined
    ? undefined
    : { max_requests: maxRequests, max_cost_usd: maxCostUsd };

function targetOf(target: string, paramsByTarget: Record<string, object> = {}) {
  const params = paramsByTarget[target];
  if (!params) return target;
  const at = target.indexOf('::');
  if (at < 0) throw new Error(`--model-params needs the whole name of the model: provider::${target}`);
  return { provider_key: target.slice(0, at), model_id: target.slice(at + 2), params };
}

export const textOrFile = (text: string): string => (text.startsWith('@') ? readText(text.slice(1)) : text);

function systemPrompt({ systemPrompt: forAll, systemPromptFor: byModel }: ConfigOptions) {
  if (!byModel) return forAll === undefined ? undefined : textOrFile(forAll);
  return { ...(forAll !== undefined && { '*': textOrFile(forAll) }), ...textsOrFiles(byModel) };
}

export const textsOrFiles = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, textOrFile(text)]));
