import type { Spending } from '#lib/contracts/settings';
import { meaningCosts } from './embedding-model.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import { spentThisMonth } from '../engine/run-budget.js';

export async function readSpending(pool: Pool | PoolClient, teamId: string): Promise<Spending> {
  const { rows } = await pool.query<Spending>(
    `SELECT monthly_cap_usd, ${spentThisMonth('team.id')} AS spent_usd, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')
      AS month FROM team WHERE id = $1`,
    [teamId],
  );
  return rows[0]!;
}

/** Whether comparing by meaning costs the team something that is known. */
export async function costsToCompare(pool: Pool, teamId: string): Promise<boolean> {
  const { rows } = await pool.query<{ costs: boolean }>(`SELECT ${meaningCosts('$1')} AS costs`, [teamId]);
  return rows[0]!.costs;
}

export async function setMonthlyCap(pool: Pool | PoolClient, teamId: string, usd: number | null): Promise<void> {
  await pool.query('UPDATE team SET monthly_cap_usd = $2 WHERE id = $1', [teamId, usd]);
}
