import type { CaseVerdicts, CaseVerdictsQuery } from '#lib/contracts/case-result';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { requireCase } from './case-results.js';

/** Further runs are counted up to this number. */
const MAX_COUNTED = 1000;
/** Samples of a model that are counted in one run. */
const MAX_SAMPLES = 1000;

interface RunRow {
  id: string;
  name: string | null;
  created_at: Date;
  suite_version: number;
  position: number;
}
type CellRow = CaseVerdicts['runs'][number]['verdicts'][number] & { run_id: string };

/** SQL of the listed runs of a suite that took a case. `$1` is the suite, `$2` the team, and `$3` the case. */
const RUNS_OF_CASE = `FROM run r JOIN suite_version_case c ON c.version_id = r.suite_version_id AND c.case_id = $3
  WHERE r.suite_id = $1 AND r.team_id = $2 AND r.listed
    AND (cardinality(r.case_positions) = 0 OR c.position = ANY (r.case_positions))`;

/** The verdicts on single cases, by run and model, without the results themselves. */
export class CaseVerdictRepository extends TeamScoped<Pool> {
  /** @throws ProblemError 404 */
  async read(suiteId: string, caseId: string, { limit, eval_id: runId }: CaseVerdictsQuery): Promise<CaseVerdicts> {
    await requireCase(this.db, this.teamId, suiteId, caseId);
    const of = [suiteId, this.teamId, caseId];
    const newest = await this.#readRuns(of, limit);
    const isKnown = runId === undefined || newest.some(({ id }) => id === runId);
    const asked = isKnown ? [] : await this.#readRuns(of, 1, runId);
    const runs = [...newest.slice(0, limit - asked.length), ...asked];
    const byRun = Map.groupBy(await this.#readCells(runs), ({ run_id }) => run_id);
    return {
      runs: runs.map(({ position: _position, created_at: at, ...run }) => ({
        ...run,
        created_at: at.toISOString(),
        verdicts: (byRun.get(run.id) ?? []).map(({ run_id: _run, ...verdict }) => verdict),
      })),
      left_out: newest.length < limit ? 0 : await this.#countOthers(of, runs.length),
    };
  }

  async #readRuns(of: readonly string[], limit: number, only?: string): Promise<RunRow[]> {
    const { rows } = await this.db.query<RunRow>(
      `SELECT r.id, r.name, r.created_at, r.suite_version, c.position ${RUNS_OF_CASE}
         ${only === undefined ? '' : 'AND r.id = $5'} ORDER BY r.suite_id DESC, r.id DESC LIMIT $4`,
      [...of, limit, ...(only === undefined ? [] : [only])],
    );
    return rows;
  }

  async #readCells(runs: readonly RunRow[]): Promise<CellRow[]> {
    const { rows } = await this.db.query<CellRow>(
      `SELECT t.run_id, t.provider_key || '::' || t.model_id AS target, of_case.scored, of_case.passed,
         of_case.errored, t.ordinal || '-' || run.position || '-' || of_case.shown AS result_id
       FROM unnest($1::uuid[], $2::int[]) AS run (id, position) JOIN target t ON t.run_id = run.id
       CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE outcome = 'scored')::int AS scored,
           count(*) FILTER (WHERE passed)::int AS passed,
           count(*) FILTER (WHERE outcome = 'errored')::int AS errored,
           (array_agg(sample ORDER BY outcome = 'errored', passed, sample))[1] AS shown
         FROM (
           SELECT outcome, passed, sample FROM result r
           WHERE r.run_id = run.id AND r.target = t.ordinal AND r.case_position = run.position LIMIT ${MAX_SAMPLES}
         ) sample
       ) of_case
       WHERE of_case.shown IS NOT NULL ORDER BY t.run_id, t.ordinal`,
      [runs.map(({ id }) => id), runs.map(({ position }) => position)],
    );
    return rows;
  }

  /** The number of runs that are not shown. */
  async #countOthers(of: readonly string[], shown: number): Promise<number> {
    const { rows } = await this.db.query<{ count: number }>(
      `SELECT count(*)::int FROM (SELECT ${RUNS_OF_CASE} LIMIT $4) counted`,
      [...of, shown + MAX_COUNTED],
    );
    return rows[0]!.count - shown;
  }
}
