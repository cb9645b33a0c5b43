import { io } from 'socket.io-client';
import { LOG_EVENTS } from '#lib/contracts/event';
import { weatherSuite, type Client } from '../client.js';
import { sendJson, startHttpServer } from '../http-server.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

/** A response: a status and a body. */
type Response = [status: number, body: object];
const PATHS = { openai: '/v1', 'openai-responses': '/v1', anthropic: '', google: '/v1beta' } as const;
type Kind = keyof typeof PATHS;
const KINDS = Object.keys(PATHS) as Kind[];

let system: TeamSystem;
let client: Client;
/** The host's requests, by the name in their prompt. */
const asked = new Map<string, any[]>();
/** Its response to the n-th request (from 0) with a name in its prompt. */
const answers = new Map<string, (kind: Kind, n: number, body: any) => Response>();
let url: string;

beforeAll(async () => {
  system = await joinSystem();
  client = system.client;
  ({ url } = await startHttpServer(({ url: path = '' }, text, response) => {
    const name = /\[\[([\w ]+)\]\]/.exec(text)![1]!;
    const requests = asked.get(name) ?? [];
    asked.set(name, requests);
    requests.push(JSON.parse(text));
    const kind = path.includes('generateContent')
      ? 'google'
      : path.endsWith('/messages')
        ? 'anthropic'
        : path.endsWith('/responses')
          ? 'openai-responses'
          : 'openai';
    const [status, body] = answers.get(name)!(kind, requests.length - 1, requests.at(-1));
    sendJson(response, body, status);
  }));
  for (const kind of KINDS) {
    await client.post('/api/providers', {
      key: kind,
      kind,
      base_url: `${url}${PATHS[kind]}`,
      api_key: `sk-${kind}-0123456789`,
      models: [{ id: 'odd' }],
    });
  }
});

/** A reply with a text or a call, in a format. */
function said(kind: Kind, { text, city }: { text?: string; city?: string }, end = 'stop'): object {
  const args = { city };
  const name = 'get_weather';
  switch (kind) {
    case 'openai': {
      const tool_calls = city && [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }];
      const message = { role: 'assistant', content: text ?? null, ...(tool_calls && { tool_calls }) };
      return { choices: [{ message, finish_reason: end === 'filter' ? 'content_filter' : end }] };
    }
    case 'openai-responses': {
      const call = { type: 'function_call', call_id: 'c', name, arguments: JSON.stringify(args) };
      const message = { type: 'message', content: [{ type: 'output_text', text }] };
      const reason = { length: 'max_output_tokens', filter: 'content_filter' }[end];
      return {
        object: 'response',
        status: end === 'error' ? 'failed' : reason ? 'incomplete' : 'completed',
        ...(reason && { incomplete_details: { reason } }),
        output: [city ? call : message],
      };
    }
    case 'anthropic': {
      const content = [city ? { type: 'tool_use', id: 'c', name, input: args } : { type: 'text', text }];
      const reasons: Record<string, string> = { stop: 'end_turn', length: 'max_tokens', filter: 'refusal' };
      return { type: 'message', role: 'assistant', content, stop_reason: reasons[end] ?? end };
    }
    case 'google': {
      const reasons: Record<string, string> = { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY', error: 'ERROR' };
      const parts = [city ? { functionCall: { name, args } } : { text }];
      return { candidates: [{ content: { parts }, finishReason: reasons[end] }] };
    }
  }
}

/** A case with this name, and the host's response to it. */
function odd(name: string, of: object, answer: (kind: Kind, n: number, body: any) => Response): object {
  answers.set(name, answer);
  return { name, prompt: `The weather? [[${name}]]`, ...of };
}
const PARIS = { expected_tool: 'get_weather', expected_params: { city: 'Paris' } };
const NOTHING = { expected_tool: null };

async function run(cases: object[], kinds: Kind[], more: object = {}): Promise<any> {
  const { tools, ...rest } = weatherSuite(0);
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const finder = { type: 'function', function: { name: 'find_city', parameters } };
  const suite_id = await client.importSuite({ ...rest, tools: [...tools, finder], test_cases: cases });
  const made = await client.post('/api/tool-eval', {
    suite_id,
    models: kinds.map((kind) => `${kind}::odd`),
    tool_choice: 'auto',
    ...more,
  });
  expect(made.status).toBe(202);
  return untilRunEnded(client, made.body.eval_id);
}
const resultsOf = async (id: string, query = ''): Promise<any[]> =>
  (await client.get(`/api/tool-eval/history/${id}/results?limit=200${query}`)).body.items;
const words = ({ passed, error_type, error, attempts }: any): string =>
  `${passed ? 'passes' : (error?.kind ?? error_type)}${attempts === undefined ? '' : ` in ${attempts}`}`;
const byCase = (results: any[], of = words) => {
  const found: Record<string, string[]> = {};
  for (const one of results.toSorted((a, b) => a.target.localeCompare(b.target)))
    (found[one.case_name] ??= []).push(of(one));
  return found;
};
const everywhere = (right: string): string[] => KINDS.map(() => right);

/** The error types of this many results, as received by a client subscribed to their job. */
async function typesHeard(jobId: string, count: number): Promise<string[]> {
  const socket = io(client.url, { auth: { token: client.token }, transports: ['websocket'] });
  const heard: string[] = [];
  const hear = (data: unknown): unknown => heard.push(LOG_EVENTS.tool_eval_result.parse(data).error_type);
  socket.on('tool_eval_result', ({ data }: { data: unknown }) => hear(data));
  socket.on('tool_eval_results', ({ results }: { results: unknown[] }) => results.forEach(hear));
  try {
    await socket.timeout(60_000).emitWithAck('subscribe', { job_id: jobId, after_seq: 0 });
    await until(() => heard.length >= count, { what: 'the results to be heard' });
    return heard;
  } finally {
    socket.disconnect();
  }
}

it('an error inside a 200 is retried, and a cut off or blocked reply is not a wrong answer', async () => {
  /** Responds with `answer` to the first request of each format, then with `then`. */
  const first = (answer: (kind: Kind) => Response, then: (kind: Kind) => Response) => {
    const seen = new Set<Kind>();
    return (kind: Kind): Response => (seen.has(kind) ? then(kind) : (seen.add(kind), answer(kind)));
  };
  const cases = [
    odd(
      'broken off',
      PARIS,
      first(
        (kind) => [200, said(kind, { text: 'Let me' }, 'error')],
        (kind) => [200, said(kind, { city: 'Paris' })],
      ),
    ),
    odd(
      'an error beside it',
      NOTHING,
      first(
        (kind) => [200, { ...said(kind, { text: 'Hi' }), error: { code: 503, message: 'x' } }],
        (kind) => [200, said(kind, { text: 'Hi' })],
      ),
    ),
    odd('cut off', NOTHING, (kind) => [200, said(kind, { text: 'I think' }, 'length')]),
    odd('declined', NOTHING, (kind) => [200, said(kind, { text: 'I' }, 'filter')]),
    odd('filtered', PARIS, () => [400, { error: { code: 'content_filter', message: 'The prompt was filtered.' } }]),
    odd('in the text', PARIS, (kind) => [
      200,
      said(kind, { text: '<tool_call>{"name":"get_weather","arguments":{"city":"Paris"}}</tool_call>' }),
    ]),
    odd('in thoughts', NOTHING, (kind) => [
      200,
      said(kind, { text: '<think>{"name":"get_weather","arguments":{}}</think>No.' }),
    ]),
  ];
  const done = await run(cases, KINDS, { cache: 'off' });
  const right = {
    'broken off': everywhere('passes in 2'),
    'an error beside it': everywhere('passes in 2'),
    'cut off': everywhere('cut_off in 1'),
    declined: everywhere('refused in 1'),
    filtered: everywhere('blocked in 1'),
    'in the text': everywhere('passes in 1'),
    'in thoughts': everywhere('passes in 1'),
  };
  expect(byCase(await resultsOf(done.id))).toEqual(right);
  expect(done.summaries[0]).toMatchObject({
    scored: 6,
    errored: 1,
    error_counts: { cut_off: 1, refused: 1, errored: 1, none: 4 },
  });

  // Every reader of results knows the error types: facets, figures, exports and the run's events.
  const facets = await until(
    async () => {
      const { status, body } = await client.get(`/api/tool-eval/history/${done.id}/facets`);
      return status === 200 && body;
    },
    { what: 'the figures of the run' },
  );
  const valuesOf = (name: string) => facets[name].values.map(({ value }: { value: string }) => value).sort();
  expect(valuesOf('error_type')).toEqual(['cut_off', 'errored', 'none', 'refused']);
  expect(valuesOf('syntax')).toEqual(['hermes']);
  const { body: csv } = await client.get(`/api/tool-eval/history/${done.id}/export?format=csv`);
  for (const type of ['cut_off', 'refused']) expect(csv.match(new RegExp(`,${type},`, 'g'))).toHaveLength(KINDS.length);

  const types = await typesHeard(done.job_id, 28);
  expect(['cut_off', 'refused', 'errored'].map((type) => types.filter((one) => one === type).length)).toEqual([
    4, 4, 4,
  ]);

  // A rescore reads the stored bodies, and a recording reads the same ones as another tool stored them: both give the
  // same verdicts.
  const verdicts = byCase(await resultsOf(done.id), ({ attempts: _attempts, ...result }) => words(result));
  const rescored = await client.post(`/api/tool-eval/history/${done.id}/rescore`, {});
  await untilJobCompleted(client, rescored.body.job_id);
  const again = await resultsOf(done.id, `&rescore_id=${rescored.body.rescore_id}`);
  expect(byCase(again, ({ attempts: _attempts, ...result }) => words(result))).toMatchObject({
    'cut off': everywhere('cut_off'),
  });
  for (const kind of KINDS) {
    const mine = await resultsOf(done.id, `&model=${encodeURIComponent(`${kind}::odd`)}`);
    const lines = await Promise.all(
      mine.map(async ({ id, case_name }) => {
        const { exchange } = (await client.get(`/api/tool-eval/history/${done.id}/results/${id}`)).body;
        return JSON.stringify({ case: case_name, reply: exchange.replies.at(-1) });
      }),
    );
    const query = new URLSearchParams({ suite_id: done.suite.id, target_name: kind });
    const recorded = await client.post(`/api/tool-eval/recorded?${query}`, lines.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    expect(recorded.status).toBe(202);
    const { id } = await untilRunEnded(client, recorded.body.eval_id);
    const own = Object.fromEntries(Object.entries(verdicts).map(([name, all]) => [name, [all[0]]]));
    expect(byCase(await resultsOf(id), ({ attempts: _attempts, ...result }) => words(result))).toEqual(own);
  }
}, 120_000);

it('each round of a chain is read the same way', async () => {
  const CHAIN = { ...PARIS, multi_turn: true, max_rounds: 4, mock_responses: { find_city: 'Paris' } };
  const inText = (name: string, city: string): Response => [
    200,
    said('openai', { text: `<function=${name}><parameter=city>${city}</parameter></function>` }),
  ];
  const broken: Response = [200, said('openai', { text: '' }, 'abort')];
  const cases = [
    odd('written', CHAIN, (_kind, n) => inText(n === 0 ? 'find_city' : 'get_weather', 'Paris')),
    odd('broken off later', CHAIN, (_kind, n) =>
      n === 1 ? broken : inText(n === 0 ? 'find_city' : 'get_weather', 'Paris'),
    ),
    odd('cut off later', CHAIN, (_kind, n) =>
      n === 0 ? inText('find_city', 'Paris') : [200, said('openai', { text: 'So' }, 'length')],
    ),
    odd('unread later', CHAIN, (_kind, n) =>
      n === 0
        ? inText('find_city', 'Paris')
        : [
            500,
            { error: { message: `error parsing tool call: raw='{"city"', err=unexpected end`, type: 'api_error' } },
          ],
    ),
  ];
  const done = await run(cases, ['openai'], { cache: 'off' });
  expect(byCase(await resultsOf(done.id))).toEqual({
    written: ['passes in 2'],
    'broken off later': ['passes in 3'],
    'cut off later': ['cut_off in 2'],
    'unread later': ['malformed_arguments in 2'],
  });
  // The model sees its call in native form, whatever form it arrived in.
  const [, second] = asked.get('written')!;
  expect(second.messages[1]).toMatchObject({
    tool_calls: [{ type: 'function', function: { name: 'find_city', arguments: '{"city":"Paris"}' } }],
  });
}, 120_000);

it('a refused or truncated reply is not stored for the same request', async () => {
  const cases = [
    odd('cut off once', PARIS, (kind, n) => [
      200,
      n === 0 ? said(kind, { text: 'I' }, 'length') : said(kind, { city: 'Paris' }),
    ]),
    odd('refused once', PARIS, (kind, n) => [
      200,
      n === 0
        ? { choices: [{ message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' }] }
        : said(kind, { city: 'Paris' }),
    ]),
  ];
  const [first, second, third] = [
    await run(cases, ['openai'], { cache: 'use' }),
    await run(cases, ['openai'], { cache: 'use' }),
    await run(cases, ['openai'], { cache: 'use' }),
  ];
  expect(byCase(await resultsOf(first.id))).toEqual({
    'cut off once': ['cut_off in 1'],
    'refused once': ['refused in 1'],
  });
  expect(byCase(await resultsOf(second.id))).toEqual({
    'cut off once': ['passes in 1'],
    'refused once': ['passes in 1'],
  });
  expect(byCase(await resultsOf(third.id))).toEqual({
    'cut off once': ['passes in 0'],
    'refused once': ['passes in 0'],
  });
}, 120_000);

it('hosts that refuse settings of a run score each of its cases, and refuse only a few requests', async () => {
  const models = ['openai', 'openrouter', 'deepseek', 'groq'].map((name) => `host:${name}`);
  const provider = {
    key: 'hosts',
    kind: 'openai',
    base_url: `${system.simulator.url}/v1`,
    api_key: 'sk-any-0123456789',
  };
  expect(await client.post('/api/providers', { ...provider, models: models.map((id) => ({ id })) })).toMatchObject({
    status: 201,
  });
  const weather = ['Paris', 'Rome', 'Oslo', 'Lima', 'Tokyo', 'Cairo', 'Berlin', 'Quito'].map((city) => ({
    name: city,
    prompt: `What is the weather in ${city}?`,
    expected_tool: 'get_weather',
    expected_params: { city },
  }));
  const chain = { name: 'chain', prompt: 'The weather in Paris?', multi_turn: true, expected_tool: 'find_city' };
  const done = await run([...weather, chain], [], {
    models: models.map((id) => `hosts::${id}`),
    tool_choice: 'required',
    temperature: 0,
    max_tokens: 500,
    cache: 'off',
  });
  const results = await resultsOf(done.id);
  expect(results).toHaveLength(models.length * 9);
  expect(results.filter(({ error }) => error)).toEqual([]);
  expect(results.filter(({ case_name, passed }) => case_name !== 'chain' && !passed)).toEqual([]);
  const stats = await system.stats();
  for (const model of models) expect([model, stats[model]!.requests < 9 + 3 + 25]).toEqual([model, true]);
}, 120_000);
