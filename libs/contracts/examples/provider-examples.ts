import { EXAMPLE_IDS, at } from './example-values.js';

const limits = { requests_per_minute: 500, tokens_per_minute: 200_000, max_concurrency: 16 };
const model = {
  id: 'gpt-5-mini',
  name: 'GPT-5 mini',
  input_cost_per_mtok: 0.25,
  output_cost_per_mtok: 2,
  cache_read_cost_per_mtok: 0.05,
  cache_write_5m_cost_per_mtok: 0.625,
  cache_write_1h_cost_per_mtok: 1,
  unsupported_params: ['temperature'],
  default_params: { reasoning_effort: 'low' },
  limits: { requests_per_minute: 100, tokens_per_minute: null, max_concurrency: 4 },
};
const refused = {
  setting: 'max_tokens',
  sent: 'max_completion_tokens',
  said: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
};
const learned = { model: model.id, ...refused, until: '2026-11-21T08:30:00.000Z' };
const provider = { key: 'openai', name: 'OpenAI', kind: 'openai', base_url: 'https://api.openai.com/v1' };

const knownModel = {
  id: 'gpt-5.6-sol',
  aliases: ['gpt-5.6'],
  dated: true,
  latest: false,
  input_cost_per_mtok: 4,
  output_cost_per_mtok: 20,
  cache_read_cost_per_mtok: 0.4,
  cache_write_5m_cost_per_mtok: 5,
  cache_write_1h_cost_per_mtok: 8,
  note: 'Requests above 272,000 tokens cost more, which is not counted.',
};
const knownHost = {
  host: 'api.openai.com',
  docs: 'https://developers.openai.com/api/docs/pricing',
  models: [knownModel],
};

export const PROVIDER_EXAMPLES = {
  Limits: { 'Limits of a host': limits },
  ModelInput: { 'A model with prices and limits of its own': model },
  ProviderInput: {
    'A host with a key': { ...provider, api_key: 'sk-a-key-of-the-host', limits, models: [model] },
    'A server of your own': {
      key: 'vllm',
      base_url: 'https://vllm.example.com/v1',
      models: [{ id: 'Qwen/Qwen3-32B' }],
    },
  },
  ProviderPatch: {
    'Another limit': { limits: { requests_per_minute: 200 } },
    'All fields': {
      name: 'OpenAI',
      base_url: provider.base_url,
      kind: 'openai-responses',
      api_key: 'sk-another-key',
      limits,
      models: [model, { id: 'text-embedding-3-small' }],
    },
  },
  LearnedSetting: { 'A limit under its new name': learned },
  Provider: {
    'A host with a key': {
      ...provider,
      api_key_set: true,
      api_key_last4: 'host',
      limits,
      models: [model],
      learned: [learned],
      shares_limits_with: [],
      created_at: at('08:10:00'),
      updated_at: at('08:10:00'),
    },
  },
  ProviderTest: {
    'The model answers': { ok: true, latency_ms: 412, error: null, learned: [refused] },
    'The provider refuses the key': {
      ok: false,
      latency_ms: 96,
      error: 'The provider answered 401: Incorrect API key provided',
      learned: [],
    },
  },
  DiscoveredModels: { 'Two models': { models: [{ id: 'gpt-5-mini' }, { id: 'gpt-5' }] } },
  ProviderTemplate: {
    'A host': {
      key: 'mistral',
      name: 'Mistral',
      kind: 'openai',
      base_url: 'https://api.mistral.ai/v1',
      needs_key: true,
      unsupported_params: ['seed'],
      quirks: ['The seed is called random_seed.'],
      docs: 'https://docs.mistral.ai/api',
      unverified: ['the largest temperature, which varies by model'],
    },
  },
  KnownPrices: { 'The table of a release': { as_of: '2026-11-17', source: 'built in', hosts: [knownHost] } },
  KnownHost: { 'A host': knownHost },
  KnownModel: { 'A model with prices of its cache': knownModel },
  Lane: {
    'A lane of a provider that is down': {
      id: EXAMPLE_IDS.lane,
      name: 'openai',
      providers: ['openai'],
      limits,
      paused_at: null,
      in_flight: 24,
      waiting: 8,
      backlog: 1200,
      now: {
        requests_in_flight: 16,
        adaptive_factor: 0.5,
        blocked_until: at('09:31:20'),
        breaker: {
          state: 'open',
          since: at('09:31:00'),
          next_probe_at: at('09:31:10'),
          error: 'It refuses connections.',
        },
      },
    },
    'A lane that is paused': {
      id: EXAMPLE_IDS.lane,
      name: 'openai',
      providers: ['openai'],
      limits,
      paused_at: at('09:40:00'),
      in_flight: 0,
      waiting: 0,
      backlog: 1200,
      now: null,
    },
  },
};
