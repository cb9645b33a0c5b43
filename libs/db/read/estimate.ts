import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { RunInput } from '#lib/contracts/run-input';
import type { Summary } from '#lib/contracts/summary';
import { readSettingChanges } from '#lib/contracts/learned';
import type { Pool } from '../connection/pool.js';
import { NOT_DRAFT } from '../catalogue/case-pages.js';
import type { ProviderAccess } from '../catalogue/provider-access.js';
import { TeamScoped } from '../team-isolation.js';
import { PRICE_COLUMNS, type Connection } from './for-workers/connections.js';
import { usageColumns } from './for-workers/result-table.js';
import { parseSummary } from './summaries.js';

/** Maximum total size of the sampled cases: one case may have megabytes. */
const MAX_SAMPLE_BYTES = 8 * 2 ** 20;

/** Number of recent runs of a model that are searched for one with the same settings. */
const LAST_TARGETS = 20;

interface ModelName {
  providerId: string;
  modelId: string;
}
/** A model as needed for an estimate: everything except what is secret. */
export type EstimatedModel = Omit<Connection, keyof ProviderAccess | 'lane'> &
  Pick<Connection, 'providerId' | 'baseUrl' | 'headers'>;

/** Usage of a model in an earlier run. */
export interface EarlierTarget extends Record<
  'promptTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens',
  number
> {
  summary: Summary;
  requests: number;
  /** US dollars, if its provider reports billed costs. */
  reportedCost: number | null;
  /** The prompt cache setting of its run. */
  promptCache: string;
}

/** The data for estimating a team's run. */
export class EstimateRepository extends TeamScoped<Pool> {
  /** The number of cases a run would take, and the JSON of up to `maxSampled` of them, evenly spread. */
  async sampleCases(
    suiteId: string,
    filter: RunInput['case_filter'],
    maxSampled: number,
  ): Promise<{ cases: number; sample: string[] }> {
    const { rows } = await this.db.query<{ n: number; body: string }>(
      `WITH taken AS (
         SELECT id, octet_length(body) AS bytes, count(*) OVER ()::int AS n,
           row_number() OVER (ORDER BY position, id) - 1 AS i
         FROM suite_case
         WHERE suite_id = (SELECT id FROM suite WHERE id = $1 AND team_id = $6)
           AND ($2::text[] IS NULL OR tags && $2) AND ($3::text IS NULL OR category = $3) AND ${NOT_DRAFT}
       ), spread AS (
         SELECT id, n, i, sum(bytes) OVER (ORDER BY i) - bytes AS before FROM taken
         WHERE i % ceil(n::float8 / $4)::int = 0
       )
       SELECT s.n, c.body FROM spread s JOIN suite_case c ON c.id = s.id WHERE s.before < $5 ORDER BY s.i`,
      [
        suiteId,
        filter?.tags?.length ? filter.tags : null,
        filter?.category ?? null,
        maxSampled,
        MAX_SAMPLE_BYTES,
        this.teamId,
      ],
    );
    return { cases: rows[0]?.n ?? 0, sample: rows.map((row) => row.body) };
  }

  /**
   * The latest usage of each model: from a run with the same prompt cache setting, if one of its last runs had it.
   * Undefined if the team has none.
   */
  async latestTargets(models: readonly ModelName[], promptCache: string): Promise<(EarlierTarget | undefined)[]> {
    const { rows } = await this.db.query<Omit<EarlierTarget, 'summary'> & { n: number; summary: string }>(
      `SELECT u.n::int, s.* FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider, model, n)
         JOIN provider p ON p.id = u.provider AND p.team_id = $3
         CROSS JOIN LATERAL (
           SELECT t.summary, t.requests, CASE WHEN t.cost_reported > 0 THEN t.cost_usd END AS "reportedCost",
             ${usageColumns('t')},
             c.prompt_cache AS "promptCache"
           FROM (
             SELECT * FROM target t
             WHERE t.provider_id = u.provider AND t.model_id = u.model
               AND t.finished_at IS NOT NULL AND t.settled > t.errored
             ORDER BY t.finished_at DESC LIMIT ${LAST_TARGETS}
           ) t JOIN run r ON r.id = t.run_id
             CROSS JOIN LATERAL (SELECT coalesce(r.config::json ->> 'prompt_cache', 'off') AS prompt_cache) c
           ORDER BY t.requests > 0 DESC, c.prompt_cache = $4 DESC, t.finished_at DESC LIMIT 1
         ) s`,
      [...columnsOf(models), this.teamId, promptCache],
    );
    return inOrder(models, rows, ({ n: _n, summary, ...target }) => ({ ...target, summary: parseSummary(summary) }));
  }

  /** The current entries of these models; undefined if one was deleted. */
  async findModels(models: readonly ModelName[]): Promise<(EstimatedModel | undefined)[]> {
    const { rows } = await this.db.query<
      Omit<EstimatedModel, 'defaultParams' | 'learned'> & { n: number; defaultParams: string; learned: string }
    >(
      `SELECT u.n::int, p.id AS "providerId", m.model_id AS "modelId", p.kind, p.base_url AS "baseUrl", p.headers,
         ${PRICE_COLUMNS}, m.unsupported_params AS "unsupportedParams", m.default_params AS "defaultParams",
         m.learned
       FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider, model, n)
         JOIN provider p ON p.id = u.provider AND p.team_id = $3
         JOIN model m ON m.provider_id = p.id AND m.model_id = u.model`,
      [...columnsOf(models), this.teamId],
    );
    return inOrder(models, rows, ({ n: _n, defaultParams, learned, ...model }) => ({
      ...model,
      defaultParams: parseJson(defaultParams) as JsonObject,
      learned: readSettingChanges(learned),
    }));
  }
}

const columnsOf = (models: readonly ModelName[]): [string[], string[]] => [
  models.map(({ providerId }) => providerId),
  models.map(({ modelId }) => modelId),
];

/** Values of rows in the order of the models; the rows' number `n` counts the models from 1. */
function inOrder<Row extends { n: number }, Value>(
  models: readonly ModelName[],
  rows: readonly Row[],
  valueOf: (row: Row) => Value,
): (Value | undefined)[] {
  const found = new Array<Value | undefined>(models.length).fill(undefined);
  for (const row of rows) found[row.n - 1] = valueOf(row);
  return found;
}
