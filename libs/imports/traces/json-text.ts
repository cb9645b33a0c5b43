import { isDeeperThan, MAX_JSON_DEPTH, parseJson, type Json } from '#lib/contracts/json/json';
import { findJsonSpans } from '#lib/scoring/replies/json-in-text';
import { jsonDepth } from '#lib/scoring/replies/reply-bounds';
import { isPrinted } from '#lib/recorded/printed-value';

/** How many times JSON may be encoded as a JSON string. */
const MAX_ENCODINGS = 3;

/** Parses a text that contains JSON, even if encoded several times. Any other value is returned unchanged. */
export function parseIfJson(value: Json | undefined): Json | undefined {
  let read = value;
  for (let times = 0; times < MAX_ENCODINGS && typeof read === 'string' && mayBeJson(read); times++) {
    if (isTooDeep(read)) return value;
    try {
      read = parseJson(read);
    } catch {
      return value;
    }
  }
  return typeof read === 'string' || isDeeperThan(read, MAX_JSON_DEPTH) ? value : read;
}

/** A text with more open brackets is not even parsed: that takes seconds for a whole file of them. */
const isTooDeep = (text: string): boolean => text.length > MAX_JSON_DEPTH && jsonDepth(text) > MAX_JSON_DEPTH;

/** Whether a text starts with a bracket, or is a quoted text that starts with one or is quoted again. */
export function mayBeJson(text: string): boolean {
  const start = skipBlanks(text, 0);
  if (text[start] !== '"') return text[start] === '[' || text[start] === '{';
  return ['[', '{', '\\'].includes(text[skipBlanks(text, start + 1)] ?? '');
}

/**
 * Describes the fault of a text that starts like the JSON of messages, of a message or of a response, but is not valid
 * JSON. Returns undefined for a text that can be read as JSON, and for one that only happens to start with a bracket,
 * such as "[INST] Hi", "{name} is a placeholder" or JSON followed by a question about it.
 */
export function faultOfJson(text: string): string | undefined {
  if (isMarkedAsCut(text)) return 'is marked as truncated';
  const begin = beginOf(text);
  if (begin === 'python') return 'is a printed Python object, not JSON';
  if (begin === undefined) return isPrinted(text) ? 'is a printed object, not JSON' : undefined;
  if (begin === 'quoted')
    return typeof parseIfJson(text) === 'string'
      ? 'is JSON encoded twice, and breaks off or is nested too deeply'
      : undefined;
  if (isTooDeep(text)) return `nests deeper than ${MAX_JSON_DEPTH} levels, or breaks off`;
  try {
    return isDeeperThan(parseJson(text), MAX_JSON_DEPTH) ? `nests deeper than ${MAX_JSON_DEPTH} levels` : undefined;
  } catch {
    return isJsonAndMore(text) ? undefined : `begins as JSON and breaks off after ${text.length} characters`;
  }
}

const MARK =
  /[[(<]\s?(?:\.\.\.|…)?\s?(?:[\w,.]{1,20} ){0,5}(?:truncated|cut off)\b[^\])>]{0,100}[\])>][\s."'…]{0,10}$/i;
const MAX_MARK_LENGTH = 160;

/** Whether a text ends with a tracing tool's truncation mark: "...[truncated]". */
export const isMarkedAsCut = (text: string): boolean => MARK.test(text.slice(-MAX_MARK_LENGTH));

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t' || text[at] === '\ufeff') at++;
  return at;
}

/** The start of a printed Python object: `[HumanMessage(content=`, `ChatCompletion(id=`, `content='...'`. */
const PRINTED_PYTHON = /^\[?(?:[A-Z]\w{2,60}\((?:\w{1,40}=|\[)|content=['"[])/;

function beginOf(text: string): 'json' | 'quoted' | 'python' | undefined {
  let at = skipBlanks(text, 0);
  const isQuoted = text[at] === '"';
  if (isQuoted) at = skipBlanks(text, at + 1);
  if (PRINTED_PYTHON.test(text.slice(at, at + 110))) return 'python';
  const start = at;
  while (text[at] === '[') at = skipBlanks(text, at + 1);
  const isList = at > start;
  if (isQuoted) {
    const inner = text[at] === '{' ? skipBlanks(text, at + 1) : at;
    return text[inner] === '\\' ? 'quoted' : undefined;
  }
  if (text[at] === '{') {
    at = skipBlanks(text, at + 1);
    if (text[at] === "'") return 'python';
    return at >= text.length || text[at] === '"' || text[at] === '\\' || (isList && text[at] === '}')
      ? 'json'
      : undefined;
  }
  return isList && (at >= text.length || text[at] === '"') ? 'json' : undefined;
}

/** Whether a text starts with a complete JSON value, and more text follows. */
function isJsonAndMore(text: string): boolean {
  const start = skipBlanks(text, 0);
  const [span] = findJsonSpans(text);
  return span !== undefined && span[0] === start && skipBlanks(text, span[1]) < text.length;
}
