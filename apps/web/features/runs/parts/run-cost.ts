import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { money } from '../../../ui/amounts.js';

/** "$0.2249", "at least $0.22" where a model has no prices; empty until it has ended. */
export function costText({ actual }: Pick<Run, 'actual'>): string {
  if (!actual) return '';
  if (actual.cost_usd !== null) return money(actual.cost_usd);
  return actual.known_cost_usd > 0 ? `at least ${money(actual.known_cost_usd)}` : 'no price';
}

/** The cost of a model, or why there is none. */
export function modelCostText({ cost_usd: cost, cases, usage, scored }: Summary): string {
  if (cases === 0) return 'not asked';
  if (cost !== null) return money(cost);
  return scored === 0 && usage.prompt_tokens === 0 ? 'no reply' : 'no price';
}

/** Whether every result was a stored reply, so that the run says nothing new. */
export const isAllStored = ({ actual }: Pick<Run, 'actual'>): boolean =>
  actual !== null && actual.requests === 0 && actual.cached > 0;
