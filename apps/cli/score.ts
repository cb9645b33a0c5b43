import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { isObject, parseJson, type JsonObject } from '#lib/contracts/json';
import { scoreMetric } from '#lib/scoring/metrics';

const PROGRESS_EVERY_BYTES = 1 << 20;

/**
 * JSON lines in, scores out, in order and in constant memory. A line that cannot be scored answers with its number and the
 * reason, and the rest go on; the exit status tells.
 */
export async function score(options: { in?: string; out?: string }): Promise<void> {
  // Looked at before it is opened: a stream of a missing file fails where nobody listens yet.
  const totalBytes = options.in === undefined ? undefined : statSync(options.in).size;
  const input = options.in === undefined ? process.stdin : createReadStream(options.in);
  const output = options.out === undefined ? process.stdout : createWriteStream(options.out);
  if (options.out !== undefined) await once(output, 'open');
  const progress = process.stderr.isTTY ? drawProgress(totalBytes) : () => {};
  let failed = false;
  let line = 0;
  let answers = '';
  for await (const text of linesOf(input, progress)) {
    line++;
    if (text.trim() === '') continue;
    const answer = scoreLine(text, line);
    failed ||= answer.outcome === 'error';
    answers += `${JSON.stringify(answer)}\n`;
    if (answers.length < 65_536) continue;
    if (!output.write(answers)) await once(output, 'drain');
    answers = '';
  }
  if (answers) output.write(answers);
  if (options.out !== undefined) {
    output.end();
    await finished(output);
  }
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line} lines\n`);
  if (failed) process.exitCode = 1;
}

function scoreLine(text: string, line: number): JsonObject & { outcome: string } {
  let id: unknown = null;
  let metric: unknown = null;
  try {
    const parsed = parseJson(text);
    if (!isObject(parsed)) throw new Error('The line is no JSON object.');
    id = parsed.id ?? null;
    metric = parsed.metric ?? null;
    if (typeof metric !== 'string') throw new Error('"metric" is missing: name the metric.');
    const { score: value, ...rest } = scoreMetric(metric, parsed.options, parsed.input);
    return { id, line, metric, outcome: value === null ? 'not_applicable' : 'scored', score: value, ...rest } as JsonObject & { outcome: string };
  } catch (error) {
    return { id, line, metric, outcome: 'error', score: null, error: reasonOf(error as Error) } as JsonObject & { outcome: string };
  }
}

function reasonOf(error: Error & { issues?: { path: PropertyKey[]; message: string }[] }): string {
  return error.issues ? error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`).join('; ') : error.message;
}

/** Lines end at \n alone: U+2028 may stand in a JSON string, which node:readline would cut there. */
async function* linesOf(input: NodeJS.ReadableStream, progress: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    progress(bytes);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest) yield rest;
}

function drawProgress(totalBytes: number | undefined): (bytes: number) => void {
  let next = 0;
  return (bytes) => {
    if (bytes < next) return;
    next = bytes + PROGRESS_EVERY_BYTES;
    const share = totalBytes ? bytes / totalBytes : 0;
    const bar = totalBytes ? `[${'#'.repeat(Math.round(share * 30)).padEnd(30, '.')}] ${Math.round(share * 100)} %` : `${Math.round(bytes / 1e6)} MB`;
    process.stderr.write(`\r\u001b[2K${bar}`);
  };
}
