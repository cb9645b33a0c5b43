import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { changedSettings } from '../../parts/changed-settings';
import type { FormFault } from '../../parts/set-up/labelled-field';
import type { Prompts } from '../../parts/set-up/system-prompt';

/** What the form holds: the texts of its fields, as they were typed. */
export interface NewRun extends Prompts {
  suite: string;
  /** Parameters of single models, as JSON, where an earlier run had them. */
  modelParams: Record<string, string>;
  samples: string;
  temperature: string;
  toolChoice: string;
  /** The id of a prompt version, or a tag that an earlier run named; empty for the texts of the suite. */
  promptVersion?: string;
  /** When a judge judges what did not pass; empty for never. */
  judgeWhen?: string;
  /** Which one; empty for the default judge. */
  judge?: string;
  judgeBelow?: string;
  experiment: string;
  name: string;
  note: string;
  maxCost: string;
  maxRequests: string;
  /** Further settings of a run, as the fields of a JSON object. */
  more: string;
}

export const emptyRun = (suite: string, promptVersion = ''): NewRun => ({
  suite,
  models: [],
  modelParams: {},
  samples: '1',
  temperature: '0',
  toolChoice: 'required',
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

/** Settings that have fields of their own, or say where a run came from; the others are in `more`. */
const FIELDS = new Set([
  ...['samples', 'temperature', 'tool_choice', 'system_prompt', 'prompt_version_id', 'judge', 'budget', 'recorded'],
]);
/** The texts of a run that took a prompt version are stored with it. */
const TEXTS = new Set(['base_prompt', 'tool_overrides']);

const text = (value: Json | undefined, otherwise: string): string => (value == null ? otherwise : toText(value));

/** The settings of an earlier run, to start another one from. */
export function fromRun(run: Run): NewRun {
  const config = run.config as JsonObject;
  const prompt = config.system_prompt;
  const budget = isObject(config.budget) ? config.budget : {};
  const models = (Array.isArray(config.models) ? config.models : []).filter(isObject);
  const more = changedSettings(config)
    .filter(([key]) => !FIELDS.has(key))
    .map(([key, value]) => [key, key === 'metrics' ? metricsOf(value as Json) : value]);
  return {
    suite: run.suite.id,
    models: models.map(nameOf),
    modelParams: Object.fromEntries(
      models.flatMap((model) => (hasParams(model) ? [[nameOf(model), JSON.stringify(model.params)]] : [])),
    ),
    samples: text(config.samples, '1'),
    temperature: text(config.temperature, '0'),
    toolChoice: text(config.tool_choice, 'required'),
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

/** Without the version that each had: the present one is used. */
const metricsOf = (metrics: Json): Json =>
  Array.isArray(metrics)
    ? metrics.map((metric) =>
        isObject(metric) ? Object.fromEntries(Object.entries(metric).filter(([key]) => key !== 'version')) : metric,
      )
    : metrics;

const nameOf = ({ provider_key: provider, model_id: model }: JsonObject): string =>
  `${toText(provider)}::${toText(model)}`;
const hasParams = ({ params }: JsonObject): boolean => isObject(params) && Object.keys(params).length > 0;

export type Written = { body: string } | { faults: FormFault[] };

/** The text of the request. Numbers go as they were typed; whether they are right is the API's to say. */
export function requestOf(run: NewRun): Written {
  const faults: FormFault[] = [];
  if (run.suite === '') faults.push({ path: '/suite_id', message: 'Choose a suite.' });
  if (run.models.length === 0) faults.push({ path: '/models', message: 'Choose at least one model.' });
  const more = objectOf(run.more);
  if (!more) faults.push({ path: '/more', message: 'This is not a JSON object.' });
  if (faults.length > 0 || !more) return { faults };
  const budget = { max_cost_usd: number(run.maxCost), max_requests: number(run.maxRequests) };
  const hasBudget = Object.values(budget).some((limit) => limit !== undefined);
  return {
    body: JSON.stringify({
      ...more,
      suite_id: run.suite,
      models: run.models.map((model) => targetOf(model, run.modelParams[model])),
      samples: number(run.samples),
      temperature: number(run.temperature),
      tool_choice: run.toolChoice,
      ...(run.promptVersion && { prompt_version_id: run.promptVersion }),
      system_prompt: promptOf(run),
      ...(run.judgeWhen && {
        judge: { judge: run.judge || null, when: run.judgeWhen, below: number(run.judgeBelow ?? '') },
      }),
      experiment_id: run.experiment || null,
      name: run.name.trim() || null,
      note: run.note.trim() || null,
      ...(hasBudget && { budget }),
    }),
  };
}

/** Another prompt version: texts that an earlier one brought do not stand in its way. */
export function withPromptVersion({ more }: NewRun, promptVersion: string): Pick<NewRun, 'promptVersion' | 'more'> {
  const settings = objectOf(more);
  const kept = Object.entries(settings ?? {}).filter(([key]) => !TEXTS.has(key));
  const isKept = settings === undefined || kept.length === Object.keys(settings).length;
  if (isKept) return { promptVersion, more };
  return { promptVersion, more: kept.length > 0 ? JSON.stringify(Object.fromEntries(kept), null, 2) : '' };
}

/** What is not a number is sent as the text that it is: the API says what is wrong, at the field. */
const number = (typed: string): number | string | undefined => {
  const trimmed = typed.trim();
  if (trimmed === '') return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
};

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
