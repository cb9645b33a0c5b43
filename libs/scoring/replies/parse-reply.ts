import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { byteLength, type Tool } from '#lib/contracts/tool';
import type { Bound, FormatCompliance, ParsedCall } from '#lib/contracts/verdict';
import { findJsonSpans } from './json-in-text.js';
import { exceedsArgumentDepth, jsonDepth, MAX_ARGUMENT_DEPTH, MAX_CALLS, MAX_SEARCHED_BYTES } from './reply-bounds.js';

export interface ParsedReply {
  /** Of an oversized reply the first ones, unless it was read whole. */
  calls: ParsedCall[];
  format_compliance: FormatCompliance;
  /** Set when the reply is larger than is scored. */
  oversized?: Bound;
}

type Repair = NonNullable<ParsedCall['repairs']>[number];

/** What is going on while a reply is read. */
interface Reading {
  whole: boolean;
  names: Record<string, string>;
  oversized?: Bound;
}

/**
 * Reads the calls out of a chat completion message: native ones, calls stuffed into the name, calls written as JSON
 * into the text. What a model says always becomes a reply; what cannot be read becomes a malformed call, never an
 * error.
 * @param whole reads on behind the bounds of a reply, for metrics that know none; in time linear in the reply all
 *   the same
 * @param names tools' own names by others that the model was told; calls that it made natively have their own already
 */
export function parseReply(
  message: unknown,
  tools: readonly Tool[],
  { whole = false, names = {} }: { whole?: boolean; names?: Record<string, string> } = {},
): ParsedReply {
  const reply = isObject(message) ? message : {};
  const reading: Reading = { whole, names };
  const calls = nativeCalls(reply, reading);
  if (calls.length === 0) calls.push(...callsInText(textOf(reply.content), tools, reading));
  const format_compliance =
    calls.length === 0
      ? 'none'
      : calls.some((call) => call.arguments === null)
        ? 'malformed'
        : calls.some((call) =>
              call.repairs?.some((repair) => repair !== 'function_call' && repair !== 'object_arguments'),
            )
          ? 'repaired'
          : 'native';
  return { calls, format_compliance, ...(reading.oversized && { oversized: reading.oversized }) };
}

/** Notes the first bound that a reply goes beyond. @returns whether to read on */
function goesBeyond(reading: Reading, bound: Bound): boolean {
  reading.oversized ??= bound;
  return reading.whole;
}

function nativeCalls(reply: JsonObject, reading: Reading): ParsedCall[] {
  const calls: ParsedCall[] = [];
  if (Array.isArray(reply.tool_calls)) {
    const made = reply.tool_calls.filter(isObject);
    const all =
      made.length <= MAX_CALLS || goesBeyond(reading, { what: 'calls', limit: MAX_CALLS, found: made.length });
    for (const call of all ? made : made.slice(0, 10)) {
      const body = isObject(call.function) ? call.function : call;
      calls.push(readCall(typeof body.name === 'string' ? body.name : '', body.arguments, [], reading));
    }
  }
  if (calls.length === 0 && isObject(reply.function_call) && typeof reply.function_call.name === 'string') {
    calls.push(readCall(reply.function_call.name, reply.function_call.arguments, ['function_call'], reading));
  }
  return calls;
}

function readCall(name: string, raw: Json | undefined, repairs: Repair[], reading: Reading): ParsedCall {
  const given = readArguments(raw, repairs, reading);
  const inName =
    name.trimStart().startsWith('{') && maySearch(name, reading)
      ? callShape(parse(name.trim(), reading), reading)
      : undefined;
  if (!inName) return finish(name, given, repairs);
  repairs.push('json_in_name');
  const nonEmpty = given.value && Object.keys(given.value).length > 0;
  return finish(inName.name, nonEmpty ? given : readArguments(inName.arguments, repairs, reading), repairs);
}

/** Whether a text is short enough to be searched for calls. */
function maySearch(text: string, reading: Reading): boolean {
  // A character takes three bytes of UTF-8 at most.
  if (text.length * 3 <= MAX_SEARCHED_BYTES) return true;
  const found = byteLength(text);
  return found <= MAX_SEARCHED_BYTES || goesBeyond(reading, { what: 'text', limit: MAX_SEARCHED_BYTES, found });
}

const finish = (name: string, args: { value: JsonObject | null; raw?: string }, repairs: Repair[]): ParsedCall => ({
  name,
  arguments: args.value,
  ...(args.raw !== undefined && { raw: args.raw }),
  ...(repairs.length && { repairs }),
});

function readArguments(
  raw: Json | undefined,
  repairs: Repair[],
  reading: Reading,
): { value: JsonObject | null; raw?: string } {
  if (raw === undefined || raw === null) return { value: {} };
  if (isObject(raw)) {
    if (exceedsArgumentDepth(raw)) return tooDeep(reading);
    repairs.push('object_arguments');
    return { value: raw };
  }
  if (typeof raw !== 'string')
    return { value: null, raw: exceedsArgumentDepth(raw) ? tooDeep(reading).raw : JSON.stringify(raw) };
  if (raw.trim() === '') return { value: {} };
  const parsed = parse(raw, reading);
  if (isObject(parsed)) return exceedsArgumentDepth(parsed) ? tooDeep(reading) : { value: parsed };
  if (typeof parsed === 'string') {
    const inner = parse(parsed, reading);
    if (isObject(inner)) {
      if (exceedsArgumentDepth(inner)) return tooDeep(reading);
      repairs.push('double_encoded');
      return { value: inner };
    }
  }
  return { value: null, raw };
}

function tooDeep(reading: Reading): { value: null; raw: string } {
  goesBeyond(reading, { what: 'depth', limit: MAX_ARGUMENT_DEPTH });
  return { value: null, raw: '(nested too deeply)' };
}

/** {"name": ..., "arguments" | "parameters": ...}, bare or in a "function" wrapper. */
function callShape(
  value: Json | undefined,
  { names }: Reading,
): { name: string; arguments: Json | undefined } | undefined {
  if (!isObject(value)) return undefined;
  const body = isObject(value.function) ? value.function : value;
  if (typeof body.name !== 'string' || body.name === '') return undefined;
  const name = Object.hasOwn(names, body.name) ? names[body.name]! : body.name;
  return { name, arguments: body.arguments ?? body.parameters };
}

function callsInText(text: string, tools: readonly Tool[], reading: Reading): ParsedCall[] {
  if (!text.includes('"name"') || !maySearch(text, reading)) return [];
  const known = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  const calls: ParsedCall[] = [];
  for (const [start, end] of findJsonSpans(text)) {
    const value = parse(text.slice(start, end), reading);
    for (const candidate of value === undefined ? [] : unwrap(value)) {
      const shape = callShape(candidate, reading);
      if (!shape || !known.has(shape.name.toLowerCase())) continue;
      const repairs: Repair[] = ['json_in_content'];
      const call = readArguments(shape.arguments, repairs, reading);
      calls.push(
        finish(
          shape.name,
          call,
          repairs.filter((repair) => repair !== 'object_arguments'),
        ),
      );
      if (calls.length === MAX_CALLS + 1 && !goesBeyond(reading, { what: 'calls', limit: MAX_CALLS })) return calls;
    }
  }
  return calls;
}

const unwrap = (value: Json): Json[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value.tool_calls) ? value.tool_calls : [value];
};

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

/** @returns undefined when the text is no JSON */
function parse(text: string, reading: Reading): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    // Whatever keeps the text of numbers walks the value by recursion, and ran out of stack.
    if (error instanceof RangeError && jsonDepth(text) > MAX_ARGUMENT_DEPTH) tooDeep(reading);
    return undefined;
  }
}
