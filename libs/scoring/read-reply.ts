import { isDeeperThan, isObject, MOST_LEVELS, parseJson, type Json, type JsonObject } from '#lib/contracts/json';
import type { Tool } from '#lib/contracts/tool';
import type { FormatCompliance, ReadCall } from '#lib/contracts/verdict';

export interface ReadReply {
  calls: ReadCall[];
  format_compliance: FormatCompliance;
}

type Repair = NonNullable<ReadCall['repairs']>[number];

/**
 * Reads the calls out of a chat completion message: native ones, calls stuffed into the name, calls written as JSON into the
 * text. What a model says always becomes a reply; what cannot be read becomes a malformed call, never an error.
 */
export function readReply(message: unknown, tools: readonly Tool[]): ReadReply {
  const reply = isObject(message) ? message : {};
  const calls = nativeCalls(reply);
  if (calls.length === 0) calls.push(...callsInText(textOf(reply.content), tools));
  const format_compliance =
    calls.length === 0 ? 'none'
    : calls.some((call) => call.arguments === null) ? 'malformed'
    : calls.some((call) => call.repairs?.some((repair) => repair !== 'function_call' && repair !== 'object_arguments')) ? 'repaired'
    : 'native';
  return { calls, format_compliance };
}

function nativeCalls(reply: JsonObject): ReadCall[] {
  const calls: ReadCall[] = [];
  if (Array.isArray(reply.tool_calls)) {
    for (const call of reply.tool_calls) {
      if (!isObject(call)) continue;
      const body = isObject(call.function) ? call.function : call;
      calls.push(readCall(typeof body.name === 'string' ? body.name : '', body.arguments, []));
    }
  }
  if (calls.length === 0 && isObject(reply.function_call) && typeof reply.function_call.name === 'string') {
    calls.push(readCall(reply.function_call.name, reply.function_call.arguments, ['function_call']));
  }
  return calls;
}

function readCall(name: string, raw: Json | undefined, repairs: Repair[]): ReadCall {
  const given = readArguments(raw, repairs);
  const inName = name.trimStart().startsWith('{') ? callShape(safeParse(name.trim())) : undefined;
  if (!inName) return finish(name, given, repairs);
  repairs.push('json_in_name');
  const nonEmpty = given.value && Object.keys(given.value).length > 0;
  return finish(inName.name, nonEmpty ? given : readArguments(inName.arguments, repairs), repairs);
}

const finish = (name: string, args: { value: JsonObject | null; raw?: string }, repairs: Repair[]): ReadCall => ({
  name,
  arguments: args.value,
  ...(args.raw !== undefined && { raw: args.raw }),
  ...(repairs.length && { repairs }),
});

function readArguments(raw: Json | undefined, repairs: Repair[]): { value: JsonObject | null; raw?: string } {
  if (raw === undefined || raw === null) return { value: {} };
  if (isObject(raw)) {
    if (isDeeperThan(raw, MOST_LEVELS)) return { value: null, raw: '(nested too deeply)' };
    repairs.push('object_arguments');
    return { value: raw };
  }
  if (typeof raw !== 'string') return { value: null, raw: JSON.stringify(raw) };
  if (raw.trim() === '') return { value: {} };
  const parsed = safeParse(raw);
  if (isObject(parsed)) return { value: parsed };
  if (typeof parsed === 'string') {
    const inner = safeParse(parsed);
    if (isObject(inner)) {
      repairs.push('double_encoded');
      return { value: inner };
    }
  }
  return { value: null, raw };
}

/** {"name": ..., "arguments" | "parameters": ...}, bare or in a "function" wrapper. */
function callShape(value: Json | undefined): { name: string; arguments: Json | undefined } | undefined {
  if (!isObject(value)) return undefined;
  const body = isObject(value.function) ? value.function : value;
  if (typeof body.name !== 'string' || body.name === '') return undefined;
  return { name: body.name, arguments: body.arguments ?? body.parameters };
}

function callsInText(text: string, tools: readonly Tool[]): ReadCall[] {
  if (!text.includes('"name"')) return [];
  const known = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  const calls: ReadCall[] = [];
  for (const value of jsonValuesIn(text)) {
    for (const candidate of unwrap(value)) {
      const shape = callShape(candidate);
      if (!shape || !known.has(shape.name.toLowerCase())) continue;
      const repairs: Repair[] = ['json_in_content'];
      calls.push(finish(shape.name, readArguments(shape.arguments, repairs), repairs.filter((repair) => repair !== 'object_arguments')));
    }
  }
  return calls;
}

const unwrap = (value: Json): Json[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value.tool_calls) ? value.tool_calls : [value];
};

/** The outermost JSON objects and arrays that stand in a text, in order. Each place is looked at a bounded number of times. */
function* jsonValuesIn(text: string): Generator<Json> {
  let tries = 0;
  for (let at = 0; at < text.length && tries < 200; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    tries++;
    const end = closingOf(text, at);
    const value = end === undefined ? undefined : safeParse(text.slice(at, end));
    if (value === undefined) continue;
    yield value;
    at = end! - 1;
  }
}

function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (--depth === 0) return at + 1;
    }
  }
  return undefined;
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function safeParse(text: string): Json | undefined {
  try {
    const value = parseJson(text);
    // Whatever walks the value later would run out of stack.
    return isDeeperThan(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}
