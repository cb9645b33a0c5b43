/** The usage that a provider reports for a request. Counts that it does not report are null. */
export interface Usage {
  /** All tokens of the request, including those from the provider's cache. */
  promptTokens: number | null;
  /** All tokens of the reply, including its reasoning. */
  completionTokens: number | null;
  /** Tokens of the request read from the provider's cache. */
  cacheReadTokens: number | null;
  /** Tokens of the request written to the provider's cache for five minutes. */
  cacheWrite5mTokens: number | null;
  /** Tokens of the request written to the provider's cache for an hour. */
  cacheWrite1hTokens: number | null;
  reasoningTokens: number | null;
  /** The billed amount in US dollars, if the provider reports it, as OpenRouter does. */
  reportedCostUsd: number | null;
}

export const NO_USAGE: Usage = {
  promptTokens: null,
  completionTokens: null,
  cacheReadTokens: null,
  cacheWrite5mTokens: null,
  cacheWrite1hTokens: null,
  reasoningTokens: null,
  reportedCostUsd: null,
};

/** The prices of a model, in US dollars per million tokens. */
export interface ModelPrices {
  inputCostPerMtok: number | null;
  outputCostPerMtok: number | null;
  /** If null, this and the next two default to the input price. */
  cacheReadCostPerMtok: number | null;
  cacheWrite5mCostPerMtok: number | null;
  cacheWrite1hCostPerMtok: number | null;
}

const COUNTS = Object.keys(NO_USAGE) as (keyof Usage)[];

/** The total usage of several requests. A figure that none of them reports stays null. */
export const addUsage = (usages: readonly Usage[]): Usage =>
  usages.reduce(
    (sum, usage) =>
      Object.fromEntries(COUNTS.map((key) => [key, add(sum[key], usage[key])])) as Record<keyof Usage, number | null>,
    NO_USAGE,
  );

const add = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);

/** All tokens written to the provider's cache, for any duration. */
export const writtenTokens = ({ cacheWrite5mTokens, cacheWrite1hTokens }: Usage): number | null =>
  add(cacheWrite5mTokens, cacheWrite1hTokens);

/**
 * The cost of a request in US dollars: the amount that its provider reports as billed, or else its tokens at the
 * model's prices. Null if neither is known, and if no tokens were counted.
 */
export function costOf(usage: Usage, prices: ModelPrices): number | null {
  if (usage.reportedCostUsd !== null) return usage.reportedCostUsd;
  return usage.promptTokens === null && usage.completionTokens === null ? null : costByPrices(usage, prices);
}

/**
 * The cost of tokens at a model's prices, in US dollars. Each token of a request is billed once, at the price of what
 * the cache did with it. Null without prices.
 */
export function costByPrices(usage: Omit<Usage, 'reportedCostUsd'>, prices: ModelPrices): number | null {
  const { inputCostPerMtok: input, outputCostPerMtok: output } = prices;
  if (input === null || output === null) return null;
  const read = usage.cacheReadTokens ?? 0;
  const written5m = usage.cacheWrite5mTokens ?? 0;
  const written1h = usage.cacheWrite1hTokens ?? 0;
  const rest = Math.max(0, (usage.promptTokens ?? 0) - read - written5m - written1h);
  return (
    (rest * input +
      read * (prices.cacheReadCostPerMtok ?? input) +
      written5m * (prices.cacheWrite5mCostPerMtok ?? input) +
      written1h * (prices.cacheWrite1hCostPerMtok ?? input) +
      (usage.completionTokens ?? 0) * output) /
    1e6
  );
}
