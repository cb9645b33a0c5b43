import type { RunInput } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import type { Pool } from '../connection/pool.js';
import { NO_DRAFT } from '../catalogue/suites.js';
import { summaryOf } from './summaries.js';

/** Cases of a sample are read until they are so many bytes: a case may have megabytes. */
const LARGEST_SAMPLE_BYTES = 8 * 2 ** 20;

/** How many cases a run would take, and the JSON of some of them, evenly spread. */
export async function sampleCases(
  pool: Pool,
  suiteId: string,
  filter: RunInput['case_filter'],
  atMost: number,
): Promise<{ cases: number; sample: string[] }> {
  const { rows } = await pool.query<{ n: number; body: string }>(
    `WITH taken AS (
       SELECT id, octet_length(body) AS bytes, count(*) OVER ()::int AS n, row_number() OVER (ORDER BY position, id)
         - 1 AS i FROM suite_case
       WHERE suite_id = $1 AND ($2::text[] IS NULL OR tags && $2) AND ($3::text IS NULL OR category = $3)
         AND ${NO_DRAFT}),
     spread AS (SELECT id, n, i, sum(bytes) OVER (ORDER BY i) - bytes AS before FROM taken
       WHERE i % ceil(n::float8 / $4)::int = 0)
     SELECT s.n, c.body FROM spread s JOIN suite_case c ON c.id = s.id WHERE s.before < $5 ORDER BY s.i`,
    [suiteId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null, atMost, LARGEST_SAMPLE_BYTES],
  );
  return { cases: rows[0]?.n ?? 0, sample: rows.map((row) => row.body) };
}

/** How a model did lately, by provider id and model id; the latest run of the team that ended. */
export async function latestSummaries(
  pool: Pool,
  models: readonly { providerId: string; modelId: string }[],
): Promise<(Summary | undefined)[]> {
  const { rows } = await pool.query<{ n: number; summary: string }>(
    `SELECT u.n::int, s.summary FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider, model, n)
       CROSS JOIN LATERAL (SELECT summary FROM target t WHERE t.provider_id = u.provider AND t.model_id = u.model
         AND t.finished_at IS NOT NULL AND t.settled > t.errored
         ORDER BY t.finished_at DESC LIMIT 1) s`,
    [models.map((m) => m.providerId), models.map((m) => m.modelId)],
  );
  const found = new Array<Summary | undefined>(models.length).fill(undefined);
  for (const row of rows) found[row.n - 1] = summaryOf(row.summary);
  return found;
}
