import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { byteLength, type Tool } from '#lib/contracts/tool';
import type { Bound, FormatCompliance, ParsedCall } from '#lib/contracts/verdict';
import { findJsonSpans } from './json-in-text.js';
import { exceedsArgumentDepth, jsonDepth, MAX_ARGUMENT_DEPTH, MAX_CALLS, MAX_SEARCHED_BYTES } from './reply-bounds.js';

export interface ParsedReply {
  /** The calls. For an oversized reply only the first ones, unless it was read whole. */
  calls: ParsedCall[];
  format_compliance: FormatCompliance;
  /** The bound that the reply goes beyond, if any. */
  oversized?: Bound;
}

type Repair = NonNullable<ParsedCall['repairs']>[number];

/** The state of parsing one reply. */
interface Parsing {
  whole: boolean;
  names: Record<string, string>;
  oversized?: Bound;
}

/**
 * Reads the calls of a chat completion message: native calls, calls inside the name, and calls written as JSON into
 * the text. It never throws: a call that cannot be read becomes a malformed call.
 * @param whole whether to read beyond the bounds of a reply, for metrics without bounds. The time stays linear.
 * @param names the tools' own names, by the names that the model was given. Native calls have their own names already.
 */
export function parseReply(
  message: unknown,
  tools: readonly Tool[],
  { whole = false, names = {} }: { whole?: boolean; names?: Record<string, string> } = {},
): ParsedReply {
  const reply = isObject(message) ? message : {};
  const parsing: Parsing = { whole, names };
  const calls = nativeCalls(reply, parsing);
  if (calls.length === 0) calls.push(...callsInText(textOf(reply.content), tools, parsing));
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
  return { calls, format_compliance, ...(parsing.oversized && { oversized: parsing.oversized }) };
}

/** Records the first bound that a reply goes beyond. @returns whether to continue */
function continuesBeyond(parsing: Parsing, bound: Bound): boolean {
  parsing.oversized ??= bound;
  return parsing.whole;
}

function nativeCalls(reply: JsonObject, parsing: Parsing): ParsedCall[] {
  const calls: ParsedCall[] = [];
  if (Array.isArray(reply.tool_calls)) {
    const made = reply.tool_calls.filter(isObject);
    const all =
      made.length <= MAX_CALLS || continuesBeyond(parsing, { what: 'calls', limit: MAX_CALLS, found: made.length });
    for (const call of all ? made : made.slice(0, 10)) {
      const body = isObject(call.function) ? call.function : call;
      calls.push(readCall(typeof body.name === 'string' ? body.name : '', body.arguments, [], parsing));
    }
  }
  if (calls.length === 0 && isObject(reply.function_call) && typeof reply.function_call.name === 'string') {
    calls.push(readCall(reply.function_call.name, reply.function_call.arguments, ['function_call'], parsing));
  }
  return calls;
}

function readCall(name: string, raw: Json | undefined, repairs: Repair[], parsing: Parsing): ParsedCall {
  const given = readArguments(raw, repairs, parsing);
  const inName =
    name.trimStart().startsWith('{') && maySearch(name, parsing)
      ? callShape(parse(name.trim(), parsing), parsing)
      : undefined;
  if (!inName) return finish(name, given, repairs);
  repairs.push('json_in_name');
  const nonEmpty = given.value && Object.keys(given.value).length > 0;
  return finish(inName.name, nonEmpty ? given : readArguments(inName.arguments, repairs, parsing), repairs);
}

/** Whether a text is short enough to search it for calls. */
function maySearch(text: string, parsing: Parsing): boolean {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= MAX_SEARCHED_BYTES) return true;
  const found = byteLength(text);
  return found <= MAX_SEARCHED_BYTES || continuesBeyond(parsing, { what: 'text', limit: MAX_SEARCHED_BYTES, found });
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
  parsing: Parsing,
): { value: JsonObject | null; raw?: string } {
  if (raw === undefined || raw === null) return { value: {} };
  if (isObject(raw)) {
    if (exceedsArgumentDepth(raw)) return tooDeep(parsing);
    repairs.push('object_arguments');
    return { value: raw };
  }
  if (typeof raw !== 'string')
    return { value: null, raw: exceedsArgumentDepth(raw) ? tooDeep(parsing).raw : JSON.stringify(raw) };
  if (raw.trim() === '') return { value: {} };
  const parsed = parse(raw, parsing);
  if (isObject(parsed)) return exceedsArgumentDepth(parsed) ? tooDeep(parsing) : { value: parsed };
  if (typeof parsed === 'string') {
    const inner = parse(parsed, parsing);
    if (isObject(inner)) {
      if (exceedsArgumentDepth(inner)) return tooDeep(parsing);
      repairs.push('double_encoded');
      return { value: inner };
    }
  }
  return { value: null, raw };
}

function tooDeep(parsing: Parsing): { value: null; raw: string } {
  continuesBeyond(parsing, { what: 'depth', limit: MAX_ARGUMENT_DEPTH });
  return { value: null, raw: '(nested too deeply)' };
}

/** Reads `{"name": ..., "arguments" | "parameters": ...}`, bare or in a "function" wrapper. */
function callShape(
  value: Json | undefined,
  { names }: Parsing,
): { name: string; arguments: Json | undefined } | undefined {
  if (!isObject(value)) return undefined;
  const body = isObject(value.function) ? value.function : value;
  if (typeof body.name !== 'string' || body.name === '') return undefined;
  const name = Object.hasOwn(names, body.name) ? names[body.name]! : body.name;
  return { name, arguments: body.arguments ?? body.parameters };
}

function callsInText(text: string, tools: readonly Tool[], parsing: Parsing): ParsedCall[] {
  if (!text.includes('"name"') || !maySearch(text, parsing)) return [];
  const known = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  const calls: ParsedCall[] = [];
  for (const [start, end] of findJsonSpans(text)) {
    const value = parse(text.slice(start, end), parsing);
    for (const candidate of value === undefined ? [] : unwrap(value)) {
      const shape = callShape(candidate, parsing);
      if (!shape || !known.has(shape.name.toLowerCase())) continue;
      const repairs: Repair[] = ['json_in_content'];
      const call = readArguments(shape.arguments, repairs, parsing);
      calls.push(
        finish(
          shape.name,
          call,
          repairs.filter((repair) => repair !== 'object_arguments'),
        ),
      );
      if (calls.length === MAX_CALLS + 1 && !continuesBeyond(parsing, { what: 'calls', limit: MAX_CALLS }))
        return calls;
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

/** @returns undefined when the text is not JSON */
function parse(text: string, parsing: Parsing): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    // Keeping the text of numbers takes recursion, which ran out of stack here.
    if (error instanceof RangeError && jsonDepth(text) > MAX_ARGUMENT_DEPTH) tooDeep(parsing);
    return undefined;
  }
}
