import type { CaseInput } from '#lib/contracts/case';
import type { RunInput } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { caseOf } from './load-run.js';
import type { Pool } from './pool.js';
import { NO_DRAFT } from './suites.js';
import { summaryOf } from './read-summary.js';

/** How many cases a run would take, and some of them, evenly spread. */
export async function sampleCases(pool: Pool, suiteId: string, filter: RunInput['case_filter'], atMost: number): Promise<{ cases: number; sample: CaseInput[] }> {
  const { rows } = await pool.query<{ n: number; body: string }>(
    `WITH taken AS (
       SELECT body, count(*) OVER ()::int AS n, row_number() OVER (ORDER BY position, id) - 1 AS i FROM suite_case
       WHERE suite_id = $1 AND ($2::text[] IS NULL OR tags && $2) AND ($3::text IS NULL OR category = $3) AND ${NO_DRAFT})
     SELECT n, body FROM taken WHERE i % ceil(n::float8 / $4)::int = 0 ORDER BY i`,
    [suiteId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null, atMost]);
  return { cases: rows[0]?.n ?? 0, sample: rows.map((row) => caseOf(row.body)) };
}

/** How a model did lately, by provider id and model id; the latest run of the team that ended. */
export async function latestSummaries(pool: Pool, models: readonly { providerId: string; modelId: string }[]): Promise<(Summary | undefined)[]> {
  const { rows } = await pool.query<{ n: number; summary: string }>(
    `SELECT u.n::int, s.summary FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider, model, n)
       CROSS JOIN LATERAL (SELECT summary FROM target t WHERE t.provider_id = u.provider AND t.model_id = u.model AND t.finished_at IS NOT NULL AND t.settled > t.errored
         ORDER BY t.finished_at DESC LIMIT 1) s`, [models.map((m) => m.providerId), models.map((m) => m.modelId)]);
  const found = new Array<Summary | undefined>(models.length).fill(undefined);
  for (const row of rows) found[row.n - 1] = summaryOf(row.summary);
  return found;
}
