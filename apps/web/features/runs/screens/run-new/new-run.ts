import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { changedSettings } from '../../parts/changed-settings';
import type { FormFault } from '../../../../ui/form/form-request';
import type { Prompts } from '../../parts/system-prompt';
import { numberOrText, type FormRequest } from '../../../../ui/form/form-request';
import { metricsAsked, metricsOf, type ChosenMetric } from './run-metrics';

/** The value of the form: the texts of its fields, as typed. */
export interface NewRun extends Prompts {
  suite: string;
  /** Parameters of single models, as JSON, from an earlier run. */
  modelParams: Record<string, string>;
  samples: string;
  temperature: string;
  toolChoice: string;
  /** Empty for no limit, or in an experiment for the baseline's limit. */
  maxTokens: string;
  timeout: string;
  /** A JSON object that is added to each request. */
  params: string;
  /** Empty for the default that follows from the other settings. */
  cache: string;
  /** How long providers should cache tools and system prompt. */
  promptCache?: string;
  modelOrder: string;
  /** Separated by commas; only cases with one of them. */
  tags: string;
  category: string;
  metrics: ChosenMetric[];
  /** The id of a prompt version, or a tag that an earlier run used; empty for the suite's texts. */
  promptVersion?: string;
  /** When a judge reviews results that did not pass; empty for never. */
  judgeWhen?: string;
  /** The judge; empty for the default judge. */
  judge?: string;
  judgeBelow?: string;
  experiment: string;
  name: string;
  note: string;
  maxCost: string;
  maxRequests: string;
  /** Additional run settings, as the fields of a JSON object. */
  more: string;
}

export const emptyRun = (suite: string, promptVersion = ''): NewRun => ({
  suite,
  models: [],
  modelParams: {},
  samples: '1',
  temperature: '0',
  toolChoice: 'required',
  maxTokens: '',
  timeout: '120',
  params: '',
  cache: '',
  promptCache: 'off',
  modelOrder: 'sequential',
  tags: '',
  category: '',
  metrics: [],
  promptVersion,
  promptFor: 'none',
  prompt: '',
  prompts: {},
  judgeWhen: '',
  judge: '',
  judgeBelow: '1',
  experiment: '',
  name: '',
  note: '',
  maxCost: '',
  maxRequests: '',
  more: '',
});

/** Settings with a field, or about a run's origin; the others are in `more`. */
const FIELDS = new Set([
  ...['samples', 'temperature', 'tool_choice', 'max_tokens', 'timeout_s', 'params', 'cache', 'model_order'],
  ...['case_filter', 'prompt_cache', 'metrics', 'system_prompt', 'prompt_version_id', 'judge', 'budget', 'recorded'],
]);
/** A run with a prompt version is stored with that version's texts. */
const TEXTS = new Set(['base_prompt', 'tool_overrides']);

/** No limit, regardless of the experiment's baseline. */
const NO_LIMIT = 'none';

const text = (value: Json | undefined, otherwise: string): string => (value == null ? otherwise : toText(value));

/** The settings of an earlier run, to start a new one from. */
export function fromRun(run: Run): NewRun {
  const config = run.config as JsonObject;
  const prompt = config.system_prompt;
  const budget = isObject(config.budget) ? config.budget : {};
  const models = (Array.isArray(config.models) ? config.models : []).filter(isObject);
  const filter = isObject(config.case_filter) ? config.case_filter : {};
  const changed = changedSettings(config);
  const more = changed.filter(([key]) => !FIELDS.has(key));
  return {
    suite: run.suite.id,
    models: models.map(nameOf),
    modelParams: Object.fromEntries(
      models.flatMap((model) => (hasParams(model) ? [[nameOf(model), JSON.stringify(model.params)]] : [])),
    ),
    samples: text(config.samples, '1'),
    temperature: text(config.temperature, '0'),
    toolChoice: text(config.tool_choice, 'required'),
    maxTokens: limitOf(run),
    timeout: text(config.timeout_s, '120'),
    params: hasParams(config) ? JSON.stringify(config.params) : '',
    cache: changed.some(([key]) => key === 'cache') ? text(config.cache, '') : '',
    promptCache: text(config.prompt_cache, 'off'),
    modelOrder: text(config.model_order, 'sequential'),
    tags: Array.isArray(filter.tags) ? tagsText(filter.tags) : '',
    category: text(filter.category, ''),
    metrics: metricsOf(config.metrics),
    promptVersion: text(config.prompt_version_id, ''),
    promptFor: prompt == null ? 'none' : isObject(prompt) ? 'each' : 'all',
    prompt: typeof prompt === 'string' ? prompt : '',
    prompts: isObject(prompt)
      ? Object.fromEntries(Object.entries(prompt).map(([key, value]) => [key, toText(value)]))
      : {},
    ...judgeOf(config.judge),
    experiment: run.experiment_id ?? '',
    name: '',
    note: '',
    maxCost: text(budget.max_cost_usd, ''),
    maxRequests: text(budget.max_requests, ''),
    more: more.length > 0 ? JSON.stringify(Object.fromEntries(more), null, 2) : '',
  };
}

function judgeOf(judge: Json | undefined): Pick<NewRun, 'judgeWhen' | 'judge' | 'judgeBelow'> {
  if (!isObject(judge)) return { judgeWhen: '', judge: '', judgeBelow: '1' };
  return { judgeWhen: text(judge.when, 'after'), judge: text(judge.judge, ''), judgeBelow: text(judge.below, '1') };
}

function limitOf({ config, experiment_id: experimentId }: Run): string {
  const isUnlimited = config.max_tokens === null && config.recorded === undefined;
  return isUnlimited && experimentId !== null ? NO_LIMIT : text(config.max_tokens as Json, '');
}

const nameOf = ({ provider_key: provider, model_id: model }: JsonObject): string =>
  `${toText(provider)}::${toText(model)}`;
const hasParams = ({ params }: JsonObject): boolean => isObject(params) && Object.keys(params).length > 0;

/** The text of the request. Numbers are sent as typed; the API validates them. */
export function requestOf(run: NewRun): FormRequest {
  const faults: FormFault[] = [];
  if (run.suite === '') faults.push({ path: '/suite_id', message: 'Choose a suite.' });
  if (run.models.length === 0) faults.push({ path: '/models', message: 'Choose at least one model.' });
  const [more, params] = [objectOf(run.more), objectOf(run.params)];
  if (!more) faults.push({ path: '/more', message: 'The texts are not a JSON object.' });
  if (!params) faults.push({ path: '/params', message: 'The provider parameters are not a JSON object.' });
  if (faults.length > 0 || !more || !params) return { faults };
  const budget = { max_cost_usd: numberOrText(run.maxCost), max_requests: numberOrText(run.maxRequests) };
  const hasBudget = Object.values(budget).some((limit) => limit !== undefined);
  return {
    body: JSON.stringify({
      ...more,
      suite_id: run.suite,
      models: run.models.map((model) => targetOf(model, run.modelParams[model])),
      samples: numberOrText(run.samples),
      temperature: numberOrText(run.temperature),
      tool_choice: run.toolChoice,
      max_tokens: run.maxTokens.trim() === NO_LIMIT ? null : numberOrText(run.maxTokens),
      timeout_s: numberOrText(run.timeout),
      params,
      ...(run.cache && { cache: run.cache }),
      ...(run.promptCache && { prompt_cache: run.promptCache }),
      model_order: run.modelOrder,
      case_filter: filterOf(run),
      metrics: metricsAsked(run.metrics),
      ...(run.promptVersion && { prompt_version_id: run.promptVersion }),
      system_prompt: promptOf(run),
      ...(run.judgeWhen && {
        judge: { judge: run.judge || null, when: run.judgeWhen, below: numberOrText(run.judgeBelow ?? '') },
      }),
      experiment_id: run.experiment || null,
      name: run.name.trim() || null,
      note: run.note.trim() || null,
      ...(hasBudget && { budget }),
    }),
  };
}

/** Sets the prompt version, and removes texts of an earlier one that would conflict. */
export function withPromptVersion({ more }: NewRun, promptVersion: string): Pick<NewRun, 'promptVersion' | 'more'> {
  const settings = objectOf(more);
  const kept = Object.entries(settings ?? {}).filter(([key]) => !TEXTS.has(key));
  const isKept = settings === undefined || kept.length === Object.keys(settings).length;
  if (isKept) return { promptVersion, more };
  return { promptVersion, more: kept.length > 0 ? JSON.stringify(Object.fromEntries(kept), null, 2) : '' };
}

/** A list whose tags contain commas is written as JSON. */
const tagsText = (tags: readonly Json[]): string =>
  tags.some((tag) => toText(tag).includes(',') || toText(tag).trim() !== toText(tag))
    ? JSON.stringify(tags)
    : tags.map((tag) => toText(tag)).join(', ');

function tagsOf(typed: string): Json[] {
  try {
    const list = typed.trim().startsWith('[') ? parseJson(typed) : undefined;
    if (Array.isArray(list)) return list;
  } catch {
    // It is a tag that begins with a bracket.
  }
  return typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function filterOf({ tags, category }: NewRun): JsonObject | null {
  const wanted = tagsOf(tags);
  if (wanted.length === 0 && category === '') return null;
  return { ...(wanted.length > 0 && { tags: wanted }), ...(category !== '' && { category }) };
}

function targetOf(model: string, params: string | undefined): Json {
  if (params === undefined) return model;
  const at = model.indexOf('::');
  return { provider_key: model.slice(0, at), model_id: model.slice(at + 2), params: parseJson(params) };
}

function promptOf({ promptFor, prompt, prompts, models }: NewRun): string | Record<string, string> | null {
  if (promptFor === 'none') return null;
  if (promptFor === 'all') return prompt.trim() === '' ? null : prompt;
  const names = [...models, '*'];
  return Object.fromEntries(names.flatMap((name) => (prompts[name] ? [[name, prompts[name]]] : [])));
}

function objectOf(json: string): JsonObject | undefined {
  if (json.trim() === '') return {};
  try {
    const value = parseJson(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
