import { request } from 'node:http';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()), 60_000);

/** Sends a path as it is written. */
const send = (method: string, path: string): Promise<{ status: number; headers: Record<string, any> }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const headers = { authorization: `Bearer ${api.client.token}` };
    request({ hostname, port, method, path, headers }, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers }));
    })
      .on('error', reject)
      .end();
  });

const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': expect.stringMatching(/frame-ancestors 'none'/),
};

it('no answer of the API is stored on the way, sniffed, framed or run', async () => {
  const { paths } = (await api.client.get('/openapi.json')).body as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method): [string, string] => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')]),
  );
  expect(routes.length).toBeGreaterThan(100);
  routes.push(['GET', '/api/nothing'], ['POST', '/api/nothing'], ['GET', '/api/me?x=%zz'], ['GET', '/api/%zz']);
  const ofApi = {
    ...EVERYWHERE,
    'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
    'cache-control': 'no-store',
  };
  for (const [method, path] of routes) {
    const { status, headers } = await send(method, path);
    expect({ method, path, status, ...headers }).toMatchObject({ method, path, ...ofApi });
  }
});

it('pages have policies of their own, and other answers allow nothing', async () => {
  const page = "script-src 'self'";
  const [icon] = /(?<=href=")\/assets\/[^"]+/.exec(await (await fetch(api.url)).text()) ?? [];
  const kinds: [path: string, policy: string][] = [
    ['/', page],
    ['/runs', page],
    ['/docs', page],
    ['/guide/README.html', "style-src 'self'"],
    ['/openapi.json', NO_PAGE],
    ['/healthz', NO_PAGE],
    ['/metrics', NO_PAGE],
    ['/%zz', NO_PAGE],
    ...(icon ? [[icon, NO_PAGE] as [string, string]] : []),
  ];
  for (const [path, policy] of kinds) {
    const { status, headers } = await send('GET', path);
    expect({ path, status, ...headers }).toMatchObject({ path, ...EVERYWHERE });
    expect([path, headers['content-security-policy']]).toEqual([path, expect.stringContaining(policy)]);
    // Only where the operator has said that browsers reach it over TLS.
    expect(headers['strict-transport-security']).toBeUndefined();
  }
});
