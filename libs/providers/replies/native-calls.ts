import { argumentsIn } from '#lib/contracts/call-fields';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { badBody, type HostFailure } from './host-failure.js';

/**
 * The calls of a message in OpenAI's form. Hosts also key them by index, omit the `function` wrapper, or use other
 * names for the arguments. The model is responsible for the content of a call, the host for its form.
 * @returns undefined if there are none, a failure if they are not calls
 */
export function readNativeCalls(given: Json | undefined, where: string): JsonObject[] | HostFailure | undefined {
  if (given === undefined || given === null) return undefined;
  const list = isObject(given) ? listByIndex(given) : given;
  if (!Array.isArray(list)) return badBody(`${where}.tool_calls must be a list of calls.`);
  if (list.every(isInForm)) return list as JsonObject[];
  const calls = list.map(inForm);
  const wrong = calls.indexOf(undefined);
  return wrong < 0 ? (calls as JsonObject[]) : badBody(`${where}.tool_calls[${wrong}] must be an object, a call.`);
}

/** Converts `{"0": {...}, "1": {...}}` to a list; undefined if the keys are not indexes. */
export function listByIndex(given: JsonObject): Json[] | undefined {
  const keys = Object.keys(given);
  return keys.every((key) => /^\d{1,6}$/.test(key))
    ? keys.toSorted((a, b) => Number(a) - Number(b)).map((key) => given[key]!)
    : undefined;
}

const isInForm = (call: Json): boolean =>
  isObject(call) &&
  isObject(call.function) &&
  typeof call.function.name === 'string' &&
  call.function.arguments !== undefined;

/** @returns undefined if it is not a call at all */
function inForm(call: Json): JsonObject | undefined {
  if (!isObject(call)) return undefined;
  if (isInForm(call)) return call;
  const { function: inner, custom, ...rest } = call;
  const fields = isObject(inner) ? inner : isObject(custom) ? custom : rest;
  const name = typeof inner === 'string' ? inner : fields.name;
  const given = argumentsIn(fields) ?? argumentsIn(rest);
  if (name === undefined && given === undefined) return undefined;
  return {
    ...(call.id !== undefined && { id: call.id }),
    type: 'function',
    function: { name: name ?? '', ...(given !== undefined && { arguments: given }) },
    ...(call.extra_content !== undefined && { extra_content: call.extra_content }),
  };
}
