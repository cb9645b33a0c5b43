import { argumentsIn, REJECTED_CALL_REASONS } from '#lib/contracts/call-fields';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import { byteLength, type Tool } from '#lib/contracts/tool';
import type { Bound, CallSyntax, FormatCompliance, ParsedCall } from '#lib/contracts/verdict';
import { callOf, callsOfValue } from './call-shape.js';
import { findJsonSpans } from './json-in-text.js';
import { exceedsArgumentDepth, jsonDepth, MAX_ARGUMENT_DEPTH, MAX_CALLS, MAX_SEARCHED_BYTES } from './reply-bounds.js';
import { readPythonLists, readPythonText } from './syntaxes/pythonic.js';
import { MarkedText, type WrittenCall } from './syntaxes/syntax.js';
import { SYNTAXES } from './syntaxes/syntaxes.js';
import { contentText, splitThoughts, thoughtsInFields } from './thoughts.js';

export interface ParsedReply {
  /** The calls. Only the first ones of an oversized reply, unless it was read whole. */
  calls: ParsedCall[];
  format_compliance: FormatCompliance;
  /** The bound that the reply exceeds, if any. */
  oversized?: Bound;
  /** The syntax of calls that the host left in the text; `thoughts` if only thoughts contain a call. */
  syntax?: CallSyntax;
  /** Why the reply cannot be judged: it is incomplete. */
  ending?: 'refused' | 'cut_off';
  /** Whether it ended at its token limit, even if it is usable. */
  isCut?: boolean;
  /** Whether its host could not parse its call. */
  isUnread?: boolean;
}

type Repair = NonNullable<ParsedCall['repairs']>[number];

/** The state of parsing one reply. */
interface Parsing {
  whole: boolean;
  names: Record<string, string>;
  /** The tools by lower-case name. */
  tools: ReadonlyMap<string, Tool>;
  /** Whether calls of unknown tools count anywhere: the host took them for calls. */
  anyName: boolean;
  oversized?: Bound;
  syntax?: CallSyntax;
}

/** Whether the host could not accept the model's call, by the finish reason. */
export const isUnreadCall = (finishReason: string | null): boolean => REJECTED_CALL_REASONS.has(finishReason ?? '');
/** Repairs of the form only, which is the host's doing. */
const HOST_REPAIRS: ReadonlySet<Repair> = new Set(['function_call', 'object_arguments']);

const byName = memoize(
  (tools: readonly Tool[]): ReadonlyMap<string, Tool> =>
    new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool])),
);

/** The tools, also by the names sent to the model, which it may write into a text. */
function withSentNames(
  tools: ReadonlyMap<string, Tool>,
  names: Record<string, string> = {},
): ReadonlyMap<string, Tool> {
  const sent = Object.entries(names).flatMap(([name, own]): [string, Tool][] => {
    const tool = tools.get(own.toLowerCase());
    return tool ? [[name.toLowerCase(), tool]] : [];
  });
  return sent.length > 0 ? new Map([...sent, ...tools]) : tools;
}

/**
 * Reads the calls of a chat completion message: native calls, calls inside the name, and calls that the host left in
 * the text. Thoughts are not searched. It never throws: an unreadable call becomes a malformed call.
 * @param of.whole whether to read beyond the bounds of a reply, for metrics without bounds. The time stays linear.
 * @param of.names the tools' own names, by the names sent to the model; native calls already have their own
 * @param of.finishReason in the words of `ModelReply`
 */
export function parseReply(
  message: unknown,
  tools: readonly Tool[],
  of: { whole?: boolean; names?: Record<string, string>; finishReason?: string | null } = {},
): ParsedReply {
  const reply = isObject(message) ? message : {};
  const { finishReason = null } = of;
  const isBadCall = isUnreadCall(finishReason);
  const parsing: Parsing = {
    whole: of.whole ?? false,
    names: of.names ?? {},
    tools: withSentNames(byName(tools), of.names),
    anyName: isBadCall,
  };
  const calls = nativeCalls(reply, parsing);
  if (calls.length === 0) {
    const text = contentText(reply.content);
    const inText = callsInReply(reply, text, parsing);
    calls.push(...(isBadCall ? unreadCalls(inText, text, tools) : inText));
  }
  const ending = endingOf(reply, calls, finishReason);
  return {
    calls,
    format_compliance: complianceOf(calls),
    ...(parsing.oversized && { oversized: parsing.oversized }),
    ...(parsing.syntax && { syntax: parsing.syntax }),
    ...(ending && { ending }),
    ...(finishReason === 'length' && { isCut: true }),
    ...(isBadCall && { isUnread: true }),
  };
}

function complianceOf(calls: readonly ParsedCall[]): FormatCompliance {
  if (calls.length === 0) return 'none';
  if (calls.some((call) => call.arguments === null)) return 'malformed';
  return calls.some((call) => call.repairs?.some((repair) => !HOST_REPAIRS.has(repair))) ? 'repaired' : 'native';
}

/** A reply with complete calls is judged by them, however it ended. */
function endingOf(
  { refusal, content }: JsonObject,
  calls: readonly ParsedCall[],
  finishReason: string | null,
): ParsedReply['ending'] {
  if (calls.length > 0 && calls.every((call) => call.arguments !== null)) return undefined;
  if (finishReason === 'length') return 'cut_off';
  const declines =
    (typeof refusal === 'string' && refusal !== '') ||
    (Array.isArray(content) && content.some((part) => isObject(part) && part.type === 'refusal'));
  return (calls.length === 0 && declines) || finishReason === 'content_filter' ? 'refused' : undefined;
}

/** The calls in the text of the reply. Records it if only the thoughts contain one. */
function callsInReply(reply: JsonObject, text: string, parsing: Parsing): ParsedCall[] {
  if (!mayHoldCall(text, parsing) || !maySearch(text, parsing)) {
    noteConsidered(thoughtsInFields(reply), parsing);
    return [];
  }
  const { said, thoughts } = splitThoughts(text);
  const calls = callsInText(said, parsing);
  if (calls.length > 0) return calls;
  noteConsidered(thoughts || thoughtsInFields(reply), parsing);
  return [];
}

function noteConsidered(thoughts: string, parsing: Parsing): void {
  if (parsing.oversized || !mayHoldCall(thoughts, parsing)) return;
  const end = thoughts.slice(-MAX_SEARCHED_BYTES / 3);
  if (callsInText(end, { ...parsing, oversized: undefined, syntax: undefined }).length > 0) parsing.syntax = 'thoughts';
}

/** Whether a text has a bracket, and another token that calls of any syntax have. */
const mayHoldCall = (text: string, { tools, names }: Parsing): boolean =>
  MAY_HOLD_CALLS.test(text) &&
  (/"(?:name|tool|function)|tool_?call|function|invoke|tool▁call|python_|START_ACTION/i.test(text) ||
    [...Object.keys(names), ...[...tools.values()].map((tool) => tool.function.name)].some((name) =>
      text.includes(name),
    ));

const MAX_NAMED_IN = 4000;

/**
 * The calls of a model whose host could not read them: malformed, however readable the text that the host quotes.
 * Without a quoted text, one call of the first tool that the host's message names.
 */
function unreadCalls(inText: readonly ParsedCall[], text: string, tools: readonly Tool[]): ParsedCall[] {
  if (inText.length > 0)
    return inText.map((call) => ({ ...call, arguments: null, raw: call.raw ?? JSON.stringify(call.arguments) }));
  const beginning = text.slice(0, MAX_NAMED_IN).toLowerCase();
  const [named] = tools
    .map(({ function: { name } }) => ({ name, at: beginning.indexOf(name.toLowerCase()) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length);
  return [{ name: named?.name ?? '', arguments: null, raw: text }];
}

/** Records the first bound that a reply exceeds. @returns whether to continue */
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
      calls.push(readCall(typeof body.name === 'string' ? body.name : '', argumentsIn(body), [], parsing));
    }
  }
  if (calls.length === 0 && isObject(reply.function_call) && typeof reply.function_call.name === 'string') {
    calls.push(readCall(reply.function_call.name, argumentsIn(reply.function_call), ['function_call'], parsing));
  }
  return calls;
}

function readCall(name: string, raw: Json | undefined, repairs: Repair[], parsing: Parsing): ParsedCall {
  const given = readArguments(raw, repairs, parsing);
  const value = name.trimStart().startsWith('{') && maySearch(name, parsing) ? parse(name.trim(), parsing) : undefined;
  const inName = value === undefined ? undefined : callOf(value);
  if (!inName) return finish(name, given, repairs);
  repairs.push('json_in_name');
  const nonEmpty = given.value && Object.keys(given.value).length > 0;
  const ownName = ownNameOf(inName.name, parsing);
  return finish(ownName, nonEmpty ? given : readArguments(inName.arguments, repairs, parsing), repairs);
}

const ownNameOf = (name: string, { names }: Parsing): string => (Object.hasOwn(names, name) ? names[name]! : name);

/** Whether a text is short enough to be searched for calls. */
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
  if (isNothing(raw)) return { value: {} };
  const parsed = parse(raw, parsing);
  if (isObject(parsed)) return exceedsArgumentDepth(parsed) ? tooDeep(parsing) : { value: parsed };
  if (typeof parsed === 'string') {
    if (isNothing(parsed)) return { value: {} };
    const inner = parse(parsed, parsing);
    if (isObject(inner)) {
      if (exceedsArgumentDepth(inner)) return tooDeep(parsing);
      repairs.push('double_encoded');
      return { value: inner };
    }
  }
  const repaired = parsed === undefined ? withoutTrailingQuotes(raw) : undefined;
  const value = repaired === undefined ? undefined : parse(repaired, parsing);
  if (isObject(value) && !exceedsArgumentDepth(value)) {
    repairs.push('trailing_quotes');
    return { value };
  }
  return { value: null, raw };
}

/** Whether a text contains no arguments. */
const isNothing = (text: string): boolean => ['', 'null'].includes(text.trim());

/** Repairs `{"a": 1}""` as some hosts end it; undefined if the text does not end that way. */
function withoutTrailingQuotes(text: string): string | undefined {
  let end = text.trimEnd();
  const length = end.length;
  while (end.endsWith('""')) end = end.slice(0, -2).trimEnd();
  return end.length < length && end.endsWith('}') ? end : undefined;
}

function tooDeep(parsing: Parsing): { value: null; raw: string } {
  continuesBeyond(parsing, { what: 'depth', limit: MAX_ARGUMENT_DEPTH });
  return { value: null, raw: '(nested too deeply)' };
}

/** Required in every call in a text: a bracket of some kind. */
export const MAY_HOLD_CALLS = /[[{<(]|to=functions\./;

/** If there are calls with marks around them, only these count. Without marks, a likely call must name a known tool. */
function callsInText(text: string, parsing: Parsing): ParsedCall[] {
  if (!MAY_HOLD_CALLS.test(text)) return [];
  const marked = new MarkedText(text, parsing.tools);
  const calls = new CallsOfText(parsing);
  readMarked(marked, calls);
  if (calls.found.length === 0) readJson(text, calls);
  if (calls.found.length === 0) readPython(marked, calls);
  return calls.found;
}

/** Collects the calls of a text, up to the bound of a reply. */
class CallsOfText {
  readonly found: ParsedCall[] = [];

  constructor(readonly parsing: Parsing) {}

  /** @returns whether to continue */
  add(written: readonly WrittenCall[], syntax: CallSyntax, onlyKnown: boolean): boolean {
    const { parsing, found } = this;
    for (const { name: given, arguments: raw } of written) {
      const name = ownNameOf(given, parsing);
      if (onlyKnown && !parsing.anyName && !parsing.tools.has(name.toLowerCase())) continue;
      const repairs: Repair[] = [syntax === 'json' ? 'json_in_content' : 'call_in_text'];
      const args = readArguments(raw, repairs, parsing);
      parsing.syntax ??= syntax;
      found.push(
        finish(
          name,
          args,
          repairs.filter((repair) => repair !== 'object_arguments'),
        ),
      );
      if (found.length === MAX_CALLS + 1 && !continuesBeyond(parsing, { what: 'calls', limit: MAX_CALLS }))
        return false;
    }
    return true;
  }
}

const BY_MARK = Map.groupBy(
  SYNTAXES.flatMap((syntax) => syntax.marks.map((mark) => ({ mark, syntax }))),
  ({ mark }) => mark,
);
const ANY_MARK = new RegExp(
  [...BY_MARK.keys()].map((mark) => mark.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
  'g',
);

function readMarked(text: MarkedText, calls: CallsOfText): void {
  ANY_MARK.lastIndex = 0;
  for (let match; (match = ANY_MARK.exec(text.text));) {
    const [mark] = match;
    const at = match.index + mark.length;
    for (const { syntax } of BY_MARK.get(mark)!) {
      const written = syntax.read(text, at, mark);
      if (!written) continue;
      if (!calls.add(written.calls, syntax.id, false)) return;
      ANY_MARK.lastIndex = Math.max(at, written.end);
      break;
    }
  }
}

/** JSON anywhere in a text: `{"name": ..., "arguments": ...}`, or arguments below a line that names a tool. */
function readJson(text: string, calls: CallsOfText): void {
  const { parsing } = calls;
  const mayName = /"(?:name|tool|function)/.test(text);
  if (!text.includes('{')) return;
  for (const [start, end] of findJsonSpans(text)) {
    const name = text[start] === '{' ? nameAbove(text, start, parsing) : undefined;
    if (!mayName && name === undefined) continue;
    const value = parse(text.slice(start, end), parsing);
    if (value === undefined) continue;
    const written = callsOfValue(value);
    const isContinuing =
      written && areCalls(written, parsing)
        ? calls.add(written, 'json', true)
        : name === undefined || !isObject(value) || calls.add([{ name, arguments: value }], 'glm', true);
    if (!isContinuing) return;
  }
}

/** Names without arguments are calls if their tools require none, and otherwise only mentions. */
const areCalls = (written: readonly WrittenCall[], parsing: Parsing): boolean =>
  parsing.anyName ||
  written.some((call) => call.arguments !== undefined) ||
  written.every(({ name }) => {
    const required = parsing.tools.get(ownNameOf(name, parsing).toLowerCase())?.function.parameters?.required;
    return !Array.isArray(required) || required.length === 0;
  });

/** GLM 4: the known tool whose name is the whole line above an object. */
function nameAbove(text: string, start: number, parsing: Parsing): string | undefined {
  const lineEnd = text.slice(Math.max(0, start - 20), start).trimEnd().length + Math.max(0, start - 20);
  if (!text.slice(lineEnd, start).includes('\n')) return undefined;
  const name = /[\w.-]{1,200}$/.exec(text.slice(Math.max(0, lineEnd - 200), lineEnd))?.[0];
  if (name === undefined || !parsing.tools.has(ownNameOf(name, parsing).toLowerCase())) return undefined;
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, lineEnd - name.length - 20), lineEnd - name.length))
    ? name
    : undefined;
}

function readPython(text: MarkedText, calls: CallsOfText): void {
  if (!text.text.includes('(')) return;
  const whole = readPythonText(text);
  if (whole) calls.add(whole, 'pythonic', true);
  else for (const { calls: written } of readPythonLists(text)) if (!calls.add(written, 'pythonic', true)) return;
}

/** @returns undefined if the text is not JSON */
function parse(text: string, parsing: Parsing): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    // Keeping the text of numbers takes recursion, which overflowed the stack here.
    if (error instanceof RangeError && jsonDepth(text) > MAX_ARGUMENT_DEPTH) tooDeep(parsing);
    return undefined;
  }
}
