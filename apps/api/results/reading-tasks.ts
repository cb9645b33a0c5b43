import { PRIVATE_BODY, withoutPrivateBody } from '#lib/contracts/failed-body';
import { parseJson } from '#lib/contracts/json/json';
import { countMarks } from '#lib/contracts/json/count-values';
import type { PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import type { Run } from '#lib/contracts/run';
import type { Pool } from '#lib/db/connection/pool';
import { ResultLists, type ResultList } from '#lib/db/read/result-lists';
import { ResultRepository, type StoredDetails } from '#lib/db/read/results';
import { exchangeJson, LARGE_EXCHANGE_BYTES, parseExchange, type StoredExchange } from '#lib/db/read/stored-exchange';
import { explainResult } from '#lib/scoring/house/explain-result';
import { answerOf, replyTextsOf } from './exchange-of.js';
import { writerOf, type FileOptions } from './export-run.js';

/** Parsing a larger exchange takes seconds, or too much memory: it is returned without the texts of the model. */
const MAX_PARSED = { values: 1_000_000, bytes: 24 * 2 ** 20 };

interface ResultTask {
  what: 'result';
  teamId: string;
  runId: string;
  resultId: string;
  rescoreId?: string;
  /** JSON of the run's overrides of tool descriptions. */
  overrides: string;
  role: Role;
}
interface ListTask {
  what: 'list';
  teamId: string;
  runId: string;
  list: ResultList;
  page: PageQuery;
}
interface ExportTask {
  what: 'export';
  teamId: string;
  /** JSON of the run. */
  run: string;
  list: ResultList;
  page: PageQuery;
  as: FileOptions;
  isFirst: boolean;
}
/** Reads of a run that are done in a thread, so that they block no other request. */
export type ReadingTask = ResultTask | ListTask | ExportTask;

/** An answer, or a part of an export. */
export interface ReadingOutcome {
  /** Its bytes in chunks; each is transferred to the other thread and shares memory with no other. */
  parts: Uint8Array[];
  /** For an export: the number of results in this part, and the cursor of the next. */
  count: number;
  cursor: string | null;
}

export async function runReadingTask(pool: Pool, task: ReadingTask): Promise<ReadingOutcome> {
  if (task.what === 'result') return { parts: await readResult(pool, task), count: 1, cursor: null };
  const lists = new ResultLists(pool, task.teamId);
  if (task.what === 'list') {
    const page = await lists.list(task.runId, task.list, task.page);
    return { parts: [copyBytes(JSON.stringify(page))], count: page.items.length, cursor: page.next_cursor };
  }
  const run = parseJson(task.run) as unknown as Run;
  const { write } = writerOf(run, task.as);
  const { items, next_cursor: cursor } = await lists.list(run.id, task.list, task.page);
  const text = items.map((result, index) => write(result, task.isFirst && index === 0)).join('');
  return { parts: [copyBytes(text)], count: items.length, cursor };
}

/** @throws ProblemError 403, 404 */
async function readResult(pool: Pool, task: ResultTask): Promise<Uint8Array[]> {
  const { teamId, runId, resultId, rescoreId, role } = task;
  const { packed, ...found } = await new ResultRepository(pool, teamId).readStored(runId, resultId, rescoreId);
  const json = packed?.length ? (await exchangeJson(packed))! : Buffer.alloc(0);
  if (json.length > LARGE_EXCHANGE_BYTES) return largeAnswer(found, json, role);
  const config = { tool_overrides: parseJson(task.overrides) };
  return [copyBytes(JSON.stringify(answerOf({ ...found, exchange: parseExchange(json) }, { config }, { role })))];
}

/** A result with a large exchange, which is returned as stored. @throws ProblemError 403 */
function largeAnswer(found: Omit<StoredDetails, 'packed'>, json: Buffer, role: Role): Uint8Array[] {
  const isParsed = json.length <= MAX_PARSED.bytes && countMarks(json) <= MAX_PARSED.values;
  // Only the model's texts are used, so the numbers next to them need not keep their spelling.
  const exchange = isParsed ? (JSON.parse(json.toString('utf8')) as StoredExchange) : null;
  const head = JSON.stringify({
    ...found.result,
    explanation: explainResult(found),
    said: replyTextsOf({ result: found.result, exchange }),
  });
  const hasPrivate = role !== 'owner' && json.includes(`"${PRIVATE_BODY}"`);
  return [`${head.slice(0, -1)},"exchange":`, hasPrivate ? withoutPrivate(json, isParsed) : json, '}'].map(copyBytes);
}

function withoutPrivate(json: Buffer, isParsed: boolean): string {
  if (!isParsed)
    throw new ProblemError(
      403,
      `This exchange has more than ${MAX_PARSED.values} values or ${MAX_PARSED.bytes / 2 ** 20} MiB, including a ` +
        'reply of a private address. ' +
        'Only an owner can read it.',
    );
  const exchange = parseJson(json.toString('utf8')) as unknown as StoredExchange;
  return JSON.stringify({ ...exchange, replies: exchange.replies.map(withoutPrivateBody) });
}

/** The bytes of a text, or of a buffer, which may share its memory with others. */
function copyBytes(part: string | Buffer): Uint8Array {
  if (typeof part !== 'string') return part.byteLength === part.buffer.byteLength ? part : new Uint8Array(part);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(part));
  bytes.write(part);
  return bytes;
}
