import { isDeeperThan, MAX_JSON_DEPTH, parseJson, type Json } from '#lib/contracts/json/json';
import { findJsonSpans } from '#lib/scoring/replies/json-in-text';
import { jsonDepth } from '#lib/scoring/replies/reply-bounds';
import { isPrinted } from '#lib/recorded/printed-value';

/** How often a text may hold JSON that is itself the text of JSON. */
const MAX_ENCODINGS = 3;

/** Reads a text that contains JSON, also one that was encoded twice. Any other value is returned unchanged. */
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

/** A text with more brackets open at once is not even parsed, which takes seconds for a whole file of them. */
const isTooDeep = (text: string): boolean => text.length > MAX_JSON_DEPTH && jsonDepth(text) > MAX_JSON_DEPTH;

/** Whether a text begins with a bracket, or is a quoted text that begins with one or is quoted again. */
export function mayBeJson(text: string): boolean {
  const start = skipBlanks(text, 0);
  if (text[start] !== '"') return text[start] === '[' || text[start] === '{';
  return ['[', '{', '\\'].includes(text[skipBlanks(text, start + 1)] ?? '');
}

/**
 * Says what is wrong with a text that begins as the JSON of messages, of a message or of a response does, and is none.
 * Returns undefined for a text that can be read as JSON, and for one that only happens to begin with a bracket, such as
 * "[INST] Hi", "{name} is a placeholder" or JSON that a question is asked of.
 */
export function faultOfJson(text: string): string | undefined {
  if (isMarkedAsCut(text)) return 'is marked as truncated';
  const begin = beginOf(text);
  if (begin === 'python') return 'is the text of a Python object and no JSON';
  if (begin === undefined) return isPrinted(text) ? 'is what a program prints of an object, and no JSON' : undefined;
  if (begin === 'quoted')
    return typeof parseIfJson(text) === 'string'
      ? 'is JSON in the text of a text, which breaks off or goes too deep'
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

/** Whether a text ends with the mark that a tracing tool leaves where it cut: "...[truncated]". */
export const isMarkedAsCut = (text: string): boolean => MARK.test(text.slice(-MAX_MARK_LENGTH));

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t' || text[at] === '\ufeff') at++;
  return at;
}

/** How a printed Python object begins: `[HumanMessage(content=`, `ChatCompletion(id=`, `content='...'`. */
const PRINTED = /^\[?(?:[A-Z]\w{2,60}\((?:\w{1,40}=|\[)|content=['"[])/;

function beginOf(text: string): 'json' | 'quoted' | 'python' | undefined {
  let at = skipBlanks(text, 0);
  const isQuoted = text[at] === '"';
  if (isQuoted) at = skipBlanks(text, at + 1);
  if (PRINTED.test(text.slice(at, at + 110))) return 'python';
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

/** Whether a text begins with a whole JSON value, and something follows. */
function isJsonAndMore(text: string): boolean {
  const start = skipBlanks(text, 0);
  const [span] = findJsonSpans(text);
  return span !== undefined && span[0] === start && skipBlanks(text, span[1]) < text.length;
}
