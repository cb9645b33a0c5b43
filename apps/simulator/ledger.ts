import { z } from 'zod';
import { object, readPosted } from './models/read-posted.js';

/** Token usage of a reply. */
export interface TokenUsage {
  /** All prompt tokens, including cached ones. */
  prompt: number;
  /** All reply tokens, including reasoning. */
  completion: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  /** The cost at the prices of that time; null without prices. */
  cost: Cost | null;
}
/** In millionths of a millionth of a dollar, so that a price in dollars per million tokens stays exact. */
export interface Cost {
  prompt: bigint;
  completion: bigint;
}

const DECIMALS = 1_000_000;
const MAX_PRICE = 1_000_000;
const message = `must be a number of dollars per million tokens, from 0 to ${MAX_PRICE}, with at most 6 decimals`;
const price = z
  .number(message)
  .min(0, message)
  .max(MAX_PRICE, message)
  .refine((dollars) => Math.round(dollars * DECIMALS) / DECIMALS === dollars, message)
  .transform((dollars) => BigInt(Math.round(dollars * DECIMALS)));
const PostedPrices = object({
  input: price,
  cache_read: price.optional(),
  cache_write_5m: price.optional(),
  cache_write_1h: price.optional(),
  output: price,
});
const SHAPE =
  'Post {"input": 3, "cache_read": 0.3, "cache_write_5m": 3.75, "cache_write_1h": 6, "output": 15}, in dollars per ' +
  'million tokens. Without a price of its own, the cache costs as much as other input.';

export type Prices = z.infer<typeof PostedPrices>;

/** @throws Error that describes the fault in the posted body */
export const readPrices = (body: unknown): Prices => readPosted(PostedPrices, body, SHAPE);

export function costOf(usage: Omit<TokenUsage, 'cost'>, prices: Prices | undefined): Cost | null {
  if (!prices) return null;
  const {
    input,
    output,
    cache_read: read = input,
    cache_write_5m: short = input,
    cache_write_1h: long = input,
  } = prices;
  const { prompt, completion, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  const rest = prompt - cacheRead - cacheWrite5m - cacheWrite1h;
  return {
    prompt:
      BigInt(rest) * input + BigInt(cacheRead) * read + BigInt(cacheWrite5m) * short + BigInt(cacheWrite1h) * long,
    completion: BigInt(completion) * output,
  };
}

export const toDollars = (cost: bigint): number => Number(`${cost}e-12`);

/** Usage and cost of complete replies with status 200. */
export interface Ledger {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cache_read_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  reasoning_tokens: number;
  /** Null until a reply has had a price. */
  cost: bigint | null;
}

export const newLedger = (): Ledger => ({
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  cost: null,
});

export function countReply(ledger: Ledger, usage: TokenUsage): void {
  addTo(ledger, {
    requests: 1,
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    cache_read_tokens: usage.cacheRead,
    cache_write_5m_tokens: usage.cacheWrite5m,
    cache_write_1h_tokens: usage.cacheWrite1h,
    reasoning_tokens: usage.reasoning,
    cost: usage.cost && usage.cost.prompt + usage.cost.completion,
  });
}

export function totalOf(ledgers: Ledger[]): Ledger {
  const total = newLedger();
  for (const ledger of ledgers) addTo(total, ledger);
  return total;
}

function addTo(ledger: Ledger, { cost, ...counts }: Ledger): void {
  for (const [name, count] of Object.entries(counts)) ledger[name as keyof typeof counts] += count;
  if (cost !== null) ledger.cost = (ledger.cost ?? 0n) + cost;
}

export const writeLedger = ({ cost, ...counts }: Ledger): object => ({
  ...counts,
  cost_usd: cost === null ? null : toDollars(cost),
});
