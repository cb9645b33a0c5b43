import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { newModel } from './provider-value.js';

/** The columns of pasted lines after the model, in order. */
const PRICES = ['input_cost_per_mtok', 'output_cost_per_mtok', 'cache_read_cost_per_mtok'] as const;
const SEPARATORS = /\t|;|,(?=\s*\$?[\d.])|,\s*$/;
const PRICE = /^\$?\s*(\d+(?:\.\d+)?|\.\d+)$/;
const MAX_MODELS = 1000;

export interface Pasted {
  models: JsonObject[];
  changed: number;
  added: number;
  /** Lines that are not a model with prices, in part. */
  unread: string[];
}

/**
 * Models with the prices of pasted lines: `model, in, out, from the cache`, separated by tabs, commas or semicolons, in
 * US dollars per million tokens. A model that is not there is added; a price that is left out stays.
 */
export function withPastedPrices(models: readonly JsonObject[], text: string): Pasted {
  const pasted: Pasted = { models: [...models], changed: 0, added: 0, unread: [] };
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const [id = '', ...cells] = line.split(SEPARATORS).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const prices = cells.slice(0, PRICES.length).map((cell) => (cell === '' ? undefined : PRICE.exec(cell)?.[1]));
    const isRead = id !== '' && prices.some((price) => price !== undefined);
    const hasFault = cells.slice(0, PRICES.length).some((cell, place) => cell !== '' && prices[place] === undefined);
    if (!isRead || hasFault) pasted.unread.push(line.trim().slice(0, 80));
    else setPrices(pasted, id, prices);
  }
  return pasted;
}

function setPrices(pasted: Pasted, id: string, prices: readonly (string | undefined)[]): void {
  const given = Object.fromEntries(
    PRICES.flatMap((field, place): [string, Json][] => {
      const price = prices[place];
      return price === undefined ? [] : [[field, parseJson(String(Number(price)))]];
    }),
  );
  const place = pasted.models.findIndex((model) => isObject(model) && toText(model.id ?? '') === id);
  if (place >= 0) {
    pasted.models[place] = { ...pasted.models[place], ...given };
    pasted.changed++;
  } else if (pasted.models.length < MAX_MODELS) {
    pasted.models.push({ ...newModel(id), ...given });
    pasted.added++;
  } else pasted.unread.push(id.slice(0, 80));
}
