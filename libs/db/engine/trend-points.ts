import type { Summary } from '#lib/contracts/summary';
import { TREND_PARTS_KEPT, type TrendPartKind } from '#lib/contracts/values/trends';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, longQuery, type Pool, type PoolClient } from '../connection/pool.js';
import { EXPECTED_LABELS } from '../read/expected-tool.js';
import type { RunToCompare } from './run-against.js';

// A worker writes the points of an ended run from what it has kept of it: the summaries of its models, and the figures
// of its cases once they are counted. Whoever reads a trend reads no result.

/** The interval of a mean of cases, from their number, the sum of their means and that of the squares of these. */
type IntervalOf = (of: { n: number; sum: number; squares: number }) => readonly [number, number] | null;

interface Point {
  target: string;
  kind: TrendPartKind;
  part: string;
  mean: number | null;
  ci: readonly [number, number] | null;
  scored: number;
  errored: number;
  costUsd?: number | null;
  p95Ms?: number | null;
}

const SERIES = new BatchColumns<Point>({
  target: ['text', ({ target }) => target],
  kind: ['text', ({ kind }) => kind],
  part: ['text', ({ part }) => part],
});
const POINTS = new BatchColumns<Point>({
  target: ['text', ({ target }) => target],
  kind: ['text', ({ kind }) => kind],
  part: ['text', ({ part }) => part],
  mean: ['float8', ({ mean }) => mean],
  low: ['float8', ({ ci }) => ci?.[0] ?? null],
  high: ['float8', ({ ci }) => ci?.[1] ?? null],
  scored: ['int', ({ scored }) => scored],
  errored: ['int', ({ errored }) => errored],
  cost_usd: ['float8', ({ costUsd }) => costUsd ?? null],
  p95_ms: ['float8', ({ p95Ms }) => p95Ms ?? null],
});

/** Longer names of parts are cut, so that an index can hold them. */
const MAX_PART = 200;

/** Writes the points of an ended run, once for each revision; nothing if it was resumed or deleted since. */
export async function storeTrendPoints(
  pool: Pool,
  run: Omit<RunToCompare, 'isCompared'>,
  intervalOf: IntervalOf,
): Promise<void> {
  const points = [...(await pointsOfModels(pool, run.id)), ...(await pointsOfTools(pool, run, intervalOf))];
  points.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)); // Two writers take the same series in one order.
  await inTransaction(pool, async (client) => {
    const suiteId = await lockUnchanged(client, run);
    if (suiteId === undefined) return;
    await client.query('DELETE FROM trend_point WHERE run_id = $1', [run.id]);
    if (suiteId !== null) await insertPoints(client, { ...run, suiteId }, points);
    await client.query('UPDATE run_against SET points_revision = revision WHERE run_id = $1', [run.id]);
  });
}

const keyOf = ({ kind, part, target }: Point): string => `${kind} ${part}\n${target}`;

/**
 * Locks a run in the order of CONTRIBUTING, so that no resume and no deletion of its suite comes in between.
 * @returns its suite, null if that is deleted; undefined if the run changed since it was found
 */
async function lockUnchanged(
  client: PoolClient,
  { id, generation, revision }: Omit<RunToCompare, 'isCompared'>,
): Promise<string | null | undefined> {
  const suite = await client.query<{ id: string }>(
    'SELECT id FROM suite WHERE id = (SELECT suite_id FROM run WHERE id = $1) FOR KEY SHARE',
    [id],
  );
  const run = await client.query('SELECT 1 FROM run WHERE id = $1 AND generation = $2 FOR SHARE', [id, generation]);
  const due = await client.query(
    'SELECT 1 FROM run_against WHERE run_id = $1 AND revision = $2 AND finished_at IS NOT NULL FOR UPDATE',
    [id, revision],
  );
  return run.rowCount && due.rowCount ? (suite.rows[0]?.id ?? null) : undefined;
}

async function insertPoints(
  client: PoolClient,
  run: { id: string; teamId: string; suiteId: string },
  points: readonly Point[],
): Promise<void> {
  await client.query(
    `INSERT INTO trend_series (team_id, suite_id, target, kind, part)
     SELECT $1, $2, u.* FROM ${SERIES.unnest(3)}
     WHERE NOT EXISTS (
       SELECT FROM trend_series s
       WHERE (s.team_id, s.suite_id, s.kind, s.part, s.target) = ($1, $2, u.kind, u.part, u.target)
     ) ON CONFLICT DO NOTHING`,
    [run.teamId, run.suiteId, ...SERIES.values(points)],
  );
  await client.query(
    `INSERT INTO trend_point (run_id, series_id, finished_at, mean, low, high, scored, errored, cost_usd, p95_ms,
       verdict)
     SELECT a.run_id, s.id, a.finished_at, u.mean, u.low, u.high, u.scored, u.errored, u.cost_usd, u.p95_ms,
       ${VERDICT}
     FROM run_against a CROSS JOIN ${POINTS.unnest(4)}
       JOIN trend_series s ON (s.team_id, s.suite_id, s.kind, s.part, s.target) = ($2, $3, u.kind, u.part, u.target)
     WHERE a.run_id = $1`,
    [run.id, run.teamId, run.suiteId, ...POINTS.values(points)],
  );
}

/** SQL of what stands out in a run's comparison with the one before it: the verdict, or that of some of its models. */
const VERDICT = `(SELECT CASE WHEN verdict IN ('improved', 'regressed') THEN verdict
    WHEN regressed > 0 THEN 'regressed' WHEN improved > 0 THEN 'improved' END
  FROM (SELECT made ->> 'verdict' AS verdict, (made #>> '{models,regressed}')::int AS regressed,
      (made #>> '{models,improved}')::int AS improved
    FROM (SELECT a.comparison::json AS made WHERE a.compared_revision = a.revision) one) two)`;

/** Of all cases, and of each category. */
async function pointsOfModels(pool: Pool, runId: string): Promise<Point[]> {
  const { rows } = await pool.query<{ target: string; summary: string }>(
    `SELECT DISTINCT ON (target) provider_key || '::' || model_id AS target, summary
     FROM target WHERE run_id = $1 AND summary IS NOT NULL ORDER BY target, ordinal`,
    [runId],
  );
  return rows.flatMap(({ target, summary }) => {
    const { by_category: categories = {}, ...all } = JSON.parse(summary) as Partial<Summary>;
    const parts = Object.entries(categories).sort(([, one], [, other]) => other.cases - one.cases);
    const point = (kind: TrendPartKind, part: string, of: Partial<Summary>): Point => ({
      ...{ target, kind, part: part.slice(0, MAX_PART) },
      mean: of.overall ?? null,
      ci: of.overall_ci ?? null,
      scored: of.scored ?? 0,
      errored: of.errored ?? 0,
    });
    return [
      { ...point('all', '', all), costUsd: all.cost_usd ?? null, p95Ms: all.latency_ms?.p95 ?? null },
      ...firstOfEach(parts.slice(0, TREND_PARTS_KEPT).map(([name, of]) => point('category', name, of))),
    ];
  });
}

interface ToolRow {
  target: string;
  tool: string;
  scored: number;
  errored: number;
  overall: number | null;
  cases: number;
  sum: number | null;
  squares: number | null;
}

/** Of the cases that expect each tool; none before the run is counted. */
async function pointsOfTools(
  pool: Pool,
  { id, generation }: { id: string; generation: number },
  intervalOf: IntervalOf,
): Promise<Point[]> {
  const { rows } = await longQuery<ToolRow>(
    pool,
    `WITH expected AS MATERIALIZED (
       SELECT c.position, ${EXPECTED_LABELS} AS labels FROM suite_version_case c
       WHERE c.version_id = (SELECT suite_version_id FROM run WHERE id = $1)
     ), cases AS MATERIALIZED (
       SELECT left(e.labels[cardinality(e.labels)], ${MAX_PART}) AS tool, f.scored, f.errored, f.overall_sum
       FROM run_figures g JOIN case_figures f ON f.run_id = g.run_id AND f.scoring_id = g.scoring_id
           AND f.generation = g.generation
         JOIN expected e ON e.position = f.position
       WHERE g.run_id = $1 AND g.scoring_id = $1 AND g.generation = $2 AND g.counted_at IS NOT NULL
     ), tools AS (
       SELECT tool FROM cases GROUP BY tool ORDER BY count(*) DESC, tool LIMIT ${TREND_PARTS_KEPT}
     ), models AS (
       SELECT DISTINCT ON (target) provider_key || '::' || model_id AS target, ordinal
       FROM target WHERE run_id = $1 ORDER BY target, ordinal
     )
     SELECT target, tool, sum(scored[ordinal + 1])::int AS scored, sum(errored[ordinal + 1])::int AS errored,
       sum(overall_sum[ordinal + 1]) AS overall, count(nullif(scored[ordinal + 1], 0))::int AS cases,
       sum(overall_sum[ordinal + 1] / nullif(scored[ordinal + 1], 0)) AS sum,
       sum((overall_sum[ordinal + 1] / nullif(scored[ordinal + 1], 0)) ^ 2) AS squares
     FROM cases JOIN tools USING (tool) CROSS JOIN models GROUP BY target, tool`,
    [id, generation],
  );
  return rows.map(({ target, tool, scored, errored, overall, cases, sum, squares }) => ({
    ...{ target, kind: 'tool', part: tool, scored, errored },
    mean: scored === 0 ? null : overall! / scored,
    ci: intervalOf({ n: cases, sum: sum ?? 0, squares: squares ?? 0 }),
  }));
}

/** Names that are alike once they are cut are one series, which has one point of a run. */
const firstOfEach = (points: readonly Point[]): Point[] => [
  ...new Map(points.toReversed().map((point) => [point.part, point])).values(),
];
