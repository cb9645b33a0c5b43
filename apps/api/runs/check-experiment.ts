import { ProblemError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import { ExperimentRepository, type StoredExperiment } from '#lib/db/catalogue/experiments';
import type { Pool } from '#lib/db/connection/pool';

/** @throws ProblemError 422 when the experiment of a run does not exist, belongs to another suite, or is archived */
export async function checkExperiment(
  pool: Pool,
  teamId: string,
  { experiment_id: id, suite_id: suiteId }: Pick<RunInput, 'experiment_id' | 'suite_id'>,
): Promise<void> {
  if (id === null) return;
  const of = { id, suiteId, path: '/experiment_id' };
  refuseArchived(await new ExperimentRepository(pool, teamId).findOfSuite(of));
}

/** @throws ProblemError 422 */
export function refuseArchived({ id, name, status }: StoredExperiment): void {
  if (status !== 'archived') return;
  throw new ProblemError(
    422,
    `The experiment "${name}" is archived and takes no new runs. Make it active again first.`,
    [{ path: '/experiment_id', message: 'is archived' }],
  ).as('experiment_archived', { experiment_id: id, name });
}
