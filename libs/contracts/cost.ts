/** What a provider says that a request took. A count is null where the provider does not say it. */
export interface Usage {
  /** All tokens of the request, those of the provider's cache among them. */
  promptTokens: number | null;
  /** All tokens of the reply, its reasoning among them. */
  completionTokens: number | null;
  /** Tokens of the request that the provider's cache answered. */
  cacheReadTokens: number | null;
  /** Tokens of the request that the provider's cache keeps for five minutes from then on. */
  cacheWrite5mTokens: number | null;
  /** Tokens of the request that the provider's cache keeps for an hour from then on. */
  cacheWrite1hTokens: number | null;
  reasoningTokens: number | null;
  /** What the provider billed, in US dollars, where it says so, as OpenRouter does. */
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

/** The prices of a model, in US dollars for a million tokens. */
export interface ModelPrices {
  inputCostPerMtok: number | null;
  outputCostPerMtok: number | null;
  /** This and the next two are the input price where they are null. */
  cacheReadCostPerMtok: number | null;
  cacheWrite5mCostPerMtok: number | null;
  cacheWrite1hCostPerMtok: number | null;
}

const COUNTS = Object.keys(NO_USAGE) as (keyof Usage)[];

/** The sum of what several requests took. A figure that none of them says stays null. */
export const addUsage = (usages: readonly Usage[]): Usage =>
  usages.reduce(
    (sum, usage) =>
      Object.fromEntries(COUNTS.map((key) => [key, add(sum[key], usage[key])])) as Record<keyof Usage, number | null>,
    NO_USAGE,
  );

const add = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);

/** Tokens that the provider's cache keeps from then on, for whatever time. */
export const writtenTokens = ({ cacheWrite5mTokens, cacheWrite1hTokens }: Usage): number | null =>
  add(cacheWrite5mTokens, cacheWrite1hTokens);

/**
 * What a request cost, in US dollars: what its provider says that it billed, or else what its tokens cost by the
 * prices of its model. Null without either, and where nothing was counted.
 */
export function costOf(usage: Usage, prices: ModelPrices): number | null {
  if (usage.reportedCostUsd !== null) return usage.reportedCostUsd;
  return usage.promptTokens === null && usage.completionTokens === null ? null : costByPrices(usage, prices);
}

/**
 * What tokens cost by the prices of a model, in US dollars: each token of a request once, by the price of what the
 * cache did with it. Null without prices.
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
