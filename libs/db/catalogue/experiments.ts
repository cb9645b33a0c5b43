import type { ExperimentInput, ExperimentsQuery, ExperimentStatus, ExperimentUpdate } from '#lib/contracts/experiment';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import { TeamScoped } from '../team-isolation.js';
import { isOfSuites } from './named-suites.js';
import { hasMarks, markValues, type MarksOfReader } from './marks.js';
import { toPage } from './page.js';
import { takeBaseline } from './take-baseline.js';

/** An experiment without the figures of its runs. */
export interface StoredExperiment {
  id: string;
  suiteId: string;
  /** Null when the suite was deleted; so is `suiteVersion`. */
  suiteName: string | null;
  /** The version that a run would pin now. */
  suiteVersion: number | null;
  name: string;
  description: string;
  status: ExperimentStatus;
  margin: number;
  measure: string;
  baselineId: string | null;
  baselineSetBy: 'user' | 'first_run' | null;
  /** Its baseline was deleted; only a user pins another. */
  baselineDeleted: boolean;
  bestId: string | null;
  tiedWith: string[];
  runCount: number;
  refreshing: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const SELECT = `
  SELECT e.id, e.suite_id AS "suiteId", s.name AS "suiteName", s.version AS "suiteVersion", e.name, e.description,
    e.status, e.margin, e.measure, e.baseline_run_id AS "baselineId", e.baseline_set_by AS "baselineSetBy",
    e.baseline_deleted AS "baselineDeleted",
    e.best_run_id AS "bestId", e.tied_with AS "tiedWith", e.revision > e.refreshed_revision AS refreshing,
    (SELECT count(*)::int FROM run r WHERE r.experiment_id = e.id AND r.team_id = e.team_id) AS "runCount",
    e.created_at AS "createdAt", e.updated_at AS "updatedAt"
  FROM experiment e LEFT JOIN suite s ON s.id = e.suite_id AND s.team_id = e.team_id
  WHERE e.team_id = $1`;

/** The experiments of a team. Figures of their runs are in `read/experiment-runs.ts`. */
export class ExperimentRepository extends TeamScoped {
  async list(query: ExperimentsQuery & MarksOfReader): Promise<Page<StoredExperiment>> {
    const { limit, cursor, status, suite_id: suiteId, name, ...marks } = query;
    const { rows } = await this.db.query<StoredExperiment>(
      `${SELECT} AND ($2::uuid IS NULL OR e.id < $2) AND ($3 = 'all' OR e.status = $3)
         AND ($4::uuid IS NULL OR e.suite_id = $4) AND ($5::text IS NULL OR strpos(lower(e.name), lower($5)) > 0)
         AND ${hasMarks('experiment', 'e.id', ['$6', '$7', '$8'])} AND ${isOfSuites('e.suite_id', '$9')}
       ORDER BY e.id DESC LIMIT $10`,
      [
        this.teamId,
        cursor ?? null,
        status,
        suiteId ?? null,
        name ?? null,
        ...markValues(marks),
        marks.suiteIds,
        limit + 1,
      ],
    );
    return toPage(rows, limit);
  }

  async find(id: string): Promise<StoredExperiment | undefined> {
    const { rows } = await this.db.query<StoredExperiment>(`${SELECT} AND e.id = $2`, [this.teamId, id]);
    return rows[0];
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<StoredExperiment> {
    const experiment = await this.find(id);
    if (!experiment) throw notFound('experiment', id);
    return experiment;
  }

  /**
   * The experiment named by a request body, which must be of this suite.
   * @param path where the body names it
   * @throws ProblemError 422
   */
  async findOfSuite({ id, suiteId, path }: { id: string; suiteId: string; path: string }): Promise<StoredExperiment> {
    const experiment = await this.find(id);
    if (!experiment)
      throw new ProblemError(422, `No experiment with id "${id}" in this team.`, [
        { path, message: 'does not exist' },
      ]).as('unknown_experiment', { id });
    if (experiment.suiteId !== suiteId)
      throw new ProblemError(
        422,
        'The experiment has another suite; scores of different suites cannot be compared. Choose an experiment of ' +
          'the same suite, or none.',
        [{ path, message: `is about suite ${experiment.suiteId}` }],
      ).as('experiment_of_other_suite', { experiment_id: id });
    return experiment;
  }

  /**
   * @returns the id
   * @throws ProblemError 422 when its suite or its baseline does not fit
   */
  async create(input: ExperimentInput): Promise<string> {
    await this.#checkSuite(input.suite_id);
    const { baseline_eval_id: runId, suite_id: suiteId, measure } = input;
    if (runId !== null)
      await takeBaseline(this.db, this.teamId, { runId, suiteId, measure, path: '/baseline_eval_id' });
    const id = newId();
    // There is nothing to refresh yet.
    await this.db.query(
      `INSERT INTO experiment (id, team_id, suite_id, name, description, margin, measure, baseline_run_id,
         baseline_set_by, revision, refreshed_revision, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 1, now())`,
      [
        id,
        this.teamId,
        suiteId,
        input.name,
        input.description,
        input.margin,
        measure,
        runId,
        runId === null ? null : 'user',
      ],
    );
    return id;
  }

  /** @returns it before and after @throws ProblemError 404 */
  async update(
    id: string,
    { name, description, status }: ExperimentUpdate,
  ): Promise<{ before: ExperimentUpdate; after: ExperimentUpdate }> {
    const { rows } = await this.db.query<{ before: ExperimentUpdate; after: ExperimentUpdate }>(
      `UPDATE experiment e SET name = coalesce($3, e.name), description = coalesce($4, e.description),
         status = coalesce($5, e.status), updated_at = now()
       FROM (SELECT id, name, description, status FROM experiment WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE) b
       WHERE e.id = b.id
       RETURNING json_build_object('name', b.name, 'description', b.description, 'status', b.status) AS before,
         json_build_object('name', e.name, 'description', e.description, 'status', e.status) AS after`,
      [this.teamId, id, name ?? null, description ?? null, status ?? null],
    );
    if (!rows[0]) throw notFound('experiment', id);
    return rows[0];
  }

  async #checkSuite(suiteId: string): Promise<void> {
    const { rowCount } = await this.db.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2', [
      suiteId,
      this.teamId,
    ]);
    if (rowCount === 0)
      throw new ProblemError(422, `No suite with id "${suiteId}" in this team.`, [
        { path: '/suite_id', message: 'does not exist' },
      ]);
  }
}
