import type { Provider } from '#lib/contracts/provider';
import { providerLines, providerTable } from './provider-lines.js';

const provider: Provider = {
  key: 'gateway',
  name: 'Gateway',
  kind: 'openai',
  base_url: 'https://llm.example.com/v1',
  api_key_set: false,
  api_key_last4: null,
  api_key_ref: 'env:GATEWAY_KEY',
  headers: [
    { name: 'x-key', kind: 'secret' },
    { name: 'x-team', kind: 'routing' },
  ],
  client_certificate: {
    subject: 'CN=toolmark',
    issuer: 'CN=Example CA',
    expires_at: '2026-12-01T00:00:00.000Z',
    sha256: 'ab',
  },
  limits: { max_concurrency: 8, requests_per_minute: 60, tokens_per_minute: null },
  models: [],
  learned: [],
  shares_limits_with: [],
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
};

it('a provider is shown with what is sent to it, and a certificate that ends soon with a warning', () => {
  expect(providerLines(provider, Date.parse('2026-11-29T12:00:00Z'))).toEqual([
    'provider     gateway: Gateway',
    'address      https://llm.example.com/v1',
    'format       openai',
    'key          env:GATEWAY_KEY',
    'headers      x-key (secret)',
    '             x-team (routing)',
    'certificate  CN=toolmark',
    '             issued by CN=Example CA',
    '             valid until 2026-12-01T00:00:00.000Z, expires in 1 day',
    'limits       8 concurrent, 60 requests/min',
    '',
    'No models. Find them: toolmark models gateway --discover',
  ]);
});

it('a provider of a server of an earlier release is listed too', () => {
  const { api_key_ref: _ref, headers: _headers, client_certificate: _certificate, ...earlier } = provider;
  expect(providerTable([provider, earlier as Provider])).toEqual([
    expect.stringMatching(/^provider +kind +address +key +also sent +models/),
    expect.stringMatching(/ env:GATEWAY_KEY +2 headers, certificate +0 /),
    expect.stringMatching(/ - +- +0 /),
  ]);
});
