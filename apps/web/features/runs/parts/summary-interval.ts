import type { Summary } from '#lib/contracts/summary';

interface Shown {
  interval: readonly [number, number] | null;
  /** The interval says too little, because all values were equal. */
  isAlike: boolean;
}

/**
 * The interval of a mean. Summaries of an early release have one without width if all values were equal; the interval
 * of the pass rate replaces it.
 */
export function shownInterval({
  ci_method: method,
  overall_ci: ci,
  pass_rate_ci: passed,
}: Pick<Summary, 'ci_method' | 'overall_ci' | 'pass_rate_ci'>): Shown {
  const isAlike = method === 'bootstrap' && ci !== null && ci[0] === ci[1];
  return { interval: isAlike ? passed : ci, isAlike };
}
