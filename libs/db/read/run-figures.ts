import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { OtherFailures, Place } from '#lib/contracts/counted';
import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Result } from '#lib/contracts/result';
import type { Ranking } from '#lib/contracts/ranking';
import type { Confusion, FailureGroup, FailureGroups, RunCases, RunFacets } from '#lib/contracts/run-facets';
import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { resultTable } from './for-workers/result-table.js';
import { leanResult } from './lean-result.js';
import { RunCasesReader, type CasesQuery } from './run-cases.js';
import { parseResultId, selectResults, toResult, type ResultRow } from './result-rows.js';

/** SQL of the statuses of a run that can be counted. Its items no longer settle. */
export const HAS_ENDED = `('completed', 'cancelled', 'budget_exceeded', 'failed')`;

/** The verdicts of a run, or those of one of its rescores. */
export interface Scoring {
  runId: string;
  /** Undefined for the run's own */
  rescoreId?: string | undefined;
}

/** The id of a scoring among those of its run. */
export const scoringIdOf = ({ runId, rescoreId }: Scoring): string => rescoreId ?? runId;

const PLACES = new BatchColumns<Place>({
  target: ['smallint', ({ target }) => target],
  position: ['int', ({ position }) => position],
  sample: ['smallint', ({ sample }) => sample],
});

const TARGETS = `ARRAY(
  SELECT provider_key || '::' || model_id FROM target WHERE run_id = r.id ORDER BY ordinal) AS targets`;

/** The largest groups, for which it is read what differs in their examples. */
const EXPLAINED_GROUPS = 200;

/** A facet in figures of a release that did not count it. */
/** Those of earlier releases lack what was added since. */
type StoredFacets = Omit<RunFacets, 'syntax' | 'missed'> & Partial<RunFacets>;
const NONE: RunFacets['syntax'] = { values: [], others: 0 };

/** The figures of a team's runs. Each read returns undefined while a run is not counted. */
export class RunFiguresRepository extends TeamScoped<Pool> {
  async facets(scoring: Scoring): Promise<RunFacets | undefined> {
    const row = await this.#read<{ facets: string; counted_at: Date }>(scoring, 'f.facets, f.counted_at');
    if (!row) return undefined;
    const { syntax = NONE, missed = NONE, ...facets } = JSON.parse(row.facets) as StoredFacets;
    return { ...facets, syntax, missed, counted_at: row.counted_at.toISOString() };
  }

  /** Undefined for unfinished runs, too. */
  async ranking(runId: string): Promise<Ranking | undefined> {
    const { rows } = await this.db.query<{ ranking: string | null }>(
      `SELECT f.ranking FROM run_figures f JOIN run r ON r.id = f.run_id AND r.generation = f.generation
       WHERE r.id = $1 AND f.scoring_id = $1 AND r.team_id = $2 AND r.status IN ${HAS_ENDED}
         AND f.counted_at IS NOT NULL`,
      [runId, this.teamId],
    );
    const json = rows[0]?.ranking ?? undefined;
    return json === undefined ? undefined : (JSON.parse(json) as Ranking);
  }

  /** @throws ProblemError 422 for a model that the run does not have */
  async confusion(scoring: Scoring, target: string | undefined): Promise<Confusion | undefined> {
    const row = await this.#read<{ confusion: string | null }>(
      scoring,
      `f.confusions[CASE WHEN $4::text IS NULL THEN 1 ELSE 2 + (
         SELECT ordinal FROM target WHERE run_id = r.id AND provider_key || '::' || model_id = $4
       ) END] AS confusion`,
      [target ?? null],
    );
    if (row?.confusion === null)
      throw new ProblemError(422, `The run has no model "${target}".`, [
        { path: '/target', message: 'does not exist' },
      ]);
    return row && (JSON.parse(row.confusion) as Confusion);
  }

  async failures(scoring: Scoring, errorType: string | undefined): Promise<FailureGroups | undefined> {
    const columns = `f.other_failures, ${TARGETS}`;
    const row = await this.#read<{ other_failures: string; targets: string[] }>(scoring, columns);
    if (!row) return undefined;
    const { rows } = await this.db.query<GroupRow>(
      `SELECT g.generation, g.nth, g.error_type, g.expected_tool, g.called_tool, g.argument, g.count, g.by_target,
         concat_ws('-', g.targets[1], g.positions[1], g.samples[1]) AS example
       FROM failure_group g JOIN run r ON r.id = g.run_id AND r.team_id = $2 AND r.generation = g.generation
       WHERE g.run_id = $1 AND g.scoring_id = $3 AND ($4::text IS NULL OR g.error_type = $4) ORDER BY g.nth`,
      [...this.#values(scoring), errorType ?? null],
    );
    const examples = rows.slice(0, EXPLAINED_GROUPS).flatMap(({ example }) => parsePlace(example) ?? []);
    const shown = new Map((await this.results(scoring, examples)).map(({ id, difference }) => [id, difference]));
    const unlisted = Object.entries(JSON.parse(row.other_failures) as Record<string, OtherFailures>).filter(
      ([type]) => errorType === undefined || type === errorType,
    );
    const others = unlisted.map(([, one]) => one);
    return {
      types: typesOf(rows, new Map(unlisted)),
      targets: row.targets,
      items: rows.map(({ generation, nth, ...group }) => ({
        id: `${generation}-${nth}`,
        ...group,
        difference: shown.get(group.example) ?? null,
      })),
      others: {
        groups: others.reduce((sum, { groups }) => sum + groups, 0),
        results: others.reduce((sum, { results }) => sum + results, 0),
      },
    };
  }

  /** The sampled results of a group, drawn when they were counted. @throws ProblemError 404 */
  async drawn(scoring: Scoring, group: string): Promise<Place[] | undefined> {
    if (!(await this.#read(scoring, 'f.cases'))) return undefined;
    const [, generation, nth] = /^(\d{1,4})-(\d{1,9})$/.exec(group) ?? [];
    const { rows } = await this.db.query<Place>(
      `SELECT u.target::int, u.position, u.sample::int
       FROM failure_group g JOIN run r ON r.id = g.run_id AND r.team_id = $2 AND r.generation = g.generation,
         unnest(g.targets, g.positions, g.samples) AS u (target, position, sample)
       WHERE g.run_id = $1 AND g.scoring_id = $3 AND g.generation = $4 AND g.nth = $5`,
      [...this.#values(scoring), generation ?? -1, nth ?? -1],
    );
    if (rows.length === 0) throw notFound('group of failures', group);
    return rows;
  }

  /** Results at these places, lean and in this order, without those that are gone. */
  async results({ runId, rescoreId }: Scoring, places: readonly Place[]): Promise<Result[]> {
    const values = [runId, this.teamId, ...PLACES.values(places), ...(rescoreId ? [rescoreId] : [])];
    const { rows } = await this.db.query<ResultRow>(
      `SELECT found.* FROM ${PLACES.unnest(3, 'n')} CROSS JOIN LATERAL (
         ${selectResults(resultTable(rescoreId && '$6'), '$2', { lean: true, rescored: rescoreId !== undefined })}
         WHERE r.run_id = $1 AND r.target = u.target AND r.case_position = u.position AND r.sample = u.sample
       ) found ORDER BY u.n`,
      values,
    );
    return rows.map((row) => leanResult(toResult(row)));
  }

  async cases(scoring: Scoring, query: CasesQuery): Promise<RunCases | undefined> {
    const row = await this.#read<RunCases['counts'] & { isOrdered: boolean; targets: string[] }>(
      scoring,
      `f.cases AS "all", f.differing, f.all_failed, ${TARGETS},
         f.ordered_generation IS NOT DISTINCT FROM f.generation AS "isOrdered"`,
    );
    if (!row) return undefined;
    const { targets, isOrdered, ...counts } = row;
    return {
      targets,
      counts,
      ...(await new RunCasesReader(this.db, this.#values(scoring), query).page(counts, isOrdered)),
    };
  }

  #values = (scoring: Scoring): string[] => [scoring.runId, this.teamId, scoringIdOf(scoring)];

  /**
   * Columns of the figures `f` of the run `r`; undefined while they are not counted. `values` start at `$4`.
   * @throws ProblemError 404, 409 for an unfinished run
   */
  async #read<Row extends object>(
    scoring: Scoring,
    columns: string,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    const { rows } = await this.db.query<Row & { status: JobStatus; is_counted: boolean }>(
      `SELECT r.status, f.run_id IS NOT NULL AS is_counted, ${columns}
       FROM run r LEFT JOIN run_figures f
         ON f.run_id = r.id AND f.scoring_id = $3 AND f.generation = r.generation AND f.counted_at IS NOT NULL
       WHERE r.id = $1 AND r.team_id = $2`,
      [...this.#values(scoring), ...values],
    );
    if (!rows[0]) throw notFound('run', scoring.runId);
    const { status, is_counted: isCounted, ...row } = rows[0];
    if (!isFinished(status))
      throw new ProblemError(409, `The run is ${status}. Its results are counted once it has ended.`).as(
        'run_unfinished',
        { run_id: scoring.runId, status },
      );
    return isCounted ? (row as unknown as Row) : undefined;
  }
}

function parsePlace(resultId: string): Place | undefined {
  const item = parseResultId(resultId);
  return item && { target: item.target, position: item.case_position, sample: item.sample };
}

/** The totals of each error type, the largest first. */
function typesOf(groups: readonly GroupRow[], unlisted: ReadonlyMap<string, OtherFailures>): FailureGroups['types'] {
  const listed = Map.groupBy(groups, ({ error_type: type }) => type);
  return [...listed]
    .map(([type, own]) => {
      const { groups: n, results } = unlisted.get(type) ?? { groups: 0, results: 0 };
      const sum = own.reduce((total, { count }) => total + count, 0);
      return { error_type: type, count: sum + results, other_groups: n, other_results: results };
    })
    .sort((one, other) => other.count - one.count);
}

type GroupRow = Omit<FailureGroup, 'id' | 'difference'> & { generation: number; nth: number };
