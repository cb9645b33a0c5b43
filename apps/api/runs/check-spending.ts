import { ProblemError } from '#lib/contracts/problem';
import type { RunInput } from '#lib/contracts/run';
import { costsToCompare, readSpending } from '#lib/db/catalogue/spending';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { findSemanticCase } from './find-semantic-case.js';

/** @throws ProblemError 409 when the run costs something and the team has reached its monthly cap */
export async function checkSpending(
  pool: Pool,
  teamId: string,
  input: Pick<RunInput, 'suite_id' | 'case_filter'>,
  targets: readonly ResolvedTarget[],
): Promise<void> {
  await refuseOverCap(
    pool,
    teamId,
    async () =>
      targets.some((target) => target.priced) ||
      ((await costsToCompare(pool, teamId)) && (await findSemanticCase(pool, teamId, input)) !== undefined),
  );
}

/** @param costs whether the work has a known price */
export async function refuseOverCap(pool: Pool, teamId: string, costs: () => Promise<boolean>): Promise<void> {
  const { monthly_cap_usd: cap, spent_usd: spent } = await readSpending(pool, teamId);
  if (cap === null || spent < cap || !(await costs())) return;
  throw new ProblemError(
    409,
    `The team has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner ` +
      'changes it with PUT /api/settings/spending.',
  );
}
