import { adaptive } from './adaptive.js';
import { itemsOf, planWithin, type AdaptivePlan } from './adaptive-plan.js';
import { FINALISTS, FURTHER_SAMPLES } from './finalists.js';
import { grid } from './grid.js';
import { random } from './random.js';
import { strategyOf } from './search.js';
import type { SearchSpace, Strategy } from './strategy.js';

/** From so many arms on there is something to learn from. */
const FEW_ARMS = 25;
const LEAST_TRIALS = 2;

/** Which arms a search measures on which cases, as far as that is known before. */
export type SearchPlan =
  { mode: 'grid' } | { mode: 'random'; trials: number } | { mode: 'adaptive'; plan: AdaptivePlan };

export interface PlannedSearch {
  search: SearchPlan;
  /** What it takes: requests, where each case takes one. */
  items: number;
}

/** What is to be searched. */
export interface SearchSize {
  arms: number;
  cases: number;
  samples: number;
}

/** @param limit the most items; undefined for none. Only a grid cannot do with fewer than it needs. */
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
  const drawn = Math.min(arms, trials, Math.max(LEAST_TRIALS, affordable));
  return { search: { mode, trials: drawn }, items: itemsOfAll(drawn, size) };
}

const itemsOfAll = (arms: number, { cases, samples }: SearchSize): number =>
  arms * cases * samples + Math.min(arms, FINALISTS) * cases * FURTHER_SAMPLES;

/** The search from its beginning. */
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
