import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { likelyName } from '#lib/contracts/input/nearest-names';
import { readInput } from '#lib/recorded/read-input';
import { findMetric, resolveOptions } from '#lib/scoring/metrics';
import { toSafeJson } from '../output/terminal.js';

const WRITE_AT_LENGTH = 65_536;
/** Far above any recorded reply; a file without line ends would fill the memory. */
const LONGEST_LINE_BYTES = 64 * 2 ** 20;

/**
 * Scores JSON lines one by one, in order and in constant memory: no more is read than was written. A line that
 * cannot be scored answers with its number and the reason, and the rest go on.
 */
export async function scoreLines(
  input: Readable,
  output: Writable,
  onProgress: (bytes: number) => void = () => {},
  longestLineBytes = LONGEST_LINE_BYTES,
): Promise<{ lines: number; failed: number }> {
  let [line, failed, answers] = [0, 0, ''];
  for await (const text of linesOf(input, onProgress, longestLineBytes)) {
    line++;
    if (text?.trim() === '') continue;
    const { answer, scored } = scoreLine(text, line, longestLineBytes);
    if (!scored) failed++;
    answers += `${answer}\n`;
    if (answers.length < WRITE_AT_LENGTH) continue;
    if (!output.write(answers)) await once(output, 'drain');
    answers = '';
  }
  if (answers && !output.write(answers)) await once(output, 'drain');
  return { lines: line, failed };
}

function scoreLine(
  text: string | undefined,
  line: number,
  longestLineBytes: number,
): { answer: string; scored: boolean } {
  // What is known of the line when it fails stands in its answer too.
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
    if (text === undefined) throw new Error(`The line is longer than ${longestLineBytes} bytes.`);
    const parsed = parseJson(text);
    if (!isObject(parsed)) throw new Error('The line is no JSON object.');
    if (typeof parsed.metric === 'string') known.metric = parsed.metric;
    const named = parsed.id ?? null;
    JSON.stringify(named); // An id nested too deeply to be printed is none.
    known.id = named;
    refuseSlips(parsed);
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
/** Other fields of a line are its owner's, but for one that can only be a misspelt one of ours. */
function refuseSlips(line: JsonObject): void {
  for (const key in line) {
    if (key === 'id' || FIELDS.includes(key)) continue;
    const likely = likelyName(key, FIELDS);
    if (likely !== undefined && line[likely] === undefined)
      throw new Error(`"${key}" is no field of a line. Is "${likely}" meant?`);
  }
}

/**
 * The lines of a text; undefined for one that is too long. They end at \n alone: U+2028 may stand in a JSON string,
 * which node:readline would cut there; and no byte of another character is a \n in UTF-8.
 */
async function* linesOf(
  input: Readable,
  onProgress: (bytes: number) => void,
  longestBytes: number,
): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let parts: Buffer[] = [];
  let [bytes, length] = [0, 0];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    onProgress((bytes += chunk.length));
    const end = chunk.lastIndexOf(10);
    if (end >= 0) {
      const first = chunk.indexOf(10);
      if (length + first > longestBytes) yield undefined;
      else yield decoder.decode(Buffer.concat([...parts, chunk.subarray(0, first)]));
      if (first < end) yield* decoder.decode(chunk.subarray(first + 1, end)).split('\n');
      [parts, length] = [[], 0];
    }
    const rest = chunk.subarray(end + 1);
    length += rest.length;
    if (length <= longestBytes) parts.push(rest);
    else parts = [];
  }
  if (length > longestBytes) yield undefined;
  else if (length) yield decoder.decode(Buffer.concat(parts));
}
