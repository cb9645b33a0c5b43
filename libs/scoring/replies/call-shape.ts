import { ARGUMENT_KEYS } from '#lib/contracts/call-fields';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import type { WrittenCall } from './syntaxes/syntax.js';

/** Keys for the name of a call. Only with the first one may arguments be missing. */
const NAMES = ['name', 'tool_name', 'function_name', 'tool', 'function'];
const TEXT_ARGUMENTS = [...ARGUMENT_KEYS, 'tool_input', 'params', 'kwargs'];
/** Fields of a tool definition that a call does not have. */
const DEFINITION_FIELDS = [
  'inputSchema',
  'input_schema',
  'outputSchema',
  'strict',
  'annotations',
  'required',
  'returns',
];
const NON_ARGUMENT_FIELDS = new Set(['name', 'type', 'id', 'index', 'call_id', 'tool_call_id']);
/** Fields of a tool result that a call does not have. */
const RESULT_FIELDS = ['result', 'results', 'output', 'response', 'content'];

/**
 * The calls in a JSON value of a text: an object, a list of them, or a list under `tool_calls`. A list counts as a
 * whole or not at all: one that contains a definition is a list of tools.
 * @returns undefined if it contains none
 */
export function callsOfValue(value: Json): WrittenCall[] | undefined {
  const list =
    isObject(value) && Array.isArray(value.tool_calls) ? value.tool_calls : Array.isArray(value) ? value : [value];
  const calls = list.map(callOf);
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Reads `{"name": ..., "arguments": ...}`, bare or in a `function` wrapper, also with other keys for the arguments. */
export function callOf(value: Json): WrittenCall | undefined {
  if (!isObject(value)) return undefined;
  const body = isObject(value.function) ? value.function : value;
  if (value.role === 'tool' || [...DEFINITION_FIELDS, ...RESULT_FIELDS].some((key) => body[key] !== undefined))
    return undefined;
  const key = TEXT_ARGUMENTS.find((one) => body[one] !== undefined);
  const given = key === undefined ? undefined : body[key];
  const name = NAMES.map((one, index) => (index === 0 || key !== undefined ? body[one] : undefined)).find(isName);
  if (!isName(name) || isDefinition(body, key, given)) return undefined;
  // An object without arguments that has more fields than a name is not a call.
  if (key === undefined && !Object.keys(body).every((one) => NON_ARGUMENT_FIELDS.has(one))) return undefined;
  return { name, arguments: given };
}

const isName = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** Whether an object defines a tool: it describes it, or gives a schema for its arguments. */
const isDefinition = (body: JsonObject, key: string | undefined, given: Json | undefined): boolean =>
  (body.description !== undefined && (key === undefined || key === 'parameters')) ||
  (key === 'parameters' ? isSchema(given) : isObject(given) && given.type === 'object' && isObject(given.properties));

/** A JSON Schema of an object, the schemas of its properties, or only their names or types. */
const isSchema = (value: Json | undefined): boolean =>
  Array.isArray(value) ||
  (isObject(value) &&
    ((value.type === 'object' && Object.keys(value).every((key) => SCHEMA_KEYS.has(key))) ||
      (isObject(value.properties) && Object.values(value.properties).every(isObject)) ||
      (Object.keys(value).length > 0 && Object.values(value).every(namesType))));

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const namesType = (value: Json): boolean => TYPES.has((isObject(value) ? value.type : value) as string);

const SCHEMA_KEYS = wordSet(
  'type properties required additionalProperties description $schema title $defs definitions',
);
