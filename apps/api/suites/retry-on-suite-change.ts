import { ProblemError } from '#lib/contracts/input/problem';
import type { Suite } from '#lib/contracts/suite';
import { SuiteChanged, type SuiteRepository } from '#lib/db/catalogue/suites';

const MAX_ATTEMPTS = 20;

/**
 * Reads a suite and works with it, and starts again if the suite was changed in between. Checking a change and reading
 * all cases may take long, so neither is done under the suite's lock.
 * @param work throws SuiteChanged when the suite has another version by then
 * @throws ProblemError 404; 409 when the suite keeps changing; and whatever else `work` throws
 */
export async function retryOnSuiteChange<Made>(
  suites: SuiteRepository,
  suiteId: string,
  work: (suite: Suite) => Promise<Made>,
): Promise<Made> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(await suites.read(suiteId));
    } catch (error) {
      if (!(error instanceof SuiteChanged)) throw error;
      if (attempt >= MAX_ATTEMPTS) {
        throw new ProblemError(409, `${error.message} Try again.`).as('changed_meanwhile');
      }
    }
  }
}
