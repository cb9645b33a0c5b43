import { dollarsOf, pricesAt, describePrices, pricesOf, type Prices } from './find-prices.js';
import { PriceTable } from './known-prices.js';

const price = { input_cost_per_mtok: 1, output_cost_per_mtok: 2 };
const table = PriceTable.parse({
  as_of: '2026-11-17',
  hosts: [
    {
      host: 'api.openai.com',
      docs: 'https://example.com/prices',
      models: [
        { id: 'gpt', dated: true, latest: true, ...price },
        { id: 'gpt-2024-05-13', ...price, input_cost_per_mtok: 5 },
        { id: 'mini', aliases: ['models/mini', 'small-latest'], ...price },
      ],
    },
    { host: 'llm.example.com:8443', docs: 'https://example.com', models: [{ id: 'gpt', ...price }] },
  ],
});
const URL_OF_OPENAI = 'https://api.openai.com/v1';
const inputAt = (url: string, id: string) => pricesAt(table, url)(id)?.input_cost_per_mtok;

describe('known prices', () => {
  it.each([
    ['its id', 'gpt', 1],
    ['its id with a date', 'gpt-2025-04-14', 1],
    ['its id with a date without dashes', 'gpt-20250414', 1],
    ['its id with -latest', 'gpt-latest', 1],
    ['a dated id that has a price of its own', 'gpt-2024-05-13', 5],
    ['another of its ids', 'models/mini', 1],
    ['another of its ids that ends in -latest', 'small-latest', 1],
  ])('are found by %s', (_by, id, expected) => expect(inputAt(URL_OF_OPENAI, id)).toBe(expected));

  it.each([
    ...['gpt-mini', 'gp', 'GPT', ' gpt', 'gpt ', 'gpt-', '', 'openai/gpt', 'gpt:free', 'ft:gpt', 'gpt-preview'],
    ...['gpt-2025-13-01', 'gpt-20251301', 'gpt-2025-04-32', 'gpt-2025-0414', 'gpt-202504-14', 'gpt-1999-01-01'],
    ...[
      'gpt-2025-04-14-latest',
      'gpt-latest-latest',
      'gpt-2025-04-14-2025-04-14',
      'gpt-0414',
      'gpt-2504',
      'gpt-Latest',
    ],
    ...['mini-2025-04-14', 'mini-latest', 'small', 'small-latest-2025-04-14', '-latest', '-2025-04-14', 'latest'],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__-latest', 'constructor-2025-04-14'],
    ...['gpt\u0000', 'gpt\n', 'gрt', `gpt${'-latest'.repeat(10_000)}`, `${'-2025-04-14'.repeat(10_000)}x`],
  ])('are not guessed for %j', (id) => expect(inputAt(URL_OF_OPENAI, id)).toBeUndefined());

  it.each([
    'https://API.OpenAI.com/v1',
    'https://api.openai.com:443/v1',
    'https://api.openai.com',
    'https://someone:secret@api.openai.com/another/path',
    'http://api.openai.com/v1',
  ])('are those of the host at %s', (url) => expect(inputAt(url, 'gpt')).toBe(1));

  it.each([
    ...['https://api.openai.com:8443/v1', 'https://api.openai.com.evil.example/v1', 'https://eu.api.openai.com/v1'],
    ...['https://evil.example/api.openai.com', 'https://api.openai.com@evil.example/v1', 'https://api.openai.com./v1'],
    ...['api.openai.com', '', 'https://', 'http://[::1]:1/v1', 'https://openrouter.ai/api/v1', 'https://__proto__/v1'],
    ...['https://llm.example.com/v1', 'https://{resource}.openai.azure.com/openai/v1'],
  ])('are not those of %j', (url) => expect(inputAt(url, 'gpt')).toBeUndefined());

  it('of your own server are found with its port', () => {
    expect(inputAt('https://llm.example.com:8443/v1', 'gpt')).toBe(1);
  });

  it('are five, without the other fields of the table', () => {
    expect(pricesOf(pricesAt(table, URL_OF_OPENAI)('gpt')!)).toEqual({
      ...price,
      cache_read_cost_per_mtok: null,
      cache_write_5m_cost_per_mtok: null,
      cache_write_1h_cost_per_mtok: null,
    });
  });
});

it.each([
  [0.1 + 0.2, '$0.3'],
  [0.003625, '$0.003625'],
  [1e-7, '$0.0000001'],
  [0, '$0'],
  [-0, '$0'],
  [15, '$15'],
  [1_000_000, '$1000000'],
  [3 * 1.1, '$3.3'],
])('the price %d is written as %s', (price, words) => expect(dollarsOf(price)).toBe(words));

it('prices in words leave out unknown prices', () => {
  const none = Object.fromEntries(['cache_read_cost_per_mtok'].map((field) => [field, null])) as Partial<Prices>;
  expect(describePrices({ ...price, ...none })).toBe('$1 in, $2 out');
  expect(describePrices({ ...price, cache_read_cost_per_mtok: 0, cache_write_1h_cost_per_mtok: 6 })).toBe(
    '$1 in, $2 out, $0 from the cache, $6 into it for an hour',
  );
  expect(describePrices({})).toBe('');
});
