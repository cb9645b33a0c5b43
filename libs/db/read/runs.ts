import type { TargetUsage } from '#lib/contracts/billing';
import type { BaselineComparison, Differs } from '#lib/contracts/comparison';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import type { Actual, Estimate } from '#lib/contracts/estimate';
import type { Orchestrator, Run, RunsQuery } from '#lib/contracts/run';
import type { RunWarning } from '#lib/contracts/run-target';
import type { Summary } from '#lib/contracts/summary';
import { cacheHitRate, eachCount } from '#lib/contracts/token-counts';
import { yieldToEventLoop } from '#lib/runtime/yield-to-event-loop';
import { toPage } from '../catalogue/page.js';
import type { Prisma } from '../connection/prisma.js';
import type { Run as StoredRun, Target } from '../generated/client.js';
import { TRY_STEP } from '../made-by.js';
import type { TeamScoped } from '../team-isolation.js';
import { parseSummary } from './summaries.js';

const WITH_TARGETS = { targets: { orderBy: { ordinal: 'asc' } }, orchestration: { select: { type: true } } } as const;
type RunRow = StoredRun & { targets: Target[]; orchestration: { type: string } | null };

/** What the requests to a target are sent with. */
export interface TargetParams {
  providerKey: string;
  modelId: string;
  /** Whether what the model costs is known: it has prices, or its provider says what it bills. */
  priced: boolean;
  /** That the run was submitted with. */
  params: JsonObject;
  /** Those of the model, as they are now. */
  defaultParams: JsonObject;
}

const MAX_WARNINGS = 200;

/** A deleted parent belongs to no team (`hideParents`); its runs are removed in pieces. */
const hasNoDeletedParent = (teamId: string) => ({
  OR: [{ orchestration_id: null }, { orchestration: { team_id: teamId } }],
});

/** The runs of a team. */
export class RunRepository implements TeamScoped {
  constructor(
    readonly prisma: Prisma,
    readonly teamId: string,
  ) {}

  async list({ limit, cursor, ...query }: RunsQuery): Promise<Page<Run>> {
    const { items, next_cursor } = toPage(
      await this.prisma.run.findMany({
        where: { team_id: this.teamId, ...(cursor && { id: { lt: cursor } }), ...matching(query, this.teamId) },
        include: WITH_TARGETS,
        orderBy: { id: 'desc' },
        take: limit + 1,
      }),
      limit,
    );
    return { items: await this.#toRuns(items), next_cursor };
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Run> {
    const where = { id, team_id: this.teamId, ...hasNoDeletedParent(this.teamId) };
    const row = await this.prisma.run.findFirst({ where, include: WITH_TARGETS });
    if (!row) throw notFound('run', id);
    return (await this.#toRuns([row]))[0]!;
  }

  async #toRuns(rows: RunRow[]): Promise<Run[]> {
    const warnings = await this.#warnings(rows.map(({ id }) => id));
    const users = await this.prisma.user.findMany({
      where: { team_id: this.teamId, id: { in: [...new Set(rows.map((row) => row.user_id))] } },
    });
    const nameOf = new Map(users.map(({ id, name }) => [id, name]));
    const pause = yieldToEventLoop();
    const runs: Run[] = [];
    for (const row of rows) {
      await pause();
      runs.push(toRun(row, { warnings: warnings(row.id), submittedBy: nameOf.get(row.user_id) ?? null }));
    }
    return runs;
  }

  /** Of each run the oldest warnings. */
  async #warnings(runIds: string[]): Promise<(runId: string) => RunWarning[]> {
    const rows = await this.prisma.$queryRaw<
      { run_id: string; code: string; message: string | null; at: Date | null }[]
    >`
      SELECT w.* FROM unnest(${runIds}::uuid[]) AS ids (id) JOIN run ON run.id = ids.id
        AND run.team_id = ${this.teamId}::uuid
      CROSS JOIN LATERAL (
        SELECT run_id, code, message, at FROM run_warning WHERE run_id = run.id
        ORDER BY at NULLS FIRST, code LIMIT ${MAX_WARNINGS}
      ) w`;
    const byRun = Map.groupBy(rows, (row) => row.run_id);
    return (runId) =>
      (byRun.get(runId) ?? []).map(({ code, message, at }) => ({ code, message, at: at?.toISOString() ?? null }));
  }

  /** The parameters of each target of a run; none when the team has no such run. */
  async readParams(id: string): Promise<TargetParams[]> {
    const rows = await this.prisma.$queryRaw<
      {
        config: string;
        provider_key: string;
        model_id: string;
        priced: boolean;
        params: string;
        default_params: string;
      }[]
    >`
      SELECT r.config, t.provider_key, t.model_id, t.params, coalesce(m.default_params, '{}') AS default_params,
        coalesce(m.input_cost_per_mtok IS NOT NULL AND m.output_cost_per_mtok IS NOT NULL, false)
          OR t.cost_reported > 0 AS priced
      FROM run r JOIN target t ON t.run_id = r.id
        LEFT JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
      WHERE r.id = ${id}::uuid AND r.team_id = ${this.teamId}::uuid ORDER BY t.ordinal`;
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

/** What a query asks of runs. */
const matching = (
  { suite_id, experiment_id, status, model, orchestrated }: Omit<RunsQuery, 'limit' | 'cursor'>,
  teamId: string,
) => ({
  ...(suite_id && { suite_id }),
  ...(experiment_id && { experiment_id }),
  ...(status && { status: { in: status } }),
  ...(model && { targets: { some: { OR: model.map(targetNamed) } } }),
  ...(orchestrated
    ? { AND: [{ OR: [{ step: null }, { step: { not: TRY_STEP } }] }, hasNoDeletedParent(teamId)] }
    : { listed: true }),
});

/** A model by its id, or as `provider_key::model_id`. */
function targetNamed(name: string) {
  const split = name.indexOf('::');
  if (split < 0) return { model_id: name };
  return { OR: [{ model_id: name }, { provider_key: name.slice(0, split), model_id: name.slice(split + 2) }] };
}

function toRun(row: RunRow, { warnings, submittedBy }: { warnings: RunWarning[]; submittedBy: string | null }): Run {
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
  const summaries = summariesOfTargets(row.targets);
  const sum = (key: 'total' | 'settled' | 'errored' | 'passed'): number =>
    targets.reduce((total, target) => total + target[key], 0);
  return {
    id: row.id,
    job_id: row.job_id,
    name: row.name,
    note: row.note,
    submitted_by: submittedBy,
    suite: { id: row.suite_id, name: row.suite_name, version: row.suite_version },
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
    differs: row.differs as Differs[],
    comparison: row.comparison === null ? null : (JSON.parse(row.comparison) as BaselineComparison),
    summaries,
    experiment_id: row.experiment_id,
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

const orchestratorOf = ({ orchestration, orchestration_id: id }: RunRow): Orchestrator | null =>
  orchestration && id !== null ? { type: orchestration.type as Orchestrator['type'], id } : null;

/** The mean of the targets' means so far; null while no item is scored. */
function currentScore(targets: readonly Target[]): number | null {
  const means = targets.flatMap((t) => (t.settled > t.errored ? [t.overall_sum / (t.settled - t.errored)] : []));
  return means.length ? means.reduce((a, b) => a + b, 0) / means.length : null;
}

const summariesOfTargets = (targets: readonly Target[]): Summary[] =>
  targets.flatMap(({ summary }) => (summary ? [parseSummary(summary)] : []));

/** What a run took, once it has ended and is summarised. A recorded run took nothing here. */
function actualOf(
  { targets, started_at: startedAt, finished_at: finishedAt }: RunRow,
  summaries: readonly Summary[],
): Actual | null {
  if (!finishedAt || summaries.length === 0 || targets.every(({ recorded }) => recorded)) return null;
  const total = (of: (summary: Summary) => number): number => summaries.reduce((sum, summary) => sum + of(summary), 0);
  return {
    requests: targets.reduce((sum, t) => sum + t.requests, 0),
    cached: total((s) => s.cached.results),
    prompt_tokens: total((s) => s.usage.prompt_tokens - s.cached.prompt_tokens),
    completion_tokens: total((s) => s.usage.completion_tokens - s.cached.completion_tokens),
    cost_usd: summaries.some((s) => s.cost_usd === null) ? null : total((s) => s.cost_usd!),
    duration_s: startedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : 0,
  };
}
