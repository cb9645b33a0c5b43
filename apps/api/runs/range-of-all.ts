import type { Estimate, EstimateRange } from '#lib/contracts/estimate';

/** The sum over models; those without conversations take what is expected of them. */
export function rangeOfAll(estimates: Estimate['targets']): { range?: EstimateRange } {
  if (!estimates.some(({ range }) => range)) return {};
  const sum = (key: 'requests' | 'prompt_tokens' | 'completion_tokens', at: 0 | 1): number =>
    estimates.reduce((total, one) => total + (one.range ? one.range[key][at] : one[key]), 0);
  const cost = (at: 0 | 1): number =>
    estimates.reduce((total, one) => total + ((one.range ? one.range.cost_usd?.[at] : one.cost_usd) ?? 0), 0);
  const isPriced = estimates.every((one) => one.cost_usd !== null);
  return {
    range: {
      requests: [sum('requests', 0), sum('requests', 1)],
      prompt_tokens: [sum('prompt_tokens', 0), sum('prompt_tokens', 1)],
      completion_tokens: [sum('completion_tokens', 0), sum('completion_tokens', 1)],
      cost_usd: isPriced ? [cost(0), cost(1)] : null,
    },
  };
}
