import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { ParamTune } from '#lib/param-tune/contract';
import type { Edited } from '../../../../ui/form/edited';
import { missingFields, type FormRequest } from '../../../../ui/form/form-request.js';
import { faultOfRows, FIRST_ROWS, toRows, toSpace } from './space-value.js';

/** The form's initial value: a ParamTuneInput whose search spaces are rows. It may have `typed_prompts`, as a run's. */
export const emptyTune = (suite: string): JsonObject => ({
  suite_id: suite,
  models: [],
  search_space: FIRST_ROWS,
  per_model_search_spaces: {},
  mode: 'adaptive',
  trials: 50,
  base: { temperature: 0, tool_choice: 'required', params: {}, system_prompt: null },
  measure: 'overall',
  margin: 0.02,
  samples: 1,
  holdout: 0.3,
  seed: 1,
  timeout_s: 120,
  budget: null,
  cache: 'use',
  experiment_id: null,
  max_combinations: 500,
});

/** The settings of an earlier tune. */
export function fromTune({ input }: Pick<ParamTune, 'input'>): JsonObject {
  const asked = input as unknown as JsonObject;
  return {
    ...asked,
    search_space: toRows(isObject(asked.search_space) ? asked.search_space : {}),
    per_model_search_spaces: ofEach(asked.per_model_search_spaces, (space) => toRows(isObject(space) ? space : {})),
  };
}

const ofEach = (object: Json | undefined, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(isObject(object) ? object : {}).map(([key, value]) => [key, change(value)]));

/** The text of the request. Numbers are sent as typed; the API validates them. */
export function requestOf(edited: Edited): FormRequest {
  const tune = isObject(edited.value) ? edited.value : {};
  const faults = missingFields(edited);
  const own = isObject(tune.per_model_search_spaces) ? tune.per_model_search_spaces : {};
  for (const [path, rows] of [['', tune.search_space] as const, ...Object.entries(own)]) {
    const fault = faultOfRows(rows);
    if (fault) faults.push({ path: `/space ${path}`, message: path ? `${fault} (${path})` : fault });
  }
  if (faults.length > 0) return { faults };
  const { budget, typed_prompts: _, ...rest } = tune;
  return {
    body: stringifyInSourceOrder({
      ...rest,
      ...(isObject(budget) && Object.keys(budget).length > 0 && { budget }),
      search_space: toSpace(tune.search_space),
      per_model_search_spaces: ofEach(own, toSpace),
    }),
  };
}
