import { ApiError, type ApiClient } from '#lib/client/api-client';
import { PRICE_FIELDS, pricesAt, describePrices, pricesOf } from '#lib/contracts/find-prices';
import type { KnownPrices } from '#lib/contracts/known-prices';
import { beginning } from '../output/table.js';

/** Maximum number of models without a price that are named. */
const MAX_NAMED = 5;
const MAX_NAME = 60;

/** The server's known prices; undefined for a server of an earlier release. */
export async function readKnownPrices(client: ApiClient): Promise<KnownPrices | undefined> {
  try {
    return await client.call<KnownPrices>('GET', '/api/prices');
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 404) return undefined;
    throw error;
  }
}

/** Whether the prices of a model are given, even as unknown. */
export const hasPrices = (model: object): boolean => PRICE_FIELDS.some((field) => field in model);

/**
 * Gives models the prices of the table. Models with any given price stay unchanged.
 * @returns the models, and lines about the filled and the unknown prices
 */
export function fillPrices(
  models: readonly object[],
  known: KnownPrices,
  baseUrl: string,
): { models: object[]; lines: string[] } {
  const find = pricesAt(known, baseUrl);
  const filled: string[] = [];
  const unknown: string[] = [];
  const all = models.map((model) => {
    const id = 'id' in model ? model.id : undefined;
    if (typeof id !== 'string' || hasPrices(model)) return model;
    const prices = find(id);
    if (!prices) unknown.push(beginning(id, MAX_NAME));
    else filled.push(`  ${id}: ${describePrices(prices)}.${prices.note ? ` ${prices.note}` : ''}`);
    return prices ? { ...model, ...pricesOf(prices) } : model;
  });
  return { models: all, lines: [...filledPriceLines(filled, known), ...unknownPriceLines(unknown)] };
}

const modelOption = (id: string): string =>
  `--model '${JSON.stringify({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 2 })}'`;

const filledPriceLines = (lines: string[], { as_of, source }: KnownPrices): string[] =>
  lines.length === 0
    ? []
    : [
        `Prices from the table of ${as_of}${source === 'file' ? ' (a file of your server)' : ''}, in US dollars ` +
          'per million tokens:',
        ...lines,
        `Others: ${modelOption('...')}. None: --no-prices.`,
      ];

function unknownPriceLines(ids: string[]): string[] {
  if (ids.length === 0) return [];
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const names = `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
  return [`No price is known for ${names}, so no cost is counted. Set it: ${modelOption(ids[0]!)}`];
}
