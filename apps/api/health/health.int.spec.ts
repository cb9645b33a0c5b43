// Needs two APIs of its own: one without Redis, and one that loses Postgres.
import { joinIdleApi, startApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite } from '../../../test/client.js';
import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { tcpProxy } from '../../../test/tcp-proxy.js';

describe('the API', () => {
  let api: SharedApi;
  beforeAll(async () => void (api = await joinIdleApi()), 60_000);

  it('answers its health and version without a token', async () => {
    expect(await api.client.get('/readyz')).toMatchObject({ status: 200, body: { postgres: 'up', redis: 'up' } });
    for (const path of ['/healthz', '/docs', '/openapi.json']) {
      const answer = await fetch(api.url + path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toBe(''); // Read to the end: on close the API waits for open readers.
    }
  });

  it('measures requests by the template of their route, never by an id', async () => {
    const scrape = async (): Promise<string> => (await fetch(`${api.url}/metrics`)).text();
    const counted = (text: string): number =>
      Number(
        /toolmark_http_request_seconds_count\{method="GET",route="\/api\/jobs\/:id",status="404"\} (\d+)/.exec(
          text,
        )?.[1] ?? 0,
      );
    const before = counted(await scrape());
    await api.client.get('/api/jobs/01a1fc11-0570-72f9-b84b-b15294fa812e');
    // Values may be up to a second old.
    const text = await until(async () => [await scrape()].find((one) => counted(one) === before + 1), {
      what: 'the request to be counted',
    });
    expect(text).not.toContain('01a1fc11');
    expect(text).toMatch(/process_cpu/);
  });

  it('describes itself: security, bounds, problems and keys', async () => {
    const { paths, components, security } = (await api.client.get('/openapi.json')).body;
    expect(security).toEqual([{ bearer: [] }, { session: [] }]);
    expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(components.schemas.CaseInput.properties.prompt).toMatchObject({ maxLength: 50_000 });
    expect(components.schemas.SuiteFile.properties).toMatchObject({
      test_cases: { maxItems: 10_000 },
      tools: { maxItems: 512 },
    });
    expect(paths['/api/tool-suites'].get.parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        schema: expect.objectContaining({ minimum: 1, maximum: 200, default: 50 }),
      }),
    );
    // Responses always have a type, but requests may omit it.
    expect(components.schemas.Tool.required).toEqual(['function']);
    const post = paths['/api/tool-eval'].post;
    expect(post.responses['422']).toEqual({ $ref: '#/components/responses/Problem422' });
    expect(components.responses.Problem422.content['application/problem+json'].schema).toEqual({
      $ref: '#/components/schemas/Problem',
    });
    expect(post.parameters).toContainEqual({ $ref: '#/components/parameters/Idempotency-Key' });
    expect(components.parameters['Idempotency-Key']).toMatchObject({
      name: 'Idempotency-Key',
      in: 'header',
      schema: { maxLength: 200 },
    });
    const operations = Object.values<Record<string, any>>(paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
    const references = JSON.stringify({ paths, components }).match(/#\/components\/schemas\/\w+/g)!;
    for (const reference of references) expect(Object.keys(components.schemas)).toContain(reference.split('/').at(-1));
  });
});

it('is ready without Redis, and accepts runs', async () => {
  const api = await startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
  expect(await api.client.get('/readyz')).toMatchObject({ status: 200, body: { postgres: 'up', redis: 'down' } });
  await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(1))).body;
  const run = await api.client.post('/api/tool-eval', { suite_id, models: ['sim::a'] });
  expect(run.status).toBe(202);
  expect((await api.client.post('/api/tool-eval/cancel', { job_id: run.body.job_id })).status).toBe(202);
  await api.close();
});

it('is not ready without Postgres, says so on every route, and recovers by itself', async () => {
  const way = await tcpProxy(new URL((await createDatabase()).url));
  const api = await startApi({ DATABASE_URL: way.url });
  await api.client.get('/api/me'); // The API caches the token for seconds, so the routes below pass the guard.
  way.cut();
  expect(await api.client.get('/readyz')).toMatchObject({ status: 503, body: { postgres: 'down' } });
  expect((await api.client.get('/healthz')).status).toBe(200);
  for (const path of ['/api/jobs', '/api/providers', '/api/tool-suites', '/api/tool-eval/history', '/api/tokens']) {
    const answer = await api.client.get(path);
    expect(answer).toMatchObject({ status: 503, body: { title: 'Service Unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  expect((await clientOf(api.url, 'nobody').get('/api/jobs')).status).toBe(503); // Not 401: no check was possible.
  way.mend();
  expect(await api.client.get('/readyz')).toMatchObject({ status: 200 });
  expect((await api.client.get('/api/jobs')).status).toBe(200);
  way.close(); // Nothing listens there any more.
  for (const path of ['/api/jobs', '/api/tokens']) expect(await api.client.get(path)).toMatchObject({ status: 503 });
  await api.close();
});
