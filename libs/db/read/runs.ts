import type { TargetUsage } from '#lib/contracts/billing';
import type { BaselineComparison, DeltaObstacle } from '#lib/contracts/comparison';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import type { Estimate } from '#lib/contracts/estimate';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import type { Orchestrator, Run, RunAgainst, RunsQuery } from '#lib/contracts/run';
import type { Ranking } from '#lib/contracts/ranking';
import type { RunWarning } from '#lib/contracts/run-target';
import { cacheHitRate, eachCount } from '#lib/contracts/token-counts';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import type { MarksOfReader } from '../catalogue/marks.js';
import { pageOf } from '../catalogue/page.js';
import type { Run as StoredRun, Target } from '../generated/client.js';
import { TeamScoped } from '../team-isolation.js';
import { readAgainst } from './run-against.js';
import { readRankings } from './run-rankings.js';
import { cursorOf, HAS_NO_DELETED_PARENT, selectRuns, statementsOf, type Listed } from './run-list.js';
import { actualOf, summariesOf, topOf } from './run-outcome.js';

/** What a run that ended has measured, in short. */
type RunScore = NonNullable<PromptVersionHead['used']['newest']>;

type StoredRunOfKind = StoredRun & {
  orchestration_type: string | null;
  experiment_name: string | null;
  has_conversations: boolean | null;
};
type ListedRow = StoredRunOfKind & Listed;
type RunRow = StoredRunOfKind & { targets: Target[] };

/** The parameters of the requests to a target. */
export interface TargetParams {
  providerKey: string;
  modelId: string;
  /** Whether the cost of the model is known: it has prices, or its provider reports billed costs. */
  priced: boolean;
  /** The parameters that the run was submitted with. */
  params: JsonObject;
  /** The current default parameters of the model. */
  defaultParams: JsonObject;
}

const MAX_WARNINGS = 200;

/** The runs of a team. */
export class RunRepository extends TeamScoped {
  async list({ limit, cursor, ...query }: RunsQuery & MarksOfReader): Promise<Page<Run>> {
    const rows: ListedRow[] = [];
    for (const { text, values } of statementsOf(this.teamId, query, cursor)) {
      const found = await this.db.query<ListedRow>(`${text} LIMIT ${limit + 1 - rows.length}`, values);
      rows.push(...found.rows);
      if (rows.length > limit) break;
    }
    const { items, next_cursor } = pageOf(rows, limit, (row) => row, cursorOf);
    return { items: await this.#toRuns(items), next_cursor };
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Run> {
    const { rows } = await this.db.query<StoredRunOfKind>(
      `${selectRuns()} AND run.id = $2 AND ${HAS_NO_DELETED_PARENT}`,
      [this.teamId, id],
    );
    if (!rows[0]) throw notFound('run', id);
    return (await this.#toRuns(rows))[0]!;
  }

  /** The scores of runs, by id. */
  async readScores(ids: readonly string[]): Promise<Map<string, RunScore>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.db.query<StoredRun & { n_models: number }>(
      `SELECT run.*, (SELECT count(*)::int FROM target WHERE run_id = run.id) AS n_models
       FROM run WHERE run.team_id = $1 AND run.id = ANY ($2) AND run.score IS NOT NULL`,
      [this.teamId, ids],
    );
    const against = await readAgainst(this.db, this.teamId, ids);
    return new Map(rows.map((row) => [row.id, { ...scoreOf(row), against: against.get(row.id) ?? null }]));
  }

  /** By id; without those that the team does not have. */
  async readMany(ids: readonly string[]): Promise<Map<string, Run>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.db.query<StoredRunOfKind>(
      `${selectRuns()} AND run.id = ANY ($2) AND ${HAS_NO_DELETED_PARENT}`,
      [this.teamId, ids],
    );
    return new Map((await this.#toRuns(rows)).map((run) => [run.id, run]));
  }

  async #toRuns(rows: StoredRunOfKind[]): Promise<Run[]> {
    const ids = rows.map(({ id }) => id);
    const warnings = await this.#warnings(ids);
    const against = await readAgainst(this.db, this.teamId, ids);
    const { rows: targets } = await this.db.query<Target>(
      'SELECT * FROM target WHERE run_id = ANY ($1) ORDER BY ordinal',
      [ids],
    );
    const rankings = await readRankings(this.db, this.teamId, ids);
    const targetsOf = Map.groupBy(targets, (target) => target.run_id);
    const { rows: users } = await this.db.query<{ id: string; name: string }>(
      'SELECT id, name FROM users WHERE team_id = $1 AND id = ANY ($2)',
      [this.teamId, [...new Set(rows.map((row) => row.user_id))]],
    );
    const nameOf = new Map(users.map(({ id, name }) => [id, name]));
    const pause = yieldToEventLoop();
    const runs: Run[] = [];
    for (const row of rows) {
      await pause();
      const run = { ...row, targets: targetsOf.get(row.id) ?? [] };
      runs.push(
        toRun(run, {
          warnings: warnings(row.id),
          submittedBy: nameOf.get(row.user_id) ?? null,
          ranking: rankings.get(row.id),
          against: against.get(row.id) ?? null,
        }),
      );
    }
    return runs;
  }

  /** The oldest warnings of each run. */
  async #warnings(runIds: string[]): Promise<(runId: string) => RunWarning[]> {
    const { rows } = await this.db.query<{ run_id: string; code: string; message: string | null; at: Date | null }>(
      `SELECT w.* FROM unnest($1::uuid[]) AS ids (id) JOIN run ON run.id = ids.id AND run.team_id = $2
       CROSS JOIN LATERAL (
         SELECT run_id, code, message, at FROM run_warning WHERE run_id = run.id
         ORDER BY at NULLS FIRST, code LIMIT $3
       ) w`,
      [runIds, this.teamId, MAX_WARNINGS],
    );
    const byRun = Map.groupBy(rows, (row) => row.run_id);
    return (runId) =>
      (byRun.get(runId) ?? []).map(({ code, message, at }) => ({ code, message, at: at?.toISOString() ?? null }));
  }

  /** The parameters of each target of a run; empty when the team has no such run. */
  async readParams(id: string): Promise<TargetParams[]> {
    const { rows } = await this.db.query<{
      config: string;
      provider_key: string;
      model_id: string;
      priced: boolean;
      params: string;
      default_params: string;
    }>(
      `SELECT r.config, t.provider_key, t.model_id, t.params, coalesce(m.default_params, '{}') AS default_params,
        coalesce(m.input_cost_per_mtok IS NOT NULL AND m.output_cost_per_mtok IS NOT NULL, false)
          OR t.cost_reported > 0 AS priced
       FROM run r JOIN target t ON t.run_id = r.id
         LEFT JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
       WHERE r.id = $1 AND r.team_id = $2 ORDER BY t.ordinal`,
      [id, this.teamId],
    );
    const object = (text: string): JsonObject => parseJson(text) as JsonObject;
    return rows.map((row) => ({
      providerKey: row.provider_key,
      modelId: row.model_id,
      priced: row.priced,
      params: { ...(object(row.config).params as JsonObject), ...object(row.params) },
      defaultParams: object(row.default_params),
    }));
  }
}

interface OfRun {
  warnings: RunWarning[];
  submittedBy: string | null;
  ranking: Ranking | undefined;
  against: RunAgainst | null;
}

const scoreOf = (row: StoredRun & { n_models: number }): Omit<RunScore, 'against'> => ({
  run: { id: row.id, name: row.name },
  suite_version: row.suite_version,
  score: row.score!,
  n_models: row.n_models,
  finished_at: row.finished_at?.toISOString() ?? null,
});

function toRun(row: RunRow, { warnings, submittedBy, ranking, against }: OfRun): Run {
  const targets = row.targets.map((t) => ({
    target: `${t.provider_key}::${t.model_id}`,
    provider_key: t.provider_key,
    model_id: t.model_id,
    total: t.n,
    settled: t.settled,
    errored: t.errored,
    passed: t.passed,
    ...(t.recorded ? { recorded: true as const } : { usage: usageOf(t) }),
  }));
  const summaries = summariesOf(row.targets);
  const sum = (key: 'total' | 'settled' | 'errored' | 'passed'): number =>
    targets.reduce((total, target) => total + target[key], 0);
  return {
    id: row.id,
    job_id: row.job_id,
    name: row.name,
    note: row.note,
    submitted_by: submittedBy,
    suite: {
      ...{ id: row.suite_id, name: row.suite_name, version: row.suite_version },
      ...(row.has_conversations && { has_conversations: true }),
    },
    status: row.status as JobStatus,
    config: {
      ...(parseJson(row.config) as JsonObject),
      models: row.targets.map((t) => ({
        provider_key: t.provider_key,
        model_id: t.model_id,
        params: parseJson(t.params),
      })),
    },
    targets,
    counts: { total: sum('total'), settled: sum('settled'), errored: sum('errored'), passed: sum('passed') },
    score: row.score ?? currentScore(row.targets),
    delta: row.delta,
    differs: row.differs as DeltaObstacle[],
    comparison: row.comparison === null ? null : (JSON.parse(row.comparison) as BaselineComparison),
    against,
    top: topOf(row, summaries, ranking),
    summaries,
    experiment_id: row.experiment_id,
    experiment_name: row.experiment_name,
    orchestrator: orchestratorOf(row),
    extends_run_id: row.extends_run_id,
    first_sample: row.first_sample,
    estimate: row.estimate === null ? null : (JSON.parse(row.estimate) as Estimate),
    actual: actualOf(row, summaries),
    warnings,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function usageOf(target: Target): TargetUsage {
  const counts = eachCount((name) => Number(target[name]));
  return { ...counts, cache_hit_rate: cacheHitRate(counts) };
}

const orchestratorOf = ({ orchestration_type: type, orchestration_id: id }: RunRow): Orchestrator | null =>
  type !== null && id !== null ? { type: type as Orchestrator['type'], id } : null;

/** The mean of the targets' current means; null while no item is scored. */
function currentScore(targets: readonly Target[]): number | null {
  const means = targets.flatMap((t) => (t.settled > t.errored ? [t.overall_sum / (t.settled - t.errored)] : []));
  return means.length ? means.reduce((a, b) => a + b, 0) / means.length : null;
}
