import type { Summary } from '#lib/contracts/summary';

interface Shown {
  interval: readonly [number, number] | null;
  /** It stands for one that says too little: all values were alike. */
  isAlike: boolean;
}

/**
 * The interval of a mean. Summaries of an early release have one without width where all values were alike; that of
 * the pass rate stands for it.
 */
export function shownInterval({
  ci_method: method,
  overall_ci: ci,
  pass_rate_ci: passed,
}: Pick<Summary, 'ci_method' | 'overall_ci' | 'pass_rate_ci'>): Shown {
  const isAlike = method === 'bootstrap' && ci !== null && ci[0] === ci[1];
  return { interval: isAlike ? passed : ci, isAlike };
}
