import type { BaselineComparison } from '#lib/contracts/comparison';
import {
  DEFAULT_TREND_POINTS,
  MAX_SHIFT_RUNS,
  MAX_TREND_MODELS,
  MAX_TREND_NAMES,
  MAX_TREND_RUNS,
  type TrendChange,
  type TrendHistory,
  type TrendModel,
  type TrendPoint,
  type TrendsQuery,
} from '#lib/contracts/trend';
import type { TrendPartKind } from '#lib/contracts/values/trends';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { lastShiftOf } from './level-shift.js';

type HistoryQuery = Pick<TrendsQuery, 'experiment_id' | 'model' | 'part' | 'from' | 'to' | 'points'>;

/** Whether a history is asked for, and not the newest runs. */
export const isHistory = ({ experiment_id: experiment, model, part, from, to, points }: HistoryQuery): boolean =>
  [experiment, model, part, from, to, points].some((one) => one !== undefined);

/** `all`, `category:Calendar`, `tool:get_weather` */
export function partOf(text = 'all'): { kind: TrendPartKind; name: string } {
  const [, kind = 'all', name = ''] = /^(all|category|tool):?(.*)$/su.exec(text) ?? [];
  return { kind: kind as TrendPartKind, name };
}

const HOW =
  'Shown of each model are the first and the last run, the lowest and the highest of each span of time, and those ' +
  'that improved or regressed against the run before them.';

interface Line extends Omit<TrendChange, 'shift'> {
  id: string;
}

/** A run that is shown, in one of the lines. */
interface Kept extends TrendModel {
  run_id: string;
  name: string | null;
  suite_version: number;
  score: number | null;
  finished_at: Date;
  n_models: number;
  against_run_id: string | null;
  comparison: string | null;
}

/** How models went on a suite, run by run, from the points that workers wrote when runs ended. */
export class TrendHistoryRepository extends TeamScoped<Pool> {
  async read(suiteId: string, query: HistoryQuery): Promise<{ points: TrendPoint[]; history: TrendHistory }> {
    const lines = await this.#lines(suiteId, query);
    const asked = query.model && lines.filter(({ target }) => query.model!.includes(target));
    const shown = (asked ?? lines).slice(0, MAX_TREND_MODELS);
    const { runs, kept } = await this.#kept(shown, query);
    const points = toPoints(kept);
    const leftOut = runs - points.length;
    const shifts = await this.#shifts(shown, query);
    return {
      points,
      history: {
        ...{ runs, shown: points.length, left_out: leftOut },
        how: leftOut > 0 ? HOW : null,
        models: lines.map(({ id, target, first, last }) => ({ target, first, last, shift: shifts.get(id) ?? null })),
        parts: await this.#parts(suiteId),
      },
    };
  }

  /** The models of the part, those that changed most first. */
  async #lines(suiteId: string, { part, ...query }: HistoryQuery): Promise<Line[]> {
    const { kind, name } = partOf(part);
    const end = (way: 'ASC' | 'DESC'): string => `CROSS JOIN LATERAL (
      SELECT mean FROM trend_point WHERE series_id = s.id AND ${within(5)} AND ${ofExperiment(7, 1)}
      ORDER BY finished_at ${way}, run_id ${way} LIMIT 1)`;
    const { rows } = await this.db.query<Line>(
      `SELECT s.id, s.target, f.mean AS first, l.mean AS last
       FROM trend_series s ${end('ASC')} f ${end('DESC')} l
       WHERE s.team_id = $1 AND s.suite_id = $2 AND s.kind = $3 AND s.part = $4
       ORDER BY abs(l.mean - f.mean) DESC NULLS LAST, l.mean DESC NULLS LAST, s.target LIMIT ${MAX_TREND_NAMES}`,
      [this.teamId, suiteId, kind, name, ...range(query), query.experiment_id ?? null],
    );
    return rows;
  }

  async #parts(suiteId: string): Promise<TrendHistory['parts']> {
    const { rows } = await this.db.query<TrendHistory['parts'][number]>(
      `SELECT DISTINCT kind, part AS name FROM trend_series WHERE team_id = $1 AND suite_id = $2 AND kind <> 'all'
       ORDER BY kind, name LIMIT ${MAX_TREND_NAMES}`,
      [this.teamId, suiteId],
    );
    return rows;
  }

  /** Where the levels of lines shifted last. A shift with a new version of the suite says nothing of the model. */
  async #shifts(lines: readonly Line[], query: HistoryQuery): Promise<Map<string, TrendChange['shift']>> {
    const { rows } = await this.db.query<{ id: string; run_id: string; mean: number }>(
      `SELECT s.id, p.run_id, p.mean FROM unnest($1::bigint[]) AS s (id) CROSS JOIN LATERAL (
         SELECT run_id, mean, finished_at FROM trend_point
         WHERE series_id = s.id AND ${within(2)} AND mean IS NOT NULL AND ${ofExperiment(4, 5)}
         ORDER BY finished_at DESC, run_id DESC LIMIT ${MAX_SHIFT_RUNS}
       ) p ORDER BY p.finished_at, p.run_id`,
      [lines.map(({ id }) => id), ...range(query), query.experiment_id ?? null, this.teamId],
    );
    const found = [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, points]) => {
      const shift = lastShiftOf(points.map(({ mean }) => mean));
      if (!shift) return [];
      const { place, from, to } = shift;
      return [{ id, runId: points[place]!.run_id, beforeId: points[place - 1]!.run_id, from, to }];
    });
    const runs = await this.#runs(found.flatMap(({ runId, beforeId }) => [runId, beforeId]));
    return new Map(
      found.flatMap(({ id, runId, beforeId, from, to }) => {
        const run = runs.get(runId);
        if (!run || run.suite_version !== runs.get(beforeId)?.suite_version) return [];
        const { name, finished_at: at } = run;
        return [[id, { run_id: runId, name, finished_at: at.toISOString(), from, to }] as const];
      }),
    );
  }

  async #runs(ids: readonly string[]): Promise<Map<string, Pick<Kept, 'name' | 'suite_version' | 'finished_at'>>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.db.query<{ id: string } & Pick<Kept, 'name' | 'suite_version' | 'finished_at'>>(
      'SELECT id, name, suite_version, finished_at FROM run WHERE team_id = $1 AND id = ANY ($2)',
      [this.teamId, ids],
    );
    return new Map(rows.map((run) => [run.id, run]));
  }

  /** The points that are shown of lines, and how many runs these have together. */
  async #kept(
    lines: readonly Line[],
    { points = DEFAULT_TREND_POINTS, ...query }: HistoryQuery,
  ): Promise<{ runs: number; kept: Kept[] }> {
    if (lines.length === 0) return { runs: 0, kept: [] };
    const { rows } = await this.db.query<Kept & { runs: number }>(KEPT, [
      ...[lines.map(({ id }) => id), lines.map(({ target }) => target), ...range(query), points],
      ...[Math.max(1, Math.floor(points / 2) - 1), this.teamId, query.experiment_id ?? null],
    ]);
    return { runs: rows[0]?.runs ?? 0, kept: rows };
  }
}

/** SQL of the time of a point, from the parameters `first` on. */
const within = (first: number): string => `finished_at >= $${first} AND finished_at < $${first + 1}`;
const range = ({ from, to }: HistoryQuery): [string, string] => [from ?? '-infinity', to ?? 'infinity'];

/**
 * SQL of a point of the experiment of a parameter, or of any if it is null. As a part of OR, the runs are read once.
 * @param team the parameter of the team
 */
const ofExperiment = (experiment: number, team: number): string =>
  `($${experiment}::uuid IS NULL OR run_id IN (
    SELECT id FROM run WHERE experiment_id = $${experiment} AND team_id = $${team} AND finished_at IS NOT NULL
    ORDER BY finished_at DESC, id DESC LIMIT ${MAX_TREND_RUNS}))`;

const OF_EXPERIMENT = ofExperiment(8, 7);

/** SQL of one run of each span of each line. @param order which one */
const oneOf = (order: string, which = 'true'): string => `UNION ALL SELECT span.id, one.run_id
    FROM span CROSS JOIN LATERAL (
      SELECT run_id FROM trend_point
      WHERE series_id = span.id AND finished_at >= from_at AND finished_at < to_at AND ${which} AND ${OF_EXPERIMENT}
      ORDER BY ${order} LIMIT 1
    ) one`;

/**
 * The points that are shown of the lines `$1`, named `$2`, from `$3` to `$4`. Of a line of more than `$5` runs these
 * are the extremes of `$6` spans of time, and the runs that stand out. What decides it is read from one index alone.
 */
const KEPT = `
  WITH line AS MATERIALIZED (
    SELECT u.id, u.target, ends.n, ends.first, ends.last
    FROM unnest($1::bigint[], $2::text[]) AS u (id, target) CROSS JOIN LATERAL (
      SELECT count(*) AS n, min(finished_at) AS first, max(finished_at) AS last FROM (
        SELECT finished_at FROM trend_point WHERE series_id = u.id AND ${within(3)} AND ${OF_EXPERIMENT}
        ORDER BY finished_at DESC, run_id DESC LIMIT ${MAX_TREND_RUNS}
      ) newest
    ) ends
  ), span AS MATERIALIZED (
    SELECT id, first + (last - first) * (nth / $6::float8) AS from_at,
      first + (last - first) * ((nth + 1) / $6::float8) AS to_at
    FROM line CROSS JOIN generate_series(0, $6::int - 1) nth WHERE n > $5
  ), kept AS (
    SELECT line.id, p.run_id FROM line JOIN trend_point p ON p.series_id = line.id
      AND p.finished_at BETWEEN line.first AND line.last AND ${OF_EXPERIMENT} WHERE line.n <= $5
    UNION ALL
    SELECT line.id, p.run_id FROM line JOIN trend_point p ON p.series_id = line.id
      AND p.finished_at IN (line.first, line.last) AND ${OF_EXPERIMENT} WHERE line.n > $5
    ${oneOf('mean NULLS LAST')} ${oneOf('mean DESC NULLS LAST')} ${oneOf('finished_at', 'mean IS NULL')}
    UNION
    (SELECT line.id, p.run_id FROM line JOIN trend_point p ON p.series_id = line.id
       AND p.finished_at BETWEEN line.first AND line.last
     WHERE p.verdict IS NOT NULL AND ${OF_EXPERIMENT} ORDER BY p.finished_at DESC, p.run_id LIMIT $5)
  )
  SELECT (
      SELECT count(*)::int FROM (
        SELECT FROM line JOIN trend_point p ON p.series_id = line.id AND p.finished_at BETWEEN line.first AND line.last
        WHERE ${OF_EXPERIMENT} GROUP BY p.run_id
      ) each
    ) AS runs, p.run_id, line.target, p.mean, CASE WHEN p.low IS NOT NULL THEN ARRAY[p.low, p.high] END AS ci,
    p.scored, p.errored, p.cost_usd, p.p95_ms, r.finished_at, r.name, r.suite_version, r.score, a.against_run_id,
    a.comparison, (SELECT count(*)::int FROM target WHERE run_id = r.id) AS n_models
  FROM kept JOIN line ON line.id = kept.id JOIN trend_point p ON p.run_id = kept.run_id AND p.series_id = kept.id
    JOIN run r ON r.id = p.run_id AND r.team_id = $7
    LEFT JOIN run_against a ON a.run_id = r.id AND a.run_generation = r.generation
  ORDER BY p.finished_at, p.run_id, p.mean DESC NULLS LAST, line.target`;

function toPoints(kept: readonly Kept[]): TrendPoint[] {
  return [...Map.groupBy(kept, ({ run_id }) => run_id).values()].map((models) => {
    const { run_id: id, name, suite_version, score, finished_at, n_models } = models[0]!;
    return {
      run: { id, name, suite_version },
      finished_at: finished_at.toISOString(),
      score,
      models: models.map(({ target, mean, ci, scored, errored, cost_usd, p95_ms }) => ({
        ...{ target, mean, ci, scored, errored, cost_usd, p95_ms },
      })),
      more_models: Math.max(0, n_models - models.length),
      against: againstOf(models[0]!),
    };
  });
}

function againstOf({ against_run_id: runId, comparison }: Kept): TrendPoint['against'] {
  if (runId === null || comparison === null) return null;
  const { verdict, difference, models } = JSON.parse(comparison) as BaselineComparison;
  const { worst = null, regressed = 0, improved = 0 } = models ?? {};
  return {
    ...{ run_id: runId, verdict, difference, regressed, improved },
    worst: worst && { target: worst.target, verdict: worst.verdict, difference: worst.difference },
  };
}
