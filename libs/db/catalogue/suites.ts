import type { Case, CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/problem';
import type { RunInput } from '#lib/contracts/run';
import { LARGEST_SUITE, type Suite, type SuitePatch, type SuiteSettings } from '#lib/contracts/suite';
import { bytesOf, type Tool } from '#lib/contracts/tool';
import { newId } from '#lib/runtime/ids';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

interface SuiteRow {
  id: string;
  name: string;
  description: string;
  system_prompt: string | null;
  tools: string;
  pass_threshold: number;
  version: number;
  created_at: Date;
  updated_at: Date;
  test_cases_count: number;
}
/** A case as it is stored: `body` is its JSON. */
export interface CaseRow {
  id: string;
  position: number;
  body: string;
}

const COLUMNS = `id, name, description, system_prompt, tools, pass_threshold, version, created_at, updated_at,
  (SELECT count(*)::int FROM suite_case c WHERE c.suite_id = suite.id) AS test_cases_count`;

const toSuite = (row: SuiteRow): Suite => ({
  ...row,
  tools: parseJson(row.tools) as unknown as Tool[],
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
const toCase = (row: CaseRow): Case => ({
  id: row.id,
  position: row.position,
  ...(parseJson(row.body) as unknown as CaseInput),
});

export async function listSuites(
  pool: Pool,
  teamId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Suite>> {
  const { rows } = await pool.query<SuiteRow>(
    `SELECT ${COLUMNS} FROM suite WHERE team_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [teamId, cursor ?? null, limit + 1],
  );
  return { items: rows.slice(0, limit).map(toSuite), next_cursor: rows.length > limit ? rows[limit - 1]!.id : null };
}

/** Ids of the suites of a name, two at most. */
export async function suitesNamed(pool: Pool, teamId: string, name: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM suite WHERE team_id = $1 AND name = $2 LIMIT 2', [
    teamId,
    name,
  ]);
  return rows.map((row) => row.id);
}

const MOST_LABELS = 500;
/** Which labels of a filter no case of a suite has, and then some that its cases have. */
export async function caseLabels(
  pool: Pool,
  suiteId: string,
  { tags, category }: NonNullable<RunInput['case_filter']>,
): Promise<{ unknownTags: string[]; tags: string[]; isCategory: boolean; categories: string[] }> {
  const {
    rows: [asked],
  } = await pool.query<{ unknown: string[]; known: boolean }>(
    `SELECT ARRAY(SELECT tag FROM unnest($2::text[]) tag WHERE NOT EXISTS (SELECT 1 FROM suite_case
      WHERE suite_id = $1 AND tags @> ARRAY[tag])) AS unknown,
       $3::text IS NULL OR EXISTS (SELECT 1 FROM suite_case WHERE suite_id = $1 AND category = $3) AS known`,
    [suiteId, tags ?? [], category ?? null],
  );
  const { unknown, known } = asked!;
  const some = async (what: string): Promise<string[]> =>
    (
      await pool.query<{ label: string }>(
        `SELECT DISTINCT ${what} AS label FROM suite_case WHERE suite_id = $1 LIMIT ${MOST_LABELS}`,
        [suiteId],
      )
    ).rows.flatMap(({ label }) => label ?? []);
  return {
    unknownTags: unknown,
    tags: unknown.length ? await some('unnest(tags)') : [],
    isCategory: known,
    categories: known ? [] : await some('category'),
  };
}

/** @throws ProblemError 404 */
export async function readSuite(pool: Pool | PoolClient, teamId: string, id: string): Promise<Suite> {
  const { rows } = await pool.query<SuiteRow>(`SELECT ${COLUMNS} FROM suite WHERE id = $1 AND team_id = $2`, [
    id,
    teamId,
  ]);
  if (!rows[0]) throw notFound('suite', id);
  return toSuite(rows[0]);
}

/**
 * So much of a suite is in hand at once, whatever its size: this many cases, or those that begin within so many
 * bytes.
 */
const PAGE = { cases: 500, bytes: 2 ** 20 };

/** The suite was changed, or deleted, while it was read. */
export class SuiteChanged extends Error {}

/**
 * The cases of a suite in order, page by page. Each page is a query of its own, so that a slow reader holds no
 * connection and no snapshot, which Postgres would have to keep for it. A suite has one version for each of its
 * states, so pages that were read at one version belong together.
 * @throws SuiteChanged when the suite has another version by now
 */
export async function* casePages(pool: Pool, suiteId: string, version: number): AsyncGenerator<CaseRow[]> {
  for (let after: Pick<CaseRow, 'id' | 'position'> = BEFORE_ALL; ;) {
    const { rows } = await pool.query<CaseRow & { version: number }>(
      `SELECT s.version, p.id, p.position, p.body FROM suite s LEFT
        JOIN (${pageOf('suite_id = $1 AND position >= $2 AND (position, id) > ($2, $3)')}) p ON true
       WHERE s.id = $1 ORDER BY p.position, p.id`,
      [suiteId, after.position, after.id],
    );
    if (rows[0]?.version !== version) throw new SuiteChanged('The suite was changed while it was read. Read it again.');
    const page = rows.filter((row) => row.id !== null);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!;
  }
}
const BEFORE_ALL = { position: -1, id: '00000000-0000-0000-0000-000000000000' };

/**
 * SQL: the first cases that fulfil `condition`. A stored text tells its length without being read, so only what is
 * taken is read.
 */
const pageOf = (condition: string): string => `
  SELECT c.id, c.position, c.body FROM (
    SELECT id, sum(bytes) OVER (ORDER BY position, id) - bytes AS before FROM (
      SELECT id, position, octet_length(body) AS bytes FROM suite_case WHERE ${condition} ORDER BY position, id
        LIMIT ${PAGE.cases}
    ) found
  ) fitting JOIN suite_case c ON c.id = fitting.id WHERE fitting.before < ${PAGE.bytes}`;

/** Fields that any case of the suite has. */
export async function usedFields(pool: Pool, suiteId: string): Promise<string[]> {
  const { rows } = await pool.query<{ field: string }>(
    'SELECT DISTINCT json_object_keys(body::json) AS field FROM suite_case WHERE suite_id = $1',
    [suiteId],
  );
  return rows.map((row) => row.field);
}

/**
 * The tools of the suite version that a run pinned, and page by page the cases that take part in it. Undefined when
 * it is gone.
 */
export async function readRunCases(
  pool: Pool,
  runId: string,
): Promise<{ tools: string; pages: AsyncGenerator<Omit<CaseRow, 'id'>[]> } | undefined> {
  const { rows } = await pool.query<{ version_id: string; tools: string; positions: number[] }>(
    `SELECT v.id AS version_id, v.tools, r.case_positions AS positions FROM run r
      JOIN suite_version v ON v.id = r.suite_version_id WHERE r.id = $1`,
    [runId],
  );
  return rows[0] && { tools: rows[0].tools, pages: pinnedPages(pool, rows[0].version_id, rows[0].positions) };
}

/** @param positions of the cases wanted, in order; none: all */
async function* pinnedPages(
  pool: Pool,
  versionId: string,
  positions: readonly number[],
): AsyncGenerator<Omit<CaseRow, 'id'>[]> {
  let next = 0;
  for (let after = -1; ;) {
    const wanted = positions.slice(next, next + PAGE.cases);
    if (positions.length && wanted.length === 0) return;
    const { rows } = await pool.query<Omit<CaseRow, 'id'>>(
      `SELECT c.position, c.body FROM (
         SELECT position, sum(bytes) OVER (ORDER BY position) - bytes AS before FROM (
           SELECT position, octet_length(body) AS bytes FROM suite_version_case
           WHERE version_id = $1 AND position > $2 AND (cardinality($3::int[]) = 0 OR position = ANY ($3))
             ORDER BY position LIMIT ${PAGE.cases}
         ) found
       ) fitting JOIN suite_version_case c ON c.version_id = $1 AND c.position = fitting.position
         WHERE fitting.before < ${PAGE.bytes} ORDER BY c.position`,
      [versionId, after, wanted],
    );
    if (rows.length === 0) return;
    yield rows;
    next += rows.length;
    after = rows.at(-1)!.position;
  }
}

/**
 * SQL: whether a case, whose `body` this is, takes part in runs. The first look is cheap, and true of hardly any
 * other case.
 */
export const NO_DRAFT = `(strpos(body, '"draft":true') = 0 OR body::json ->> 'draft' IS DISTINCT FROM 'true')`;

/** Of the cases that a run with this filter would take, those whose text holds `part`, page by page. */
export async function* selectedCases(
  pool: Pool,
  teamId: string,
  suiteId: string,
  filter: RunInput['case_filter'],
  part: string,
): AsyncGenerator<Case[]> {
  for (let after: Pick<CaseRow, 'id' | 'position'> = BEFORE_ALL; ;) {
    const { rows } = await pool.query<CaseRow>(
      `${pageOf(`suite_id = (SELECT id FROM suite WHERE id = $1 AND team_id = $2) AND position >= $6 AND (position, id) > ($6, $7)
         AND ($3::text[] IS NULL OR tags && $3) AND ($4::text IS NULL OR category = $4) AND ${NO_DRAFT} AND strpos(body, $5) > 0`)} ` +
        'ORDER BY c.position, c.id',
      [
        suiteId,
        teamId,
        filter?.tags?.length ? filter.tags : null,
        filter?.category ?? null,
        part,
        after.position,
        after.id,
      ],
    );
    if (rows.length === 0) return;
    yield rows.map(toCase);
    after = rows.at(-1)!;
  }
}

export async function listCases(
  pool: Pool,
  teamId: string,
  suiteId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Case>> {
  await readSuite(pool, teamId, suiteId);
  const { rows } = await pool.query<CaseRow>(
    'SELECT id, position, body FROM suite_case WHERE suite_id = $1 AND position > $2 ORDER BY position LIMIT $3',
    [suiteId, Number(cursor ?? -1), limit + 1],
  );
  return {
    items: rows.slice(0, limit).map(toCase),
    next_cursor: rows.length > limit ? String(rows[limit - 1]!.position) : null,
  };
}

/** A case as it will be stored. */
export interface WrittenCase {
  category: string | null;
  tags: string[];
  body: string;
}
export const writeCase = (input: CaseInput): WrittenCase => ({
  category: input.category ?? null,
  tags: input.tags ?? [],
  body: JSON.stringify(input),
});

export async function createSuite(
  pool: Pool | PoolClient,
  teamId: string,
  suite: SuiteSettings,
  cases: readonly WrittenCase[],
): Promise<string> {
  return inTransaction(pool, async (client) => {
    const id = newId();
    await client.query(
      `INSERT INTO suite (id, team_id, name, description, system_prompt, tools, pass_threshold)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        id,
        teamId,
        suite.name,
        suite.description,
        suite.system_prompt,
        JSON.stringify(suite.tools),
        suite.pass_threshold,
      ],
    );
    await insertCases(client, id, cases, 0);
    await refuseBeyond(client, id, { cases: cases.length, bytes: 1 });
    return id;
  });
}

/** Answers their ids. */
async function insertCases(
  client: PoolClient,
  suiteId: string,
  cases: readonly WrittenCase[],
  from: number,
): Promise<string[]> {
  const ids = cases.map(() => newId());
  for (let start = 0; start < cases.length;) {
    let [end, bytes] = [start, 0];
    while (end < cases.length && (end === start || bytes < PAGE.bytes)) bytes += cases[end++]!.body.length;
    const some = cases.slice(start, end);
    await client.query(
      `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
       SELECT c.id, $1, c.position, c.category, ARRAY(SELECT json_array_elements_text(c.tags::json)), c.body
       FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[]) AS c(id, position, category, tags, body)`,
      [
        suiteId,
        ids.slice(start, end),
        some.map((_one, index) => from + start + index),
        some.map((one) => one.category),
        some.map((one) => JSON.stringify(one.tags)),
        some.map((one) => one.body),
      ],
    );
    start = end;
  }
  return ids;
}

/**
 * Refuses that a suite is larger than a suite may be, if it has just grown. Called under its lock, in the
 * transaction that it grew in. It is counted anew (Postgres knows the lengths without reading the texts: some 30 ms
 * for 100,000 cases), so that it is right whatever else wrote here.
 * @param by what was added, less what was taken away
 */
async function refuseBeyond(client: PoolClient, suiteId: string, by: { cases: number; bytes: number }): Promise<void> {
  if (by.cases <= 0 && by.bytes <= 0) return;
  const { rows } = await client.query<{ cases: number; bytes: number }>(
    `SELECT c.cases, c.bytes + octet_length(tools) + octet_length(description) +
      coalesce(octet_length(system_prompt), 0) AS bytes
     FROM suite, (SELECT count(*)::int AS cases, coalesce(sum(octet_length(body)), 0)::int8 AS bytes FROM suite_case
       WHERE suite_id = $1) c WHERE id = $1`,
    [suiteId],
  );
  const { cases, bytes } = rows[0]!;
  const wayOut = 'Delete cases that are not needed, or divide them among several suites.';
  if (by.cases > 0 && cases > LARGEST_SUITE.cases) {
    throw new ProblemError(
      422,
      `The suite would have ${cases} cases, and a suite may have ${LARGEST_SUITE.cases}. ${wayOut}`,
    );
  }
  if (by.bytes > 0 && bytes > LARGEST_SUITE.bytes) {
    throw new ProblemError(
      422,
      `The suite would have ${bytes} bytes, and a suite may have ${LARGEST_SUITE.bytes} ` +
        `(${LARGEST_SUITE.bytes / 2 ** 20} MiB). ${wayOut}`,
    );
  }
}

/** Changes a suite in one transaction and raises its version by one. Whatever `change` throws leaves it as it was. */
async function changeSuite<Answer>(
  pool: Pool | PoolClient,
  teamId: string,
  id: string,
  change: (client: PoolClient, suite: Suite) => Promise<Answer>,
): Promise<Answer> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE', [id, teamId]);
    const answer = await change(client, await readSuite(client, teamId, id));
    await client.query('UPDATE suite SET version = version + 1, updated_at = now() WHERE id = $1', [id]);
    return answer;
  });
}

/**
 * @param version that the patch was checked against; left out: whichever it is
 * @throws SuiteChanged when the suite has another version by now
 */
export const updateSuite = (
  pool: Pool | PoolClient,
  teamId: string,
  id: string,
  patch: SuitePatch,
  version?: number,
): Promise<void> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    if (version !== undefined && suite.version !== version)
      throw new SuiteChanged('The suite was changed by someone else meanwhile.');
    const next = { ...suite, ...patch };
    await client.query(
      'UPDATE suite SET name = $2, description = $3, system_prompt = $4, tools = $5, pass_threshold = $6 WHERE id = $1',
      [id, next.name, next.description, next.system_prompt, JSON.stringify(next.tools), next.pass_threshold],
    );
    const bytes = (of: Suite): number => bytesOf(of.tools) + bytesOf(of.description) + bytesOf(of.system_prompt ?? '');
    await refuseBeyond(client, id, { cases: 0, bytes: bytes(next) - bytes(suite) });
  });

/**
 * @param tools that the cases were checked against
 * @throws SuiteChanged when the suite has others by now
 */
export const addCases = (
  pool: Pool | PoolClient,
  teamId: string,
  id: string,
  cases: readonly CaseInput[],
  tools: readonly Tool[],
): Promise<Case[]> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    refuseOtherTools(suite, tools);
    const { rows } = await client.query<{ next: number }>(
      'SELECT coalesce(max(position) + 1, 0) AS next FROM suite_case WHERE suite_id = $1',
      [id],
    );
    const from = rows[0]!.next;
    const ids = await insertCases(client, id, cases.map(writeCase), from);
    await refuseBeyond(client, id, { cases: cases.length, bytes: 1 });
    return cases.map((input, index) => ({ id: ids[index]!, position: from + index, ...input }));
  });

/**
 * @param tools that the case was checked against
 * @throws SuiteChanged when the suite has others by now
 */
export const replaceCase = (
  pool: Pool | PoolClient,
  teamId: string,
  id: string,
  caseId: string,
  input: CaseInput,
  tools: readonly Tool[],
): Promise<Case> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    refuseOtherTools(suite, tools);
    const { category, tags, body } = writeCase(input);
    const { rows } = await client.query<{ position: number; bytes: number }>(
      `UPDATE suite_case c SET category = $3, tags = $4, body = $5 FROM (SELECT octet_length(body) AS bytes
        FROM suite_case WHERE id = $2) before
       WHERE c.id = $2 AND c.suite_id = $1 RETURNING c.position, before.bytes`,
      [id, caseId, category, tags, body],
    );
    if (!rows[0]) throw notFound('case', caseId);
    await refuseBeyond(client, id, { cases: 0, bytes: bytesOf(body) - rows[0].bytes });
    return { id: caseId, position: rows[0].position, ...input };
  });

/** A case is checked against the tools before its suite is locked: checking may take long. */
function refuseOtherTools(suite: Suite, tools: readonly Tool[]): void {
  if (JSON.stringify(suite.tools) !== JSON.stringify(tools))
    throw new SuiteChanged('The tools of the suite were changed by someone else meanwhile.');
}

export const deleteCase = (pool: Pool | PoolClient, teamId: string, id: string, caseId: string): Promise<void> =>
  changeSuite(pool, teamId, id, async (client) => {
    const gone = await client.query('DELETE FROM suite_case WHERE id = $2 AND suite_id = $1', [id, caseId]);
    if (gone.rowCount === 0) throw notFound('case', caseId);
  });

export async function deleteSuite(pool: Pool | PoolClient, teamId: string, id: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE', [id, teamId]);
    await readSuite(client, teamId, id);
    const used = await client.query(
      `SELECT 1 FROM run WHERE suite_id = $1 AND status IN ('pending', 'queued', 'running') LIMIT 1`,
      [id],
    );
    if (used.rowCount)
      throw new ProblemError(409, 'An unfinished run uses this suite. Cancel it, or wait for its end.');
    await client.query('DELETE FROM suite WHERE id = $1', [id]);
  });
}
