import type { BaselineComparison } from '#lib/contracts/comparison';
import type { RunAgainst } from '#lib/contracts/run';
import type { Pool, PoolClient } from '../connection/pool.js';

interface ComparedRow {
  id: string;
  otherId: string;
  name: string | null;
  suiteVersion: number;
  finishedAt: Date | null;
  kind: RunAgainst['kind'];
  comparison: string;
}

/**
 * What runs of a team changed, by their ids; without those that no worker has compared yet. A run of an experiment has
 * the comparison with its baseline, once that is made with the baseline of now.
 */
export async function readAgainst(
  db: Pool | PoolClient,
  teamId: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunAgainst>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await db.query<ComparedRow>(
    `SELECT r.id, o.id AS "otherId", o.name, o.suite_version AS "suiteVersion", o.finished_at AS "finishedAt",
       CASE WHEN of_baseline THEN 'baseline' ELSE 'previous' END AS kind,
       CASE WHEN of_baseline THEN r.comparison ELSE a.comparison END AS comparison
     FROM run r LEFT JOIN experiment e ON e.id = r.experiment_id AND e.team_id = r.team_id
       LEFT JOIN run_against a ON a.run_id = r.id AND a.run_generation = r.generation
       CROSS JOIN LATERAL (SELECT coalesce(e.baseline_run_id <> r.id, false) AS of_baseline) kind
       JOIN run o ON o.team_id = r.team_id
         AND o.id = CASE WHEN of_baseline THEN e.baseline_run_id ELSE a.against_run_id END
         AND (of_baseline OR o.generation = a.against_generation)
     WHERE r.team_id = $1 AND r.id = ANY ($2)
       AND CASE WHEN of_baseline THEN r.comparison ELSE a.comparison END IS NOT NULL`,
    [teamId, runIds],
  );
  return new Map(rows.flatMap((row) => toAgainst(row) ?? []));
}

/** Nothing for a comparison with an earlier baseline, or of a release that left out the models. */
function toAgainst({ id, otherId, comparison, kind, ...other }: ComparedRow): [[string, RunAgainst]] | undefined {
  const made = JSON.parse(comparison) as BaselineComparison;
  if (made.baseline_eval_id !== otherId || !made.models) return undefined;
  const { verdict, difference, ci, n_cases, text, models } = made;
  const run = {
    id: otherId,
    name: other.name,
    suite_version: other.suiteVersion,
    finished_at: other.finishedAt?.toISOString() ?? null,
  };
  return [[id, { run, kind, verdict, difference, ci, n_cases, text, ...models }]];
}
