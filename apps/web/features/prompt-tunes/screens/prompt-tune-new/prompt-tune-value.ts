import { isObject, toText, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { PromptTune } from '#lib/prompt-tune/contract';
import type { Edited } from '../../../../ui/form/edited.js';
import { missingFields, textsOf, type FormRequest } from '../../../../ui/form/form-request.js';

/** The form's initial value: a PromptTuneInput. */
export const emptyPromptTune = (suite: string): JsonObject => ({
  suite_id: suite,
  models: [],
  meta_model: '',
  mode: 'reflective',
  components: ['system_prompt', 'tools/*/description'],
  base: { system_prompt: null, tools: {} },
  variants: 8,
  population: 6,
  generations: 3,
  selection_ratio: 0.4,
  minibatch: 4,
  max_evals: null,
  max_growth: 2,
  holdout: 0.3,
  seed: 1,
  measure: 'overall',
  margin: 0.02,
  samples: 1,
  temperature: 0,
  tool_choice: 'required',
  params: {},
  timeout_s: 120,
  cache: 'use',
  budget: null,
  experiment_id: null,
  meta_params: { temperature: 1, max_tokens: 8192, timeout_s: 120, params: {} },
});

/** The settings of an earlier tune. */
export const fromPromptTune = ({ input }: Pick<PromptTune, 'input'>): JsonObject => ({
  ...(input as unknown as JsonObject),
});

/** The text of the request. Numbers are sent as typed; the API validates them. */
export function requestOf(edited: Edited): FormRequest {
  const tune = isObject(edited.value) ? edited.value : {};
  const faults = missingFields(edited);
  if (!toText(tune.meta_model)) faults.push({ path: '/meta_model', message: 'Choose the meta model.' });
  if (textsOf(tune.components).length === 0) faults.push({ path: '/components', message: 'Choose a text to tune.' });
  if (faults.length > 0) return { faults };
  const { budget, ...rest } = tune;
  const hasBudget = isObject(budget) && Object.keys(budget).length > 0;
  return { body: stringifyInSourceOrder({ ...rest, ...(hasBudget && { budget }) }) };
}

export const SYSTEM_PROMPT = 'system_prompt';
export const ALL_TOOLS = 'tools/*/description';
export const ALL_PARAMETERS = 'tools/*/parameters/*/description';

export interface ToolChoice {
  tool: string;
  /** Patterns of the tool's description and of its parameters' descriptions. */
  description: string;
  parameters: string;
}

export const choiceOf = (tool: string): ToolChoice => ({
  tool,
  description: `tools/${tool}/description`,
  parameters: `tools/${tool}/parameters/*/description`,
});

/** Chosen components without a checkbox: a parameter's path, or something of another suite. */
export function otherComponents(chosen: readonly string[], tools: readonly string[]): string[] {
  const boxes = new Set([SYSTEM_PROMPT, ALL_TOOLS, ALL_PARAMETERS]);
  for (const { description, parameters } of tools.map(choiceOf)) boxes.add(description).add(parameters);
  return chosen.filter((component) => !boxes.has(component));
}

export const withComponent = (chosen: readonly string[], component: string, isChosen: boolean): string[] =>
  isChosen ? [...chosen.filter((one) => one !== component), component] : chosen.filter((one) => one !== component);
