import type { Json, JsonObject } from './json/json.js';

/**
 * Keys for the arguments of a call: ours, then those of Ragas and LangChain, DeepEval, models that write JSON, and
 * Anthropic.
 */
export const ARGUMENT_KEYS = ['arguments', 'args', 'input_parameters', 'inputParameters', 'parameters', 'input'];

/** The arguments of a call, under any of these keys. */
export const argumentsIn = (fields: JsonObject): Json | undefined =>
  fields[ARGUMENT_KEYS.find((key) => fields[key] !== undefined) ?? ''];

/**
 * Finish reasons for calls that the host did not accept: it could not parse a call, the tool was not offered, or there
 * were too many calls.
 */
export const REJECTED_CALL_REASONS: ReadonlySet<string> = new Set([
  'malformed_function_call',
  'malformed_tool_call',
  'malformed_tool_use',
  'malformed_response',
  'malformed_model_output',
  'invalid_tool_call',
  'unexpected_tool_call',
  'too_many_tool_calls',
]);
