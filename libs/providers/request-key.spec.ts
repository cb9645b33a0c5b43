import { requestKey } from './request-key.js';

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});
const keyOf = (kind: 'openai' | 'google', name: string) =>
  requestKey(
    { providerId: 'p', baseUrl: 'https://a.example/v1', kind, headers: '[]' },
    { model: 'a', messages: [{ role: 'user', content: 'Hi' }], tools: [tool(name)] } as never,
    0,
  ).toString('hex');

it('the same request in another format, or to another host, has another key', () => {
  const body = { model: 'a', messages: [], tools: [] };
  const place = { providerId: 'p', baseUrl: 'https://a.example/v1', kind: 'openai' as const, headers: '[]' };
  const keys = [
    place,
    { ...place },
    { ...place, kind: 'anthropic' as const },
    { ...place, baseUrl: 'https://b.example/v1' },
  ].map((one) => requestKey(one, body, 0).toString('hex'));
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

it('requests keep their keys from earlier releases, unless a tool is now renamed', () => {
  expect(keyOf('openai', 'get_weather')).toBe('5812b87152d0ffeb18f1a3306716607ccd7824d4f0bac39fb98346bb9537c575');
  expect(keyOf('google', 'get_weather')).toBe('4e490cf26822db5f9e8dbf8423f9c2bb2fa4a8f83cc4c0a17c978092fa01a2e7');
  expect(keyOf('google', 'weather.get')).toBe('01dcd8b577727327b7db6d38e737af42c7933e6c2d1c9d4d8dbf585501f1430d');
  expect(keyOf('openai', 'weather.get')).not.toBe('bcf4237bb58d60c534d13f365c6fd7882a569bda74b5ed817a5987cd9c4b0af1');
  expect(keyOf('openai', 'weather.get')).toBe(keyOf('openai', 'weather.get'));
});
