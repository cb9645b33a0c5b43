import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { EMPTY_PROVIDER, idsOf, inputOf, newModel, patchOf } from './provider-value.js';

const stored: JsonObject = {
  name: 'OpenAI',
  kind: 'openai',
  base_url: 'https://api.openai.com/v1',
  limits: { requests_per_minute: 500, tokens_per_minute: null, max_concurrency: 8 },
  models: [newModel('gpt-5')],
};
const read = (text: string): any => JSON.parse(text);

describe('what is sent of a provider', () => {
  it('is a new one with the key that was typed, and nothing for empty fields', () => {
    const value = { ...EMPTY_PROVIDER, key: 'openai', base_url: 'https://api.openai.com/v1', models: ['gpt-5'] };
    expect(ProviderInput.parse(read(inputOf(value, ' sk-1 ')))).toMatchObject({ key: 'openai', api_key: 'sk-1' });
    expect(read(inputOf(value, ''))).not.toHaveProperty('api_key');
    expect(read(inputOf(value, ''))).not.toHaveProperty('name');
  });

  it('is of a stored one what differs, with the key only where it changes', () => {
    expect(read(patchOf(stored, stored, { to: 'kept' }))).toEqual({});
    expect(read(patchOf({ ...stored, name: 'Mine' }, stored, { to: 'removed' }))).toEqual({
      name: 'Mine',
      api_key: null,
    });
    expect(read(patchOf(stored, stored, { to: 'another', key: ' sk-2\n' }))).toEqual({ api_key: 'sk-2' });
  });

  it('takes a limit away where its field was emptied', () => {
    const patch = read(patchOf({ ...stored, limits: { max_concurrency: 8 } }, stored, { to: 'kept' }));
    expect(ProviderPatch.parse(patch)).toEqual({
      limits: { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 8 },
    });
  });

  it('has the numbers as they were typed', () => {
    const model = { ...newModel('m'), default_params: parseJson('{"top_p": 1.0}') };
    expect(patchOf({ ...stored, models: [model] }, stored, { to: 'kept' })).toContain('{"top_p":1.0}');
  });
});

it('models are known by their ids', () => {
  expect([...idsOf(stored)]).toEqual(['gpt-5']);
  expect([...idsOf({})]).toEqual([]);
});
