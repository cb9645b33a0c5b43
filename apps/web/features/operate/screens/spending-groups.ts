import type { SpendingBy, SpendingFigures, SpendingGroup, SpendingReport } from '#lib/contracts/spending';
import { TOKEN_COUNTS } from '#lib/contracts/token-counts';
import { eachDay } from '../address';

export type StackedBy = Exclude<SpendingBy, 'day'>;
export type Spent = Omit<SpendingFigures, 'cache_hit_rate'>;

/** Spending of one model, provider, suite or person in the whole range. */
export interface SpendingOf extends Spent {
  key: string;
  name: string;
  /** A note next to the name: that it was deleted. */
  note?: string;
}

/** Spending on a day by drawn group, in group order. */
export interface SpentDay {
  day: string;
  costs: number[];
}

/** Maximum number of groups drawn separately; the others are combined. */
const MAX_DRAWN = 8;
const OTHERS = 'others';

function nameOf(
  { model, provider, suite, person }: SpendingGroup,
  by: StackedBy,
): Pick<SpendingOf, 'key' | 'name' | 'note'> {
  if (by === 'model') return { key: `of ${model}`, name: model ?? '' };
  if (by === 'provider') return { key: `of ${provider}`, name: provider ?? '' };
  const of = by === 'suite' ? suite : person;
  const nobody = { name: 'nobody', note: 'embeddings' };
  const noSuite = { name: 'no suite', note: 'try-outs and embeddings' };
  if (!of) return { key: 'nobody', ...(by === 'suite' ? noSuite : nobody) };
  return { key: of.id, name: of.name ?? of.id, note: suite?.deleted ? 'deleted' : undefined };
}

const FIGURES = ['cost_usd', 'requests', 'results', ...TOKEN_COUNTS] as const;
function add(sum: Spent, more: Spent): void {
  for (const name of FIGURES) sum[name] += more[name];
}

/** Spending of each model, provider, suite or person in the range, highest cost first. */
export function groupsOf({ items }: Pick<SpendingReport, 'items'>, by: StackedBy): SpendingOf[] {
  const groups = new Map<string, SpendingOf>();
  for (const item of items) {
    const named = nameOf(item, by);
    const group = groups.get(named.key);
    if (group) add(group, item);
    else groups.set(named.key, { ...item, ...named });
  }
  return [...groups.values()].sort((one, other) => other.cost_usd - one.cost_usd || other.requests - one.requests);
}

/** The groups, with all after the first `most` combined into one. */
export function withOthers(groups: readonly SpendingOf[], most: number): SpendingOf[] {
  if (groups.length <= most) return [...groups];
  const [first, ...rest] = groups.slice(most);
  const others = { ...first!, key: OTHERS, name: `${rest.length + 1} others`, note: undefined };
  for (const group of rest) add(others, group);
  return [...groups.slice(0, most), others];
}

/** Every day of the range with the cost of each drawn group. */
export function stacked(report: SpendingReport, by: StackedBy): { drawn: SpendingOf[]; days: SpentDay[] } {
  const drawn = withOthers(groupsOf(report, by), MAX_DRAWN);
  const placeOf = new Map(drawn.map(({ key }, place) => [key, place]));
  const days = new Map(eachDay(report).map((day) => [day, { day, costs: drawn.map(() => 0) }]));
  for (const item of report.items) {
    const costs = days.get(item.day ?? '')?.costs;
    const place = placeOf.get(nameOf(item, by).key) ?? placeOf.get(OTHERS);
    if (costs && place !== undefined) costs[place]! += item.cost_usd;
  }
  return { drawn, days: [...days.values()] };
}
