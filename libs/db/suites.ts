import type { Case, CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/problem';
import type { RunInput } from '#lib/contracts/run';
import type { Suite, SuiteFile, SuitePatch } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { newId } from '#lib/runtime/ids';
import { inTransaction, type Pool, type PoolClient } from './pool.js';

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
const COLUMNS = `id, name, description, system_prompt, tools, pass_threshold, version, created_at, updated_at,
  (SELECT count(*)::int FROM suite_case c WHERE c.suite_id = suite.id) AS test_cases_count`;

const toSuite = (row: SuiteRow): Suite => ({
  ...row, tools: parseJson(row.tools) as unknown as Tool[], created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString(),
});
const toCase = (row: { id: string; position: number; body: string }): Case => ({ id: row.id, position: row.position, ...(parseJson(row.body) as unknown as CaseInput) });

export async function listSuites(pool: Pool, teamId: string, limit: number, cursor: string | undefined): Promise<Page<Suite>> {
  const { rows } = await pool.query<SuiteRow>(
    `SELECT ${COLUMNS} FROM suite WHERE team_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`, [teamId, cursor ?? null, limit + 1]);
  return { items: rows.slice(0, limit).map(toSuite), next_cursor: rows.length > limit ? rows[limit - 1]!.id : null };
}

/** @throws ProblemError 404 */
export async function readSuite(pool: Pool | PoolClient, teamId: string, id: string): Promise<Suite> {
  const { rows } = await pool.query<SuiteRow>(`SELECT ${COLUMNS} FROM suite WHERE id = $1 AND team_id = $2`, [id, teamId]);
  if (!rows[0]) throw notFound('suite', id);
  return toSuite(rows[0]);
}

/** A suite and its cases as they were at one instant. */
export const readWholeSuite = (pool: Pool, teamId: string, id: string): Promise<Suite & { test_cases: Case[] }> =>
  inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return { ...(await readSuite(client, teamId, id)), test_cases: await allCases(client, id) };
  });

async function allCases(client: PoolClient, suiteId: string): Promise<Case[]> {
  const { rows } = await client.query<{ id: string; position: number; body: string }>('SELECT id, position, body FROM suite_case WHERE suite_id = $1 ORDER BY position, id', [suiteId]);
  return rows.map(toCase);
}

/** SQL: whether a case, whose `body` this is, takes part in runs. The first look is cheap, and true of hardly any other case. */
export const NO_DRAFT = `(strpos(body, '"draft":true') = 0 OR body::json ->> 'draft' IS DISTINCT FROM 'true')`;

/** Of the cases that a run with this filter would take, those whose text holds one of `holding`. */
export async function selectedCases(pool: Pool, teamId: string, suiteId: string, filter: RunInput['case_filter'], holding: string[]): Promise<Case[]> {
  const { rows } = await pool.query<{ id: string; position: number; body: string }>(
    `SELECT c.id, c.position, c.body FROM suite_case c JOIN suite s ON s.id = c.suite_id
     WHERE s.id = $1 AND s.team_id = $2 AND ($3::text[] IS NULL OR c.tags && $3) AND ($4::text IS NULL OR c.category = $4)
       AND ${NO_DRAFT} AND EXISTS (SELECT 1 FROM unnest($5::text[]) AS t(part) WHERE strpos(c.body, t.part) > 0) ORDER BY c.position`,
    [suiteId, teamId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null, holding]);
  return rows.map(toCase);
}

export async function listCases(pool: Pool, teamId: string, suiteId: string, limit: number, cursor: string | undefined): Promise<Page<Case>> {
  await readSuite(pool, teamId, suiteId);
  const { rows } = await pool.query<{ id: string; position: number; body: string }>(
    'SELECT id, position, body FROM suite_case WHERE suite_id = $1 AND position > $2 ORDER BY position LIMIT $3', [suiteId, Number(cursor ?? -1), limit + 1]);
  return { items: rows.slice(0, limit).map(toCase), next_cursor: rows.length > limit ? String(rows[limit - 1]!.position) : null };
}

/** @param also is written with the suite, or neither is */
export async function createSuite(pool: Pool, teamId: string, file: SuiteFile, also?: (client: PoolClient, id: string) => Promise<void>): Promise<string> {
  return inTransaction(pool, async (client) => {
    const id = newId();
    await client.query('INSERT INTO suite (id, team_id, name, description, system_prompt, tools, pass_threshold) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [id, teamId, file.name, file.description, file.system_prompt, JSON.stringify(file.tools), file.pass_threshold]);
    await insertCases(client, id, file.test_cases, 0);
    await also?.(client, id);
    return id;
  });
}

async function insertCases(client: PoolClient, suiteId: string, cases: CaseInput[], from: number): Promise<Case[]> {
  const made = cases.map((input, index) => ({ id: newId(), position: from + index, ...input }));
  await client.query(
    `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
     SELECT c.id, $1, c.position, c.category, ARRAY(SELECT json_array_elements_text(c.tags::json)), c.body
     FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[]) AS c(id, position, category, tags, body)`,
    [suiteId, made.map((c) => c.id), made.map((c) => c.position), cases.map((c) => c.category ?? null), cases.map((c) => JSON.stringify(c.tags ?? [])),
      cases.map((c) => JSON.stringify(c))],
  );
  return made;
}

/** Changes a suite in one transaction and raises its version by one. Whatever `change` throws leaves it as it was. */
async function changeSuite<Answer>(pool: Pool, teamId: string, id: string, change: (client: PoolClient, suite: Suite) => Promise<Answer>): Promise<Answer> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE', [id, teamId]);
    const answer = await change(client, await readSuite(client, teamId, id));
    await client.query('UPDATE suite SET version = version + 1, updated_at = now() WHERE id = $1', [id]);
    return answer;
  });
}

/**
 * @param check throws when the cases do not fit the tools any more
 * @param version that the patch was made for; left out: whichever it is
 */
export const updateSuite = (pool: Pool, teamId: string, id: string, patch: SuitePatch, check: (tools: Tool[], cases: Case[]) => void, version?: number): Promise<void> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    if (version !== undefined && suite.version !== version) throw new ProblemError(409, 'The suite was changed by someone else meanwhile. Look again.');
    if (patch.tools) check(patch.tools, await allCases(client, id));
    const next = { ...suite, ...patch };
    await client.query('UPDATE suite SET name = $2, description = $3, system_prompt = $4, tools = $5, pass_threshold = $6 WHERE id = $1',
      [id, next.name, next.description, next.system_prompt, JSON.stringify(next.tools), next.pass_threshold]);
  });

export const addCases = (pool: Pool, teamId: string, id: string, cases: CaseInput[], check: (tools: Tool[]) => void): Promise<Case[]> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    check(suite.tools);
    const { rows } = await client.query<{ next: number }>('SELECT coalesce(max(position) + 1, 0) AS next FROM suite_case WHERE suite_id = $1', [id]);
    return insertCases(client, id, cases, rows[0]!.next);
  });

export const replaceCase = (pool: Pool, teamId: string, id: string, caseId: string, input: CaseInput, check: (tools: Tool[]) => void): Promise<Case> =>
  changeSuite(pool, teamId, id, async (client, suite) => {
    check(suite.tools);
    const { rows } = await client.query<{ position: number }>(
      'UPDATE suite_case SET category = $3, tags = $4, body = $5 WHERE id = $2 AND suite_id = $1 RETURNING position',
      [id, caseId, input.category ?? null, input.tags ?? [], JSON.stringify(input)]);
    if (!rows[0]) throw notFound('case', caseId);
    return { id: caseId, position: rows[0].position, ...input };
  });

export const deleteCase = (pool: Pool, teamId: string, id: string, caseId: string): Promise<void> =>
  changeSuite(pool, teamId, id, async (client) => {
    const gone = await client.query('DELETE FROM suite_case WHERE id = $2 AND suite_id = $1', [id, caseId]);
    if (gone.rowCount === 0) throw notFound('case', caseId);
  });

export async function deleteSuite(pool: Pool, teamId: string, id: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE', [id, teamId]);
    await readSuite(client, teamId, id);
    const used = await client.query(`SELECT 1 FROM run WHERE suite_id = $1 AND status IN ('pending', 'queued', 'running') LIMIT 1`, [id]);
    if (used.rowCount) throw new ProblemError(409, 'An unfinished run uses this suite. Cancel it, or wait for its end.');
    await client.query('DELETE FROM suite WHERE id = $1', [id]);
  });
}
