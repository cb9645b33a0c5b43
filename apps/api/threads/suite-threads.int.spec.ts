import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Answer, type Client } from '../../../test/client.js';
import { SuiteThreads } from './suite-threads.js';

let api: SharedApi;
let client: Client;
let others: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  for (const by of [client, others])
    await by.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'gpt-4o' }] });
}, 60_000);

/** Counts the other requests that were answered before `work` was. */
async function servedDuring(work: Promise<Answer>): Promise<{ answer: Answer; served: number }> {
  let isDone = false;
  let served = 0;
  const done = work.finally(() => (isDone = true));
  while (!isDone) served += Number((await others.get('/api/tool-suites?limit=1')).status === 200);
  return { answer: await done, served };
}

/** Tools whose schemas take seconds to compile. */
function slowTools(count = 40): object[] {
  const properties = (n: number) =>
    Object.fromEntries(Array.from({ length: 490 }, (_, p) => [`p${n}_${p}`, { type: 'string', enum: ['a', 'b'] }]));
  return Array.from({ length: count }, (_, n) => ({
    type: 'function',
    function: { name: `t${n}`, parameters: { type: 'object', properties: properties(n) } },
  }));
}

describe('while one team keeps the API busy, another team is served', () => {
  it('with tools whose schemas take long to compile', async () => {
    const { answer, served } = await servedDuring(
      client.post('/api/tool-suites', { name: 'Large', tools: slowTools() }),
    );
    expect(answer).toMatchObject({ status: 201 });
    expect(served).toBeGreaterThan(5);
  });

  it('with prompts of thousands of Chinese characters, whose tokens are counted in parts', async () => {
    const suite = weatherSuite(60);
    const prompt = Array.from({ length: 30_000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7919) % 20_000))).join(
      '',
    );
    const { body } = await client.post('/api/tool-eval/import', {
      ...suite,
      test_cases: suite.test_cases.map((one) => ({ ...one, prompt })),
    });
    const { answer } = await servedDuring(
      client.post('/api/tool-eval/estimate', { suite_id: body.suite_id, models: ['sim::gpt-4o'] }),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { cases: 60, counted_cases: 60, targets: [{ tokens_by: 'o200k_base' }] },
    });
    expect(answer.body.prompt_tokens).toBeGreaterThan(60 * 20_000);
    expect(answer.body.prompt_tokens).toBeLessThan(60 * 90_000);
    expect(await client.post('/api/tool-eval', { suite_id: body.suite_id, models: ['sim::gpt-4o'] })).toMatchObject({
      status: 202,
    });
  });

  it('with a small file that is slow to read', async () => {
    const file = {
      prompts: [`{{${' '.repeat(20_000)}`],
      tests: [{ assert: [{ type: 'is-valid-openai-tools-call' }, { type: 'tool-call-f1', value: ['f'] }] }],
    };
    expect(await client.post('/api/tool-eval/import?format=promptfoo&dry_run=true', file)).toMatchObject({
      status: 200,
      body: { test_cases_created: 1 },
    });
  });

  it('with many small imports at once, which share its threads', async () => {
    const lines = JSON.stringify({ prompt: 'p', expected_tool: 'f', expected_params: { a: 'b' } });
    const import_ = (by: Client, count: number) =>
      by.post('/api/tool-eval/import?format=jsonl&dry_run=true', `${lines}\n`.repeat(count), {
        'content-type': 'application/x-ndjson',
      });
    let left = 30;
    const many = Array.from({ length: left }, () => import_(client, 4000).finally(() => left--));
    expect(await import_(others, 3)).toMatchObject({ status: 200, body: { test_cases_created: 3 } });
    expect(left).toBeGreaterThan(10);
    expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

it('work beyond its limits is refused with the limit and the way out', async () => {
  const threads = new SuiteThreads({ threads: 2, cpuMs: 200, wallMs: 60_000, heapMb: 256 });
  const refused = threads.run('a', { what: 'check-tools', tools: JSON.stringify(slowTools(160)) });
  await expect(refused).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/more than 0.2 s of CPU time\. Send less at a time/),
  });
  await threads.close();
});
