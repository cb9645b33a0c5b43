import { ProblemError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import type { Prisma } from '#lib/db/connection/prisma';

/** @throws ProblemError 422 when the experiment of a run does not exist or is about another suite */
export async function checkExperiment(
  prisma: Prisma,
  teamId: string,
  { experiment_id: id, suite_id: suiteId }: Pick<RunInput, 'experiment_id' | 'suite_id'>,
): Promise<void> {
  if (id === null) return;
  const experiment = await new ExperimentRepository(prisma, teamId).find(id);
  if (!experiment)
    throw new ProblemError(422, `No experiment with id "${id}" in this team.`, [
      { path: '/experiment_id', message: 'does not exist' },
    ]);
  if (experiment.suite_id === suiteId) return;
  throw new ProblemError(422, 'The experiment is about another suite; scores of different suites cannot be compared.', [
    { path: '/experiment_id', message: `is about suite ${experiment.suite_id}` },
  ]);
}
