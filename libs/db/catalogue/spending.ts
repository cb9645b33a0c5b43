import type { Pool, PoolClient } from '../connection/pool.js';

/** SQL of a team's spending in the current month (UTC). */
export function spentThisMonth(teamId: string): string {
  return `(
    SELECT coalesce(sum(cost_usd), 0) FROM spending
    WHERE team_id = ${teamId} AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date)`;
}

/** SQL of what the runs of a token have cost in the current month (UTC). */
export function spentThisMonthBy(tokenId: string): string {
  return `(
    SELECT coalesce(sum(cost_usd), 0) FROM token_spending
    WHERE token_id = ${tokenId} AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date)`;
}

export async function readSpentByToken(db: Pool | PoolClient, tokenId: string): Promise<number> {
  const { rows } = await db.query<{ spent: number }>(`SELECT ${spentThisMonthBy('$1')} AS spent`, [tokenId]);
  return rows[0]!.spent;
}
