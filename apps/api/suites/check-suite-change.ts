import type { CaseInput } from '#lib/contracts/case';
import { ProblemError, type InputError } from '#lib/contracts/problem';
import type { Suite } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import type { Pool } from '#lib/db/connection/pool';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SuiteChanged, SuiteRepository } from '#lib/db/catalogue/suites';
import { mergeUnsatisfiable, noneUnsatisfiable, unsatisfiableWarnings } from '#lib/imports/unsatisfiable-search';
import { prefixed, refuse } from '../platform/problem.js';
import type { CaseError } from './suite-work.js';
import type { SuiteThreads } from './suite-threads.js';

interface Checking {
  pool: Pool;
  suiteThreads: SuiteThreads;
}

/** Changes of others that a change waits out. */
const MOST_TRIES = 20;

/**
 * Does with a suite as it is what needs it to stay so, and begins anew where somebody changed it in between:
 * checking a change and reading all cases may take long, so that neither is done under the suite's lock.
 * @param use throws SuiteChanged where the suite has another version by then
 * @throws ProblemError 404; 409 when others change it all the time; what else `use` throws
 */
export async function atOneVersion<Made>(
  pool: Pool,
  teamId: string,
  suiteId: string,
  use: (suite: Suite) => Promise<Made>,
): Promise<Made> {
  for (let tries = 1; ; tries++) {
    try {
      return await use(await new SuiteRepository(pool, teamId).read(suiteId));
    } catch (error) {
      if (!(error instanceof SuiteChanged)) throw error;
      if (tries >= MOST_TRIES) throw new ProblemError(409, `${error.message} Try again.`);
    }
  }
}

/** @throws ProblemError 422 naming what is wrong with the tools */
export async function refuseBadTools(
  { suiteThreads }: Checking,
  teamId: string,
  tools: readonly Tool[],
): Promise<void> {
  refuse(prefixed('/tools', await suiteThreads.run(teamId, { what: 'check-tools', tools: JSON.stringify(tools) })));
}

/**
 * @param base where a case stands in what was sent
 * @returns warnings of expected arguments that no call can have
 * @throws ProblemError 422 naming what is wrong with cases that are new
 */
export async function refuseBadCases(
  { suiteThreads }: Checking,
  teamId: string,
  cases: readonly CaseInput[],
  tools: readonly Tool[],
  base: (index: number) => string,
): Promise<string[]> {
  const bodies = cases.map((input) => JSON.stringify(input));
  const { errors, slips } = await suiteThreads.run(teamId, {
    what: 'check-cases',
    tools: JSON.stringify(tools),
    cases: bodies,
  });
  refuse(errors.map(({ index, path, message }): InputError => ({ path: base(index) + path, message })));
  return unsatisfiableWarnings(slips, (index) => (base(index) === '' ? 'The case' : `Case ${index}`));
}

/**
 * Looks at all cases of a suite with other tools, page by page.
 * @param wayOut what may be done about it, a sentence
 * @returns warnings of expected arguments that no call can have
 * @throws ProblemError 422 naming the cases that would not fit; SuiteChanged
 */
export async function refuseMisfits(
  { pool, suiteThreads }: Checking,
  teamId: string,
  suite: Suite,
  tools: readonly Tool[],
  wayOut = '',
): Promise<string[]> {
  const text = JSON.stringify(tools);
  const found = noneUnsatisfiable();
  for await (const page of new CaseRepository(pool, teamId).pages(suite.id, suite.version)) {
    const { errors, slips } = await suiteThreads.run(teamId, {
      what: 'fit-cases',
      tools: text,
      cases: page.map(({ body }) => body),
    });
    refuse(
      errors.map((error) => ({
        path: '/tools',
        message: `${named(page[error.index]!.position, error)} would not fit any more: ${error.message}${wayOut}`,
      })),
    );
    mergeUnsatisfiable(found, {
      ...slips,
      named: slips.named.map((slip) => ({ ...slip, index: page[slip.index]!.position })),
    });
  }
  return unsatisfiableWarnings(found, (position) => `Case ${position}`);
}

const named = (position: number, { name }: CaseError): string => `Case ${position}${name ? ` ("${name}")` : ''}`;
