import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Run } from '#lib/contracts/run';
import { edit, type Edited } from '../../../../ui/form/edited.js';
import { missingFields, numberOrText, textsOf, type FormRequest } from '../../../../ui/form/form-request.js';
import { changedSettings } from '../../parts/changed-settings.js';
import { metricsAsked, metricsOf } from './run-metrics.js';

/**
 * The form's initial value: a RunInput, but with tags and the maximum of reply tokens as typed. It may also have
 * `model_params`, the parameters of single models of an earlier run, `more`, settings without a field, and
 * `typed_prompts`, those of a choice that was made before.
 */
export const emptyRun = (suite: string, promptVersion = ''): JsonObject => ({
  suite_id: suite,
  models: [],
  samples: 1,
  temperature: 0,
  tool_choice: 'required',
  timeout_s: 120,
  prompt_cache: 'off',
  model_order: 'sequential',
  metrics: [],
  ...(promptVersion && { prompt_version_id: promptVersion }),
  system_prompt: null,
  judge: NO_JUDGE,
  experiment_id: null,
});

/** Never judges, since it does not say when. */
const NO_JUDGE: JsonObject = { judge: null, below: 1 };

/** Settings that a run has as the form does. */
const SAME = new Set([
  ...['samples', 'temperature', 'tool_choice', 'timeout_s', 'params', 'cache', 'prompt_cache', 'model_order'],
  ...['prompt_version_id', 'system_prompt', 'budget'],
]);
/** Those that the form has otherwise, or that are about a run's origin. */
const OTHER = new Set(['max_tokens', 'case_filter', 'metrics', 'judge', 'recorded']);
/** A run with a prompt version is stored with that version's texts. */
const TEXTS = new Set(['base_prompt', 'tool_overrides']);

/** No limit, regardless of the experiment's baseline. */
const NO_LIMIT = 'none';

/** The settings of an earlier run, to start a new one from. */
export function fromRun(run: Run): JsonObject {
  const config = run.config as JsonObject;
  const changed = changedSettings(config) as [string, Json][];
  const more = changed.filter(([key]) => !SAME.has(key) && !OTHER.has(key));
  const models = (Array.isArray(config.models) ? config.models : []).filter(isObject);
  const limit = limitOf(run);
  return {
    ...emptyRun(run.suite.id),
    ...Object.fromEntries(changed.filter(([key]) => SAME.has(key))),
    models: models.map(nameOf),
    model_params: Object.fromEntries(
      models.flatMap((model) => (isFilled(model.params) ? [[nameOf(model), model.params]] : [])),
    ),
    ...(limit !== '' && { max_tokens: limit }),
    ...(isObject(config.case_filter) && { case_filter: filterFields(config.case_filter) }),
    metrics: metricsOf(config.metrics),
    judge: isObject(config.judge) ? { when: 'after', ...NO_JUDGE, ...config.judge } : NO_JUDGE,
    experiment_id: run.experiment_id,
    ...(more.length > 0 && { more: Object.fromEntries(more) }),
  };
}

function limitOf({ config: { max_tokens: limit, recorded }, experiment_id: experimentId }: Run): string {
  if (limit !== null) return toText(limit);
  return recorded === undefined && experimentId !== null ? NO_LIMIT : '';
}

const nameOf = ({ provider_key: provider, model_id: model }: JsonObject): string =>
  `${toText(provider)}::${toText(model)}`;
const isFilled = (object: Json | undefined): object is JsonObject => isObject(object) && Object.keys(object).length > 0;

/** The text of the request. Numbers are sent as typed; the API validates them. */
export function requestOf({ value, unread }: Edited): FormRequest {
  const { more = {}, model_params: paramsOf = {}, params = {}, typed_prompts: _, ...run } = value as JsonObject;
  const { '/more': unreadMore, '/params': unreadParams, ...others } = unread;
  const faults = missingFields({ value, unread: others });
  if (unreadMore !== undefined || !isObject(more))
    faults.push({ path: '/more', message: 'The texts are not a JSON object.' });
  if (unreadParams !== undefined || !isObject(params))
    faults.push({ path: '/params', message: 'The provider parameters are not a JSON object.' });
  if (faults.length > 0) return { faults };
  const models = textsOf(run.models);
  const limit = toText(run.max_tokens).trim();
  return {
    body: stringifyInSourceOrder({
      ...(more as JsonObject),
      ...run,
      models: models.map((model) => targetOf(model, (paramsOf as JsonObject)[model])),
      max_tokens: limit === NO_LIMIT ? null : numberOrText(limit),
      params,
      case_filter: filterOf(run.case_filter),
      metrics: metricsAsked(run.metrics),
      prompt_version_id: run.prompt_version_id ?? undefined,
      system_prompt: promptOf(run.system_prompt, models),
      judge: isObject(run.judge) && run.judge.when !== undefined ? run.judge : undefined,
      name: toText(run.name).trim() || null,
      note: toText(run.note).trim() || null,
      budget: isFilled(run.budget) ? run.budget : undefined,
    }),
  };
}

/** Sets the prompt version, and removes texts of an earlier one that would conflict. */
export function withPromptVersion(edited: Edited, version: string): Edited {
  const next = edit(edited, ['prompt_version_id'], version || undefined);
  const { more } = edited.value as JsonObject;
  if (!isObject(more) || '/more' in edited.unread) return next;
  const kept = Object.entries(more).filter(([key]) => !TEXTS.has(key));
  return edit(next, ['more'], kept.length > 0 ? Object.fromEntries(kept) : undefined);
}

/** Tags separated by commas. Those that contain commas are written as JSON. */
function filterFields({ tags, category }: JsonObject): JsonObject {
  const all = textsOf(tags);
  const isPlain = all.every((tag) => !tag.includes(',') && tag.trim() === tag);
  return {
    ...(all.length > 0 && { tags: isPlain ? all.join(', ') : JSON.stringify(tags) }),
    ...(category != null && { category }),
  };
}

function filterOf(fields: Json | undefined): JsonObject | null {
  const { tags, category } = isObject(fields) ? fields : {};
  const wanted = tagsOf(toText(tags));
  if (wanted.length === 0 && category === undefined) return null;
  return { ...(wanted.length > 0 && { tags: wanted }), ...(category !== undefined && { category }) };
}

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

function targetOf(model: string, params: Json | undefined): Json {
  if (params === undefined) return model;
  const at = model.indexOf('::');
  return { provider_key: model.slice(0, at), model_id: model.slice(at + 2), params };
}

/** Without the prompts of models that are not chosen any more. */
function promptOf(prompt: Json | undefined, models: string[]): Json {
  if (!isObject(prompt)) return toText(prompt ?? '').trim() === '' ? null : prompt!;
  return Object.fromEntries([...models, '*'].flatMap((name) => (prompt[name] ? [[name, prompt[name]]] : [])));
}
