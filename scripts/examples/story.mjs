// Uses Toolmark as a team would, from its first token to a prompt tune, so that each kind of response occurs once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../server-process.mjs';
import { root } from '../set-up.mjs';
import { playExperiments, playGates, playParamTunes, playPromptTunes } from './decisions.mjs';
import { playGateway } from './gateway.mjs';
import { playCases, playChain, playConversations, playRecorded, playRuns, playTries } from './runs.mjs';
import { playJudge, playLabels } from './judgements.mjs';
import { MODELS } from './models.mjs';
import { playMcp } from './mcp.mjs';
import { playProblems } from './problems.mjs';

/** @returns the ids used in the examples */
export async function playStory(transcript, { simulatorUrl, hosts }) {
  const { call } = transcript;
  const control = async (path, body) => {
    const { ok, status } = await fetch(`${simulatorUrl}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!ok) throw new Error(`The simulator answered ${status} to ${path}.`);
  };
  const story = { call, control, hosts, simulatorUrl, ids: { others: {} }, failed: [], ended, submit };

  /** Waits for the end of a job, reading it while it runs. */
  async function ended(jobId) {
    const isOver = async () => (await call('GET', `/api/jobs/${jobId}`)).finished_at !== null;
    if (!(await until(isOver, 180_000))) throw new Error(`The job ${jobId} does not end.`);
    return call('GET', `/api/jobs/${jobId}`);
  }

  /** Submits, and waits for the end. */
  async function submit(path, body, options) {
    const submitted = await call('POST', path, body, options);
    await ended(submitted.job_id);
    return submitted;
  }

  const chapters = [
    playTeams,
    playPeople,
    playProviders,
    playGateway,
    playMcp,
    playSuites,
    playLimits,
    playCases,
    playRuns,
    playChain,
    playConversations,
    playRecorded,
    playTries,
    playLabels,
    playExperiments,
    playGates,
    playParamTunes,
    playPromptTunes,
    playJudge,
    playHome,
    playSettings,
    playProblems,
  ];
  for (const chapter of chapters) {
    const startedAt = Date.now();
    await chapter(story).catch((error) => story.failed.push(`${chapter.name}: ${error.message}`));
    console.error(`${chapter.name}: ${Date.now() - startedAt} ms`);
  }
  if (story.failed.length) throw Object.assign(new Error(story.failed.join('\n')), { ids: story.ids });
  return story.ids;
}

async function playTeams({ call, ids }) {
  const me = await call('GET', '/api/me');
  Object.assign(ids, { team: me.team.id, user: me.user.id });
  const input = { name: 'Nightly run', role: 'editor', user: 'ci', expires_at: '2099-01-01T00:00:00Z' };
  const { id, token } = await call('POST', '/api/tokens', input);
  ids.token = id;
  await call('GET', '/api/me', undefined, { as: token });
  await call('GET', '/api/tokens');
  const team = await call('POST', '/api/teams', { name: 'search' });
  await call('GET', '/api/teams');
  await call('POST', '/api/session', { token: team.token.token }, { as: null, ofPage: true });
  const login = await call('POST', '/api/device-logins', { name: 'ada-laptop' }, { as: null });
  await call('GET', `/api/me/device-logins/${login.user_code}`);
  await call('POST', `/api/me/device-logins/${login.user_code}`, { approve: true, role: 'editor' });
  await call('POST', '/api/device-logins/token', { device_code: login.device_code }, { as: null });
  await call('GET', '/api/system');
}

async function playPeople({ call, ids }) {
  const account = await call('POST', '/api/users', { name: 'deploy', role: 'viewer' });
  ids.member = account.id;
  await call('PATCH', `/api/users/${account.id}`, { role: 'editor' });
  await call('GET', '/api/users');
  const leaver = await call('POST', '/api/users', { name: 'old-ci', role: 'viewer' });
  await call('DELETE', `/api/users/${leaver.id}`);
  const { id, url } = await call('POST', '/api/invitations', { role: 'editor', note: 'Ada', expires_in_days: 3 });
  ids.invitation = id;
  const [, invitation] = url.split('#invitation=');
  await call('POST', '/api/invitations/read', { invitation }, { as: null });
  await call('POST', '/api/invitations/accept', { invitation, name: 'ada' }, { as: null });
  await call('GET', '/api/invitations');
  const own = { name: 'Laptop', role: 'viewer', reads_only: true, expires_at: '2099-01-01T00:00:00Z' };
  const { id: tokenId } = await call('POST', '/api/me/tokens', own);
  await call('PATCH', `/api/tokens/${tokenId}`, { monthly_cap_usd: 25 });
  await call('GET', '/api/me/tokens');
  await call('GET', '/api/me/teams');
  const { token } = await call('POST', '/api/tokens', { name: 'Ada', role: 'editor', user: 'ada' });
  await call('POST', '/api/session', { token }, { as: null, ofPage: true });
  const { items } = await call('GET', '/api/sessions');
  ids.session = items[0].id;
}

async function playProviders({ call, control, ids, simulatorUrl }) {
  await call('GET', '/api/providers/templates');
  await call('GET', '/api/prices');
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
  const provider = { key: 'openai', name: 'OpenAI', kind: 'openai', base_url: 'https://api.openai.com/v1' };
  await call('POST', '/api/providers', { ...provider, api_key: 'sk-a-key-of-the-host', limits, models: [model] });
  await call('POST', '/api/providers', {
    key: 'vllm',
    base_url: 'https://vllm.example.com/v1',
    models: [{ id: 'Qwen/Qwen3-32B' }],
  });
  await call('POST', '/api/providers', {
    key: 'anthropic',
    kind: 'anthropic',
    base_url: `${simulatorUrl}/anthropic`,
    models: [{ id: 'perfect-ish', input_cost_per_mtok: 1, output_cost_per_mtok: 5 }],
  });
  const { key: _key, ...patch } = provider;
  const more = { id: 'text-embedding-3-small' };
  await call('PATCH', '/api/providers/openai', { limits: { requests_per_minute: 200 } });
  await call('PATCH', '/api/providers/openai', { ...patch, api_key: 'sk-another-key', limits, models: [model, more] });
  await call('PATCH', '/api/providers/simulator', { models: MODELS });
  await call('GET', '/api/providers/simulator/discover');
  for (const tested of ['perfect-ish', 'bad-request', 'host:openai'])
    await call('POST', `/api/providers/simulator/test?model=${tested}`);
  await call('GET', '/api/providers');
  await call('GET', '/api/providers/simulator');
  const { items } = await call('GET', '/api/lanes');
  ids.lane = items.find(({ name }) => name === 'simulator')?.id ?? items[0].id;
  await call('POST', `/api/lanes/${ids.lane}/pause`);
  await call('POST', `/api/lanes/${ids.lane}/resume`);
  await control('judge/right', { table: [{ when: 'umbrella', verdict: 'acceptable' }] });
}

const TEMPLATE = {
  name: 'get_weather',
  description: 'Get current weather for a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const CSV = 'prompt,expected_tool,expected_params\nWhat is the weather in Paris?,get_weather,"{""city"": ""Paris""}"\n';
const BFCL = {
  text:
    '{"id": "simple_0", "question": [[{"role": "user", "content": "Weather in Paris?"}]], "function": ' +
    '[{"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "dict", ' +
    '"properties": {"city": {"type": "string"}}, "required": ["city"]}}]}',
  possible_answers: '{"id": "simple_0", "ground_truth": [{"get_weather": {"city": ["Paris"]}}]}',
};

/** A tune with held-out cases needs more of them than the example has. */
const MORE_CITIES = [
  'Lima',
  'Quito',
  'Hanoi',
  'Accra',
  'Riga',
  'Sofia',
  'Tunis',
  'Dakar',
  'Bern',
  'Kyiv',
  'Baku',
  'Doha',
];
const caseOf = (city) => ({
  name: `${city} now`,
  category: 'current',
  tags: ['single'],
  prompt: `What is the weather in ${city}?`,
  expected_tool: 'get_weather',
  expected_params: { city },
});

/** Tokens that may do less than their role. */
async function playLimits({ call, ids }) {
  const limits = { reads_only: true, suite_ids: [ids.suite], monthly_cap_usd: 20 };
  const input = { name: 'Report', role: 'viewer', expires_at: '2099-01-01T00:00:00Z', ...limits };
  await call('POST', '/api/tokens', { ...input, user: 'reports' });
  await call('POST', '/api/me/tokens', input);
  await call('GET', '/api/tokens');
}

async function playSuites({ call, ids }) {
  const example = await call('GET', '/api/tool-eval/import/example');
  await call('POST', '/api/tool-eval/import?dry_run=true', example);
  await call('POST', '/api/tool-eval/import', {
    ...example,
    name: 'Of a suite for Anthropic',
    tools: [TEMPLATE],
    test_cases: example.test_cases.slice(0, 1),
  });
  await call('POST', '/api/tool-eval/import?format=csv', {
    text: CSV,
    name: 'Out of a spreadsheet',
    description: 'Cases that a team collected',
    system_prompt: 'You help people with the weather.',
    pass_threshold: 1,
    tools: example.tools,
  });
  await call('POST', '/api/tool-eval/import?format=bfcl', BFCL);
  const { tools, system_prompt: _prompt, test_cases: _cases, ...head } = example;
  const settings = { ...head, tools, system_prompt: 'You help people with the weather.', pass_threshold: 1 };
  await call('POST', '/api/tool-suites', { ...settings, name: 'Small', tools: [TEMPLATE] });
  const strict = tools.map((one) => ({ ...one, function: { ...one.function, strict: true } }));
  const made = await call('POST', '/api/tool-suites', { ...settings, tools: strict });
  await call('PUT', `/api/tool-suites/${made.id}`, settings);
  await call('PUT', `/api/tool-suites/${made.id}`, { ...settings, system_prompt: null });
  await call('PATCH', `/api/tool-suites/${made.id}`, { pass_threshold: 0.8 });
  await call('PATCH', `/api/tool-suites/${made.id}`, settings);
  const weather = JSON.parse(readFileSync(join(root, 'examples/weather.json'), 'utf8'));
  const large = {
    ...weather,
    system_prompt: 'You help people with the weather.',
    test_cases: [...weather.test_cases, ...MORE_CITIES.map(caseOf)],
  };
  const { suite_id: suite } = await call('POST', '/api/tool-eval/import', large, { isShown: false });
  ids.suite = suite;
  const { test_cases: cases } = await call('GET', `/api/tool-suites/${suite}`);
  Object.assign(ids, { case: cases[0].id, tokyo: cases[1].id });
  await call('GET', `/api/tool-suites/${suite}/cases/${ids.tokyo}/neighbours`);
}

/** What people keep, and the first screen. */
async function playHome({ call, ids }) {
  const view = { filters: { status: 'failed', model: ['simulator::slow'] }, order: { by: 'cost', descending: true } };
  await call('PUT', '/api/me/views/runs', { ...view, columns: ['name', 'cost'], hidden: [] });
  await call('GET', '/api/me/views/home');
  await call('PATCH', `/api/me/marks/suite/${ids.suite}`, { tags: ['release'], archived: false });
  await call('GET', '/api/me/marks');
  await call('GET', '/api/me/tags?kind=suite');
  await call('GET', '/api/search?q=weather');
  await call('GET', '/api/search?q=nightly&types=run,experiment&limit=3');
  await call('GET', `/api/trends?suite_id=${ids.suite}&limit=2`);
  await call('GET', `/api/trends?suite_id=${ids.suite}&points=20`);
  await call('GET', '/api/home');
  await playWaiting({ call, ids });
}

/** A paused lane, and a run that waits for it. */
async function playWaiting({ call, ids }) {
  await call('POST', `/api/lanes/${ids.lane}/pause`);
  const run = { suite_id: ids.suite, models: ['simulator::perfect-ish'], name: 'Nightly 12', cache: 'off' };
  const { job_id: job } = await call('POST', '/api/tool-eval', run, { isShown: false });
  for (let looks = 0; looks < 50; looks++) {
    const { items } = await call('GET', `/api/lanes/${ids.lane}/waiting`, undefined, { isShown: false });
    if (items > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await call('GET', `/api/lanes/${ids.lane}/waiting`);
  await call('GET', `/api/jobs/${job}`);
  await call('GET', '/api/home');
  await call('POST', `/api/jobs/${job}/cancel`, undefined, { isShown: false });
  await call('POST', `/api/lanes/${ids.lane}/resume`);
}

async function playSettings({ call, ids }) {
  await call('PUT', '/api/settings/embedding', { provider_key: 'openai', model_id: 'text-embedding-3-small' });
  await call('PUT', '/api/settings/embedding', { provider_key: null, model_id: null });
  await call('PUT', '/api/settings/cache', { lifetime_days: 30 });
  await call('PUT', '/api/settings/jobs', { running_jobs_per_user: 4 });
  await call('PUT', '/api/settings/spending', { monthly_cap_usd: 100 });
  for (const name of ['judge', 'embedding', 'cache', 'jobs', 'spending']) await call('GET', `/api/settings/${name}`);
  for (const by of ['day,model', 'suite,person', 'provider'])
    await call(
      'GET',
      `/api/spending?${by
        .split(',')
        .map((one) => `by=${one}`)
        .join('&')}`,
    );
  await call('GET', '/api/metrics');
  await call('GET', '/api/tool-suites');
  await call('GET', '/api/tool-suites?lean=true');
  await call('GET', '/api/lanes');
}
