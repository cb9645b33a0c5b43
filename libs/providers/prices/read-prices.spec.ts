import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pricesAt } from '#lib/contracts/find-prices';
import { PROVIDER_TEMPLATES } from '../templates.js';
import { readKnownPrices } from './read-prices.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'prices.json');
const model = { id: 'm', input_cost_per_mtok: 1, output_cost_per_mtok: 2 };
const host = { host: 'llm.example.com', docs: 'https://llm.example.com/prices', models: [model] };
const table = { as_of: '2026-11-17', hosts: [host] };
const read = (content: unknown) => {
  writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return readKnownPrices(file);
};
const withModel = (fields: object) => ({ ...table, hosts: [{ ...host, models: [{ ...model, ...fields }] }] });

describe('the built-in price table', () => {
  const known = readKnownPrices();

  it('has a date, and for each host a page and prices', () => {
    expect(known).toMatchObject({ source: 'built in', as_of: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) });
    for (const { docs, models } of known.hosts) {
      expect(docs).toMatch(/^https:/);
      expect(models.length).toBeGreaterThan(0);
    }
  });

  it('has only hosts of templates, or with the format of one', () => {
    const led = PROVIDER_TEMPLATES.map(({ base_url: url }) => (URL.canParse(url) ? new URL(url).host : url));
    const others = known.hosts.map(({ host: name }) => name).filter((name) => !led.includes(name));
    expect(others).toEqual(['api.moonshot.ai']);
  });

  it('has cache read prices that are no higher than the input price', () => {
    for (const one of known.hosts.flatMap(({ models }) => models)) {
      expect(one.cache_read_cost_per_mtok ?? 0).toBeLessThanOrEqual(one.input_cost_per_mtok);
      for (const kept of [one.cache_write_5m_cost_per_mtok, one.cache_write_1h_cost_per_mtok])
        expect(kept ?? Infinity).toBeGreaterThanOrEqual(one.input_cost_per_mtok);
      expect(one.output_cost_per_mtok).toBeGreaterThanOrEqual(one.input_cost_per_mtok);
    }
  });

  it("has Anthropic's cache write prices: 1.25 and 2 times the input price", () => {
    for (const { models } of known.hosts.filter(({ host: name }) => name === 'api.anthropic.com'))
      for (const { input_cost_per_mtok: input, ...one } of models) {
        expect(one.cache_write_5m_cost_per_mtok).toBeCloseTo(1.25 * input, 9);
        expect(one.cache_write_1h_cost_per_mtok).toBeCloseTo(2 * input, 9);
      }
  });

  it("has OpenAI's cache write price equal to the input price, except for models with their own", () => {
    const find = pricesAt(known, 'https://api.openai.com/v1');
    expect(find('gpt-5-mini-2025-08-07')).toMatchObject({
      input_cost_per_mtok: 0.25,
      cache_read_cost_per_mtok: 0.025,
      cache_write_5m_cost_per_mtok: null,
    });
    expect(find('gpt-6-sol')).toMatchObject({ cache_write_5m_cost_per_mtok: 2.5, note: expect.any(String) });
  });
});

describe('a custom price table', () => {
  it('replaces the built-in one completely', () => {
    expect(read(table)).toMatchObject({ source: 'file', as_of: '2026-11-17', hosts: [{ host: 'llm.example.com' }] });
    expect(read({ ...table, hosts: [] }).hosts).toEqual([]);
    expect(read(`\ufeff${JSON.stringify(table)}`).hosts).toHaveLength(1);
  });

  it.each([
    ['nothing', '', /not JSON: line 1, column 1/],
    ['no JSON', '{"as_of": "2026-11-17",\n  hosts: []}', /not JSON: line 2, column 3/],
    ['YAML', 'as_of: 2026-11-17\n', /not JSON: line 1, column 1/],
    ['half a file', '{"as_of": "2026-11-17", "hosts": [', /not JSON/],
    ['bytes that are not text', Buffer.from([0x7b, 0xff, 0xfe]), /not UTF-8/],
    ['UTF-16', Buffer.from(JSON.stringify(table), 'utf16le'), /UTF-16/],
    ['a workbook', Buffer.from('PK\u0003\u0004 '), /workbook/],
    ['a list', [], /must be of type object/],
    ['null', null, /must be of type object/],
    ['no hosts', { as_of: '2026-11-17' }, /\/hosts is missing/],
    ['no date', { hosts: [] }, /\/as_of must be a date, such as/],
    ['an invalid date', { ...table, as_of: '2026-02-30' }, /\/as_of must be a date/],
    ['a date of another country', { ...table, as_of: '17.11.2026' }, /\/as_of must be a date/],
    [
      'a host that is an address',
      { ...table, hosts: [{ ...host, host: 'https://x.y/v1' }] },
      /\/hosts\/0\/host must be/,
    ],
    ['a host in capitals', { ...table, hosts: [{ ...host, host: 'API.x.y' }] }, /\/hosts\/0\/host must be the host/],
    ['a host listed twice', { ...table, hosts: [host, host] }, /\/hosts\/1 names "llm.example.com" again/],
    [
      'a page that runs a script',
      { ...table, hosts: [{ ...host, docs: 'javascript:alert(1)' }] },
      /\/docs must be an http/,
    ],
    ['a price below 0', withModel({ input_cost_per_mtok: -1 }), /\/input_cost_per_mtok must be at least 0/],
    ['a price of millions', withModel({ output_cost_per_mtok: 1e7 }), /output_cost_per_mtok must be at most 1000000/],
    ['a price in words', withModel({ input_cost_per_mtok: '$3' }), /input_cost_per_mtok must be of type number/],
    ['no price', withModel({ input_cost_per_mtok: null }), /input_cost_per_mtok must be of type number/],
    ['a price without end', JSON.stringify(table).replace(':1,', ':1e999,'), /input_cost_per_mtok/],
    ['a misspelt field', withModel({ cache_read_cost: 1 }), /\/models\/0\/cache_read_cost is not a field/],
    ['a field of every object', JSON.stringify(table).replace('{"id"', '{"__proto__":{"x":1},"id"'), /__proto__/],
    ['an id without letters', withModel({ id: '' }), /\/hosts\/0\/models\/0\/id must not be empty/],
    ['an id listed twice', withModel({ aliases: ['m'] }), /\/hosts\/0\/models\/0 names "m" again/],
    ['a long note', withModel({ note: 'x'.repeat(301) }), /\/note must have at most 300 characters/],
    ['more than 4 MiB', ' '.repeat(4 * 2 ** 20 + 1), /has 4194305 bytes; at most 4194304/],
  ])('is refused with %s, and the error names the file and the position', (_what, content, fault) => {
    expect(() => read(content)).toThrow(fault);
    expect(() => read(content)).toThrow(file);
  });

  it('has up to 20,000 models', () => {
    const models = (count: number) => Array.from({ length: count }, (_, id) => ({ ...model, id: `m${id}` }));
    const two = (count: number) =>
      [host.host, 'b.example.com'].map((name) => ({ ...host, host: name, models: models(count) }));
    expect(read({ ...table, hosts: two(10_000) }).hosts).toHaveLength(2);
    expect(() => read({ ...table, hosts: two(10_001) })).toThrow(/\/hosts must have at most 20000 models/);
  });

  it('must be an existing file', () => {
    expect(() => readKnownPrices(join(folder, 'none.json'))).toThrow(
      /none\.json cannot be used:\n {2}There is no such/,
    );
    expect(() => readKnownPrices(folder)).toThrow(/It is not a file/);
    expect(() => readKnownPrices('/dev/zero')).toThrow(/It is not a file/);
  });

  it('with many errors names ten of them, each in a few lines', () => {
    const models = Array.from({ length: 50 }, (_, id) => ({ id: `m${id}`, [`x${'y'.repeat(10_000)}`]: 1 }));
    const message = (() => {
      try {
        return String(read({ ...table, hosts: [{ ...host, models }] }));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message.split('\n')).toHaveLength(12);
    expect(message.length).toBeLessThan(4000);
  });
});
