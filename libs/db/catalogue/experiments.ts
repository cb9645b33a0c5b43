import type { Experiment, ExperimentInput, ExperimentStatus } from '#lib/contracts/experiment';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';
import type { Prisma } from '../connection/prisma.js';
import type { Experiment as ExperimentRow } from '../generated/client.js';
import type { TeamScoped } from '../team-isolation.js';
import { toPage } from './page.js';

const toExperiment = (row: ExperimentRow): Experiment => ({
  id: row.id,
  name: row.name,
  suite_id: row.suite_id,
  suite_name: null,
  description: row.description,
  status: row.status as ExperimentStatus,
  margin: row.margin,
  measure: row.measure,
  baseline_eval_id: row.baseline_run_id,
  baseline_score: null,
  baseline_set_by: row.baseline_set_by as Experiment['baseline_set_by'],
  run_count: 0,
  comparisons: { made: 0, expected_false_alarms: 0, improved_after_correction: [] },
  best: null,
  notes: [],
  refreshing: row.revision > row.refreshed_revision,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The experiments of a team. */
export class ExperimentRepository implements TeamScoped {
  constructor(
    readonly prisma: Prisma,
    readonly teamId: string,
  ) {}

  async list({ limit, cursor }: PageQuery): Promise<Page<Experiment>> {
    const rows = await this.prisma.experiment.findMany({
      where: { team_id: this.teamId, ...(cursor && { id: { lt: cursor } }) },
      orderBy: { id: 'desc' },
      take: limit + 1,
    });
    return toPage(rows.map(toExperiment), limit);
  }

  async find(id: string): Promise<Experiment | undefined> {
    const row = await this.prisma.experiment.findFirst({ where: { id, team_id: this.teamId } });
    return row ? toExperiment(row) : undefined;
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Experiment> {
    const experiment = await this.find(id);
    if (!experiment) throw notFound('experiment', id);
    return experiment;
  }

  /**
   * @param client of the request's transaction, which Prisma cannot join
   * @throws ProblemError 422 when its suite or its baseline does not fit
   */
  async create(client: PoolClient, input: ExperimentInput): Promise<Experiment> {
    await this.#checkSuite(client, input.suite_id);
    if (input.baseline_eval_id !== null) await this.#checkBaseline(client, input.baseline_eval_id, input.suite_id);
    const { rows } = await client.query<ExperimentRow>(
      `INSERT INTO experiment (id, team_id, suite_id, name, description, baseline_run_id, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING *`,
      [newId(), this.teamId, input.suite_id, input.name, input.description, input.baseline_eval_id],
    );
    return toExperiment(rows[0]!);
  }

  async #checkSuite(client: PoolClient, suiteId: string): Promise<void> {
    const { rowCount } = await client.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2', [
      suiteId,
      this.teamId,
    ]);
    if (rowCount === 0)
      throw new ProblemError(422, `No suite with id "${suiteId}" in this team.`, [
        { path: '/suite_id', message: 'does not exist' },
      ]);
  }

  async #checkBaseline(client: PoolClient, runId: string, suiteId: string): Promise<void> {
    const { rows } = await client.query<{ suite_id: string }>(
      'SELECT suite_id FROM run WHERE id = $1 AND team_id = $2',
      [runId, this.teamId],
    );
    const baseline = rows[0];
    if (!baseline)
      throw new ProblemError(422, `No run with id "${runId}" in this team.`, [
        { path: '/baseline_eval_id', message: 'does not exist' },
      ]);
    if (baseline.suite_id !== suiteId)
      throw new ProblemError(
        422,
        'The baseline is a run of another suite; scores of different suites cannot be compared.',
        [{ path: '/baseline_eval_id', message: `is a run of suite ${baseline.suite_id}` }],
      );
  }
}
