import { weatherSuite, type Client } from '../client.js';
import { calling } from '../endpoint.js';
import { sendJson, startHttpServer } from '../http-server.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunEnded } from '../until-ended.js';

let system: TeamSystem;
let client: Client;
/** By model: the requests it received, without messages and tools. */
const asked = new Map<string, any[]>();
/** By model: the settings that it refuses. */
const refusals = new Map<string, (body: any) => { status?: number; message: string; param?: string } | undefined>();
let url: string;

beforeAll(async () => {
  system = await joinSystem();
  client = system.client;
  const server = await startHttpServer((_request, text, response) => {
    const body = JSON.parse(text);
    const { messages: _messages, tools: _tools, model, ...sent } = body;
    asked.set(model, [...(asked.get(model) ?? []), sent]);
    const { status = 400, ...error } = refusals.get(model)?.(body) ?? {};
    if ('message' in error) return sendJson(response, { error }, status);
    const message = calling('get_weather', { city: 'Paris' });
    sendJson(response, { choices: [{ message, finish_reason: 'tool_calls' }] });
  });
  url = `${server.url}/v1`;
});

async function addModel(model: string, refuses: Parameters<typeof refusals.set>[1]): Promise<string> {
  refusals.set(model, refuses);
  await client.post('/api/providers', {
    key: model,
    base_url: url,
    api_key: `sk-${model}-0123456789`,
    limits: { max_concurrency: 40 },
    models: [{ id: model }],
  });
  return `${model}::${model}`;
}

/** Runs this many cases, each answered with the weather of Paris. */
async function run(model: string, cases: number, more: object = {}): Promise<any> {
  const suite = weatherSuite(1);
  const [one] = suite.test_cases as object[];
  const test_cases = Array.from({ length: cases }, (_, n) => ({ ...one, name: `${n}`, prompt: `Paris, ${n}?` }));
  const suite_id = await client.importSuite({ ...suite, name: `${model} ${Math.random()}`, test_cases });
  const job = await client.post('/api/tool-eval', {
    suite_id,
    models: [model],
    cache: 'off',
    ...more,
  });
  expect(job.status).toBe(202);
  return untilRunEnded(client, job.body.eval_id);
}
const resultsOf = async (id: string): Promise<any[]> =>
  (await client.get(`/api/tool-eval/history/${id}/results?limit=200`)).body.items;
const exchangeOf = async (id: string, result: string): Promise<any> =>
  (await client.get(`/api/tool-eval/history/${id}/results/${result}`)).body.exchange;

/** A reasoning model: it accepts a limit only under its new name, and only one temperature. */
const reasons = (body: any) => {
  if ('max_tokens' in body) return { message: "Use 'max_completion_tokens' instead.", param: 'max_tokens' };
  if (body.temperature !== undefined && body.temperature !== 1)
    return { message: "'temperature' does not support 0 with this model.", param: 'temperature' };
  return undefined;
};

it('settings that a model refuses are adapted from its first case on, and each result and the run say so', async () => {
  const model = await addModel('reasons', reasons);
  const done = await run(model, 12, { max_tokens: 300 });
  const results = await resultsOf(done.id);
  expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 12 }, () => 'scored'));
  expect(done.warnings.map(({ code }: any) => code).sort()).toEqual([
    `refused:${model}:max_tokens`,
    `refused:${model}:temperature`,
  ]);
  const { adjusted, requests } = await exchangeOf(done.id, results.at(-1).id);
  expect(adjusted).toEqual({ max_tokens: 'max_completion_tokens', temperature: 'left out' });
  expect(requests.at(-1)).toMatchObject({ max_completion_tokens: 300, tool_choice: 'required' });
  expect(requests.at(-1)).not.toHaveProperty('temperature');

  const { learned } = (await client.get('/api/providers/reasons')).body;
  expect(learned.map(({ setting, sent }: any) => [setting, sent])).toEqual([
    ['max_tokens', 'max_completion_tokens'],
    ['temperature', 'left out'],
  ]);
  // In the next run all workers know it from the start, and the run announces it too.
  const before = asked.get('reasons')!.length;
  const again = await run(model, 4, { max_tokens: 300 });
  expect(asked.get('reasons')!.slice(before)).toEqual(
    Array.from({ length: 4 }, () => ({ max_completion_tokens: 300, tool_choice: 'required' })),
  );
  expect(again.warnings).toHaveLength(2);
});

it('a stored reply answers the request that the model accepted', async () => {
  const model = await addModel('stored', reasons);
  const suite = weatherSuite(3);
  const suite_id = await client.importSuite({ ...suite, name: 'stored replies' });
  const once = async (): Promise<number> => {
    const before = asked.get('stored')?.length ?? 0;
    const job = await client.post('/api/tool-eval', { suite_id, models: [model], cache: 'use' });
    await untilRunEnded(client, job.body.eval_id);
    return (asked.get('stored')?.length ?? 0) - before;
  };
  expect(await once()).toBeGreaterThanOrEqual(3);
  expect(await once()).toBe(0);
});

it('a model that only makes required calls without thinking reports the chosen setting', async () => {
  const model = await addModel('thinks', ({ tool_choice: choice, thinking }) =>
    choice === 'required' && thinking?.type !== 'disabled'
      ? { message: 'Thinking mode does not support this tool_choice' }
      : undefined,
  );
  const thinking = await run(model, 2);
  expect(thinking.warnings).toMatchObject([
    {
      code: `tool_choice:${model}`,
      message: expect.stringContaining('{"thinking": {"type": "disabled"}} at DeepSeek'),
    },
  ]);
  expect(thinking.summaries[0].tool_choice_used).toEqual({ auto: 2 });
  const off = await run(model, 2, { params: { thinking: { type: 'disabled' } } });
  expect(off.warnings).toMatchObject([{ code: `thinking_off:${model}` }]);
  expect(off.summaries[0].tool_choice_used).toEqual({ required: 2 });
});

it('a host that refuses every setting in turn gets a few requests for each, and blocks nobody', async () => {
  const settings = ['temperature', 'max_tokens', 'max_completion_tokens', 'top_p', 'seed', 'presence_penalty'];
  const refused: string[] = [];
  const model = await addModel('hostile', (body) => {
    const setting = settings.find((one) => one in body) ?? (body.tool_choice && 'tool_choice');
    refused.push(setting ? `${setting} ${body.tool_choice}` : 'all of it');
    if (setting) return { status: 422, message: `'${setting}' is not supported`, param: setting };
    return { message: 'I do not like this.' };
  });
  const others = await addModel('honest', () => undefined);
  const params = { top_p: 0.5, seed: 7, presence_penalty: 1 };
  const [hostile, honest] = await Promise.all([
    run(model, 40, { max_tokens: 300, params }),
    run(others, 40, { max_tokens: 300, params }),
  ]);
  expect(honest.counts).toMatchObject({ passed: 40, errored: 0 });
  expect(asked.get('honest')).toHaveLength(40);
  expect(hostile.counts).toMatchObject({ errored: 40 });
  const counts = Object.entries(Object.groupBy(refused, (one) => one)).map(([one, all]) => [one, all!.length] as const);
  // Five in two seconds, and another five if this machine takes that long.
  for (const [one, n] of counts) expect([one, n, n <= (one === 'all of it' ? 40 : 10)]).toEqual([one, n, true]);
}, 120_000);
