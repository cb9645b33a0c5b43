import type { Ranking } from '#lib/contracts/ranking';
import type { Summary } from '#lib/contracts/summary';

export type LeaderOrder = 'score' | 'passed' | 'errored' | 'p95' | 'cost' | 'per passed';

const VALUES: Record<LeaderOrder, (of: Summary) => number | null> = {
  score: ({ overall }) => overall,
  passed: ({ pass_rate: rate }) => rate,
  errored: ({ errored }) => errored,
  p95: ({ latency_ms: { p95 } }) => p95,
  cost: ({ cost_usd: cost }) => cost,
  'per passed': ({ cost_usd: cost, passed }) => (cost === null || passed === 0 ? null : cost / passed),
};
/** Good values come first, so of these the highest. */
const HIGH_FIRST: ReadonlySet<LeaderOrder> = new Set(['score', 'passed', 'errored']);

export interface Sorting {
  by: LeaderOrder;
  isReversed: boolean;
}

export const isDescending = ({ by, isReversed }: Sorting): boolean => HIGH_FIRST.has(by) !== isReversed;

/** The models in an order. Those without the value come last either way. */
export function sortedLeaders(summaries: readonly Summary[], sorting: Sorting): Summary[] {
  const valueOf = VALUES[sorting.by];
  const sign = isDescending(sorting) ? -1 : 1;
  return summaries.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a - b);
  });
}

/** "1", "1-3", "partial": the ranks that the results leave open; empty while they are not known. */
export function rankText(ranking: Ranking | undefined, target: string): string {
  const found = ranking?.items.find((item) => item.target === target);
  if (!found) return '';
  return found.rank ? [...new Set(found.rank)].join('-') : 'partial';
}

/** The models below which all are shown to be worse than all above: the last of those that tie. */
export function tieEnds(ranking: Ranking | undefined, rows: readonly Pick<Summary, 'target'>[]): Set<string> {
  const ranks = new Map(ranking?.items.map(({ target, rank }) => [target, rank]));
  const ends = new Set<string>();
  let lowest = 0;
  for (const [index, { target }] of rows.entries()) {
    const rank = ranks.get(target);
    if (!rank) break;
    lowest = Math.max(lowest, rank[1]);
    if (lowest === index + 1 && index + 1 < rows.length) ends.add(target);
  }
  return ends;
}
