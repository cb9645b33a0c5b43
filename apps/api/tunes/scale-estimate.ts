import type { Estimate } from '#lib/contracts/estimate';

/** Scales the estimate of a run with the base to a tune with this many requests per model. */
export function scaleEstimate(of: Estimate, requests: readonly number[]): Estimate {
  const targets = of.targets.map((target, n) => {
    const factor = requests[n]! / Math.max(1, target.requests + target.cached);
    return {
      ...target,
      range: undefined,
      requests: Math.ceil(requests[n]!), // Rounded up, so that the total is never too low.
      cached: 0,
      prompt_tokens: Math.round(target.prompt_tokens * factor),
      completion_tokens: Math.round(target.completion_tokens * factor),
      cost_usd: target.cost_usd === null ? null : target.cost_usd * factor,
      duration_s: target.duration_s * factor,
    };
  });
  const total = (key: 'requests' | 'prompt_tokens' | 'completion_tokens'): number =>
    sum(targets.map((target) => target[key]));
  return {
    ...of,
    range: undefined,
    targets,
    requests: total('requests'),
    cached: 0,
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    cost_usd: targets.some(({ cost_usd }) => cost_usd === null) ? null : sum(targets.map(({ cost_usd }) => cost_usd!)),
    duration_s: Math.max(0, ...targets.map(({ duration_s }) => duration_s)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
