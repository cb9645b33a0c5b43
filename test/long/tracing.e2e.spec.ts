// A private system: its processes are configured with a collector.
import { clientOf, weatherSuite, type Client } from '../client.js';
import { sendJson, startHttpServer } from '../http-server.js';
import { startProcess, until } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

interface Span {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  facts: Record<string, unknown>;
  status: { code?: number };
}

/** The part of an OpenTelemetry collector that these processes need. */
async function startCollector() {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = await startHttpServer((request, text, response) => {
    bodies.push(text);
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    const plain = (attributes: any[]) =>
      Object.fromEntries(
        attributes.map(({ key, value }) => [
          key,
          value.arrayValue
            ? value.arrayValue.values.map((one: object) => Object.values(one)[0])
            : Object.values(value)[0],
        ]),
      );
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope: any) => scope.spans))
        spans.push({ ...span, service: plain(resource.attributes)['service.name'], facts: plain(span.attributes) });
    }
    sendJson(response, {});
  });
  return { ...server, spans, bodies };
}

const KEY = 'sk-tracing-0123456789abcdef';

let collector: Awaited<ReturnType<typeof startCollector>>;
let client: Client;
beforeAll(async () => {
  collector = await startCollector();
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const [simulator, api] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    startProcess('worker', env),
  ]);
  client = clientOf(api.url);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    api_key: KEY,
    models: [{ id: 'instant' }, { id: 'wrong-key' }],
  });
});

it('a run is one trace from its submission to every result, without keys or prompts', async () => {
  const suite_id = await client.importSuite(weatherSuite(5));
  const { eval_id, job_id } = (
    await client.post('/api/tool-eval', {
      suite_id,
      models: ['sim::instant', 'sim::wrong-key'],
      max_tokens: 200,
      cache: 'off',
    })
  ).body;
  await untilRunCompleted(client, eval_id);
  const { spans } = collector;
  const named = (name: string): Span[] => spans.filter((span) => span.name === name);
  await until(() => named('item').length === 10 && named('submit run').length === 1, { what: 'all spans to arrive' });

  const [submit] = named('submit run') as [Span];
  expect(submit).toMatchObject({
    service: 'toolmark-api',
    traceId: eval_id.replaceAll('-', ''),
    facts: { 'toolmark.run': eval_id, 'toolmark.job': job_id, 'toolmark.models': ['sim::instant', 'sim::wrong-key'] },
  });
  expect(submit.parentSpanId ?? '').toBe('');
  for (const span of spans) expect(span.traceId).toBe(submit.traceId);
  const steps = (item: Span): string[] =>
    spans
      .filter((span) => span.parentSpanId === item.spanId)
      .map(({ name }) => name)
      .sort();
  for (const item of named('item')) {
    expect(item).toMatchObject({
      service: 'toolmark-worker',
      parentSpanId: submit.spanId,
      facts: { 'toolmark.run': eval_id, 'toolmark.lane_name': 'sim' },
    });
    expect(steps(item)).toEqual(
      item.facts['toolmark.target'] === 0
        ? ['chat instant', 'claim', 'score', 'settle', 'wait for the budget']
        : ['chat wrong-key', 'claim', 'settle', 'wait for the budget'],
    );
  }
  expect(named('chat instant')[0]).toMatchObject({
    kind: 3,
    facts: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'instant',
      'gen_ai.request.temperature': 0,
      'gen_ai.request.max_tokens': 200,
      'gen_ai.response.finish_reasons': [expect.any(String)],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    },
  });
  expect(named('chat wrong-key')[0]).toMatchObject({
    status: { code: 2 },
    facts: { 'error.type': 'auth', 'http.response.status_code': 401 },
  });
  expect(
    named('settle')
      .map(({ facts }) => facts['toolmark.outcome'])
      .sort(),
  ).toEqual([...Array(5).fill('auth'), ...Array(5).fill('scored')]);
  for (const body of collector.bodies) {
    expect(body).not.toContain(KEY);
    expect(body).not.toContain('weather in Paris');
  }
});

it('a missing collector delays no run', async () => {
  collector.close();
  const suite_id = await client.importSuite(weatherSuite(20));
  const { eval_id } = (await client.post('/api/tool-eval', { suite_id, models: ['sim::instant'], cache: 'off' })).body;
  const run = await untilRunCompleted(client, eval_id);
  expect(run.counts).toMatchObject({ settled: 20, errored: 0 });
});
