import { exampleSuite } from './example-suite.js';

/** Values that the examples share. The examples tell one story: the ids of one appear in the others. */

export const at = (time: string): string => `2026-11-20T${time}.000Z`;
export const idOf = (what: number): string => `019aa8a2-5c1e-7000-8000-${String(what).padStart(12, '0')}`;

export const EXAMPLE_IDS = {
  team: idOf(1),
  user: idOf(2),
  suite: idOf(11),
  case: idOf(21),
  tokyo: idOf(22),
  abstention: idOf(23),
  run: idOf(31),
  baseline: idOf(32),
  best: idOf(33),
  job: idOf(41),
  rescoreJob: idOf(42),
  experiment: idOf(51),
  lane: idOf(61),
  token: idOf(71),
  rescore: idOf(81),
  gateRun: idOf(91),
  gate: idOf(101),
  added: idOf(34),
  gateJob: idOf(43),
  tune: idOf(111),
  promptTune: idOf(112),
  tuneJob: idOf(44),
  trial: idOf(35),
  preset: idOf(121),
  prompt: idOf(131),
  earlierPrompt: idOf(132),
  report: idOf(141),
};

export const tool = exampleSuite.tools[0]!;
export const suiteSettings = {
  name: exampleSuite.name,
  description: exampleSuite.description,
  system_prompt: 'You help people with the weather.',
  tools: exampleSuite.tools,
  pass_threshold: 1,
};
export const target = 'simulator::perfect-ish';

export const message = { role: 'user', content: 'And in Tokyo, in Fahrenheit?' };
export const scoringConfig = {
  mode: 'exact',
  defaults: 'strict',
  params: { city: { mode: 'fuzzy', threshold: 0.9 }, days: { mode: 'numeric_tolerance', epsilon: 1 } },
};
export const scoringOfAll = { mode: 'numeric_tolerance', epsilon: 0.5, threshold: 0.8 };
export const expectedCall = { tool: 'get_weather', params: { city: 'London' }, scoring_config: { mode: 'contains' } };
export const oneCall = {
  name: 'Tokyo in Fahrenheit',
  category: 'current',
  tags: ['enum'],
  prompt: 'Temperature in Tokyo in Fahrenheit',
  expected_tool: 'get_weather',
  expected_params: { city: { $one_of: ['Tokyo', 'Tōkyō'] }, units: 'fahrenheit' },
};
export const severalCalls = {
  source: 'otlp trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7',
  prompt: 'Compare the weather in Paris and in London.',
  expected_calls: [{ tool: 'get_weather', params: { city: 'Paris' } }, expectedCall],
  call_order: 'any',
  allow_extra_calls: false,
};
export const conversation = {
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
export const chain = {
  prompt: 'Is it warmer in Paris than in London?',
  multi_turn: true,
  expected_tool: 'get_weather',
  expected_params: { city: 'London' },
  max_rounds: 4,
  optimal_hops: 2,
  valid_prerequisites: ['get_weather'],
  mock_responses: { get_weather: [{ temperature: 21 }, { temperature: 17 }] },
};
export const noCall = { prompt: 'Thank you, that was all.', expected_tool: null, should_call_tool: false, draft: true };

export const suite = {
  id: EXAMPLE_IDS.suite,
  ...suiteSettings,
  version: 3,
  test_cases_count: 3,
  created_at: at('09:00:00'),
  updated_at: at('09:12:30'),
};
export const paris = {
  id: EXAMPLE_IDS.case,
  position: 0,
  name: 'Paris now',
  prompt: "What's the weather in Paris?",
  expected_tool: 'get_weather',
  expected_params: { city: 'Paris' },
};

export const budget = { max_cost_usd: 2.5, max_requests: 1000 };
export const metricAsked = { id: 'axion_tool_correctness', options: { check_parameters: true } };

export const recordedName = 'support-agent 2026-01';
export const recordedLines = [
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
