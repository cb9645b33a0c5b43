import type { SpendingBy, SpendingFigures, SpendingGroup } from '#lib/contracts/spending';
import { beginning, dollars, percent, table } from './table.js';

const MAX_NAME = 60;

/** The spending of each group under a heading, with the total below. */
export function spendingTable(
  by: readonly SpendingBy[],
  items: readonly SpendingGroup[],
  total: SpendingFigures,
): string[] {
  return table([
    [...by, 'cost', 'requests', 'results', 'tokens in', 'tokens out', 'from cache'],
    ...items.map((item) => [...by.map((one) => beginning(nameOf(item, one), MAX_NAME)), ...figures(item)]),
    [...by.map((_one, index) => (index === 0 ? 'total' : '')), ...figures(total)],
  ]);
}

function nameOf({ day, model, provider, suite, person }: SpendingGroup, by: SpendingBy): string {
  if (by === 'day') return day ?? '-';
  if (by === 'model') return model ?? '-';
  if (by === 'provider') return provider ?? '-';
  if (by === 'person') return person ? (person.name ?? person.id) : 'nobody';
  return suite ? `${suite.name}${suite.deleted ? ' (deleted)' : ''}` : 'no suite';
}

const figures = (of: SpendingFigures): string[] => [
  // Requests to models without prices have an unknown cost, which is not $0.
  dollars(of.cost_usd === 0 && of.requests > 0 ? null : of.cost_usd),
  String(of.requests),
  String(of.results),
  String(of.prompt_tokens),
  String(of.completion_tokens),
  percent(of.cache_hit_rate),
];
