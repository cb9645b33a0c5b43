// The second test needs an API with a small heap, and therefore a private system.
import { clientOf } from '../client.js';
import { startProcess } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { joinSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

const described = (unit: object) => ({
  name: 'geometry.area',
  description: 'Area',
  parameters: { type: 'dict', properties: { side: { type: 'float' }, ...unit }, required: ['side'] },
});
const entry = (id: string, content: string, unit: object = { unit: { type: 'string' } }) => ({
  id,
  question: [[{ role: 'user', content }]],
  function: [described(unit)],
});
const reply = (...args: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: args.map((text, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name: 'geometry.area', arguments: text },
  })),
});

it('a suite imported from BFCL runs with the tools of each entry, and has the house score and bfcl_ast', async () => {
  const { client, simulator, script } = await joinSystem();
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: [{ id: 'scripted:bfcl' }],
  });
  const by_prompt = {
    one: reply('{"side": 2}'),
    two: reply('{"side": 3, "unit": "cm"}'),
    many: reply('{"side": 2}', '{"side": 1}'),
    none: { role: 'assistant', content: 'No.' },
  };
  await script('bfcl', { by_prompt });
  const questions = [
    entry('simple_python_0', 'one'),
    entry('simple_python_1', 'two', {}),
    entry('parallel_0', 'many'),
    entry('irrelevance_0', 'none'),
  ];
  const truth = (id: string, ...sides: unknown[][]) => ({
    id,
    ground_truth: sides.map((side) => ({
      'geometry.area': { side, ...(id !== 'simple_python_1' && { unit: ['m', ''] }) },
    })),
  });
  const possible_answers = [
    truth('simple_python_0', [2, 2.5]),
    truth('simple_python_1', [3]),
    truth('parallel_0', [1], [2]),
  ];
  const { body: made } = await client.post('/api/tool-eval/import?format=bfcl', { questions, possible_answers });
  expect(made).toMatchObject({ test_cases_created: 4, warnings: [] });

  const { status, body: submitted } = await client.post('/api/tool-eval', {
    suite_id: made.suite_id,
    models: ['scripted:bfcl'],
    cache: 'off',
    metrics: [{ id: 'bfcl_ast' }],
  });
  expect([status, submitted.detail]).toEqual([202, undefined]);
  await untilRunCompleted(client, submitted.eval_id);
  const { items } = (await client.get(`/api/tool-eval/history/${submitted.eval_id}/results?limit=200`)).body;
  const of = (name: string) => items.find((result: any) => result.case_name === name);
  expect(of('simple_python_0')).toMatchObject({ passed: true, metrics: { bfcl_ast: { valid: true } } });
  // An argument that the function does not have costs nothing in the house score, but fails the case in BFCL.
  expect(of('simple_python_1')).toMatchObject({ passed: true, metrics: { bfcl_ast: { valid: false } } });
  expect(of('parallel_0')).toMatchObject({ passed: true, metrics: { bfcl_ast: { valid: true } } });
  expect(of('irrelevance_0')).toMatchObject({ passed: true, metrics: { bfcl_ast: { valid: true } } });
});

/** Lines of `one`, up to nearly the import limit in size. */
const nearlyTenMiB = (cases: number, one: (n: number, filler: string) => string): string => {
  const filler = 'x'.repeat(Math.floor((9.5 * 2 ** 20) / cases) - one(cases, '').length);
  return Array.from({ length: cases }, (_, n) => one(n, filler)).join('\n');
};

it('an API with little memory imports the largest files, many at once, and refuses larger ones', async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const api = await startProcess('api', {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NODE_OPTIONS: '--max-old-space-size=192',
  });
  const client = clientOf(api.url);
  const send = (format: string, text: string) =>
    client.post(`/api/tool-eval/import?format=${format}`, text, { 'content-type': 'text/plain' });
  const call = { type: 'function', function: { name: 'area', arguments: '{"side": 5.0}' } };
  const csvRows = nearlyTenMiB(400, (n, filler) => `"${n} ${filler}",area,"{""side"": 5.0}"`);
  const bfclAnswer = (n: number) => ({ 'geometry.area': { side: [n], unit: ['m', ''] } });
  const files = {
    jsonl: nearlyTenMiB(400, (n, filler) =>
      JSON.stringify({ prompt: `${n} ${filler}`, expected_tool: 'area', expected_params: { side: n } }),
    ),
    csv: `prompt,expected_tool,expected_params\n${csvRows}`,
    'chat-logs': nearlyTenMiB(400, (n, filler) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: `${n} ${filler}` },
          { role: 'assistant', tool_calls: [call] },
        ],
      }),
    ),
    bfcl: nearlyTenMiB(
      400,
      (n, filler) =>
        `${JSON.stringify(entry(`simple_python_${n}`, `${n} ${filler}`))}\n` +
        JSON.stringify({ id: `simple_python_${n}`, ground_truth: [bfclAnswer(n)] }),
    ),
  };
  const answers = await Promise.all(
    [...Object.entries(files), ...Object.entries(files)].map(([format, text]) => send(format, text)),
  );
  expect(answers.map(({ status, body }) => [status, body.test_cases_created])).toEqual(answers.map(() => [201, 400]));
  // A single value of six times the limit is refused as soon as it passes the limit.
  expect(await send('jsonl', files.jsonl.repeat(6))).toMatchObject({ status: 413 });
  expect((await client.get('/api/tool-suites?limit=200')).body.items).toHaveLength(answers.length);
});

/** A file of each format that keeps its reader busy: deep, long, repeated or never closed, in up to 10 MiB. */
const busyFiles = (): Record<string, string> => {
  const MiB = 2 ** 20;
  const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
  const text = JSON.stringify;
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (n: number, ...attributes: object[]) => ({ traceId: `${n}`, spanId: `${n}`, attributes });
  const nested = Array.from({ length: 12 }).reduce<string>((inner) => text([{ role: 'user', content: inner }]), 'q');
  const tests = Array.from({ length: 2000 }, (_, n) => ({
    vars: { a: '{{b}}', b: `{{c}} ${n}`, c: 'x', l: ['p', 'q'] },
    assert: [
      { type: 'trajectory:tool-used', value: '*a*b*c*?' },
      { type: 'tool-call-f1', value: ['f', 'g'] },
    ],
  }));
  return {
    native: `{"name": ${fill('[', 9 * MiB)}`,
    yaml: `a: &a [x, x]\nb: [${fill('*a, ', 20_000)}]\n${fill('- {', MiB)}`,
    csv: `prompt,expected_tool\n${fill('"a""', 9 * MiB)}`,
    jsonl: fill('{"prompt": "p", "expected_tool": "f"}\n', 8 * MiB),
    bfcl: fill(`${text({ id: 'simple_0', question: [[{ role: 'user', content: 'q' }]], function: [] })}\n`, 9 * MiB),
    'chat-logs': fill(`${text({ custom_id: 'a', body: { messages: [{ role: 'user', content: 'q' }] } })}\n`, 9 * MiB),
    promptfoo: text({ prompts: [fill('{{a}} {{l}} ', 4_000), fill('{{', 50_000)], tests }),
    otlp: text({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: Array.from({ length: 200 }, (_, n) =>
                span(
                  n,
                  attribute('gen_ai.input.messages', `[{"role":"user","content":"${fill('[{"', 20_000)}`),
                  attribute('gen_ai.output.messages', nested.slice(0, -n)),
                  ...Array.from({ length: 200 }, (_key, m) =>
                    attribute(`llm.input_messages.${m * 1000}.${fill('a.', 60)}`, 'x'),
                  ),
                ),
              ),
            },
          ],
        },
      ],
    }),
    langfuse: Array.from({ length: 100 }, (_, n) =>
      text({ id: `${n}`, type: 'GENERATION', input: fill('[{"', 40_000), output: { response: { output: nested } } }),
    ).join('\n'),
    phoenix: text(
      Array.from({ length: 100 }, (_, n) => ({
        span_kind: 'LLM',
        attributes: text({ llm: { input_messages: fill(`[${n}`, 50_000) } }),
      })),
    ),
  };
};

it('a file that keeps its reader busy stays within its limits, and another team can import meanwhile', async () => {
  const [{ client: busy }, { client: others }] = [await joinSystem(), await joinSystem()];
  const plain = { 'content-type': 'text/plain' };
  for (const [format, file] of Object.entries(busyFiles())) {
    let isRead = false;
    const answer = busy
      .post(`/api/tool-eval/import?format=${format}&dry_run=true`, file, plain)
      .finally(() => (isRead = true));
    do {
      const small = await others.post(
        '/api/tool-eval/import?format=jsonl&dry_run=true',
        '{"prompt": "p", "expected_tool": "f"}',
        plain,
      );
      expect([format, small.status]).toEqual([format, 200]);
    } while (!isRead);
    const { status, body } = await answer;
    expect([200, 400, 413, 422]).toContain(status);
    if (status !== 200) expect([format, body.detail]).toEqual([format, expect.stringMatching(/\w{3}/)]);
  }
}, 400_000);
