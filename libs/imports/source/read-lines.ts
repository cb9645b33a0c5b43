import {
  isDeeperThan,
  isObject,
  MAX_JSON_DEPTH,
  parseJson,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { endWithPeriod, ProblemError } from '#lib/contracts/input/problem';
import { TextStream, readTextLines, lookAhead, readWholeText } from './text-stream.js';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';

export interface JsonLine {
  /** The line in the file, from 1. For a list, the number of the entry. */
  line: number;
  value: JsonObject;
}

/**
 * Yields the objects of a JSON Lines text or of a list, each with its line. For an arriving text, it holds at most one
 * line in memory, except when the text is one JSON list, which it reads as a whole.
 */
export async function* readLines(given: Json | TextStream, what: string): AsyncGenerator<JsonLine> {
  const turn = yieldToEventLoop();
  const source = given instanceof TextStream ? await unlessList(given) : given;
  if (source instanceof TextStream) return yield* entriesOf(source, what, turn);
  const list =
    typeof source === 'string' ? listIn(source) : Array.isArray(source) ? source : isObject(source) ? [source] : null;
  if (list) {
    for (const [index, value] of list.entries()) {
      yield { line: index + 1, value: objectAt(index + 1, value, what) };
      await turn();
    }
    return;
  }
  if (typeof source !== 'string') throw new ProblemError(400, `${what} must be JSON Lines text, or a list of objects.`);
  yield* entriesOf(source, what, turn);
}

/** Like `readLines`, but the text may also be a single object over many lines. */
export async function* readRecords(given: Json | TextStream, what: string): AsyncGenerator<JsonLine> {
  const source = await readWholeText(given);
  yield* readLines(typeof source === 'string' ? (objectIn(source) ?? source) : source, what);
}

async function* entriesOf(
  source: string | TextStream,
  what: string,
  turn: () => Promise<void> | undefined,
): AsyncGenerator<JsonLine> {
  let line = 0;
  for await (const whole of readTextLines(source)) {
    const text = whole.trim();
    line++;
    if (text === '') continue;
    yield { line, value: objectAt(line, parsed(line, text), what) };
    await turn();
  }
}

async function unlessList(incoming: TextStream): Promise<Json | TextStream> {
  const { seen, again } = await lookAhead(incoming, (begin) => withoutBlanks(begin) !== '');
  return withoutBlanks(seen).startsWith('[') ? readWholeText(again) : again;
}

const withoutBlanks = (text: string): string => text.replace(/^\ufeff/, '').trimStart();

function listIn(text: string): Json[] | null {
  if (!/^\ufeff?\s*\[/.test(text)) return null;
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''));
    return Array.isArray(value) ? value : null;
  } catch {
    return null; // Reading line by line then reports the faulty line.
  }
}

function objectIn(text: string): Json | null {
  if (!/^\ufeff?\s*\{/.test(text)) return null;
  try {
    return parseJson(text.replace(/^\ufeff/, ''));
  } catch {
    return null; // One object per line, or a fault that reading line by line reports.
  }
}

function parsed(line: number, text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ProblemError(
      400,
      `Line ${line} is not JSON: ${endWithPeriod((error as Error).message)} Nothing was imported.`,
    );
  }
}

function objectAt(line: number, value: Json, what: string): JsonObject {
  if (!isObject(value))
    throw new ProblemError(400, `Line ${line} of ${what} is not a JSON object. Nothing was imported.`);
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new ProblemError(
      400,
      `Line ${line} of ${what} nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`,
    );
  return value;
}
