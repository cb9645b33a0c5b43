import type { BaselineComparison, DeltaObstacle } from '#lib/contracts/comparison';
import type { JobStatus } from '#lib/contracts/job-status';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { TeamScoped } from '../team-isolation.js';

/** A run as listed by its experiment. */
export interface ExperimentRun {
  id: string;
  name: string | null;
  status: JobStatus;
  suiteVersion: number;
  samples: number;
  /** The stored config: without suite, models and experiment. */
  config: JsonObject;
  targets: {
    providerKey: string;
    modelId: string;
    params: JsonObject;
    recorded: boolean;
    n: number;
    errored: number;
    /** From its summary; null and 0 until it has one. */
    overallCi: [number, number] | null;
    scored: number;
  }[];
  score: number | null;
  delta: number | null;
  differs: DeltaObstacle[];
  comparison: BaselineComparison | null;
  finishedAt: Date | null;
  /** The tune that promoted it; null for a user's run. */
  promotedBy: { type: 'param_tune' | 'prompt_tune'; id: string } | null;
}

/** One of the last runs of an experiment, compared with its baseline. */
export interface ComparedRun {
  id: string;
  name: string | null;
  finishedAt: Date;
  models: number;
  comparison: BaselineComparison;
}

/** How many runs of an experiment say where it stands. */
const LAST_RUNS = 50;

/** A comparison with the baseline of an experiment that could have had the verdict better or worse. */
export interface MadeComparison {
  runId: string;
  verdict: BaselineComparison['verdict'];
  p: number;
}

type RunRow = Omit<ExperimentRun, 'config' | 'comparison' | 'targets'> & {
  config: string;
  comparison: string | null;
  targets: (Omit<ExperimentRun['targets'][number], 'params'> & { params: string })[];
};

/** @param runs the statement that finds them, so that no other run is read */
const describing = (runs: string): string => `
  SELECT r.id, r.name, r.status, r.suite_version AS "suiteVersion", r.samples, r.config, r.score, r.delta, r.differs,
    r.comparison, r.finished_at AS "finishedAt", t.targets,
    (SELECT json_build_object('type', o.type, 'id', o.id) FROM orchestration o
      WHERE o.id = r.orchestration_id AND o.type IN ('param_tune', 'prompt_tune')) AS "promotedBy"
  FROM (${runs}) r CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('providerKey', provider_key, 'modelId', model_id, 'params', params,
      'recorded', recorded, 'n', n, 'errored', errored, 'overallCi', summary::json -> 'overall_ci',
      'scored', coalesce((summary::json ->> 'scored')::int, 0)) ORDER BY ordinal), '[]') AS targets
    FROM target WHERE run_id = r.id
  ) t`;

/** The runs of a team, in the view of its experiments. */
export class ExperimentRunRepository extends TeamScoped {
  /** By id. Runs that do not exist are omitted. */
  async find(ids: readonly string[]): Promise<Map<string, ExperimentRun>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.db.query<RunRow>(describing('SELECT * FROM run WHERE team_id = $1 AND id = ANY ($2)'), [
      this.teamId,
      ids,
    ]);
    return new Map(rows.map((row) => [row.id, toRun(row)]));
  }

  /** The ended runs of an experiment in the order of their ends; those with the same time by id. */
  async listEnded(
    experimentId: string,
    { limit, after }: { limit: number; after: { endedAtMs: number; id: string } | undefined },
  ): Promise<ExperimentRun[]> {
    const { rows } = await this.db.query<RunRow>(
      `${describing(`
        SELECT * FROM run
        WHERE team_id = $1 AND experiment_id = $2 AND finished_at IS NOT NULL
          AND ($3::timestamptz IS NULL OR (finished_at, id) > ($3, $4::uuid))
        ORDER BY finished_at, id LIMIT $5`)}
       ORDER BY r.finished_at, r.id`,
      [this.teamId, experimentId, after ? new Date(after.endedAtMs) : null, after?.id ?? null, limit],
    );
    return rows.map(toRun);
  }

  /**
   * The last runs of each experiment that ended after its baseline, have its models, and are compared with it: the
   * newest first.
   */
  async lastCompared(experimentIds: readonly string[]): Promise<Map<string, ComparedRun[]>> {
    const { rows } = await this.db.query<
      Omit<ComparedRun, 'comparison'> & { experimentId: string; baselineId: string; comparison: string }
    >(
      `SELECT e.id AS "experimentId", e.baseline_run_id AS "baselineId", r.*
       FROM experiment e JOIN run b ON b.id = e.baseline_run_id CROSS JOIN LATERAL (
         SELECT r.id, r.name, r.finished_at AS "finishedAt", r.comparison,
           (SELECT count(*)::int FROM target WHERE run_id = r.id) AS models
         FROM run r
         WHERE r.experiment_id = e.id AND r.team_id = e.team_id AND (r.finished_at, r.id) > (b.finished_at, b.id)
           AND r.comparison IS NOT NULL AND 'targets' <> ALL (r.differs)
         ORDER BY r.finished_at DESC, r.id DESC LIMIT $3
       ) r
       WHERE e.team_id = $1 AND e.id = ANY ($2) ORDER BY r."finishedAt" DESC, r.id DESC`,
      [this.teamId, experimentIds, LAST_RUNS],
    );
    const runs = rows.flatMap(({ comparison, baselineId, ...row }) => {
      const made = JSON.parse(comparison) as BaselineComparison;
      return made.baseline_eval_id === baselineId ? [{ ...row, comparison: made }] : [];
    });
    return Map.groupBy(runs, (run) => run.experimentId);
  }

  /**
   * The comparisons of each experiment's runs with its baseline, if both are still in the generation that was compared.
   * Comparisons without a result are omitted.
   */
  async comparisons(experimentIds: readonly string[]): Promise<Map<string, MadeComparison[]>> {
    const { rows } = await this.db.query<MadeComparison & { experimentId: string }>(
      `SELECT * FROM (
         SELECT c.experiment_id AS "experimentId", c.run_id AS "runId", c.comparison::json ->> 'verdict' AS verdict,
           (c.comparison::json ->> 'p')::float8 AS p
         FROM experiment e
           JOIN experiment_comparison c ON c.experiment_id = e.id AND c.against_run_id = e.baseline_run_id
           JOIN run r ON r.id = c.run_id AND r.experiment_id = e.id AND r.generation = c.run_generation
           JOIN run b ON b.id = c.against_run_id AND b.generation = c.against_generation
         WHERE e.team_id = $1 AND e.id = ANY ($2)
       ) made
       WHERE verdict <> 'not_comparable' AND p IS NOT NULL ORDER BY "runId"`,
      [this.teamId, experimentIds],
    );
    return Map.groupBy(rows, (row) => row.experimentId);
  }
}

const toRun = (row: RunRow): ExperimentRun => ({
  ...row,
  config: parseJson(row.config) as JsonObject,
  comparison: row.comparison === null ? null : (JSON.parse(row.comparison) as BaselineComparison),
  targets: row.targets.map((target) => ({ ...target, params: parseJson(target.params) as JsonObject })),
});
