import { ProblemError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { findSemanticCase } from './find-semantic-case.js';

/** @throws ProblemError 409 when the run costs something and the team has reached its monthly cap */
export async function checkSpending(
  pool: Pool,
  teamId: string,
  input: Pick<RunInput, 'suite_id' | 'case_filter'>,
  targets: readonly Pick<ResolvedTarget, 'priced'>[],
): Promise<void> {
  const settings = new SettingsRepository(pool, teamId);
  await refuseOverCap(
    settings,
    async () =>
      targets.some((target) => target.priced) ||
      ((await settings.embeddingCosts()) && (await findSemanticCase(pool, teamId, input)) !== undefined),
  );
}

/** @param costs whether the work has a known price */
export async function refuseOverCap(settings: SettingsRepository, costs: () => Promise<boolean>): Promise<void> {
  const { monthly_cap_usd: cap, spent_usd: spent } = await settings.readSpending();
  if (cap === null || spent < cap || !(await costs())) return;
  throw new ProblemError(
    409,
    `The team has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner can raise it.`,
  ).as('monthly_cap_reached', { spent_usd: spent, cap_usd: cap });
}
