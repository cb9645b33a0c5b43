import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { likelyName } from '#lib/contracts/input/nearest-names';
import { readInput } from '#lib/recorded/read-input';
import { findMetric, resolveOptions } from '#lib/scoring/metrics';
import { toSafeJson } from '../output/terminal.js';

const WRITE_AT_LENGTH = 65_536;
/** Far above any recorded reply; a file without line ends would fill the memory. */
const MAX_LINE_BYTES = 64 * 2 ** 20;

/**
 * Scores JSON lines one by one, in order and in constant memory: reading is no faster than writing. The answer to a
 * line that cannot be scored has its number and the reason, and scoring continues with the next line.
 */
export async function scoreLines(
  input: Readable,
  output: Writable,
  onProgress: (bytes: number) => void = () => {},
  maxLineBytes = MAX_LINE_BYTES,
): Promise<{ lines: number; failed: number }> {
  let [line, failed, answers] = [0, 0, ''];
  for await (const text of linesOf(input, onProgress, maxLineBytes)) {
    line++;
    if (typeof text === 'string' && text.trim() === '') continue;
    const { answer, scored } = scoreLine(text, line);
    if (!scored) failed++;
    answers += `${answer}\n`;
    if (answers.length < WRITE_AT_LENGTH) continue;
    if (!output.write(answers)) await once(output, 'drain');
    answers = '';
  }
  if (answers && !output.write(answers)) await once(output, 'drain');
  return { lines: line, failed };
}

function scoreLine(text: string | Error, line: number): { answer: string; scored: boolean } {
  // The answer also includes what was read of a line before it failed.
  const known: { id: Json; metric: Json; version?: string; options?: JsonObject; readAs?: string } = {
    id: null,
    metric: null,
  };
  const answer = (outcome: string, score: number | null, more: object): string => {
    const { id, metric, readAs, ...by } = known;
    return toSafeJson({
      id,
      line,
      metric,
      ...by,
      ...(readAs !== undefined && { read_as: readAs }),
      outcome,
      score,
      ...more,
    });
  };
  try {
    if (text instanceof Error) throw text;
    const parsed = parseJson(text);
    if (!isObject(parsed)) throw new Error('The line is not a JSON object.');
    if (typeof parsed.metric === 'string') known.metric = parsed.metric;
    const named = parsed.id ?? null;
    JSON.stringify(named); // It throws when the id is nested too deeply to be printed.
    known.id = named;
    refuseMisspeltFields(parsed);
    if (typeof parsed.metric !== 'string')
      throw new Error(`"metric" ${parsed.metric === undefined ? 'is missing' : 'must be a string'}: name the metric.`);
    const metric = findMetric(parsed.metric);
    known.version = metric.version;
    known.options = resolveOptions(metric, parsed.options);
    const { input, readAs } = readInput(metric.id, parsed.input);
    known.readAs = readAs;
    const { score, ...rest } = metric.score(input, known.options);
    return { answer: answer(score === null ? 'not_applicable' : 'scored', score, rest), scored: true };
  } catch (error) {
    return { answer: answer('error', null, { error: (error as Error).message }), scored: false };
  }
}

const FIELDS = ['metric', 'options', 'input'];
/** Other fields of a line belong to its author. One that looks like a misspelt field of ours is refused. */
function refuseMisspeltFields(line: JsonObject): void {
  for (const key in line) {
    if (key === 'id' || FIELDS.includes(key)) continue;
    const likely = likelyName(key, FIELDS);
    if (likely !== undefined && line[likely] === undefined)
      throw new Error(`A line has no field "${key}". Did you mean "${likely}"?`);
  }
}

/**
 * The lines of a text; an error for one that is too long, or not UTF-8. Lines end only at \n: node:readline would cut a
 * JSON string at U+2028. In UTF-8 no byte of another character is a \n.
 */
async function* linesOf(
  input: Readable,
  onProgress: (bytes: number) => void,
  maxBytes: number,
): AsyncGenerator<string | Error> {
  const tooLong = (): Error => new Error(`The line is longer than ${maxBytes} bytes.`);
  let parts: Buffer[] = [];
  let [bytes, length] = [0, 0];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    onProgress((bytes += chunk.length));
    const end = chunk.lastIndexOf(LINE_END);
    if (end >= 0) {
      const first = chunk.indexOf(LINE_END);
      if (length + first > maxBytes) yield tooLong();
      else yield* decoded(Buffer.concat([...parts, chunk.subarray(0, first)]));
      if (first < end) yield* decoded(chunk.subarray(first + 1, end));
      [parts, length] = [[], 0];
    }
    const rest = chunk.subarray(end + 1);
    length += rest.length;
    if (length <= maxBytes) parts.push(rest);
    else parts = [];
  }
  if (length > maxBytes) yield tooLong();
  else if (length) yield* decoded(Buffer.concat(parts));
}
const LINE_END = 10;

/** Decodes all lines at once, or one by one if any of them is not UTF-8. */
function decoded(lines: Buffer): (string | Error)[] {
  try {
    return UTF8.decode(lines).split('\n');
  } catch {
    if (!lines.includes(LINE_END)) return [new Error('The line is not UTF-8. Save the file as UTF-8.')];
    return linesIn(lines).flatMap(decoded);
  }
}
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function linesIn(lines: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let from = 0;
  for (let end = lines.indexOf(LINE_END); end >= 0; end = lines.indexOf(LINE_END, from)) {
    found.push(lines.subarray(from, end));
    from = end + 1;
  }
  return [...found, lines.subarray(from)];
}
