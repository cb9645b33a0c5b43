import { EXAMPLE_IDS, at, idOf, severalCalls, target, tool } from './example-values.js';
import { run } from './run-examples.js';

const evidence = {
  pairs: [
    {
      called: 0,
      expected: 0,
      param_score: 0.5,
      arguments: [
        { path: '/city', rule: 'exact', verdict: 'match', expected: 'Tokyo', actual: 'Tokyo' },
        { path: '/units', rule: 'exact', verdict: 'missing', expected: 'fahrenheit' },
      ],
    },
  ],
  missing: [],
  unexpected: [],
};
const evidenceOfSeveral = {
  pairs: [
    { called: 1, expected: 0, param_score: 0, arguments: [] },
    {
      called: 0,
      expected: 1,
      param_score: 1,
      arguments: [
        {
          path: '/city',
          rule: 'fuzzy',
          verdict: 'match',
          expected: 'London',
          actual: 'london',
          similarity: 1,
          threshold: 0.8,
        },
        {
          path: '/units',
          rule: 'exact',
          verdict: 'match',
          expected: 'celsius',
          actual: 'celsius',
          default_applied: true,
        },
        {
          path: '/days',
          rule: 'numeric_tolerance',
          verdict: 'mismatch',
          expected: 5,
          actual: 3,
          distance: 2,
          epsilon: 1,
        },
        {
          path: '/report',
          rule: 'fuzzy',
          verdict: 'match',
          expected: 'Long.',
          actual: 'Long.',
          note: 'Longer than 20000 characters: compared exactly.',
        },
      ],
    },
  ],
  missing: [2],
  unexpected: [2],
  extra_arguments: ['/0/days'],
  precision: 0.5,
  recall: 0.5,
  f1: 0.5,
  schema: [{ called: 0, path: '/days', problem: 'undeclared_key', message: 'is not declared by the tool' }],
  notes: ['The reply ended at its token limit. The calls that it makes are whole.'],
  syntax: 'hermes',
  finish_reason: 'length',
};
const bound = { what: 'calls', limit: 1000, found: 1204 };
const result = {
  id: '0-1-0',
  seq: 4,
  target,
  case_id: EXAMPLE_IDS.tokyo,
  case_name: 'Tokyo in Fahrenheit',
  prompt: 'Temperature in Tokyo in Fahrenheit',
  category: 'current',
  tags: ['enum'],
  source: 'otlp trace 4bf92f35 span 00f067aa',
  sample: 0,
  outcome: 'scored',
  passed: false,
  tool_score: 1,
  param_score: 0.5,
  overall: 0.8,
  error_type: 'missing_argument',
  format_compliance: 'native',
  syntax: null,
  expected: { tool: 'get_weather', params: { city: 'Tokyo', units: 'fahrenheit' } },
  called: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }],
  evidence,
  metrics: { axion_tool_correctness: { score: 0, pass: false } },
  scoring_version: 2,
  latency_ms: 702,
  usage: {
    prompt_tokens: 93,
    completion_tokens: 16,
    cache_read_tokens: 0,
    cache_write_5m_tokens: null,
    cache_write_1h_tokens: null,
    reasoning_tokens: 0,
  },
  cost_usd: 0.00005525,
  cost_reported: false,
  cached: false,
  attempts: 1,
  error: null,
  tool_choice_used: 'required',
  settled_at: at('09:31:00'),
};
const resultOfSeveral = {
  ...result,
  id: '0-3-0',
  seq: 6,
  case_id: idOf(24),
  case_name: null,
  prompt: 'Compare the weather in Paris and in London.',
  category: null,
  tags: [],
  source: null,
  param_score: 0.5,
  error_type: 'malformed_arguments',
  format_compliance: 'malformed',
  evidence: evidenceOfSeveral,
  expected: { tool: null, params: null, calls: severalCalls.expected_calls },
  called: [
    { name: 'get_weather', arguments: { city: 'London', days: 3 }, repairs: ['double_encoded'] },
    { name: 'get_weather', arguments: null, raw: '{"city": "Par' },
  ],
};
const erroredResult = {
  ...result,
  id: '0-2-0',
  seq: 5,
  case_id: EXAMPLE_IDS.abstention,
  case_name: null,
  prompt: 'Thank you, that was all.',
  category: 'abstention',
  tags: [],
  source: null,
  outcome: 'errored',
  tool_score: null,
  param_score: null,
  overall: null,
  error_type: 'errored',
  format_compliance: null,
  expected: { tool: null, params: null },
  called: [],
  evidence: null,
  metrics: {},
  usage: {
    prompt_tokens: null,
    completion_tokens: null,
    cache_read_tokens: null,
    cache_write_5m_tokens: null,
    cache_write_1h_tokens: null,
    reasoning_tokens: null,
  },
  cost_usd: null,
  attempts: 5,
  error: { kind: 'provider_5xx', message: 'The provider answered 503: overloaded' },
  tool_choice_used: 'auto',
};

const replyText = { text: null, thoughts: 'They ask for Tokyo.', refusal: null, finish_reason: 'tool_calls' };
const caseRun = { id: EXAMPLE_IDS.run, name: 'Small models', created_at: at('09:30:00'), suite_version: 3 };

export const RESULT_EXAMPLES = {
  CaseResult: { 'A result of a case': { run: caseRun, result: { ...result, evidence: null, metrics: {} } } },
  Evidence: {
    'A missing argument': evidence,
    'Several calls': evidenceOfSeveral,
    'A chain': { ...evidence, chain: { completion: 0.8, efficiency: 0.5, redundancy: 0.1, detour: 0, hops: 2 } },
    'An oversized reply': { pairs: [], missing: [0], unexpected: [], bound },
  },
  Bound: { 'Too many calls': bound },
  Result: { 'A missing argument': result, 'Several calls': resultOfSeveral, 'An errored item': erroredResult },
  ResultWithExchange: {
    'A missing argument': {
      ...result,
      explanation: [
        'The right tool was called: "get_weather".',
        'The argument units is missing (expected "fahrenheit").',
      ],
      said: [replyText],
      exchange: {
        requests: [
          {
            model: 'perfect-ish',
            messages: [{ role: 'user', content: result.prompt }],
            tools: [tool],
            tool_choice: 'required',
            temperature: 0,
          },
        ],
        replies: [
          {
            choices: [
              {
                index: 0,
                finish_reason: 'tool_calls',
                message: {
                  role: 'assistant',
                  reasoning_content: replyText.thoughts,
                  tool_calls: [
                    {
                      id: 'call_1',
                      type: 'function',
                      function: { name: 'get_weather', arguments: '{"city":"Tokyo"}' },
                    },
                  ],
                },
              },
            ],
          },
        ],
        refused: 1,
        names: { weather_get: 'weather.get' },
        adjusted: { max_tokens: 'max_completion_tokens' },
      },
    },
    'Several calls': { ...resultOfSeveral, explanation: [], said: [], exchange: null },
    'An errored item': {
      ...erroredResult,
      explanation: [
        'No model answered: The provider answered 503: overloaded',
        'The item has no score and counts in no average.',
      ],
      said: [],
      exchange: null,
    },
  },
  ResultNeighbours: {
    'The first of two failures': { previous: null, next: '0-2-0', previous_failure: null, next_failure: '0-2-0' },
  },
  ReplyText: {
    'A call': replyText,
    'A reply that declined': {
      text: null,
      thoughts: null,
      refusal: 'I cannot help with that.',
      finish_reason: 'content_filter',
    },
  },
  RunExport: { 'A run with a result': { run, results: [result] } },
};
