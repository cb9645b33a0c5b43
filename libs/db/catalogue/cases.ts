import type { Case, CaseInput, CaseNeighbours } from '#lib/contracts/case';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import type { CaseLabels } from '#lib/contracts/suite';
import { byteLength } from '#lib/contracts/tool';
import { jsonColumn } from '../connection/json-column.js';
import { TeamScoped } from '../team-isolation.js';
import { pageOf } from './page.js';
import { BEFORE_FIRST, firstPage, NOT_DRAFT, type CasePlace } from './case-pages.js';
import { searchCases } from './case-search.js';
import { bytesOfCases, insertCases, writeCase } from './insert-cases.js';
import { checkSuiteSize } from './suite-size.js';
import { SuiteChanged, SuiteRepository, type UncountedSuite } from './suites.js';

/** A stored case: `body` is its JSON. */
export interface CaseRow extends CasePlace {
  body: string;
}

const toCase = (row: CaseRow): Case => ({
  id: row.id,
  position: row.position,
  ...jsonColumn<CaseInput>(row.body),
});

/** What the audit says of a case: its texts are in `body`. */
function factsOf({ position, body }: Pick<CaseRow, 'position' | 'body'>) {
  const { name = null, category = null, tags = [] } = jsonColumn<CaseInput>(body);
  return { position, name, category, tags, body };
}
type CaseFacts = ReturnType<typeof factsOf>;

/** The number of cases and the version of a suite before and after. */
interface CasesChange {
  before: { cases: number; version: number };
  after: { cases: number; version: number };
}

/** Which cases a list has. */
export interface CaseListQuery extends PageQuery {
  text?: string | undefined;
  tag?: string | undefined;
  category?: string | undefined;
  /** Only cases that a model did not pass in this run. */
  failedIn?: { runId: string; generation: number } | undefined;
}

/** SQL: belongs to the suite `$1` of the team `$2`. */
const OF_SUITE = 'suite_id = (SELECT id FROM suite WHERE id = $1 AND team_id = $2)';

/** SQL: a case of a list, after the position `$3`. */
const LISTED = `${OF_SUITE} AND position > $3 AND ($4::text IS NULL OR tags @> ARRAY[$4])
  AND ($5::text IS NULL OR category = $5)
  AND ($6::uuid IS NULL OR id IN (SELECT case_id FROM case_figures f
    WHERE f.run_id = $6 AND f.scoring_id = $6 AND f.generation = $7
      AND EXISTS (SELECT FROM unnest(f.passed, f.scored) AS of_model(passed, scored) WHERE passed < scored)))`;

const MAX_LABELS = 500;
/** Labels that are counted. */
const COUNTED_LABELS = 200;

/** The cases of a team's suites. */
export class CaseRepository extends TeamScoped {
  /**
   * @param text what the cases of the page must contain; `next_cursor` then continues after the last case examined
   * @throws ProblemError 404 when the team has no such suite
   */
  async list(suiteId: string, query: CaseListQuery): Promise<Page<Case>> {
    await this.#suites().read(suiteId);
    return query.text === undefined ? this.#all(suiteId, query) : this.#holding(suiteId, query.text, query);
  }

  #listed(suiteId: string, { tag, category, failedIn, cursor }: CaseListQuery): unknown[] {
    const { runId = null, generation = null } = failedIn ?? {};
    return [suiteId, this.teamId, Number(cursor ?? -1), tag ?? null, category ?? null, runId, generation];
  }

  async #holding(suiteId: string, text: string, query: CaseListQuery): Promise<Page<Case>> {
    const { limit } = query;
    const sql = searchCases(LISTED, { plain: '$8', json: '$9' }, '$10');
    const { rows } = await this.db.query<CaseRow & { last: number | null }>(sql, [
      ...this.#listed(suiteId, query),
      text,
      JSON.stringify(text).slice(1, -1),
      limit + 1,
    ]);
    const found = rows.filter((row) => row.id !== null);
    const last = found.length > limit ? found[limit - 1]!.position : rows[0]!.last;
    return {
      items: found.slice(0, limit).map(toCase),
      next_cursor: last !== null && (await this.#isAnyBehind(suiteId, last)) ? String(last) : null,
    };
  }

  async #isAnyBehind(suiteId: string, position: number): Promise<boolean> {
    const { rowCount } = await this.db.query(`SELECT FROM suite_case WHERE ${OF_SUITE} AND position > $3 LIMIT 1`, [
      suiteId,
      this.teamId,
      position,
    ]);
    return rowCount !== 0;
  }

  async #all(suiteId: string, query: CaseListQuery): Promise<Page<Case>> {
    const { rows } = await this.db.query<CaseRow>(
      `SELECT id, position, body FROM suite_case WHERE ${LISTED} ORDER BY position LIMIT $8`,
      [...this.#listed(suiteId, query), query.limit + 1],
    );
    return pageOf(rows, query.limit, toCase, ({ position }) => String(position));
  }

  /** The labels of the cases with their counts. @throws ProblemError 404 */
  async countLabels(suiteId: string): Promise<CaseLabels> {
    await this.#suites().read(suiteId);
    const counted = async (label: string): Promise<CaseLabels['tags']> => {
      const { rows } = await this.db.query<CaseLabels['tags'][number]>(
        `SELECT name, count(*)::int AS cases FROM suite_case, ${label} AS of_case(name)
         WHERE ${OF_SUITE} AND name IS NOT NULL GROUP BY name ORDER BY cases DESC, name LIMIT ${COUNTED_LABELS}`,
        [suiteId, this.teamId],
      );
      return rows;
    };
    return { categories: await counted('unnest(ARRAY[category])'), tags: await counted('unnest(tags)') };
  }

  /** @throws ProblemError 404 */
  async read(suiteId: string, caseId: string): Promise<Case> {
    const { rows } = await this.db.query<CaseRow>(
      `SELECT id, position, body FROM suite_case WHERE ${OF_SUITE} AND id = $3`,
      [suiteId, this.teamId, caseId],
    );
    if (rows[0]) return toCase(rows[0]);
    await this.#suites().read(suiteId);
    throw notFound('case', caseId);
  }

  /** @throws ProblemError 404 */
  async neighbours(suiteId: string, caseId: string): Promise<CaseNeighbours> {
    const { position } = await this.read(suiteId, caseId);
    const { rows } = await this.db.query<CaseNeighbours>(
      `SELECT
         (SELECT id FROM suite_case WHERE ${OF_SUITE} AND position < $3 ORDER BY position DESC LIMIT 1) AS previous_id,
         (SELECT id FROM suite_case WHERE ${OF_SUITE} AND position > $3 ORDER BY position LIMIT 1) AS next_id`,
      [suiteId, this.teamId, position],
    );
    return rows[0]!;
  }

  /**
   * The cases of a suite in order, page by page. Each page is a separate query, so that a slow reader holds neither a
   * connection nor a snapshot that Postgres would have to keep. Every state of a suite has its own version, so pages
   * read at one version are consistent.
   * @throws SuiteChanged when the suite has another version now
   */
  async *pages(suiteId: string, version: number): AsyncGenerator<CaseRow[]> {
    const page = firstPage('suite_id = $1 AND position >= $3 AND (position, id) > ($3, $4)');
    for (let after: CasePlace = BEFORE_FIRST; ;) {
      const { rows } = await this.db.query<CaseRow & { version: number }>(
        `SELECT s.version, p.id, p.position, p.body FROM suite s LEFT JOIN (${page}) p ON true
         WHERE s.id = $1 AND s.team_id = $2 ORDER BY p.position, p.id`,
        [suiteId, this.teamId, after.position, after.id],
      );
      if (rows[0]?.version !== version)
        throw new SuiteChanged('The suite was changed while it was read. Read it again.');
      const cases = rows.filter((row) => row.id !== null);
      if (cases.length === 0) return;
      yield cases;
      after = cases.at(-1)!;
    }
  }

  /** The cases that a run with this filter would take and whose JSON contains `text`, page by page. */
  async *selected(suiteId: string, filter: RunInput['case_filter'], text: string): AsyncGenerator<Case[]> {
    const page = firstPage(
      `${OF_SUITE} AND position >= $6 AND (position, id) > ($6, $7) AND ($3::text[] IS NULL OR tags && $3)
        AND ($4::text IS NULL OR category = $4) AND ${NOT_DRAFT} AND strpos(body, $5) > 0`,
    );
    const tags = filter?.tags?.length ? filter.tags : null;
    for (let after: CasePlace = BEFORE_FIRST; ;) {
      const { rows } = await this.db.query<CaseRow>(`${page} ORDER BY c.position, c.id`, [
        suiteId,
        this.teamId,
        tags,
        filter?.category ?? null,
        text,
        after.position,
        after.id,
      ]);
      if (rows.length === 0) return;
      yield rows.map(toCase);
      after = rows.at(-1)!;
    }
  }

  /** The fields that at least one case of the suite uses. */
  async usedFields(suiteId: string): Promise<string[]> {
    const { rows } = await this.db.query<{ field: string }>(
      `SELECT DISTINCT json_object_keys(body::json) AS field FROM suite_case WHERE ${OF_SUITE}`,
      [suiteId, this.teamId],
    );
    return rows.map((row) => row.field);
  }

  /** The labels of a filter that no case of the suite has, with some of the labels its cases do have. */
  async labels(
    suiteId: string,
    { tags, category }: NonNullable<RunInput['case_filter']>,
  ): Promise<{ unknownTags: string[]; tags: string[]; isCategory: boolean; categories: string[] }> {
    const { rows } = await this.db.query<{ unknownTags: string[]; isCategory: boolean }>(
      `SELECT
         ARRAY(SELECT tag FROM unnest($3::text[]) tag
           WHERE NOT EXISTS (SELECT 1 FROM suite_case WHERE ${OF_SUITE} AND tags @> ARRAY[tag])) AS "unknownTags",
         $4::text IS NULL OR EXISTS (SELECT 1 FROM suite_case WHERE ${OF_SUITE} AND category = $4) AS "isCategory"`,
      [suiteId, this.teamId, tags ?? [], category ?? null],
    );
    const { unknownTags, isCategory } = rows[0]!;
    return {
      unknownTags,
      tags: unknownTags.length ? await this.#someOf(suiteId, 'unnest(tags)') : [],
      isCategory,
      categories: isCategory ? [] : await this.#someOf(suiteId, 'category'),
    };
  }

  async #someOf(suiteId: string, label: 'unnest(tags)' | 'category'): Promise<string[]> {
    const { rows } = await this.db.query<{ label: string | null }>(
      `SELECT DISTINCT ${label} AS label FROM suite_case WHERE ${OF_SUITE} LIMIT ${MAX_LABELS}`,
      [suiteId, this.teamId],
    );
    return rows.flatMap((row) => row.label ?? []);
  }

  /**
   * Appends cases.
   * @param checked the suite that the cases were checked against
   * @returns the cases, and the suite before and after
   * @throws SuiteChanged when the suite is another one for them now
   */
  add(suiteId: string, cases: readonly CaseInput[], checked: CheckedSuite): Promise<{ added: Case[] } & CasesChange> {
    return this.#suites().change(suiteId, async (client, suite) => {
      requireUnchanged(suite, checked);
      const { rows } = await client.query<{ next: number }>(
        'SELECT coalesce(max(position) + 1, 0) AS next FROM suite_case WHERE suite_id = $1',
        [suiteId],
      );
      const first = rows[0]!.next;
      const written = cases.map(writeCase);
      const ids = await insertCases(client, suiteId, written, first);
      const growth = { cases: cases.length, bytes: bytesOfCases(written) };
      const count = (await checkSuiteSize(client, this.#of(suiteId), growth))!;
      return {
        added: cases.map((input, index) => ({ id: ids[index]!, position: first + index, ...input })),
        before: { cases: count - cases.length, version: suite.version },
        after: { cases: count, version: suite.version + 1 },
      };
    });
  }

  /**
   * @param checked the suite that the case was checked against
   * @returns the case before and after
   * @throws ProblemError 404; SuiteChanged when the suite is another one for it now
   */
  replace(
    suiteId: string,
    caseId: string,
    input: CaseInput,
    checked: CheckedSuite,
  ): Promise<{ replaced: Case; before: CaseFacts; after: CaseFacts }> {
    return this.#suites().change(suiteId, async (client, suite) => {
      requireUnchanged(suite, checked);
      const { category, tags, body } = writeCase(input);
      const { rows } = await client.query<{ position: number; before: string }>(
        `UPDATE suite_case c SET category = $3, tags = $4, body = $5
         FROM (SELECT body FROM suite_case WHERE id = $2) earlier
         WHERE c.id = $2 AND c.suite_id = $1 RETURNING c.position, earlier.body AS before`,
        [suiteId, caseId, category, tags, body],
      );
      if (!rows[0]) throw notFound('case', caseId);
      const { position, before } = rows[0];
      await checkSuiteSize(client, this.#of(suiteId), { cases: 0, bytes: byteLength(body) - byteLength(before) });
      return {
        replaced: { id: caseId, position, ...input },
        before: factsOf({ position, body: before }),
        after: factsOf({ position, body }),
      };
    });
  }

  /** @returns what it was @throws ProblemError 404 */
  delete(suiteId: string, caseId: string): Promise<CaseFacts> {
    return this.#suites().change(suiteId, async (client) => {
      const { rows } = await client.query<CaseRow>(
        'DELETE FROM suite_case WHERE id = $2 AND suite_id = $1 RETURNING position, body',
        [suiteId, caseId],
      );
      if (!rows[0]) throw notFound('case', caseId);
      return factsOf(rows[0]);
    });
  }

  #of(suiteId: string): { teamId: string; suiteId: string } {
    return { teamId: this.teamId, suiteId };
  }

  #suites(): SuiteRepository {
    return new SuiteRepository(this.db, this.teamId);
  }
}

/** What of a suite its cases are checked against. */
type CheckedSuite = Pick<UncountedSuite, 'tools' | 'conversation'>;

/** Cases are checked before their suite is locked, because checking may take long. */
function requireUnchanged(suite: UncountedSuite, checked: CheckedSuite): void {
  const textOf = ({ tools, conversation }: CheckedSuite) => JSON.stringify([tools, conversation]);
  if (textOf(suite) !== textOf(checked))
    throw new SuiteChanged('Someone else changed the tools of the suite in the meantime.');
}
