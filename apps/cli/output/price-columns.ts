import { dollarsOf, type Prices, type SomePrices } from '#lib/contracts/find-prices';

const COLUMNS: readonly [field: keyof Prices, heading: string, isOptional?: true][] = [
  ['input_cost_per_mtok', 'input $/M tokens'],
  ['output_cost_per_mtok', 'output $/M tokens'],
  ['cache_read_cost_per_mtok', 'cache read $/M', true],
  ['cache_write_5m_cost_per_mtok', 'cache write 5 min', true],
  ['cache_write_1h_cost_per_mtok', 'cache write 1 h', true],
];

/** Price columns in US dollars per million tokens; cache prices only if a model has them. */
export function priceColumns(models: readonly SomePrices[]): {
  headings: string[];
  cellsOf: (model: SomePrices) => string[];
} {
  // Servers of earlier releases do not send cache prices.
  const has = (model: SomePrices, field: keyof Prices): boolean => typeof model[field] === 'number';
  const shown = COLUMNS.filter(([field, , isOptional]) => !isOptional || models.some((model) => has(model, field)));
  return {
    headings: shown.map(([, heading]) => heading),
    cellsOf: (model) => shown.map(([field]) => (has(model, field) ? dollarsOf(model[field]!) : '-')),
  };
}
