// Does not import zod, because the command line and the page load this module.
import type { KnownModel, KnownPrices } from './known-prices.js';

/** The prices of a model, in US dollars per million tokens. */
export const PRICE_FIELDS = [
  'input_cost_per_mtok',
  'output_cost_per_mtok',
  'cache_read_cost_per_mtok',
  'cache_write_5m_cost_per_mtok',
  'cache_write_1h_cost_per_mtok',
] as const;
export type Prices = Pick<KnownModel, (typeof PRICE_FIELDS)[number]>;

/** Prices of a model, any of which may be unknown. */
export type SomePrices = { [Field in keyof Prices]?: number | null };

export type FindPrices = (modelId: string) => KnownModel | undefined;

/** A version suffix of an id: `-latest`, `-2025-08-07` or `-20250807`. */
const VERSION = /-(?:latest|20\d\d(?:-(?:0[1-9]|1[0-2])-|(?:0[1-9]|1[0-2]))(?:0[1-9]|[12]\d|3[01]))$/;

/**
 * Looks up a model at an address in the price table. The host must match exactly, and so must the id, except for its
 * date or `-latest` where the table says that the prices are the same. Partial ids never match.
 */
export function pricesAt({ hosts }: Pick<KnownPrices, 'hosts'>, baseUrl: string): FindPrices {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
  const models = hosts.find((one) => one.host === host)?.models ?? [];
  const byId = new Map(models.flatMap((model) => [model.id, ...model.aliases].map((id) => [id, model])));
  return (modelId) => {
    const version = VERSION.exec(modelId);
    const found = byId.get(modelId);
    if (found || !version) return found;
    const named = byId.get(modelId.slice(0, version.index));
    return named?.[version[0] === '-latest' ? 'latest' : 'dated'] ? named : undefined;
  };
}

/** Only the price fields. */
export const pricesOf = (known: Prices): Prices =>
  Object.fromEntries(PRICE_FIELDS.map((field) => [field, known[field]])) as unknown as Prices;

const DOLLARS = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 12,
  useGrouping: false,
  signDisplay: 'negative',
});

/** A price rounded for display: `$0.3`, not `$0.30000000000000004`. */
export const dollarsOf = (price: number): string => `$${DOLLARS.format(price)}`;

/** Prices in words: `$3 in, $15 out, $0.3 from the cache, $3.75 into it for 5 minutes`. */
export function describePrices(prices: SomePrices): string {
  const words: [price: number | null | undefined, what: string][] = [
    [prices.input_cost_per_mtok, 'in'],
    [prices.output_cost_per_mtok, 'out'],
    [prices.cache_read_cost_per_mtok, 'from the cache'],
    [prices.cache_write_5m_cost_per_mtok, 'into it for 5 minutes'],
    [prices.cache_write_1h_cost_per_mtok, 'into it for an hour'],
  ];
  return words
    .flatMap(([price, what]) => (typeof price === 'number' ? [`${dollarsOf(price)} ${what}`] : []))
    .join(', ');
}
