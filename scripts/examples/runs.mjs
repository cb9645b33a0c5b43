// Cases, and their runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../set-up.mjs';
import { CARELESS, GOOD, JUDGE } from './models.mjs';

const METRIC = { id: 'axion_tool_correctness', options: { check_parameters: true } };
const ONE_CALL = {
  name: 'Kyoto in Fahrenheit',
  category: 'current',
  tags: ['enum'],
  prompt: 'Temperature in Kyoto in Fahrenheit',
  expected_tool: 'get_weather',
  expected_params: { city: { $one_of: ['Kyoto', 'Kyōto'] }, units: 'fahrenheit' },
};
const SEVERAL_CALLS = {
  source: 'otlp trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7',
  prompt: 'Compare the weather in Paris and in London.',
  expected_calls: [
    { tool: 'get_weather', params: { city: 'Paris' } },
    { tool: 'get_weather', params: { city: 'London' }, scoring_config: { mode: 'contains' } },
  ],
  call_order: 'any',
  allow_extra_calls: false,
};
const CONVERSATION = {
  messages: [
    { role: 'user', content: 'What is the weather in Paris?' },
    { role: 'assistant', content: 'Shall I look it up in Celsius?' },
    { role: 'user', content: 'And in Tokyo, in Fahrenheit?' },
  ],
  expected_tool: 'get_weather',
  expected_params: { city: 'tokyo' },
  param_scoring: 'contains',
  scoring_config: {
    mode: 'exact',
    defaults: 'strict',
    params: { city: { mode: 'fuzzy', threshold: 0.9 }, days: { mode: 'numeric_tolerance', epsilon: 1 } },
  },
  tools: ['get_weather'],
  distractors: { count: 0, seed: 7 },
};
const CHAIN = {
  prompt: 'Is it warmer in Paris than in London?',
  multi_turn: true,
  expected_tool: 'get_weather',
  expected_params: { city: 'London' },
  max_rounds: 4,
  optimal_hops: 2,
  valid_prerequisites: ['get_weather'],
  mock_responses: { get_weather: [{ temperature: 21 }, { temperature: 17 }] },
};
const NO_CALL = { prompt: 'Thank you, that was all.', expected_tool: null, should_call_tool: false, draft: true };
const SLIP = { ...ONE_CALL, expected_params: { ctiy: 'Kyoto' } };
const SCORING = { mode: 'numeric_tolerance', epsilon: 0.5, threshold: 0.8 };

export async function playCases({ call, submit, ids }) {
  const { suite_id: suite } = await call('POST', '/api/tool-eval/import', {
    ...(await call('GET', '/api/tool-eval/import/example')),
    name: 'Weather, edited',
  });
  const run = () => submit('/api/tool-eval', { suite_id: suite, models: [GOOD] });
  const earlier = await run();
  const path = `/api/tool-suites/${suite}`;
  const made = await call('POST', `${path}/cases`, ONE_CALL);
  await call('POST', `${path}/cases`, [SEVERAL_CALLS, CHAIN, CONVERSATION]);
  await call('POST', `${path}/cases`, { cases: [NO_CALL] });
  for (const one of [SLIP, SEVERAL_CALLS, CHAIN, { ...CONVERSATION, scoring_config: SCORING }, NO_CALL, ONE_CALL])
    await call('PUT', `${path}/cases/${made.id}`, one);
  await call('GET', `${path}/cases/${made.id}`);
  const { items } = await call('GET', `${path}/cases`);
  await call('GET', `${path}/cases?text=Tokyo`);
  await call('DELETE', `${path}/cases/${items[2].id}`);
  await call('PUT', `${path}/cases/${items[0].id}`, { ...ONE_CALL, name: 'Another prompt' });
  const tool = (await call('GET', path)).tools[0].function;
  await call('PATCH', path, {
    pass_threshold: 0.8,
    tools: [
      { type: 'function', function: { ...tool, description: 'Tells the weather' } },
      { type: 'function', function: { ...tool, name: 'get_news' } },
    ],
  });
  const later = await run();
  const { items: versions } = await call('GET', `${path}/versions`);
  const [to, from] = versions.map(({ version }) => version);
  const { rescore_id } = await submit(`/api/tool-eval/history/${earlier.eval_id}/rescore`, { suite_version: to });
  await call('GET', `/api/tool-eval/history/${earlier.eval_id}/rescores`);
  await call('GET', `/api/tool-eval/history/${earlier.eval_id}/results?rescore_id=${rescore_id}`);
  await call('GET', `${path}/versions/${from}/changes?to=${to}&wait=20`);
  await call('GET', `${path}/versions/${to}`);
  await call('GET', `${path}/versions/${to}/cases/${made.id}`);
  await call('GET', `${path}/cases/${items[1].id}/results`);
  await call('GET', `${path}/case-labels`);
  await call('GET', `${path}/cases?verdicts=true&limit=2`);
  await call('POST', `${path}/versions/${from}/restore`);
  await call('POST', `${path}/versions/${to}/restore`);
  await call('GET', `${path}/export`);
  await call('GET', path);
  Object.assign(ids.others, { earlier: earlier.eval_id, later: later.eval_id });
}

const OVERRIDES = { 'tools/get_weather/description': 'Tells the weather in a city at the moment.' };

export async function playRuns(story) {
  const { call, submit, ids } = story;
  const suite_id = ids.suite;
  const models = [GOOD, CARELESS];
  const input = { suite_id, models };
  await call('POST', '/api/tool-eval/estimate', input);
  ids.baseline = (await submit('/api/tool-eval', { ...input, metrics: [METRIC] })).eval_id;
  const kept = (of) => call('POST', '/api/prompt-versions', { suite_id, components: OVERRIDES, ...of });
  ids.earlierPrompt = (
    await kept({
      components: { system_prompt: 'You help people with the weather, and with nothing else.', ...OVERRIDES },
      label: 'Says what the tool is not for',
      tags: ['production'],
    })
  ).id;
  ids.prompt = (await kept({ parent_id: ids.earlierPrompt })).id;
  await call('PATCH', `/api/prompt-versions/${ids.prompt}`, { tags: ['production'] });
  await call('PATCH', `/api/prompt-versions/${ids.prompt}`, { label: 'Shorter' });
  await call('GET', `/api/prompt-versions?suite_id=${suite_id}`);
  await call('GET', `/api/prompt-versions/${ids.prompt}`);
  await call('GET', `/api/prompt-versions/${ids.prompt}/diff?to=${ids.earlierPrompt}`);
  const experiment = { name: 'Shorter tool descriptions', suite_id, baseline_eval_id: ids.baseline };
  ids.experiment = (
    await call('POST', '/api/experiments', { ...experiment, description: 'Do models choose as well?' })
  ).id;
  const run = await submit('/api/tool-eval', {
    suite_id,
    models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }, CARELESS],
    temperature: 0.2,
    tool_choice: 'auto',
    samples: 2,
    max_tokens: 2048,
    timeout_s: 60,
    params: { seed: 7 },
    system_prompt: { '*': 'Answer briefly.' },
    base_prompt: 'You help people with the weather, and with nothing else.',
    tool_overrides: OVERRIDES,
    prompt_version_id: ids.earlierPrompt,
    metrics: [METRIC],
    case_filter: { tags: ['enum', 'single', 'number'] },
    model_order: 'parallel',
    budget: { max_cost_usd: 2.5, max_requests: 1000 },
    judge: { judge: JUDGE, when: 'inline', below: 0.9 },
    cache: 'refresh',
    prompt_cache: '5m',
    experiment_id: ids.experiment,
    name: 'Shorter tool descriptions',
    note: 'Every description is one sentence now.',
  });
  ids.run = run.eval_id;
  await call('PATCH', `/api/tool-eval/history/${run.eval_id}`, { name: 'Shorter', note: 'One sentence each.' });
  await playOddRuns(story);
  await readRuns(story);
}

/** Runs that wait, stop, resume and fail. */
async function playOddRuns({ call, submit, ended, control, ids }) {
  const suite_id = ids.suite;
  const odd = [
    'json-in-content',
    'malformed-json',
    'no-required',
    'bad-request',
    'content-filter',
    'host:openai',
    'redirect',
  ];
  const wide = await submit('/api/tool-eval', {
    suite_id,
    models: [GOOD, ...odd.map((model) => `simulator::${model}`), 'anthropic::perfect-ish'],
    prompt_cache: '5m',
    model_order: 'parallel',
    metrics: [METRIC],
  });
  ids.others.odd = wide.eval_id;
  const little = { suite_id, models: [GOOD], cache: 'off', budget: { max_requests: 3 } };
  const stopped = await submit('/api/tool-eval', little);
  await call('GET', `/api/tool-eval/history/${stopped.eval_id}`);
  await call('POST', `/api/tool-eval/history/${stopped.eval_id}/resume`, { budget: { max_requests: 1000 } });
  await ended(stopped.job_id);
  const slow = await call('POST', '/api/tool-eval', { suite_id, models: ['simulator::slow-400'] });
  ids.job = slow.job_id;
  await call('GET', '/api/lanes');
  await call('GET', '/api/jobs');
  await call('GET', `/api/tool-eval/history/${slow.eval_id}`);
  await call('POST', '/api/tool-eval/cancel', { job_id: slow.job_id });
  await ended(slow.job_id);
  const limits = { samples: 1, budget: { max_requests: 1000 } };
  await call('POST', `/api/tool-eval/history/${ids.baseline}/samples`, limits);
  const added = await submit(`/api/tool-eval/history/${ids.baseline}/samples`, { samples: 1 });
  await call('GET', `/api/tool-eval/history/${added.eval_id}`);
  const models = ['wrong-tool'].map((model) => `simulator::${model}`);
  await control('models/wrong-tool', { on: false, status: 503 });
  const down = await call('POST', '/api/tool-eval', { suite_id, models });
  await call('GET', '/api/lanes');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await call('GET', '/api/lanes');
  await control('models/wrong-tool', { on: true });
  await call('POST', `/api/jobs/${down.job_id}/cancel`);
}

async function readRuns({ call, submit, ids }) {
  const rescore = { metrics: [METRIC], pass_threshold: 0.8, param_scoring: 'fuzzy', scoring_config: null };
  await submit(`/api/tool-eval/history/${ids.run}/rescore`, rescore);
  for (const run of [ids.run, ids.others.odd]) {
    const path = `/api/tool-eval/history/${run}`;
    await call('GET', path);
    await call('GET', `${path}/rescores`);
    const { items: errored } = await call('GET', `${path}/results?outcome=errored`);
    const { items } = await call('GET', `${path}/results?limit=150`);
    for (const { id } of [...errored, ...items]) await call('GET', `${path}/results/${id}`);
    for (const { id } of items.filter(({ passed }) => !passed).slice(0, 3))
      await call('GET', `${path}/results/${id}/neighbours`);
    await call('GET', `${path}/export`);
    await call('GET', `${path}/ranking?wait=20`);
    await readCounts(call, path);
  }
  await call('GET', '/api/tool-eval/history');
  await call('GET', '/api/jobs');
  await call('GET', `/api/tool-eval/history/${ids.run}?prices=current`);
  for (const id of [ids.case, ids.tokyo]) await call('GET', `/api/tool-suites/${ids.suite}/cases/${id}/results`);
}

async function readCounts(call, path) {
  while ((await call('GET', `${path}/facets`)).status === 'counting')
    await new Promise((resolve) => setTimeout(resolve, 200));
  await call('GET', `${path}/confusion`);
  const { items } = await call('GET', `${path}/failures`);
  if (items[0]) await call('GET', `${path}/failures/${items[0].id}/draw?count=2`);
  await call('GET', `${path}/cases`);
  await call('GET', `${path}/cases?show=all`);
}

const TALKS = [
  'Place an order',
  'A cancellation times out once',
  'Tracking is down for good',
  'Looks first, cancels then',
];

/** Conversations of the shop, with tools that are busy or down, and with a user who goes on. */
export async function playConversations({ call, submit, ids }) {
  const shop = JSON.parse(readFileSync(join(root, 'examples/shop.json'), 'utf8'));
  const { suite_id: suite } = await call(
    'POST',
    '/api/tool-eval/import',
    { ...shop, test_cases: shop.test_cases.filter(({ name }) => TALKS.includes(name)) },
    { isShown: false },
  );
  const path = `/api/tool-suites/${suite}`;
  const { test_cases: cases } = await call('GET', path, undefined, { isShown: false });
  for (const { id } of cases) await call('GET', `${path}/cases/${id}`);
  await call('POST', '/api/tool-eval/estimate', { suite_id: suite, models: ['simulator::follows-rules'] });
  const { eval_id: run } = await submit('/api/tool-eval', {
    suite_id: suite,
    models: ['simulator::follows-rules', 'simulator::claims-success'],
  });
  await readResults(call, `/api/tool-eval/history/${run}`);
  ids.others.conversations = run;
}

async function readResults(call, path) {
  await call('GET', path);
  const { items } = await call('GET', `${path}/results`);
  for (const { id } of items) await call('GET', `${path}/results/${id}`);
}

/** Cases whose results have rare features: rounds, repairs, refusals, thoughts, many calls. */
export async function playChain({ call, submit, control, ids }) {
  const example = await call('GET', '/api/tool-eval/import/example');
  const { name, parameters, ...tool } = example.tools[0].function;
  const properties = { ...parameters.properties, days: { type: 'integer' }, report: { type: 'string' } };
  const report = 'r'.repeat(20_001); // Longer than texts that are compared fuzzily.
  const { suite_id: suite } = await call('POST', '/api/tool-eval/import', {
    ...example,
    name: 'Chains',
    tools: [name, 'news.get'].map((one) => ({
      type: 'function',
      function: { ...tool, name: one, parameters: { ...parameters, properties } },
    })),
    test_cases: [
      CHAIN,
      SEVERAL_CALLS,
      CONVERSATION,
      {
        prompt: 'How will the weather in Paris be over five days? Write a report.',
        expected_tool: 'get_weather',
        expected_params: { city: 'Paris', days: 5, report },
        scoring_config: { mode: 'fuzzy', params: { days: { mode: 'numeric_tolerance', epsilon: 1 } } },
      },
      ...example.test_cases,
    ],
  });
  const call1 = (name, args) => ({
    id: 'call_1',
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  });
  await control('scripted/odd', {
    replies: [
      {
        finish_reason: 'length',
        reasoning_content: 'They ask for two cities.',
        tool_calls: [
          call1('get_weather', { city: 'paris', days: 3, report }),
          call1('get_weather', JSON.stringify(JSON.stringify({ city: 'London' }))),
          call1('get_weather', '{"city": "Par'),
        ],
      },
    ],
  });
  const calls = Array.from({ length: 1200 }, () => call1('get_weather', { city: 'Paris' }));
  await control('scripted/many', { replies: [{ tool_calls: calls }] });
  const models = [GOOD, 'simulator::scripted:odd', 'simulator::scripted:many'];
  const input = { suite_id: suite, models, metrics: [METRIC] };
  const run = await submit('/api/tool-eval', input);
  const again = await submit('/api/tool-eval', { ...input, system_prompt: 'Answer briefly.' });
  await call('GET', `/api/compare/items?a=${run.eval_id}&b=${again.eval_id}&wait=20`);
  const path = `/api/tool-eval/history/${run.eval_id}`;
  const { items } = await call('GET', `${path}/results?limit=200`);
  for (const { id } of items) await call('GET', `${path}/results/${id}`);
  await call('GET', path);
  await readCounts(call, path);
  await call('POST', '/api/tool-eval/try', { case: CHAIN, suite_id: suite, models: [GOOD] });
}

export async function playRecorded({ call, ended, ids }) {
  const reply = {
    role: 'assistant',
    tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
  };
  const replies = [
    { case: ids.tokyo, sample: 0, reply },
    { case: ids.tokyo, sample: 1, error: 'The agent ran out of memory.' },
  ];
  const input = { suite_id: ids.suite, target_name: 'support-agent 2026-01' };
  const asText = replies.map((line) => JSON.stringify(line)).join('\n');
  const recorded = await call('POST', '/api/tool-eval/recorded', { ...input, replies: asText });
  await ended(recorded.job_id);
  const more = { metrics: [METRIC], experiment_id: ids.experiment };
  const listed = await call('POST', '/api/tool-eval/recorded', { ...input, replies, ...more });
  await ended(listed.job_id);
  await call('GET', `/api/tool-eval/history/${listed.eval_id}`);
  await call('GET', `/api/tool-eval/history/${listed.eval_id}/results`);
}

export async function playTries({ call, ids }) {
  const { tools } = await call('GET', '/api/tool-eval/import/example');
  const edited = { case: ONE_CALL, suite_id: ids.suite, tool_choice: 'required', metrics: [METRIC], deadline_s: 90 };
  await call('POST', '/api/tool-eval/try', { ...edited, models: [GOOD] });
  await call('POST', '/api/tool-eval/try', {
    case: SEVERAL_CALLS,
    suite_id: null,
    tools,
    base_prompt: 'You help people with the weather.',
    pass_threshold: 0.8,
    models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }],
    temperature: 0.7,
    max_tokens: 512,
    timeout_s: 30,
    params: { seed: 7 },
    system_prompt: 'Call one tool at a time.',
    deadline_s: 60,
  });
  const models = ['no-required', 'malformed-json', 'json-in-content', 'redirect', 'scripted:odd'];
  await call('POST', '/api/tool-eval/try', { ...edited, models: models.map((model) => `simulator::${model}`) });
}
