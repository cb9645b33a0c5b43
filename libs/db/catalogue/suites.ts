import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Suite, SuitePatch, SuiteSettings, SuitesQuery } from '#lib/contracts/suite';
import { byteLength, type Tool } from '#lib/contracts/tool';
import { newId } from '#lib/runtime/ids';
import { inTransaction, type PoolClient } from '../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { TeamScoped } from '../team-isolation.js';
import { hasMarks, markValues, type MarksOfReader } from './marks.js';
import { isOfSuites } from './named-suites.js';
import { bytesOfCases, insertCases, type WrittenCase } from './insert-cases.js';
import { toPage } from './page.js';
import { checkSuiteSize } from './suite-size.js';

interface SuiteRow {
  id: string;
  name: string;
  description: string;
  system_prompt: string | null;
  tools: string;
  pass_threshold: number;
  conversation: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
  mcp_url: string | null;
}

interface CountedRow extends SuiteRow {
  test_cases_count: number;
}

/** Filter and page of a list of suites. */
export type SuitesPage = Omit<SuitesQuery, 'lean'> & MarksOfReader;
/** The SQL condition for it: `$1` team, `$2` cursor, `$3` name, `$4` to `$6` marks, `$8` suites. `$7` is the limit. */
export const ON_PAGE = `team_id = $1 AND ($2::uuid IS NULL OR id < $2)
  AND ($3::text IS NULL OR strpos(lower(name), lower($3)) > 0)
  AND ${hasMarks('suite', 'suite.id', ['$4', '$5', '$6'])} AND ${isOfSuites('suite.id', '$8')}`;
export const pageValues = (teamId: string, { cursor, name, limit, ...marks }: SuitesPage): unknown[] => [
  ...[teamId, cursor ?? null, name ?? null],
  ...markValues(marks),
  limit + 1,
  marks.suiteIds,
];

const COLUMNS = `id, name, description, system_prompt, tools, pass_threshold, conversation, version, created_at,
  updated_at,
  (SELECT url FROM mcp_source WHERE suite_id = suite.id) AS mcp_url`;
const WITH_COUNT = `${COLUMNS},
  (SELECT count(*)::int FROM suite_case c WHERE c.suite_id = suite.id) AS test_cases_count`;

/** A suite without its number of cases: counting a hundred thousand takes tens of milliseconds. */
export type UncountedSuite = Omit<Suite, 'test_cases_count'>;

const toSuite = <Row extends SuiteRow>(row: Row) => ({
  ...row,
  tools: jsonColumn<Tool[]>(row.tools),
  conversation: nullableJsonColumn<ConversationDefaults>(row.conversation),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** A suite before and after a change. */
export interface SuiteChange {
  before: UncountedSuite;
  after: UncountedSuite;
}

/** Bytes of a suite without its cases, as they are stored. */
const bytesOf = (of: Pick<SuiteSettings, 'tools' | 'description' | 'system_prompt' | 'conversation'>): number =>
  byteLength(of.tools) +
  byteLength(of.description) +
  byteLength(of.system_prompt ?? '') +
  byteLength(of.conversation ?? '');

const printed = (conversation: SuiteSettings['conversation']): string | null =>
  conversation ? JSON.stringify(conversation) : null;

/** The suite was changed or deleted since it was read. */
export class SuiteChanged extends Error {}

/** The suites of a team. Their cases are in `cases.ts`. */
export class SuiteRepository extends TeamScoped {
  async list(page: SuitesPage): Promise<Page<Suite>> {
    const { rows } = await this.db.query<CountedRow>(
      `SELECT ${WITH_COUNT} FROM suite WHERE ${ON_PAGE} ORDER BY id DESC LIMIT $7`,
      pageValues(this.teamId, page),
    );
    return toPage(rows.map(toSuite), page.limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Suite> {
    const row = await this.#row<CountedRow>(id, WITH_COUNT);
    if (!row) throw notFound('suite', id);
    return toSuite(row);
  }

  async find(id: string): Promise<UncountedSuite | undefined> {
    const row = await this.#row<SuiteRow>(id, COLUMNS);
    return row && toSuite(row);
  }

  async #row<Row extends SuiteRow>(id: string, columns: string): Promise<Row | undefined> {
    const values = [id, this.teamId];
    return (await this.db.query<Row>(`SELECT ${columns} FROM suite WHERE id = $1 AND team_id = $2`, values)).rows[0];
  }

  /** Ids of the suites with this name, up to two. */
  async findIdsByName(name: string): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      'SELECT id FROM suite WHERE team_id = $1 AND name = $2 LIMIT 2',
      [this.teamId, name],
    );
    return rows.map((row) => row.id);
  }

  /** @returns the id */
  async create(suite: SuiteSettings, cases: readonly WrittenCase[]): Promise<string> {
    return inTransaction(this.db, async (client) => {
      const id = newId();
      await client.query(
        `INSERT INTO suite (id, team_id, name, description, system_prompt, tools, pass_threshold, conversation)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          id,
          this.teamId,
          suite.name,
          suite.description,
          suite.system_prompt,
          JSON.stringify(suite.tools),
          suite.pass_threshold,
          printed(suite.conversation),
        ],
      );
      await insertCases(client, id, cases, 0);
      const bytes = bytesOf(suite) + bytesOfCases(cases);
      await checkSuiteSize(client, { teamId: this.teamId, suiteId: id }, { suites: 1, cases: cases.length, bytes });
      return id;
    });
  }

  /**
   * Changes a suite in one transaction and increments its version. If `work` throws, the suite is unchanged.
   * @throws ProblemError 404
   */
  async change<Answer>(
    id: string,
    work: (client: PoolClient, suite: UncountedSuite) => Promise<Answer>,
  ): Promise<Answer> {
    return inTransaction(this.db, async (client) => {
      const answer = await work(client, await this.#lock(client, id, 'FOR NO KEY UPDATE'));
      await client.query('UPDATE suite SET version = version + 1, updated_at = now() WHERE id = $1', [id]);
      return answer;
    });
  }

  /** Locks the suite against changes and reads it. Only a lock `FOR UPDATE` keeps runs from pinning it. */
  async #lock(client: PoolClient, id: string, strength: 'FOR UPDATE' | 'FOR NO KEY UPDATE') {
    await client.query(`SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 ${strength}`, [id, this.teamId]);
    const suite = await new SuiteRepository(client, this.teamId).find(id);
    if (!suite) throw notFound('suite', id);
    return suite;
  }

  /**
   * @param checkedVersion the version that the patch was checked against; if omitted, any version is accepted
   * @throws SuiteChanged when the suite has another version now
   */
  update(id: string, patch: SuitePatch, checkedVersion?: number): Promise<SuiteChange> {
    return this.change(id, async (client, suite) => {
      if (checkedVersion !== undefined && suite.version !== checkedVersion)
        throw new SuiteChanged('Someone else changed the suite in the meantime.');
      const next = { ...suite, ...patch };
      await client.query(
        `UPDATE suite SET name = $2, description = $3, system_prompt = $4, tools = $5, pass_threshold = $6,
          conversation = $7 WHERE id = $1`,
        [
          id,
          next.name,
          next.description,
          next.system_prompt,
          JSON.stringify(next.tools),
          next.pass_threshold,
          printed(next.conversation),
        ],
      );
      await checkSuiteSize(
        client,
        { teamId: this.teamId, suiteId: id },
        { cases: 0, bytes: bytesOf(next) - bytesOf(suite) },
      );
      return { before: suite, after: { ...next, version: suite.version + 1 } };
    });
  }

  /**
   * @returns what it was
   * @throws ProblemError 404; 409 while an unfinished run uses it
   */
  delete(id: string): Promise<Pick<Suite, 'name' | 'version' | 'tools'> & { cases: number }> {
    return inTransaction(this.db, async (client) => {
      const { name, version, tools } = await this.#lock(client, id, 'FOR UPDATE');
      const used = await client.query(
        `SELECT 1 FROM run WHERE suite_id = $1 AND status IN ('pending', 'queued', 'running') LIMIT 1`,
        [id],
      );
      if (used.rowCount)
        throw new ProblemError(409, 'An unfinished run uses this suite. Cancel it or wait until it ends.');
      await client.query('DELETE FROM mark WHERE subject_id = $1', [id]);
      const { rowCount: cases } = await client.query('DELETE FROM suite_case WHERE suite_id = $1', [id]);
      await client.query('DELETE FROM suite WHERE id = $1', [id]);
      return { name, version, tools, cases: cases ?? 0 };
    });
  }
}
