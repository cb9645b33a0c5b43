import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** A call as somebody wrote it down, under our names. */
export interface RecordedCall {
  name: string;
  /** As they were written: an object, JSON text, or nothing at all. */
  arguments: Json | undefined;
  /** The names that the call has besides: its id, and DeepEval's `output` and `type`. */
  source: JsonObject;
}

/**
 * What the arguments of a call are called: here, by Ragas and LangChain, DeepEval, models that write JSON, and
 * Anthropic.
 */
const ARGUMENTS = ['arguments', 'args', 'input_parameters', 'inputParameters', 'parameters', 'input'];
const BESIDE = [
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
const CALL = new Set(['name', ...ARGUMENTS, ...BESIDE]);
const WRAPPER = new Set(['function', ...BESIDE]);
/** Inspect keeps the name under `function`, and what it could not read under `parse_error`. */
const INSPECT = new Set(['function', 'arguments', 'parse_error', 'view', 'internal', ...BESIDE]);

/**
 * Reads a call in the words of OpenAI, Anthropic, LangChain, Ragas, DeepEval, Inspect, or ours.
 * @param where what the call is, for its errors: `tool_calls[0]`
 * @throws Error when it is no call, or holds what is not known
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

/** The same call as it stands in a chat message. */
export const toToolCall = ({ name, arguments: given, source }: RecordedCall): JsonObject => ({
  ...(source.id !== undefined && { id: source.id }),
  type: 'function',
  function: { name, ...(given !== undefined && { arguments: given }) },
});

function ofFields(fields: JsonObject, where: string, source: JsonObject): RecordedCall {
  rejectUnknownKeys(fields, CALL, where);
  const given = ARGUMENTS.filter((key) => fields[key] !== undefined);
  if (given.length > 1)
    throw new Error(`${where} holds its arguments twice, as "${given.join('" and "')}": leave one of them out.`);
  return { name: nameIn(fields, where), arguments: given.length ? fields[given[0]!] : undefined, source };
}

function ofInspect(call: JsonObject, name: string, where: string): RecordedCall {
  rejectUnknownKeys(call, INSPECT, where);
  // Of a call that it could not parse Inspect keeps no text. A JSON text that is no object is malformed too.
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

/** @throws Error that names the first key which is not known, and what it might be instead */
export function rejectUnknownKeys(value: JsonObject, known: ReadonlySet<string>, where: string): void {
  for (const key in value) {
    if (!known.has(key))
      throw new Error(`"${shorten(key)}" is no field of ${where}. ${suggestNames(key, [...known], 'its fields')}`);
  }
}

const MOST_SHOWN = 80;
/** What somebody else wrote, as far as an error quotes it. */
export const shorten = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text);
