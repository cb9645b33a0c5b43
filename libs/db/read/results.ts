import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import { notFound } from '#lib/contracts/input/problem';
import type { Result } from '#lib/contracts/result';
import type { Tool } from '#lib/contracts/tool';
import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { TeamScoped } from '../team-isolation.js';
import { wholeExchange } from './exchange-parts.js';
import { parseCase } from './pinned-cases.js';
import { resultTable } from './for-workers/result-table.js';
import { itemOf, selectResults, toResult, type Item, type ResultRow } from './result-rows.js';
import { exchangeJson, parseExchange, type StoredExchange } from './stored-exchange.js';

/** A result with its case and its exchange. */
export interface ResultDetails {
  result: Result;
  input: CaseInput;
  suiteTools: Tool[];
  /** What the conversations of the suite have in common, in the version that the run pinned. */
  defaults: ConversationDefaults | null;
  abstention: boolean;
  exchange: StoredExchange | null;
}

/** The same with the exchange as stored: zstd of JSON, empty if nothing was kept. */
export type StoredDetails = Omit<ResultDetails, 'exchange'> & { packed: Buffer | null };

/** The key of a result among those of a team. */
export type ResultKey = Item & Pick<ResultRow, 'run_id'>;

const KEYS = new BatchColumns<ResultKey>({
  run_id: ['uuid', (key) => key.run_id],
  target: ['smallint', (key) => key.target],
  case_position: ['int', (key) => key.case_position],
  sample: ['smallint', (key) => key.sample],
});

/** The results of a team's runs. */
export class ResultRepository extends TeamScoped<Pool> {
  /** @throws ProblemError 404 */
  async read(runId: string, resultId: string, rescoreId?: string): Promise<ResultDetails> {
    const { packed, ...found } = await this.readStored(runId, resultId, rescoreId);
    const json = packed?.length ? await exchangeJson(packed) : undefined;
    return { ...found, exchange: json ? parseExchange(json) : null };
  }

  /**
   * @returns undefined when the texts of the result exceed `most` bytes in total
   * @throws ProblemError 404
   */
  async readSmall(
    runId: string,
    resultId: string,
    rescoreId: string | undefined,
    most: number,
  ): Promise<ResultDetails | undefined> {
    if ((await this.#storedBytes(runId, resultId, rescoreId)) > most) return undefined;
    const { packed, ...found } = await this.readStored(runId, resultId, rescoreId);
    if (!packed?.length) return { ...found, exchange: null };
    const json = await exchangeJson(packed, most);
    return json && { ...found, exchange: parseExchange(json) };
  }

  /** Bytes that are parsed to show a result, before its exchange is unpacked; 0 when there is none. */
  async #storedBytes(runId: string, resultId: string, rescoreId: string | undefined): Promise<number> {
    const { rows } = await this.db.query<{ bytes: number }>(
      `SELECT octet_length(r.called) + coalesce(octet_length(r.evidence), 0) + coalesce(octet_length(r.metrics), 0)
           + octet_length(c.body) + octet_length(v.tools) + coalesce(octet_length(v.conversation), 0)
           + coalesce(octet_length(${wholeExchange('e')}), 0) AS bytes
       FROM ${resultTable(rescoreId && '$6')} r JOIN run ON run.id = r.run_id AND run.team_id = $2
         JOIN suite_version v ON v.id = run.suite_version_id
         JOIN suite_version_case c ON c.version_id = v.id AND c.position = r.case_position
         LEFT JOIN exchange e ON e.run_id = r.run_id AND e.target = r.target AND e.case_position = r.case_position
           AND e.sample = r.sample
       WHERE r.run_id = $1 AND r.target = $3 AND r.case_position = $4 AND r.sample = $5`,
      [runId, this.teamId, ...itemOf(resultId), ...(rescoreId ? [rescoreId] : [])],
    );
    return rows[0]?.bytes ?? 0;
  }

  /** @throws ProblemError 404 */
  async readStored(runId: string, resultId: string, rescoreId?: string): Promise<StoredDetails> {
    const item = itemOf(resultId);
    const { rows } = await this.db.query<ResultRow>(
      `${selectResults(resultTable(rescoreId && '$6'), '$2', { rescored: rescoreId !== undefined })}
       WHERE r.run_id = $1 AND r.target = $3 AND r.case_position = $4 AND r.sample = $5`,
      [runId, this.teamId, ...item, ...(rescoreId ? [rescoreId] : [])],
    );
    const row = rows[0];
    if (!row) throw notFound('result', resultId);
    const { rows: kept } = await this.db.query<{ body: Buffer | null; tools: string; conversation: string | null }>(
      `SELECT ${wholeExchange('e')} AS body, v.tools, v.conversation
       FROM run r JOIN suite_version v ON v.id = r.suite_version_id
         LEFT JOIN exchange e ON e.run_id = r.id AND e.target = $3 AND e.case_position = $4 AND e.sample = $5
       WHERE r.id = $1 AND r.team_id = $2`,
      [runId, this.teamId, ...item],
    );
    return {
      result: toResult(row),
      input: parseCase(row.body),
      suiteTools: jsonColumn<Tool[]>(kept[0]?.tools ?? '[]'),
      defaults: nullableJsonColumn<ConversationDefaults>(kept[0]?.conversation ?? null),
      abstention: row.abstention,
      packed: kept[0]?.body ?? null,
    };
  }

  /** Results of any runs with their cases, in the order of their keys; undefined for those that are gone. */
  async readSeveral(keys: readonly ResultKey[]): Promise<({ result: Result; input: CaseInput } | undefined)[]> {
    const { rows } = await this.db.query<ResultRow & { n: number }>(
      `SELECT found.*, u.n::int FROM ${KEYS.unnest(2, 'n')} CROSS JOIN LATERAL (
         ${selectResults('result', '$1')}
         WHERE r.run_id = u.run_id AND r.target = u.target AND r.case_position = u.case_position AND r.sample = u.sample
       ) found`,
      [this.teamId, ...KEYS.values(keys)],
    );
    const found: ({ result: Result; input: CaseInput } | undefined)[] = keys.map(() => undefined);
    for (const row of rows) {
      const input = parseCase(row.body);
      found[row.n - 1] = { result: toResult(row, input), input };
    }
    return found;
  }
}

/** The result that a comparison shows for a case: the first scored sample that did not pass, or the first one. */
export type ShownResult = Pick<ResultDetails, 'result' | 'input' | 'abstention'> & { runId: string };

/**
 * The shown result of each of these cases of a target, by position.
 * @param runIds a run, and those that added samples to it
 */
export async function readShownResults(
  db: Pool | PoolClient,
  teamId: string,
  { runIds, ordinal, rescoreId }: { runIds: readonly string[]; ordinal: number; rescoreId?: string | undefined },
  positions: readonly number[],
): Promise<Map<number, ShownResult>> {
  const { rows } = await db.query<ResultRow>(
    `SELECT DISTINCT ON (found.case_position) * FROM (
       ${selectResults(resultTable(rescoreId && '$5'), '$2', { rescored: rescoreId !== undefined })}
       WHERE r.run_id = ANY ($1) AND r.target = $3 AND r.case_position = ANY ($4)
     ) found ORDER BY case_position, outcome = 'errored', passed, sample`,
    [runIds, teamId, ordinal, positions, ...(rescoreId ? [rescoreId] : [])],
  );
  return new Map(
    rows.map((row) => [
      row.case_position,
      { runId: row.run_id, result: toResult(row), input: parseCase(row.body), abstention: row.abstention },
    ]),
  );
}
