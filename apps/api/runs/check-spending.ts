import { ProblemError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import type { Caller } from '#lib/db/catalogue/callers';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import { readSpentByToken } from '#lib/db/catalogue/spending';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { findSemanticCase } from './find-semantic-case.js';

/** @throws ProblemError 409 when the run costs something and the team or the token has reached its monthly cap */
export async function checkSpending(
  pool: Pool,
  caller: Caller,
  input: Pick<RunInput, 'suite_id' | 'case_filter'>,
  targets: readonly Pick<ResolvedTarget, 'priced'>[],
): Promise<void> {
  const { teamId } = caller;
  await refuseOverCap(
    pool,
    caller,
    async () =>
      targets.some((target) => target.priced) ||
      ((await new SettingsRepository(pool, teamId).embeddingCosts()) &&
        (await findSemanticCase(pool, teamId, input)) !== undefined),
  );
}

/** @param costs whether the work has a known price */
export async function refuseOverCap(pool: Pool, caller: Caller, costs: () => Promise<boolean>): Promise<void> {
  const problem = (await overTeamCap(pool, caller)) ?? (await overTokenCap(pool, caller));
  if (problem && (await costs())) throw problem;
}

async function overTeamCap(pool: Pool, { teamId }: Caller): Promise<ProblemError | undefined> {
  const { monthly_cap_usd: cap, spent_usd: spent } = await new SettingsRepository(pool, teamId).readSpending();
  if (cap === null || spent < cap) return undefined;
  return new ProblemError(
    409,
    `The team has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner can raise it.`,
  ).as('monthly_cap_reached', { spent_usd: spent, cap_usd: cap });
}

async function overTokenCap(pool: Pool, { tokenId, tokenName, limits }: Caller): Promise<ProblemError | undefined> {
  const cap = limits.monthlyCapUsd;
  if (tokenId === null || cap === null) return undefined;
  const spent = await readSpentByToken(pool, tokenId);
  if (spent < cap) return undefined;
  return new ProblemError(
    409,
    `The token "${tokenName}" has spent $${spent.toFixed(2)} this month, and its cap is $${cap.toFixed(2)}. An owner ` +
      'can raise it, or wait for the next month.',
  ).as('token_cap_reached', { token: tokenName, spent_usd: spent, cap_usd: cap });
}
