import { notFound } from '#lib/contracts/input/problem';
import {
  MAX_TREND_MODELS,
  type Trend,
  type TrendModel,
  type TrendPoint,
  type Trends,
  type TrendsQuery,
} from '#lib/contracts/trend';
import type { Pool } from '../connection/pool.js';
import { pageOf } from '../catalogue/page.js';
import { TeamScoped } from '../team-isolation.js';
import { isHistory, partOf, TrendHistoryRepository } from './trend-history.js';

const SUITES_PER_PAGE = 20;

interface PointRow {
  suite_id: string;
  id: string;
  name: string | null;
  suite_version: number;
  finished_at: Date;
  score: number | null;
  models: TrendModel[] | null;
  more_models: number;
}

/** How the scores of a team's suites went, from what workers stored when runs ended. */
export class TrendRepository extends TeamScoped<Pool> {
  /** @throws ProblemError 404 */
  async list(query: TrendsQuery): Promise<Trends> {
    const { experiment_id: experimentId, limit } = query;
    const suiteId = experimentId === undefined ? query.suite_id : await this.#suiteOf(experimentId, query.suite_id);
    const suites = await this.#suites({ ...query, suite_id: suiteId });
    if (query.suite_id !== undefined && suites.length === 0) throw notFound('suite', query.suite_id);
    const shown = suites.slice(0, SUITES_PER_PAGE);
    if (isHistory(query)) return this.#histories(suites, query);
    const points = await this.points(
      shown.map(({ id }) => id),
      limit,
    );
    return pageOf(
      suites,
      SUITES_PER_PAGE,
      (suite) => ({ suite, points: points(suite.id) }),
      ({ id }) => id,
    );
  }

  /** @throws ProblemError 404 for an experiment of another suite, too */
  async #suiteOf(experimentId: string, suiteId: string | undefined): Promise<string> {
    const { rows } = await this.db.query<{ suite_id: string }>(
      'SELECT suite_id FROM experiment WHERE team_id = $1 AND id = $2 AND ($3::uuid IS NULL OR suite_id = $3)',
      [this.teamId, experimentId, suiteId ?? null],
    );
    if (!rows[0]) throw notFound('experiment', experimentId);
    return rows[0].suite_id;
  }

  /** The suites of a page and the next one: those that have runs of the models, if models are named. */
  async #suites({ suite_id: suiteId, cursor, model, part }: TrendsQuery): Promise<Trend['suite'][]> {
    const { kind, name } = partOf(part);
    const hasModels = `AND EXISTS (SELECT FROM trend_series t WHERE t.team_id = $1 AND t.suite_id = suite.id
      AND t.kind = $4 AND t.part = $5 AND t.target = ANY ($6))`;
    const { rows } = await this.db.query<Trend['suite']>(
      `SELECT id, name, version FROM suite
       WHERE team_id = $1 AND ($2::uuid IS NULL OR id = $2) AND ($3::uuid IS NULL OR id < $3)
       ${model && suiteId === undefined ? hasModels : ''}
       ORDER BY id DESC LIMIT ${SUITES_PER_PAGE + 1}`,
      [this.teamId, suiteId ?? null, cursor ?? null, ...(model && suiteId === undefined ? [kind, name, model] : [])],
    );
    return rows;
  }

  async #histories(suites: readonly Trend['suite'][], query: TrendsQuery): Promise<Trends> {
    const histories = new TrendHistoryRepository(this.db, this.teamId);
    const read: Trend[] = [];
    for (const suite of suites.slice(0, SUITES_PER_PAGE))
      read.push({ suite, ...(await histories.read(suite.id, query)) });
    const trendOf = new Map(read.map((trend) => [trend.suite.id, trend]));
    return pageOf(
      suites,
      SUITES_PER_PAGE,
      ({ id }) => trendOf.get(id)!,
      ({ id }) => id,
    );
  }

  /** The newest completed runs of each suite, the oldest first. */
  async points(suiteIds: readonly string[], limit: number): Promise<(suiteId: string) => TrendPoint[]> {
    const { rows } = await this.db.query<PointRow>(
      `SELECT r.suite_id, r.id, r.name, r.suite_version, r.finished_at, r.score, m.models,
         greatest((SELECT count(*)::int FROM target WHERE run_id = r.id) - ${MAX_TREND_MODELS}, 0) AS more_models
       FROM unnest($2::uuid[]) AS s (id) CROSS JOIN LATERAL (
         SELECT * FROM run WHERE team_id = $1 AND suite_id = s.id AND listed AND status = 'completed'
         ORDER BY finished_at DESC, id DESC LIMIT $3
       ) r CROSS JOIN LATERAL (
         SELECT json_agg(json_build_object('target', provider_key || '::' || model_id, 'mean', summary -> 'overall',
           'ci', summary -> 'overall_ci') ORDER BY mean DESC NULLS LAST, ordinal) AS models
         FROM (
           SELECT provider_key, model_id, ordinal, summary::json AS summary,
             overall_sum / nullif(settled - errored, 0) AS mean
           FROM target WHERE run_id = r.id AND summary IS NOT NULL
           ORDER BY mean DESC NULLS LAST, ordinal LIMIT ${MAX_TREND_MODELS}
         ) best
       ) m ORDER BY r.finished_at, r.id`,
      [this.teamId, suiteIds, limit],
    );
    const bySuite = Map.groupBy(rows, (row) => row.suite_id);
    return (suiteId) => (bySuite.get(suiteId) ?? []).map(toPoint);
  }
}

const toPoint = ({ id, name, suite_version, finished_at, score, models, more_models }: PointRow): TrendPoint => ({
  run: { id, name, suite_version },
  finished_at: finished_at.toISOString(),
  score,
  models: models ?? [],
  more_models,
});
