import { FINALISTS, FURTHER_SAMPLES } from './finalists.js';

/** From this number of arms, the search starts with more of them. */
const MANY_ARMS = 1000;
const MIN_CASES = 8;

/** The dimensions of an adaptive search. */
export interface AdaptivePlan {
  /** Arms at the start, including the base. */
  start: number;
  /** How many times the most promising arms are added, and how many each time. */
  rounds: number;
  added: number;
  /** The number of cases on each rung: a few, more, all. */
  rungs: number[];
  /** The minimum number of arms kept on each rung. */
  leastKept: number;
  finalists: number;
}

/** @param share of the usual numbers of arms, and of cases on the first rungs; below 1 to fit a budget */
export function planAdaptive({ arms, cases }: { arms: number; cases: number }, share = 1): AdaptivePlan {
  const [start, added] = arms >= MANY_ARMS ? [96, 32] : [64, 24];
  const few = Math.min(cases, Math.max(MIN_CASES, Math.round(0.12 * cases * share)));
  const more = Math.max(Math.min(3 * few, cases), Math.round(0.36 * cases * share));
  const scaled = (count: number): number => Math.max(2, Math.round(count * share));
  return {
    start: Math.min(arms, scaled(start)),
    rounds: 3,
    added: Math.round(added * share),
    rungs: [...new Set([few, more, cases])],
    leastKept: scaled(FINALISTS),
    finalists: scaled(FINALISTS),
  };
}

/** The number of items of the search: requests, for cases of one request. */
export function itemsOf(plan: AdaptivePlan, arms: number, samples = 1): number {
  const { start, rounds, added, rungs, leastKept, finalists } = plan;
  let left = Math.min(arms, start + rounds * added);
  let items = left * rungs[0]!;
  rungs.slice(1).forEach((to, index) => {
    left = Math.min(left, Math.max(leastKept, Math.ceil(left / 3)));
    items += left * (to - rungs[index]!);
  });
  return items * samples + Math.min(left, finalists) * rungs.at(-1)! * FURTHER_SAMPLES;
}

/** The largest plan with up to this many items; the smallest plan if none fits. */
export function planWithin(space: { arms: number; cases: number; samples: number }, items: number): AdaptivePlan {
  let [low, high] = [0, 1];
  if (itemsOf(planAdaptive(space), space.arms, space.samples) <= items) return planAdaptive(space);
  for (let n = 0; n < 20; n++) {
    const middle = (low + high) / 2;
    if (itemsOf(planAdaptive(space, middle), space.arms, space.samples) <= items) low = middle;
    else high = middle;
  }
  return planAdaptive(space, low);
}
