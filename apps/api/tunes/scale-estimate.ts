import type { Estimate } from '#lib/contracts/estimate';
import { rangeOfAll } from '../runs/range-of-all.js';

type Target = Estimate['targets'][number];

/**
 * Scales the estimate of a run with the base to a tune. Neither has replies from the cache.
 * @param items how many cases a tune plays with each model: a conversation takes several requests
 */
export function scaleEstimate(of: Estimate, items: readonly number[]): Estimate {
  const targets = of.targets.map((target, n) => scaleTarget(target, items[n]!, Math.max(1, of.cases)));
  const total = (key: 'requests' | 'prompt_tokens' | 'completion_tokens'): number =>
    sum(targets.map((target) => target[key]));
  return {
    ...of,
    ...rangeOfAll(targets),
    targets,
    requests: total('requests'),
    cached: 0,
    prompt_tokens: total('prompt_tokens'),
    completion_tokens: total('completion_tokens'),
    cost_usd: targets.some(({ cost_usd }) => cost_usd === null) ? null : sum(targets.map(({ cost_usd }) => cost_usd!)),
    duration_s: Math.max(0, ...targets.map(({ duration_s }) => duration_s)),
  };
}

function scaleTarget({ range, ...target }: Target, items: number, cases: number): Target {
  const scaled = (value: number): number => (value * items) / cases;
  const both = ([least, most]: [number, number], round = Math.round): [number, number] => [
    round(scaled(least)),
    round(scaled(most)),
  ];
  return {
    ...target,
    ...(range && {
      range: {
        requests: both(range.requests, Math.ceil),
        prompt_tokens: both(range.prompt_tokens),
        completion_tokens: both(range.completion_tokens),
        cost_usd: range.cost_usd && both(range.cost_usd, Number),
      },
    }),
    requests: Math.ceil(scaled(target.requests)), // Rounded up, so that the total is never too low.
    cached: 0,
    prompt_tokens: Math.round(scaled(target.prompt_tokens)),
    completion_tokens: Math.round(scaled(target.completion_tokens)),
    cost_usd: target.cost_usd === null ? null : scaled(target.cost_usd),
    duration_s: scaled(target.duration_s),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
