import type { Json, JsonObject } from './json/json.js';

/**
 * Keys for the arguments of a call: ours, then those of Ragas and LangChain, DeepEval, models that write JSON, and
 * Anthropic.
 */
export const ARGUMENT_KEYS = ['arguments', 'args', 'input_parameters', 'inputParameters', 'parameters', 'input'];

/** The arguments of a call, by whichever key they have. */
export const argumentsIn = (fields: JsonObject): Json | undefined =>
  fields[ARGUMENT_KEYS.find((key) => fields[key] !== undefined) ?? ''];

/** Finish reasons: the host could not read a call, its tool was not offered, or there were too many. */
export const UNREAD_CALLS: ReadonlySet<string> = new Set([
  'malformed_function_call',
  'malformed_tool_call',
  'malformed_tool_use',
  'malformed_response',
  'malformed_model_output',
  'invalid_tool_call',
  'unexpected_tool_call',
  'too_many_tool_calls',
]);
