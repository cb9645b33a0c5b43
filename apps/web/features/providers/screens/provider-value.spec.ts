import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { type Provider, ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { pricesAt } from '#lib/contracts/find-prices';
import { PriceTable } from '#lib/contracts/known-prices';
import {
  EMPTY_PROVIDER,
  hasPricesOf,
  idsOf,
  inputOf,
  newModel,
  patchOf,
  renamed,
  storedProvider,
  withPrices,
} from './provider-value.js';

const stored: JsonObject = {
  name: 'OpenAI',
  kind: 'openai',
  base_url: 'https://api.openai.com/v1',
  limits: { requests_per_minute: 500, tokens_per_minute: null, max_concurrency: 8 },
  models: [newModel('gpt-5')],
};
const read = (text: string): any => JSON.parse(text);

describe('the request of a provider form', () => {
  it('creates a provider with the typed key and omits empty fields', () => {
    const value = { ...EMPTY_PROVIDER, key: 'openai', base_url: 'https://api.openai.com/v1', models: ['gpt-5'] };
    expect(ProviderInput.parse(read(inputOf(value, { apiKey: ' sk-1 ' })))).toMatchObject({
      key: 'openai',
      api_key: 'sk-1',
    });
    expect(read(inputOf(value, {}))).not.toHaveProperty('api_key');
    expect(read(inputOf(value, {}))).not.toHaveProperty('name');
  });

  it('updates only the fields that differ, with the key only if it changes', () => {
    expect(read(patchOf(stored, stored, {}))).toEqual({});
    expect(read(patchOf({ ...stored, name: 'Mine' }, stored, { apiKey: null }))).toEqual({
      name: 'Mine',
      api_key: null,
    });
    expect(read(patchOf(stored, stored, { apiKey: ' sk-2\n' }))).toEqual({ api_key: 'sk-2' });
  });

  it('removes a limit when its field is emptied', () => {
    const patch = read(patchOf({ ...stored, limits: { max_concurrency: 8 } }, stored, {}));
    expect(ProviderPatch.parse(patch)).toEqual({
      limits: { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 8 },
    });
  });

  it('keeps numbers as typed', () => {
    const model = { ...newModel('m'), default_params: parseJson('{"top_p": 1.0}') };
    expect(patchOf({ ...stored, models: [model] }, stored, {})).toContain('{"top_p":1.0}');
  });
});

it('models are identified by their ids', () => {
  expect([...idsOf(stored)]).toEqual(['gpt-5']);
  expect([...idsOf({})]).toEqual([]);
});

describe('the prices of a model', () => {
  const models = [
    { id: 'gpt-5', input_cost_per_mtok: 1.25, output_cost_per_mtok: 10, cache_read_cost_per_mtok: 0.125 },
    { id: 'gpt-5-mini', input_cost_per_mtok: 0.25, output_cost_per_mtok: 2 },
  ];
  const host = { host: 'api.openai.com', docs: 'https://example.com', models };
  const find = pricesAt(PriceTable.parse({ as_of: '2026-11-17', hosts: [host] }), 'https://api.openai.com/v1');
  const typed = (id: string, from = newModel('')) =>
    Array.from(id).reduce((model, letter) => renamed(model, `${String(model.id)}${letter}`, find), from);

  it('come from the price table for a discovered model or a typed id', () => {
    expect(newModel('gpt-5', find)).toMatchObject({ input_cost_per_mtok: 1.25, cache_read_cost_per_mtok: 0.125 });
    expect(newModel('gpt-99', find)).toMatchObject({ input_cost_per_mtok: null, cache_read_cost_per_mtok: null });
    expect(typed('gpt-5')).toMatchObject({ id: 'gpt-5', input_cost_per_mtok: 1.25, cache_read_cost_per_mtok: 0.125 });
    expect(typed('gpt-5-m')).toMatchObject({ input_cost_per_mtok: null, cache_read_cost_per_mtok: null });
    expect(typed('gpt-5-mini')).toMatchObject({ input_cost_per_mtok: 0.25, cache_read_cost_per_mtok: null });
    expect(typed('__proto__')).toMatchObject({ id: '__proto__', input_cost_per_mtok: null });
  });

  it('stay as typed when the id changes', () => {
    const owns: JsonObject[] = [
      { input_cost_per_mtok: 3 },
      { cache_read_cost_per_mtok: 0 },
      { output_cost_per_mtok: 2 },
    ];
    for (const own of owns)
      expect(typed('gpt-5', { ...newModel(''), ...own })).toEqual({ ...newModel(''), ...own, id: 'gpt-5' });
    expect(renamed({ ...newModel('gpt-5', find), output_cost_per_mtok: 9 }, 'x', find)).toMatchObject({
      input_cost_per_mtok: 1.25,
      output_cost_per_mtok: 9,
    });
  });

  it('match the table in any number notation, but not with a price missing', () => {
    const known = find('gpt-5')!;
    expect(hasPricesOf({ ...newModel('gpt-5', find), output_cost_per_mtok: parseJson('10.0') }, known)).toBe(true);
    expect(hasPricesOf({ ...newModel('gpt-5', find), cache_read_cost_per_mtok: null }, known)).toBe(false);
    expect(hasPricesOf({ id: 'gpt-5' }, known)).toBe(false);
    expect(hasPricesOf({ id: 'x' }, undefined)).toBe(true);
    expect(hasPricesOf({ id: 'x', input_cost_per_mtok: 0 }, undefined)).toBe(false);
    expect(hasPricesOf(withPrices({}, known), known)).toBe(true);
  });

  it('are shown without floating-point noise', () => {
    const priced = { ...newModel('m'), name: 'm', input_cost_per_mtok: 0.1 + 0.2, output_cost_per_mtok: 0.003625 };
    const provider = { ...stored, models: [priced] } as unknown as Provider;
    expect(storedProvider(provider).models).toEqual([{ ...priced, input_cost_per_mtok: 0.3 }]);
  });
});
