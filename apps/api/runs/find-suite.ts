import { ProblemError } from '#lib/contracts/input/problem';
import { SuiteRepository, type UncountedSuite } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { UUID } from '../platform/decorators.js';

/** The suite whose id is in the body. @throws ProblemError 422 */
export async function findSuite(pool: Pool, teamId: string, id: string): Promise<UncountedSuite> {
  const suites = new SuiteRepository(pool, teamId);
  const suite = UUID.test(id) ? await suites.find(id) : undefined;
  if (suite) return suite;
  const [named, ...others] = await suites.findIdsByName(id);
  const wayOut =
    named && others.length === 0 ? `The suite of that name has the id ${named}.` : 'It may have been deleted.';
  throw new ProblemError(422, `No suite with id "${id}" in this team. ${wayOut}`, [
    { path: '/suite_id', message: `does not exist. ${wayOut}` },
  ]).as('unknown_suite', { id });
}
