import type { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/problem';
import { newId } from '#lib/runtime/ids';
import type { Experiment as ExperimentRow } from './generated/client.js';
import type { Prisma } from './prisma.js';
import { page } from './teams.js';

const toExperiment = ({ team_id: _team, baseline_run_id, created_at, updated_at, ...row }: ExperimentRow): Experiment => ({
  ...row, baseline_eval_id: baseline_run_id, created_at: created_at.toISOString(), updated_at: updated_at.toISOString(),
});

export async function createExperiment(prisma: Prisma, teamId: string, input: ExperimentInput): Promise<Experiment> {
  if (!(await prisma.suite.findFirst({ where: { id: input.suite_id, team_id: teamId } }))) {
    throw new ProblemError(422, `No suite with id "${input.suite_id}" in this team.`, [{ path: '/suite_id', message: 'does not exist' }]);
  }
  const baseline = input.baseline_eval_id && (await prisma.run.findFirst({ where: { id: input.baseline_eval_id, team_id: teamId } }));
  if (baseline === null && input.baseline_eval_id !== null) {
    throw new ProblemError(422, `No run with id "${input.baseline_eval_id}" in this team.`, [{ path: '/baseline_eval_id', message: 'does not exist' }]);
  }
  if (baseline && baseline.suite_id !== input.suite_id) {
    throw new ProblemError(422, 'The baseline is a run of another suite; scores of different suites cannot be compared.', [
      { path: '/baseline_eval_id', message: `is a run of suite ${baseline.suite_id}` },
    ]);
  }
  const row = await prisma.experiment.create({
    data: { id: newId(), team_id: teamId, suite_id: input.suite_id, name: input.name, description: input.description, baseline_run_id: input.baseline_eval_id },
  });
  return toExperiment(row);
}

export async function listExperiments(prisma: Prisma, teamId: string, limit: number, cursor: string | undefined): Promise<Page<Experiment>> {
  const rows = await prisma.experiment.findMany({ where: { team_id: teamId, ...(cursor && { id: { lt: cursor } }) }, orderBy: { id: 'desc' }, take: limit + 1 });
  return page(rows.map(toExperiment), limit);
}

export async function readExperiment(prisma: Prisma, teamId: string, id: string): Promise<Experiment> {
  const row = await prisma.experiment.findFirst({ where: { id, team_id: teamId } });
  if (!row) throw notFound('experiment', id);
  return toExperiment(row);
}
