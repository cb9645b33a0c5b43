import { requestKey } from './request-key.js';

it('the same request in another format, or to another place, is another', () => {
  const body = { model: 'a', messages: [], tools: [] };
  const place = { providerId: 'p', baseUrl: 'https://a.example/v1', kind: 'openai' };
  const keys = [place, { ...place }, { ...place, kind: 'anthropic' }, { ...place, baseUrl: 'https://b.example/v1' }].map((one) => requestKey(one, body, 0).toString('hex'));
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});
