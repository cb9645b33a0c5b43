import type { Case, CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import {
  MAX_LISTED_CHANGES,
  type CaseChanges,
  type ChangedCase,
  type SuiteVersion,
  type SuiteVersionHead,
} from '#lib/contracts/suite-version';
import type { Tool } from '#lib/contracts/tool';
import { timeOfId } from '#lib/runtime/ids';
import { inTransaction, type Pool } from '../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { CASE_PAGE } from '../catalogue/case-pages.js';
import { pageOf } from '../catalogue/page.js';
import { TeamScoped } from '../team-isolation.js';

/** Timeout of one statement. Comparing the cases of two of the largest suites takes a few seconds. */
const STATEMENT_TIMEOUT_MS = 55_000;

const NO_ID = '00000000-0000-0000-0000-000000000000';

interface HeadRow {
  version: number;
  version_id: string | null;
  runs: number;
  is_current: boolean;
}
interface VersionRow extends HeadRow {
  name: string;
  description: string;
  system_prompt: string | null;
  tools: string;
  pass_threshold: number;
  conversation: string | null;
  test_cases_count: number;
}
type ChangeRow = { [Key in keyof ChangedCase]: ChangedCase[Key] | null } & {
  counts: Record<ChangedCase['kind'], number>;
};

/** Where the cases of a version are stored: as pinned by runs, or in the suite itself. */
export interface VersionPlace {
  suiteId: string;
  /** Null: no run has pinned the current version yet. */
  versionId: string | null;
}

const toHead = ({ version, version_id: id, runs, is_current }: HeadRow): SuiteVersionHead => ({
  version,
  pinned_at: id === null ? null : timeOfId(id).toISOString(),
  runs,
  is_current,
});

/** SQL: the number of runs in the history with the version `id`. */
const runsOf = (id: string): string => `(SELECT count(*)::int FROM run WHERE suite_version_id = ${id} AND listed)`;

/** The versions of a team's suites: those pinned by stored runs, and the current ones. */
export class SuiteVersionRepository extends TeamScoped {
  /** Reads everything in one snapshot, with no statement longer than a minute. */
  static inSnapshot<Made>(
    pool: Pool,
    teamId: string,
    work: (versions: SuiteVersionRepository) => Promise<Made>,
  ): Promise<Made> {
    return inTransaction(pool, async (client) => {
      await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
      return work(new SuiteVersionRepository(client, teamId));
    });
  }

  /** Newest first. @throws ProblemError 404 */
  async list(suiteId: string, { limit, cursor }: PageQuery): Promise<Page<SuiteVersionHead>> {
    await this.#present(suiteId);
    const { rows } = await this.db.query<HeadRow>(
      `SELECT found.*, ${runsOf('found.version_id')} AS runs FROM (
         SELECT s.version, v.id AS version_id, true AS is_current
         FROM suite s LEFT JOIN suite_version v ON v.suite_id = s.id AND v.version = s.version
         WHERE s.id = $1 AND s.team_id = $2
         UNION ALL
         SELECT v.version, v.id, false FROM suite s JOIN suite_version v ON v.suite_id = s.id AND v.version <> s.version
         WHERE s.id = $1 AND s.team_id = $2 AND (
           EXISTS (SELECT 1 FROM run WHERE suite_version_id = v.id)
           OR EXISTS (SELECT 1 FROM rescore WHERE suite_version_id = v.id)
         )
       ) found WHERE $3::int IS NULL OR version < $3 ORDER BY version DESC LIMIT $4`,
      [suiteId, this.teamId, cursor ?? null, limit + 1],
    );
    return pageOf(rows, limit, toHead, ({ version }) => String(version));
  }

  /**
   * @param version undefined: the current one
   * @throws ProblemError 404 when the team has no such suite, or no run of it pinned this version
   */
  async read(suiteId: string, version?: number): Promise<{ suite: SuiteVersion; place: VersionPlace }> {
    const present = await this.#present(suiteId);
    const asked = version ?? present;
    const { rows } = await this.db.query<VersionRow>(
      `SELECT $3::int AS version, v.id AS version_id, s.version = $3 AS is_current, ${runsOf('v.id')} AS runs,
         ${SETTINGS_OF_VERSION},
         CASE WHEN v.id IS NULL THEN (SELECT count(*)::int FROM suite_case WHERE suite_id = s.id)
           ELSE (SELECT count(*)::int FROM suite_version_case WHERE version_id = v.id) END AS test_cases_count
       FROM suite s LEFT JOIN suite_version v ON v.suite_id = s.id AND v.version = $3
       WHERE s.id = $1 AND s.team_id = $2 AND (v.id IS NOT NULL OR s.version = $3)`,
      [suiteId, this.teamId, asked],
    );
    const row = rows[0];
    if (!row)
      throw new ProblemError(404, `Version ${asked} of the suite is not stored: only versions of runs are kept.`).as(
        'version_gone',
        { version: asked },
      );
    const { name, description, system_prompt, tools, pass_threshold, conversation, test_cases_count } = row;
    return {
      suite: {
        ...toHead(row),
        suite_id: suiteId,
        name,
        description,
        system_prompt,
        tools: jsonColumn<Tool[]>(tools),
        pass_threshold,
        conversation: nullableJsonColumn<ConversationDefaults>(conversation),
        test_cases_count,
      },
      place: { suiteId, versionId: row.version_id },
    };
  }

  /** A case as of a version. @throws ProblemError 404 */
  async readCase(place: VersionPlace, caseId: string): Promise<Case> {
    const { rows } = await this.db.query<{ position: number; body: string }>(
      `SELECT position, body FROM ${casesOf(place, '$1')} c WHERE case_id = $2 AND ${this.#OWNED}`,
      [place.versionId ?? place.suiteId, caseId, place.suiteId, this.teamId],
    );
    if (!rows[0]) throw notFound('case', caseId);
    return { id: caseId, position: rows[0].position, ...jsonColumn<CaseInput>(rows[0].body) };
  }

  /** The cases of a version that contain a text, page by page. */
  async *pages(place: VersionPlace, text: string): AsyncGenerator<{ position: number; body: string }[]> {
    for (let after: [number, string] = [-1, NO_ID]; ;) {
      const { rows } = await this.db.query<{ position: number; case_id: string; body: string }>(
        `SELECT position, case_id, body FROM (
           SELECT c.*, sum(octet_length(body)) OVER (ORDER BY position, case_id) - octet_length(body) AS before
           FROM ${casesOf(place, '$1')} c
           WHERE ${this.#OWNED} AND (position, case_id) > ($2, $5) AND strpos(body, $6) > 0
           ORDER BY position, case_id LIMIT ${CASE_PAGE.cases}
         ) found WHERE before < ${CASE_PAGE.bytes} ORDER BY position, case_id`,
        [place.versionId ?? place.suiteId, after[0], place.suiteId, this.teamId, after[1], text],
      );
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      after = [last.position, last.case_id];
    }
  }

  /**
   * The cases that differ, found and read in one statement: Postgres holds the cases of both versions, this process
   * only those it lists, without their texts.
   */
  async compareCases(a: VersionPlace, b: VersionPlace): Promise<CaseChanges> {
    const { rows } = await this.db.query<ChangeRow>(
      `WITH differing AS MATERIALIZED (
         SELECT case_id, coalesce(b.position, a.position) AS position,
           CASE WHEN a.position IS NULL THEN 'added' WHEN b.position IS NULL THEN 'removed' ELSE 'changed' END AS kind
         FROM ${casesOf(a, '$1')} a FULL JOIN ${casesOf(b, '$2')} b USING (case_id)
         WHERE ${this.#OWNED} AND a.body IS DISTINCT FROM b.body
       ), counts AS (
         SELECT json_build_object(${KINDS.map((kind) => `'${kind}', count(*) FILTER (WHERE kind = '${kind}')`).join()})
           AS counts FROM differing
       ), listed AS (SELECT * FROM differing ORDER BY kind, position, case_id LIMIT ${MAX_LISTED_CHANGES})
       SELECT counts.counts, listed.kind, listed.case_id,
         coalesce(b.body, a.body)::json ->> 'name' AS name,
         left(coalesce(b.body, a.body)::json ->> 'prompt', 200) AS prompt,
         ARRAY(SELECT key FROM json_each(a.body::json) x FULL JOIN json_each(b.body::json) y USING (key)
           WHERE kind = 'changed' AND x.value::text IS DISTINCT FROM y.value::text ORDER BY key) AS fields
       FROM counts LEFT JOIN listed ON true
         LEFT JOIN ${casesOf(a, '$1')} a ON a.case_id = listed.case_id
         LEFT JOIN ${casesOf(b, '$2')} b ON b.case_id = listed.case_id
       ORDER BY listed.kind, listed.position, listed.case_id`,
      [a.versionId ?? a.suiteId, b.versionId ?? b.suiteId, a.suiteId, this.teamId],
    );
    return {
      ...rows[0]!.counts,
      items: rows.flatMap(({ counts: _counts, ...item }) => (item.kind === null ? [] : [item as ChangedCase])),
    };
  }

  /** The current version of the suite. @throws ProblemError 404 */
  async #present(suiteId: string): Promise<number> {
    const { rows } = await this.db.query<{ version: number }>(
      'SELECT version FROM suite WHERE id = $1 AND team_id = $2',
      [suiteId, this.teamId],
    );
    if (!rows[0]) throw notFound('suite', suiteId);
    return rows[0].version;
  }

  /** SQL: the suite `$3` belongs to the team `$4`. */
  readonly #OWNED = 'EXISTS (SELECT 1 FROM suite WHERE id = $3 AND team_id = $4)';
}

/** SQL: columns of the version `v` if there is one, otherwise of the suite `s`. */
const SETTINGS_OF_VERSION = ['name', 'description', 'system_prompt', 'tools', 'pass_threshold', 'conversation']
  .map((column) => `CASE WHEN v.id IS NULL THEN s.${column} ELSE v.${column} END AS ${column}`)
  .join();
const KINDS: ChangedCase['kind'][] = ['added', 'removed', 'changed'];

/** SQL of the cases of a version. @param id parameter with the id of the version, or of the suite */
const casesOf = ({ versionId }: VersionPlace, id: string): string =>
  versionId === null
    ? `(SELECT id AS case_id, position, body FROM suite_case WHERE suite_id = ${id})`
    : `(SELECT case_id, position, body FROM suite_version_case WHERE version_id = ${id})`;
