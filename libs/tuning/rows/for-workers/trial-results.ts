import type { Pool, PoolClient } from '#lib/db/connection/pool';

/** Mean over the scored samples of each case of a run. */
export type CaseMeans = ReadonlyMap<number, number>;

/**
 * Case scores of runs: the mean over their targets of the mean over the scored samples. Cases that some target has no
 * score for are omitted. The results are grouped in Postgres.
 * @param measure of the first verdicts
 */
export async function readCaseMeans(
  db: Pool | PoolClient,
  runIds: readonly string[],
  measure: 'overall' | 'passed',
): Promise<Map<string, CaseMeans>> {
  const { rows } = await db.query<{ id: string; positions: string; means: string }>(
    `SELECT run_id AS id, string_agg(case_position::text, ' ') AS positions, string_agg(mean::text, ' ') AS means
     FROM (
       SELECT m.run_id, case_position, avg(mean) AS mean FROM (
         SELECT run_id, case_position, target,
           avg(${measure === 'overall' ? 'overall' : 'passed::int::float8'}) AS mean
         FROM result WHERE run_id = ANY ($1) AND outcome = 'scored' GROUP BY run_id, case_position, target
       ) m JOIN (
         SELECT run_id, count(*) AS targets FROM target WHERE run_id = ANY ($1) GROUP BY run_id
       ) t ON t.run_id = m.run_id
       GROUP BY m.run_id, case_position HAVING count(mean) = min(targets)
     ) one_case GROUP BY run_id`,
    [runIds],
  );
  const numbers = (text: string): number[] => text.split(' ').map(Number);
  return new Map(
    rows.map(({ id, positions, means }) => {
      const values = numbers(means);
      return [id, new Map(numbers(positions).map((position, n) => [position, values[n]!]))];
    }),
  );
}

/** Totals over the results of several runs, in addition to their scores. */
export interface RunTotals {
  samples: number;
  errored: number;
  passRate: number | null;
  costUsd: number | null;
  /** Over results whose reply was not cached. */
  costPerRequestUsd: number | null;
  tokens: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
}

/** The totals of groups of runs, by the name of the group. */
export async function readRunTotals(
  db: Pool | PoolClient,
  groups: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, RunTotals>> {
  const names = [...groups].flatMap(([name, runs]) => runs.map(() => name));
  const { rows } = await db.query<RunTotals & { name: string }>(
    `SELECT g.name, count(*) FILTER (WHERE outcome = 'scored')::int AS samples,
       count(*) FILTER (WHERE outcome <> 'scored')::int AS errored,
       avg(passed::int) FILTER (WHERE outcome = 'scored')::float8 AS "passRate", sum(cost_usd) AS "costUsd",
       avg(cost_usd) FILTER (WHERE NOT cached) AS "costPerRequestUsd",
       coalesce(sum(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)), 0)::float8 AS tokens,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) FILTER (WHERE outcome = 'scored') AS "latencyP50Ms",
       percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) FILTER (WHERE outcome = 'scored') AS "latencyP95Ms"
     FROM unnest($1::text[], $2::uuid[]) AS g(name, run_id) JOIN result r ON r.run_id = g.run_id GROUP BY g.name`,
    [names, [...groups.values()].flat()],
  );
  return new Map(rows.map(({ name, ...totals }) => [name, totals]));
}
