import type { Usage } from '#lib/contracts/cost';
import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Delivery } from './dispatch-lane.js';
import { mayContinue, readBudgets } from './run-budget.js';
import { count, dollars } from './settle-items.js';

/** What requests took and cost. */
export interface Account {
  attempts: number;
  latencyMs: number;
  usage: Usage;
  /** US dollars; null when unknown */
  costUsd: number | null;
}

/** A finished round of a conversation. */
export interface Round {
  delivery: Delivery;
  casePosition: number;
  sample: number;
  /** From 0 */
  round: number;
  account: Account;
  /** zstd of JSON: what the round adds to the exchange */
  body: Buffer;
}

/**
 * What comes after a round was stored. `lost`: it was not, because the item was delivered to another worker or its run
 * was stopped. `wait`: the budget has no room for another request now.
 */
export type AfterRound = 'go on' | 'wait' | 'lost';

const ROUNDS = new BatchColumns<Round>({
  p_run: ['uuid', (one) => one.delivery.runId],
  p_target: ['int', (one) => one.delivery.target],
  p_item: ['int', (one) => one.delivery.item],
  p_token: ['bigint', (one) => one.delivery.token],
  p_case: ['int', (one) => one.casePosition],
  p_sample: ['int', (one) => one.sample],
  p_round: ['int', (one) => one.round],
  p_attempts: ['int', ({ account }) => count(account.attempts)],
  p_prompt_tokens: ['int', ({ account }) => count(account.usage.promptTokens)],
  p_completion_tokens: ['int', ({ account }) => count(account.usage.completionTokens)],
  p_cache_read: ['int', ({ account }) => count(account.usage.cacheReadTokens)],
  p_cache_write_5m: ['int', ({ account }) => count(account.usage.cacheWrite5mTokens)],
  p_cache_write_1h: ['int', ({ account }) => count(account.usage.cacheWrite1hTokens)],
  p_reasoning: ['int', ({ account }) => count(account.usage.reasoningTokens)],
  p_cost: ['float8', ({ account }) => dollars(account.costUsd)],
});

/** The arguments of `store_rounds`. Each body is a value of its own: a list of them would be sent as text. */
function argumentsOf(batch: readonly Round[]): { arguments: string; values: unknown[] } {
  const values = ROUNDS.values(batch);
  const bodies = batch.map((_round, index) => `$${values.length + index + 1}::bytea`);
  return {
    arguments: `${ROUNDS.namedArguments(1)}, p_body => ARRAY[${bodies.join(', ')}]`,
    values: [...values, ...batch.map(({ body }) => body)],
  };
}

/**
 * Stores finished rounds of one team's conversations, in one statement and one commit
 * (`prisma/functions/store-rounds.sql`), and says for each whether its next request may be sent.
 */
export async function storeRounds(pool: Pool | PoolClient, batch: readonly Round[]): Promise<AfterRound[]> {
  const { arguments: given, values } = argumentsOf(batch);
  const { rows } = await pool.query<{ n: number }>({
    name: `store_${batch.length}_rounds`,
    text: `SELECT n FROM store_rounds(${given})`,
    values,
  });
  const stored = new Set(rows.map(({ n }) => n - 1));
  const budgets = await readBudgets(pool, [...new Set(batch.map(({ delivery }) => delivery.runId))]);
  return batch.map(({ delivery }, index): AfterRound => {
    if (!stored.has(index)) return 'lost';
    const budget = budgets.get(delivery.runId);
    return budget && !mayContinue(budget) ? 'wait' : 'go on';
  });
}
