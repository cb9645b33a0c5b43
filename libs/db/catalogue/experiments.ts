import type { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/problem';
import { newId } from '#lib/runtime/ids';
import type { Experiment as ExperimentRow } from '../generated/client.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Prisma } from '../connection/prisma.js';
import { toPage } from './page.js';

const toExperiment = ({
  team_id: _team,
  baseline_run_id,
  created_at,
  updated_at,
  ...row
}: ExperimentRow): Experiment => ({
  ...row,
  baseline_eval_id: baseline_run_id,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

export async function createExperiment(
  pool: Pool | PoolClient,
  teamId: string,
  input: ExperimentInput,
): Promise<Experiment> {
  const {
    rows: [suite],
  } = await pool.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2', [input.suite_id, teamId]);
  if (!suite) {
    throw new ProblemError(422, `No suite with id "${input.suite_id}" in this team.`, [
      { path: '/suite_id', message: 'does not exist' },
    ]);
  }
  const {
    rows: [baseline],
  } = await pool.query<{ suite_id: string }>('SELECT suite_id FROM run WHERE id = $1 AND team_id = $2', [
    input.baseline_eval_id,
    teamId,
  ]);
  if (!baseline && input.baseline_eval_id !== null) {
    throw new ProblemError(422, `No run with id "${input.baseline_eval_id}" in this team.`, [
      { path: '/baseline_eval_id', message: 'does not exist' },
    ]);
  }
  if (baseline && baseline.suite_id !== input.suite_id) {
    throw new ProblemError(
      422,
      'The baseline is a run of another suite; scores of different suites cannot be compared.',
      [{ path: '/baseline_eval_id', message: `is a run of suite ${baseline.suite_id}` }],
    );
  }
  const {
    rows: [made],
  } = await pool.query<ExperimentRow>(
    `INSERT INTO experiment (id, team_id, suite_id, name, description, baseline_run_id, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING *`,
    [newId(), teamId, input.suite_id, input.name, input.description, input.baseline_eval_id],
  );
  return toExperiment(made!);
}

export async function listExperiments(
  prisma: Prisma,
  teamId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Experiment>> {
  const rows = await prisma.experiment.findMany({
    where: { team_id: teamId, ...(cursor && { id: { lt: cursor } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return toPage(rows.map(toExperiment), limit);
}

export async function readExperiment(prisma: Prisma, teamId: string, id: string): Promise<Experiment> {
  const row = await prisma.experiment.findFirst({ where: { id, team_id: teamId } });
  if (!row) throw notFound('experiment', id);
  return toExperiment(row);
}
