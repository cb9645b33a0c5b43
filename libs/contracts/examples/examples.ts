import { exampleSuite } from './example-suite.js';

/**
 * Whole examples of every named schema, by its id: what /docs shows of requests, answers and their fields. They
 * tell one story, so that the ids of one are found in the others. The first example of a schema is the usual one;
 * the others show what it leaves out.
 */

const at = (time: string): string => `2026-11-20T${time}.000Z`;
const idOf = (what: number): string => `019aa8a2-5c1e-7000-8000-${String(what).padStart(12, '0')}`;

export const EXAMPLE_IDS = {
  team: idOf(1),
  user: idOf(2),
  suite: idOf(11),
  case: idOf(21),
  tokyo: idOf(22),
  abstention: idOf(23),
  run: idOf(31),
  baseline: idOf(32),
  job: idOf(41),
  rescoreJob: idOf(42),
  experiment: idOf(51),
  lane: idOf(61),
  token: idOf(71),
  rescore: idOf(81),
};

const tool = exampleSuite.tools[0]!;
const suiteSettings = {
  name: exampleSuite.name,
  description: exampleSuite.description,
  system_prompt: 'You help people with the weather.',
  tools: exampleSuite.tools,
  pass_threshold: 1,
};
const target = 'simulator::perfect-ish';

const message = { role: 'user', content: 'And in Tokyo, in Fahrenheit?' };
const scoringConfig = {
  mode: 'exact',
  defaults: 'strict',
  params: { city: { mode: 'fuzzy', threshold: 0.9 }, days: { mode: 'numeric_tolerance', epsilon: 1 } },
};
const scoringOfAll = { mode: 'numeric_tolerance', epsilon: 0.5, threshold: 0.8 };
const expectedCall = { tool: 'get_weather', params: { city: 'London' }, scoring_config: { mode: 'contains' } };
const oneCall = {
  name: 'Tokyo in Fahrenheit',
  category: 'current',
  tags: ['enum'],
  prompt: 'Temperature in Tokyo in Fahrenheit',
  expected_tool: 'get_weather',
  expected_params: { city: { $one_of: ['Tokyo', 'Tōkyō'] }, units: 'fahrenheit' },
};
const severalCalls = {
  source: 'otlp trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7',
  prompt: 'Compare the weather in Paris and in London.',
  expected_calls: [{ tool: 'get_weather', params: { city: 'Paris' } }, expectedCall],
  call_order: 'any',
  allow_extra_calls: false,
};
const conversation = {
  messages: [
    { role: 'user', content: 'What is the weather in Paris?' },
    { role: 'assistant', content: 'Shall I look it up in Celsius?' },
    message,
  ],
  expected_tool: 'get_weather',
  expected_params: { city: 'tokyo' },
  param_scoring: 'contains',
  scoring_config: scoringConfig,
  tools: ['get_weather'],
  distractors: { count: 0, seed: 7 },
};
const chain = {
  prompt: 'Is it warmer in Paris than in London?',
  multi_turn: true,
  expected_tool: 'get_weather',
  expected_params: { city: 'London' },
  max_rounds: 4,
  optimal_hops: 2,
  valid_prerequisites: ['get_weather'],
  mock_responses: { get_weather: [{ temperature: 21 }, { temperature: 17 }] },
};
const noCall = { prompt: 'Thank you, that was all.', expected_tool: null, should_call_tool: false, draft: true };

const suite = {
  id: EXAMPLE_IDS.suite,
  ...suiteSettings,
  version: 3,
  test_cases_count: 3,
  created_at: at('09:00:00'),
  updated_at: at('09:12:30'),
};
const paris = {
  id: EXAMPLE_IDS.case,
  position: 0,
  name: 'Paris now',
  prompt: "What's the weather in Paris?",
  expected_tool: 'get_weather',
  expected_params: { city: 'Paris' },
};

const limits = { requests_per_minute: 500, tokens_per_minute: 200_000, max_concurrency: 16 };
const model = {
  id: 'gpt-5-mini',
  name: 'GPT-5 mini',
  input_cost_per_mtok: 0.25,
  output_cost_per_mtok: 2,
  unsupported_params: ['temperature'],
  default_params: { reasoning_effort: 'low' },
  limits: { requests_per_minute: 100, tokens_per_minute: null, max_concurrency: 4 },
};
const provider = { key: 'openai', name: 'OpenAI', kind: 'openai', base_url: 'https://api.openai.com/v1' };
const budget = { max_cost_usd: 2.5, max_requests: 1000 };
const metricAsked = { id: 'axion_tool_correctness', options: { check_parameters: true } };

const recordedName = 'support-agent 2026-01';
const recordedLines = [
  {
    case: EXAMPLE_IDS.tokyo,
    sample: 0,
    reply: {
      role: 'assistant',
      tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
    },
  },
  { case: EXAMPLE_IDS.tokyo, sample: 1, error: 'The agent ran out of memory.' },
];
/** Lines of recorded replies. */
export const RECORDED_EXAMPLE = recordedLines.map((line) => JSON.stringify(line)).join('\n');

const group = {
  cases: 3,
  scored: 3,
  errored: 0,
  passed: 2,
  tool_accuracy: 1,
  param_accuracy: 0.75,
  overall: 0.9333333333333332,
  irrelevance_accuracy: 1,
};
const summary = {
  ...group,
  target,
  overall_ci: [0.8, 1],
  pass_rate: 0.6666666666666666,
  pass_rate_ci: [0.20765960080204765, 0.9385080552796037],
  pass_at_k: [0.6666666666666666],
  pass_hat_k: [0.6666666666666666],
  metrics: { axion_tool_correctness: { mean: 0.6666666666666666, ci: [0, 1], scored: 3, not_applicable: 0 } },
  format_counts: { native: 2, none: 1 },
  tool_choice_used: { required: 2 },
  error_counts: { none: 2, missing_argument: 1 },
  by_category: {
    current: {
      cases: 2,
      scored: 2,
      errored: 0,
      passed: 1,
      tool_accuracy: 1,
      param_accuracy: 0.75,
      overall: 0.9,
      irrelevance_accuracy: null,
    },
    abstention: {
      cases: 1,
      scored: 1,
      errored: 0,
      passed: 1,
      tool_accuracy: 1,
      param_accuracy: null,
      overall: 1,
      irrelevance_accuracy: 1,
    },
  },
  latency_ms: { p50: 640, p95: 702 },
  usage: { prompt_tokens: 276, completion_tokens: 45 },
  cost_usd: 0.000159,
  cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
};
const expected = {
  requests: 3,
  cached: 0,
  prompt_tokens: 279,
  completion_tokens: 192,
  cost_usd: 0.00045375,
  duration_s: 2,
};
const estimate = {
  ...expected,
  targets: [{ target, ...expected, tokens_by: 'o200k_base', replies_by: 'rule' }],
  counted_cases: 3,
  cases: 3,
};
const actual = {
  requests: 3,
  cached: 0,
  prompt_tokens: 276,
  completion_tokens: 45,
  cost_usd: 0.000159,
  duration_s: 0.734,
};

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
  notes: ['The reply was cut off at max_tokens.'],
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
  sample: 0,
  outcome: 'scored',
  passed: false,
  tool_score: 1,
  param_score: 0.5,
  overall: 0.8,
  error_type: 'missing_argument',
  format_compliance: 'native',
  expected: { tool: 'get_weather', params: { city: 'Tokyo', units: 'fahrenheit' } },
  called: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }],
  evidence,
  metrics: { axion_tool_correctness: { score: 0, pass: false } },
  scoring_version: 2,
  latency_ms: 702,
  usage: { prompt_tokens: 93, completion_tokens: 16 },
  cost_usd: 0.00005525,
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
  usage: { prompt_tokens: null, completion_tokens: null },
  cost_usd: null,
  attempts: 5,
  error: { kind: 'provider_5xx', message: 'The provider answered 503: overloaded' },
  tool_choice_used: 'auto',
};

const job = {
  id: EXAMPLE_IDS.job,
  type: 'tool_eval',
  status: 'running',
  progress: { done: 1, total: 3, errored: 0, percent: 33.3, eta_s: 1.4 },
  detail: null,
  result_ref: EXAMPLE_IDS.run,
  error: null,
  created_at: at('09:30:58'),
  started_at: at('09:30:59'),
  finished_at: null,
};
const warning = {
  code: 'abstention:auto',
  message:
    'Cases that expect no call are sent with tool_choice "auto": under "required" no model could get them right.',
  at: at('09:30:59'),
};
const run = {
  id: EXAMPLE_IDS.run,
  job_id: EXAMPLE_IDS.job,
  suite: { id: EXAMPLE_IDS.suite, name: suite.name, version: 3 },
  status: 'completed',
  config: {
    temperature: 0,
    tool_choice: 'required',
    samples: 1,
    max_tokens: 1024,
    timeout_s: 120,
    params: {},
    system_prompt: null,
    metrics: [],
    case_filter: null,
    model_order: 'sequential',
    budget: null,
    cache: 'use',
    models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: {} }],
  },
  targets: [
    { target, provider_key: 'simulator', model_id: 'perfect-ish', total: 3, settled: 3, errored: 0, passed: 2 },
  ],
  counts: { total: 3, settled: 3, errored: 0, passed: 2 },
  score: 0.9333333333333332,
  delta: 0.05,
  summaries: [summary],
  experiment_id: EXAMPLE_IDS.experiment,
  estimate,
  actual,
  warnings: [warning],
  created_at: at('09:30:58'),
  finished_at: at('09:31:02'),
};
const runInput = { suite_id: EXAMPLE_IDS.suite, models: [target, 'simulator::careless-arguments'] };
const rescoreInput = { metrics: [metricAsked], pass_threshold: 0.8, param_scoring: 'fuzzy', scoring_config: null };

const token = {
  id: EXAMPLE_IDS.token,
  name: 'Nightly run',
  role: 'editor',
  user: 'ci',
  expires_at: '2027-01-01T00:00:00.000Z',
  created_at: at('08:00:00'),
};
const secret = 'tm_7Fh2kQ9vXb4LsZ0cR6wYtE8nJ3mA5pGd';
const ownerToken = {
  ...token,
  id: idOf(72),
  name: 'first owner',
  role: 'owner',
  user: 'owner',
  expires_at: null,
  token: secret,
};
const team = { id: EXAMPLE_IDS.team, name: 'search' };

const mcpServer = {
  name: 'weather-server',
  version: '1.4.0',
  protocol_version: '2025-06-18',
  transport: 'streamable-http',
  instructions: 'Ask for one city at a time.',
};
const mcpTool = {
  name: 'get_weather',
  title: 'Weather',
  description: 'Get current weather for a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
};
const mcpAsked = {
  url: 'https://mcp.example.com/mcp',
  headers: { Authorization: 'Bearer a-token-of-the-server' },
  transport: 'auto',
};
const concerned = [{ id: EXAMPLE_IDS.case, position: 0, name: 'Paris now' }];
const withUnits = { ...tool, annotations: { readOnlyHint: true }, function: { ...tool.function, strict: false } };

const problem = (status: number, title: string, detail: string, errors?: { path: string; message: string }[]) => ({
  type: 'about:blank',
  title,
  status,
  detail,
  ...(errors && { errors }),
});

/** What each status looks like as a problem. */
export const PROBLEM_EXAMPLES: Record<string, object> = {
  400: problem(400, 'Bad Request', '/name is missing', [{ path: '/name', message: 'is missing' }]),
  401: problem(401, 'Unauthorized', 'Send your token as "Authorization: Bearer <token>".'),
  403: problem(403, 'Forbidden', 'This needs the role "owner"; the token has "editor".'),
  404: problem(404, 'Not Found', `No suite with id "${EXAMPLE_IDS.suite}" in this team.`),
  408: problem(
    408,
    'Request Timeout',
    'The body broke off, or nothing of it came for too long. Nothing of it was kept.',
  ),
  409: problem(409, 'Conflict', 'The run is not finished. Cancel it first, with POST /api/tool-eval/cancel.'),
  413: problem(413, 'Payload Too Large', 'The body is larger than 10 MiB. Import fewer cases at a time.'),
  422: problem(422, 'Unprocessable Entity', 'No provider "opnai". Providers: openai, simulator.', [
    { path: '/models/0', message: 'No provider "opnai". Providers: openai, simulator.' },
  ]),
  429: problem(429, 'Too Many Requests', 'Many large files are being imported just now. Try again in a few seconds.'),
  503: problem(503, 'Service Unavailable', 'The database cannot be reached at the moment. Try again in some seconds.'),
};

const bfclQuestion =
  '{"id": "simple_0", "question": [[{"role": "user", "content": "Weather in Paris?"}]], "function": ' +
  '[{"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "dict", ' +
  '"properties": {"city": {"type": "string"}}, "required": ["city"]}}]}';
const bfclAnswer = '{"id": "simple_0", "ground_truth": [{"get_weather": {"city": ["Paris"]}}]}';
/** What can be imported as it is, beside JSON. */
export const CSV_EXAMPLE =
  'prompt,expected_tool,expected_params\nWhat is the weather in Paris?,get_weather,"{""city"": ""Paris""}"\n';
export const JSONL_EXAMPLE =
  '{"prompt": "What is the weather in Paris?", "expected_tool": "get_weather", "expected_params": {"city": "Paris"}}\n';
export const YAML_EXAMPLE =
  'name: Weather\ntools:\n- type: function\n  function: { name: get_weather }\ntest_cases:\n- { ' +
  'prompt: What is the weather in Paris?, expected_tool: get_weather }\n';

const slip = 'The case, /expected_params/ctiy: "get_weather" has no parameter "ctiy"; is "city" meant?';

const cases = {
  'One call': paris,
  'Several calls': { id: idOf(24), position: 3, ...severalCalls },
  'A conversation': { id: idOf(25), position: 4, ...conversation },
  'A chain': { id: idOf(26), position: 5, ...chain },
  'A draft that expects no call': {
    id: idOf(27),
    position: 6,
    ...noCall,
    ...oneCall,
    expected_tool: null,
    expected_params: null,
  },
};

export const EXAMPLES: Record<string, Record<string, unknown>> = {
  Problem: { 'A field is missing': PROBLEM_EXAMPLES[400] },

  Me: { 'An owner': { team, user: { id: EXAMPLE_IDS.user, name: 'Ada' }, role: 'owner' } },
  Token: { 'A token that expires': token },
  TokenInput: {
    'A token for a pipeline': { name: 'Nightly run', role: 'editor', user: 'ci', expires_at: '2099-01-01T00:00:00Z' },
    'A token that only reads': { name: 'Dashboard', role: 'viewer' },
  },
  NewToken: { 'A token with its secret': { ...token, token: secret } },
  Team: { 'A team': { ...team, created_at: at('08:00:00') } },
  TeamInput: { 'A team': { name: 'search' } },
  NewTeam: { 'A team with its first token': { ...team, created_at: at('08:00:00'), token: ownerToken } },

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
    'Everything that can change': {
      name: 'OpenAI',
      base_url: provider.base_url,
      kind: 'openai-responses',
      api_key: 'sk-another-key',
      limits,
      models: [model, { id: 'text-embedding-3-small' }],
    },
  },
  Provider: {
    'A host with a key': {
      ...provider,
      api_key_set: true,
      api_key_last4: 'host',
      limits,
      models: [model],
      created_at: at('08:10:00'),
      updated_at: at('08:10:00'),
    },
  },
  ProviderTest: {
    'It answers': { ok: true, latency_ms: 412, error: null },
    'It refuses the key': { ok: false, latency_ms: 96, error: 'The provider answered 401: Incorrect API key provided' },
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

  Tool: { 'A function': tool, 'A function of an MCP server': withUnits },
  Message: { 'What a user says': message },
  ScoringConfig: { 'A rule for one argument': scoringConfig, 'A rule for all': scoringOfAll },
  ExpectedCall: { 'A call of several': expectedCall },
  CaseInput: {
    'One call': oneCall,
    'Several calls': severalCalls,
    'A conversation': conversation,
    'A chain': chain,
    'No call': noCall,
  },
  Case: cases,
  SuiteInput: { 'A suite': suiteSettings },
  SuitePatch: { 'Another threshold': { pass_threshold: 0.8 }, 'Everything that can change': suiteSettings },
  SuiteReplacement: {
    'Another name and other tools': { name: suiteSettings.name, tools: suiteSettings.tools },
    Everything: suiteSettings,
    'Without a system prompt': { ...suiteSettings, system_prompt: null },
  },
  SuiteFile: { 'A suite with its cases': exampleSuite },
  CaseWritten: Object.fromEntries(Object.entries(cases).map(([title, one]) => [title, { ...one, warnings: [slip] }])),
  CasesWritten: { 'One case': { ...paris, warnings: [slip] }, 'Several cases': { items: [paris], warnings: [] } },
  CasesInput: {
    'One case': oneCall,
    'Several cases': [severalCalls, chain],
    'Several cases in an object': { cases: [noCall] },
  },
  ImportBody: {
    'A suite': exampleSuite,
    'CSV, with ?format=csv': {
      text: CSV_EXAMPLE,
      name: 'Weather',
      description: 'Out of a spreadsheet',
      system_prompt: 'You help people with the weather.',
      pass_threshold: 1,
      tools: exampleSuite.tools,
    },
    'BFCL, with ?format=bfcl': { text: bfclQuestion, possible_answers: bfclAnswer },
  },
  Suite: { 'A suite': suite },
  SuiteWritten: {
    'A suite': {
      ...suite,
      warnings: [
        'The tool (get_weather) came in the shape of Anthropic (input_schema), and is kept in that ' +
          "of OpenAI's chat completions.",
      ],
    },
  },
  SuiteWithCases: { 'A suite with its cases': { ...suite, test_cases_count: 1, test_cases: [paris] } },
  ImportAnswer: {
    'A suite was made': {
      suite_id: EXAMPLE_IDS.suite,
      test_cases_created: 3,
      warnings: ['Line 4: "weight" is no field of a case, and is left out.'],
    },
    'A dry run': { suite_id: null, test_cases_created: 3, warnings: [], dry_run: true, preview: exampleSuite },
  },

  McpDiscoverInput: { 'A server that asks for a token': mcpAsked },
  McpTool: { 'A tool': mcpTool },
  McpServer: { 'A server': mcpServer },
  McpDiscovered: {
    'A server with a tool': {
      server: mcpServer,
      tools: [mcpTool],
      warnings: ['The tool "search!" is named "search_" here.'],
    },
  },
  McpImportInput: {
    'Some tools of a server': {
      ...mcpAsked,
      tool_names: ['get_weather'],
      suite_name: 'Weather tools',
      use_instructions: true,
      generate_cases: true,
    },
    'Tools that were discovered before': { tools: [mcpTool], suite_name: 'Weather tools' },
  },
  McpImportAnswer: {
    'A suite was made': {
      suite_id: EXAMPLE_IDS.suite,
      tools_created: 1,
      test_cases_created: 1,
      server: mcpServer,
      warnings: ["The server's instructions are the system prompt of the suite."],
    },
  },
  McpSyncInput: { 'A server that asks for a token': mcpAsked },
  McpSyncAnswer: {
    'One of each': {
      server: mcpServer,
      added: [{ name: 'get_forecast', tool: { ...tool, function: { name: 'get_forecast' } } }],
      removed: [{ name: 'get_tides', cases: concerned }],
      changed: [{ name: 'get_weather', fields: ['description'], before: tool, after: withUnits, cases: concerned }],
      applied: false,
      version: 3,
      warnings: [],
    },
  },

  MetricAsked: { 'A metric with an option': metricAsked },
  MetricInfo: {
    'A metric': {
      id: 'ragas_tool_call_accuracy',
      reference: 'Ragas ToolCallAccuracy',
      version: '0.4.3',
      meaning: 'Share of right arguments where the names agree as sequences, else 0.',
      options: { type: 'object', properties: { strict_order: { type: 'boolean', default: true } } },
      input: {
        type: 'object',
        properties: { called: { type: 'array' }, expected: { type: 'array' } },
        required: ['called', 'expected'],
        additionalProperties: false,
      },
      example: {
        metric: 'ragas_tool_call_accuracy',
        input: {
          called: [{ name: 'weather', arguments: { city: 'Paris' } }],
          expected: [{ name: 'weather', arguments: { city: 'Paris' } }],
        },
      },
    },
  },
  Budget: { 'Two and a half dollars': budget },
  RunInput: {
    'Two models': runInput,
    'Everything that can be said': {
      suite_id: EXAMPLE_IDS.suite,
      models: [{ provider_key: 'openai', model_id: 'gpt-5-mini', params: { top_p: 0.9 } }],
      temperature: 0.2,
      tool_choice: 'auto',
      samples: 3,
      max_tokens: 1024,
      timeout_s: 60,
      params: { seed: 7 },
      system_prompt: { '*': 'Answer briefly.' },
      metrics: [metricAsked],
      case_filter: { tags: ['enum'], category: 'current' },
      model_order: 'parallel',
      budget,
      cache: 'refresh',
      experiment_id: EXAMPLE_IDS.experiment,
    },
  },
  Submitted: { 'A run was submitted': { job_id: EXAMPLE_IDS.job, eval_id: EXAMPLE_IDS.run, status: 'submitted' } },
  RecordedInput: {
    'Lines as text': { suite_id: EXAMPLE_IDS.suite, target_name: recordedName, replies: RECORDED_EXAMPLE },
    'A list, and more that can be said': {
      suite_id: EXAMPLE_IDS.suite,
      target_name: recordedName,
      replies: recordedLines,
      metrics: [metricAsked],
      experiment_id: EXAMPLE_IDS.experiment,
    },
  },
  RecordedSubmitted: {
    'A recorded run was submitted': {
      job_id: EXAMPLE_IDS.job,
      eval_id: EXAMPLE_IDS.run,
      status: 'submitted',
      replies: 2,
      read_as: { 'toolmark.message': 1, error: 1 },
      warnings: ["The replies are of 1 of the suite's 3 cases; the others take no part in this run."],
    },
  },
  ResumeInput: { 'A larger budget': { budget: { max_cost_usd: 5 } } },
  CancelInput: { 'A job': { job_id: EXAMPLE_IDS.job } },
  Job: { 'A job under way': job },
  Estimate: { 'Three cases, one model': estimate },
  Actual: { 'Three cases, one model': actual },
  Summary: { 'Three cases': summary },
  RunWarning: { 'Something was asked differently': warning },
  Run: { 'A run that is done': run },
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
      exchange: {
        requests: [
          {
            model: 'perfect-ish',
            messages: [{ role: 'user', content: result.prompt }],
            tools: [tool],
            tool_choice: 'required',
            temperature: 0,
            max_tokens: 1024,
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
      },
    },
    'Several calls': { ...resultOfSeveral, explanation: [], exchange: null },
    'An errored item': {
      ...erroredResult,
      explanation: [
        'No model answered: The provider answered 503: overloaded',
        'The item has no score and counts in no average.',
      ],
      exchange: null,
    },
  },
  RunExport: { 'A run with a result': { run, results: [result] } },
  RescoreInput: { 'Another threshold and metric': rescoreInput },
  RescoreSubmitted: {
    'A rescore was submitted': {
      job_id: EXAMPLE_IDS.rescoreJob,
      rescore_id: EXAMPLE_IDS.rescore,
      eval_id: EXAMPLE_IDS.run,
      status: 'submitted',
    },
  },
  Rescore: {
    'A rescore that is done': {
      id: EXAMPLE_IDS.rescore,
      eval_id: EXAMPLE_IDS.run,
      job_id: EXAMPLE_IDS.rescoreJob,
      status: 'completed',
      options: rescoreInput,
      scoring_version: 2,
      score: 0.9333333333333332,
      summaries: [summary],
      created_at: at('10:00:00'),
    },
  },

  ExperimentInput: {
    'An experiment': {
      name: 'Shorter descriptions',
      suite_id: EXAMPLE_IDS.suite,
      description: 'Do models choose as well when descriptions are half as long?',
      baseline_eval_id: EXAMPLE_IDS.baseline,
    },
  },
  Experiment: {
    'An experiment': {
      id: EXAMPLE_IDS.experiment,
      name: 'Shorter descriptions',
      suite_id: EXAMPLE_IDS.suite,
      description: 'Do models choose as well when descriptions are half as long?',
      baseline_eval_id: EXAMPLE_IDS.baseline,
      created_at: at('09:20:00'),
      updated_at: at('09:20:00'),
    },
  },

  EmbeddingSetting: {
    'An embedding model': { provider_key: 'openai', model_id: 'text-embedding-3-small' },
    None: { provider_key: null, model_id: null },
  },
  CacheInput: { 'Thirty days': { lifetime_days: 30 } },
  CacheSetting: { 'Thirty days': { lifetime_days: 30, entries: 1240, bytes: 2_310_144 } },
  JobsSetting: { 'Four jobs': { running_jobs_per_user: 4 } },
  SpendingInput: { 'A hundred dollars a month': { monthly_cap_usd: 100 } },
  Spending: { 'Some of it is spent': { monthly_cap_usd: 100, spent_usd: 12.43, month: '2026-11' } },
};
