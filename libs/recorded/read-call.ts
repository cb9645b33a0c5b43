import { ARGUMENT_KEYS } from '#lib/contracts/call-fields';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** A call from a record, under Toolmark's names. */
export interface RecordedCall {
  name: string;
  /** The arguments as recorded: an object, JSON text, or undefined. */
  arguments: Json | undefined;
  /** The call's other fields, such as its id, and DeepEval's `output` and `type`. */
  source: JsonObject;
}

const COMPANION_FIELDS = [
  'id',
  'type',
  'index',
  'call_id',
  'output',
  'description',
  'reasoning',
  'status',
  'error',
  'extra_content',
  'provider_specific_fields',
  'caller',
  'metadata',
];
const CALL = new Set(['name', ...ARGUMENT_KEYS, ...COMPANION_FIELDS]);
const WRAPPER = new Set(['function', ...COMPANION_FIELDS]);
/** Inspect keeps the name in `function`, and text that it could not parse in `parse_error`. */
const INSPECT = new Set(['function', 'arguments', 'parse_error', 'view', 'internal', ...COMPANION_FIELDS]);

/**
 * Reads a call in the format of OpenAI, Anthropic, LangChain, Ragas, DeepEval, Inspect or Toolmark.
 * @param where the path of the call, for error messages: `tool_calls[0]`
 * @throws Error if the value is not a call, or has unknown fields
 */
export function readCall(value: Json, where: string): RecordedCall {
  if (!isObject(value)) throw new Error(`${where} must be an object, a call: {"name": ..., "arguments": {...}}.`);
  if (typeof value.function === 'string') return ofInspect(value, value.function, where);
  if (value.type === 'custom' && isObject(value.custom))
    return { name: nameIn(value.custom, `${where}.custom`), arguments: value.custom.input, source: value };
  if (value.function === undefined) return ofFields(value, where, value);
  if (!isObject(value.function))
    throw new Error(`${where}.function must be an object: {"name": ..., "arguments": "..."}.`);
  rejectUnknownKeys(value, WRAPPER, where);
  return ofFields(value.function, `${where}.function`, value);
}

/** Converts the call to the form of a chat message. */
export const toToolCall = ({ name, arguments: given, source }: RecordedCall): JsonObject => ({
  ...(source.id !== undefined && { id: source.id }),
  type: 'function',
  function: { name, ...(given !== undefined && { arguments: given }) },
});

function ofFields(fields: JsonObject, where: string, source: JsonObject): RecordedCall {
  rejectUnknownKeys(fields, CALL, where);
  const given = ARGUMENT_KEYS.filter((key) => fields[key] !== undefined);
  if (given.length > 1)
    throw new Error(`${where} holds its arguments twice, as "${given.join('" and "')}": leave one of them out.`);
  return { name: nameIn(fields, where), arguments: given.length ? fields[given[0]!] : undefined, source };
}

function ofInspect(call: JsonObject, name: string, where: string): RecordedCall {
  rejectUnknownKeys(call, INSPECT, where);
  // Inspect does not keep the text of a call that it could not parse. JSON text that is not an object counts as
  // malformed too.
  return {
    name,
    arguments: typeof call.parse_error === 'string' ? JSON.stringify(call.parse_error) : call.arguments,
    source: call,
  };
}

function nameIn(fields: JsonObject, where: string): string {
  if (typeof fields.name !== 'string')
    throw new Error(
      `${where}.name ${fields.name === undefined ? 'is missing' : 'must be a string'}: the name of ` +
        'the tool that was called.',
    );
  return fields.name;
}

/** @throws Error that names the first unknown key and suggests a known one */
export function rejectUnknownKeys(value: JsonObject, known: ReadonlySet<string>, where: string): void {
  for (const key in value) {
    if (!known.has(key))
      throw new Error(`"${shorten(key)}" is not a field of ${where}. ${suggestNames(key, [...known], 'its fields')}`);
  }
}

const MAX_SHOWN_LENGTH = 80;
/** Shortens third-party text for a quote in an error message. */
export const shorten = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
