import { adaptive } from './adaptive.js';
import { itemsOf, planWithin, type AdaptivePlan } from './adaptive-plan.js';
import { FINALISTS, FURTHER_SAMPLES } from './finalists.js';
import { grid } from './grid.js';
import { random } from './random.js';
import { strategyOf } from './search.js';
import type { SearchSpace, Strategy } from './strategy.js';

/** From this number of arms, there is something to learn from. */
const FEW_ARMS = 25;
const MIN_TRIALS = 2;

/** Which arms a search measures on which cases, as far as known in advance. */
export type SearchPlan =
  { mode: 'grid' } | { mode: 'random'; trials: number } | { mode: 'adaptive'; plan: AdaptivePlan };

export interface PlannedSearch {
  search: SearchPlan;
  /** Number of items: requests, for cases of one request. */
  items: number;
}

/** The size of the search space. */
export interface SearchSize {
  arms: number;
  cases: number;
  samples: number;
}

/** @param limit the maximum number of items; undefined for none. Only a grid has a fixed minimum. */
export function planSearch(
  { mode, trials }: { mode: SearchPlan['mode']; trials: number },
  size: SearchSize,
  limit = Infinity,
): PlannedSearch {
  const { arms, cases, samples } = size;
  if (mode === 'grid' || (mode === 'adaptive' && arms < FEW_ARMS))
    return { search: { mode: 'grid' }, items: itemsOfAll(arms, size) };
  if (mode === 'adaptive') {
    const plan = planWithin(size, limit);
    return { search: { mode, plan }, items: itemsOf(plan, arms, samples) };
  }
  const affordable = Math.floor((limit - FINALISTS * cases * FURTHER_SAMPLES) / (cases * samples));
  const drawn = Math.min(arms, trials, Math.max(MIN_TRIALS, affordable));
  return { search: { mode, trials: drawn }, items: itemsOfAll(drawn, size) };
}

const itemsOfAll = (arms: number, { cases, samples }: SearchSize): number =>
  arms * cases * samples + Math.min(arms, FINALISTS) * cases * FURTHER_SAMPLES;

/** Starts the search. */
export function beginSearch(space: SearchSpace, search: SearchPlan): Strategy {
  switch (search.mode) {
    case 'grid':
      return strategyOf(grid(space));
    case 'random':
      return strategyOf(random(space, search.trials));
    case 'adaptive':
      return strategyOf(adaptive(space, search.plan));
  }
}
