import type { Case } from '#lib/contracts/case';
import type { RunInput } from '#lib/contracts/run-input';
import { CaseRepository } from '#lib/db/catalogue/cases';
import type { Pool } from '#lib/db/connection/pool';
import { isSemantic } from '../threads/is-semantic.js';

/** Every case that is compared by meaning contains this text, so Postgres can skip the others. */
const SEMANTIC_MODE = '"semantic"';

/** The first case of a run that is compared by meaning. */
export async function findSemanticCase(
  pool: Pool,
  teamId: string,
  { suite_id: suiteId, case_filter: filter }: Pick<RunInput, 'suite_id' | 'case_filter'>,
): Promise<Case | undefined> {
  for await (const page of new CaseRepository(pool, teamId).selected(suiteId, filter, SEMANTIC_MODE)) {
    const found = page.find(isSemantic);
    if (found) return found;
  }
  return undefined;
}
