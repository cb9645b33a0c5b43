import { createSocket } from 'node:dgram';
import { createServer as createHttpsServer } from 'node:https';
import { request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { classifyError } from '#lib/providers/classify-failure';
import { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import type { GuardedRequestInit } from '#lib/providers/guarded/reply-memory';
import { afterFile } from '../../test/after-file.js';
import { startForwardProxy, type ForwardProxy } from '../../test/forward-proxy.js';
import { sendJson, startHttpServer } from '../../test/http-server.js';
import { SELF_SIGNED } from '../../test/self-signed.js';
import { collectorAgent } from './collector-agent.js';
import type { EgressSettings } from './egress.js';
import { AddressNotAllowed, EgressPolicy } from './policy.js';
import { byNameServers, ProxiedNames } from './proxied-names.js';

const SECRET = 'pa%ss:w0rd';
const EXTRA_CA = SELF_SIGNED.cert;

let proxy: ForwardProxy | undefined;
let closing: (() => Promise<void>)[] = [];
/** An https server, which only `EXTRA_CA` makes known. It says who its client is. */
let secure: { url: string; port: number };
/** It answers with the path and the `via` of a request. */
let plain: { url: string; port: number };

const listen = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    afterFile(() => server.close());
  });

beforeAll(async () => {
  proxy = await startForwardProxy();
  const server = createHttpsServer({ ...SELF_SIGNED, requestCert: true, ca: EXTRA_CA, rejectUnauthorized: false });
  server.on('request', ({ socket }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    sendJson(response, { client: subject?.O ?? null, authorized: (socket as TLSSocket).authorized });
  });
  const port = await listen(server);
  afterFile(() => server.closeAllConnections());
  secure = { url: `https://localhost:${port}/v1`, port };
  const { url } = await startHttpServer(({ url: path, headers }, _body, response) =>
    sendJson(response, { path, via: headers.via ?? null, proxyAuthorization: headers['proxy-authorization'] ?? null }),
  );
  plain = { url: `${url}/v1?x=1`, port: Number(new URL(url).port) };
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

const fetchBy = (egress: Partial<EgressSettings>, options: object = {}) => {
  const { fetch, close } = createGuardedFetch({ egress: { allowedNetworks: [], noProxy: [], ...egress }, ...options });
  closing.push(close);
  return fetch;
};
const json = async (response: Promise<Response>): Promise<any> => JSON.parse(await (await response).text());
const failureOf = async (response: Promise<Response>, url: string) =>
  response.then(
    () => undefined,
    (error: unknown) => {
      const { message, kind, retryable } = classifyError(error, url);
      return { message, kind, retryable };
    },
  );
const CLOSED = 'http://127.0.0.1:9';

describe('requests through a forward proxy', () => {
  it('go by CONNECT if https, in absolute form if not, and directly where NO_PROXY says so', async () => {
    const egress = { httpsProxy: proxy!.url, httpProxy: proxy!.url, extraCa: EXTRA_CA };
    const fetch = fetchBy({ ...egress, allowedNetworks: [`localhost:${secure.port}`, `127.0.0.1:${plain.port}`] });
    expect(await json(fetch(secure.url))).toEqual({ client: null, authorized: false });
    expect(await json(fetch(plain.url))).toMatchObject({ path: '/v1?x=1', via: expect.stringContaining('tinyproxy') });
    const asked = [`CONNECT localhost:${secure.port}`, `GET http://127.0.0.1:${plain.port}/v1?x=1`];
    expect(proxy!.requests()).toEqual(asked);
    const direct = fetchBy({ ...egress, allowedNetworks: ['127.0.0.0/8'], noProxy: ['localhost', '127.0.0.0/8'] });
    expect(await json(direct(secure.url))).toEqual({ client: null, authorized: false });
    expect(await json(direct(plain.url))).toMatchObject({ via: null });
    expect(proxy!.requests()).toEqual(asked);
  });

  it('say what to do when it refuses a password or a host, and never show the password', async () => {
    const guarded = await startForwardProxy({ user: 'joe right' });
    const narrow = await startForwardProxy({ connectPort: 443 });
    const allowedNetworks = [`localhost:${secure.port}`, `127.0.0.1:${plain.port}`];
    const withUser = (user: string): string => guarded.url.replace('//', `//${user}@`);
    const ask = async (url: string, proxyUrl: string) => {
      const fetch = fetchBy({ httpsProxy: proxyUrl, httpProxy: proxyUrl, extraCa: EXTRA_CA, allowedNetworks });
      return await failureOf(fetch(url), url);
    };
    const refused = { kind: 'network', retryable: false };
    for (const [variable, url] of [
      ['HTTPS_PROXY', secure.url],
      ['HTTP_PROXY', plain.url],
    ] as const) {
      const [without, wrong] = [await ask(url, guarded.url), await ask(url, withUser(`joe:${SECRET}`))];
      expect(without).toEqual({
        ...refused,
        message:
          `The proxy of ${variable} wants a user name and a password (407). An operator can add them to ${variable}: ` +
          'http://user:password@host:port.',
      });
      // Of plain http, tinyproxy's own 401 looks like one of the host.
      if (variable === 'HTTPS_PROXY')
        expect(wrong).toEqual({
          ...refused,
          message: expect.stringMatching(`^The proxy of ${variable} refuses the user name and password in ${variable}`),
        });
      expect(JSON.stringify([wrong])).not.toContain('w0rd');
      expect(await ask(url, withUser('joe:right'))).toBeUndefined();
    }
    expect(await ask(secure.url, narrow.url)).toEqual({
      ...refused,
      message:
        `The proxy of HTTPS_PROXY does not let requests go to localhost:${secure.port} (403). Its administrator ` +
        'can allow that host.',
    });
    expect(await ask(secure.url, CLOSED)).toEqual({
      kind: 'network',
      retryable: true,
      message: 'The proxy of HTTPS_PROXY cannot be reached (ECONNREFUSED).',
    });
    expect(await ask(plain.url, CLOSED)).toMatchObject({ message: expect.stringMatching(/^The proxy of HTTP_PROXY/) });
  });

  it('show the password to the proxy alone', async () => {
    const heard: string[] = [];
    const port = await listen(
      createServer((socket) => {
        socket.once('data', (head) => {
          heard.push(head.toString());
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        });
      }),
    );
    const httpProxy = `http://joe:${encodeURIComponent(SECRET)}@127.0.0.1:${port}`;
    const fetch = fetchBy({ httpProxy, allowedNetworks: ['llm'] });
    await fetch('http://llm/v1', { headers: { Host: 'other', 'Proxy-Authorization': 'theirs', 'x-team': 'a' } });
    expect(heard[0]).toMatch(/^GET http:\/\/llm\/v1 HTTP\/1\.1\r\n/);
    expect(heard[0]!.match(/^(host|proxy-authorization|x-team): .*$/gim)!.sort()).toEqual([
      'host: llm',
      `proxy-authorization: Basic ${Buffer.from(`joe:${SECRET}`).toString('base64')}`,
      'x-team: a',
    ]);
  });

  it.each([
    ['https://169.254.169.254/latest', /never go there/],
    ['https://[::ffff:a9fe:a9fe]/', /never go there/],
    ['https://metadata.google.internal./', /never go there/],
    ['https://METADATA/', /never go there/],
    ['https://10.1.2.3/', /10\.1\.2\.3 is a private address.*TOOLMARK_ALLOWED_NETWORKS/],
    ['https://0x7f.1/', /127\.0\.0\.1 is a private address/],
    ['https://redis/', /redis is a name inside a private network.*by its name in TOOLMARK_ALLOWED_NETWORKS/],
    ['https://localhost./', /name inside a private network/],
    ['https://metadata.google.internal../', /name inside a private network/],
    ['https://a.localhost/', /name inside a private network/],
    ['https://db.prod.svc./', /name inside a private network/],
    ['https://db.prod.svc.cluster.local/', /name inside a private network/],
    ['https://nas.lan/', /name inside a private network/],
    ['https://x.home.arpa/', /name inside a private network/],
    ['https://vault.service.consul/', /name inside a private network/],
    [
      'https://models.example:6443/',
      /port 6443 through.*the ports 443 and 8443 alone.*allow models\.example:6443 in TOO/,
    ],
    ['https://8.8.8.8:22/', /port 22 through the proxy of HTTPS_PROXY/],
    ['http://models.example/', /over plain http through the proxy of HTTP_PROXY, which needs its name in TOOLMARK_/],
    ['http://8.8.8.8/', /over plain http/],
  ])('are refused before the proxy is asked when they aim at %s', async (url, message) => {
    for (const allowedNetworks of [[], ['10.9.0.0/16', 'redis:1', 'other.lan']]) {
      const fetch = fetchBy({ httpsProxy: CLOSED, httpProxy: CLOSED, allowedNetworks });
      await expect(fetch(url)).rejects.toThrow(AddressNotAllowed);
      await expect(fetch(url)).rejects.toThrow(message);
    }
  });

  it('are refused when their name leads to a private address here, and redacted when it may', async () => {
    const known: Record<string, string> = { 'cloud.example': '169.254.169.254', 'inside.example': '10.1.2.3' };
    const lookUp = async (host: string) => ({ addresses: known[host] ? [known[host]] : [], isIncomplete: false });
    const ask = (url: string, allowedNetworks: string[]) =>
      failureOf(fetchBy({ httpsProxy: CLOSED, allowedNetworks }, { lookUp })(url), url);
    const isPrivate = 'inside.example is at 10.1.2.3, which is a private address.';
    expect((await ask('https://inside.example', []))!.message).toContain(isPrivate);
    expect((await ask('https://inside.example', ['10.1.0.0/16']))!.message).toContain('cannot be reached');
    expect((await ask('https://inside.example', ['inside.example']))!.message).toContain('cannot be reached');
    expect((await ask('https://cloud.example', ['*', '0.0.0.0/0']))!.message).toContain('never go there');
    // Only the proxy knows it.
    expect((await ask('https://unknown.example', []))!.message).toContain('cannot be reached');
  });

  it('are checked by name servers, of which one that hangs on some names does not hold up the others', async () => {
    const server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      if (query.includes('hangs')) return;
      const answer = Buffer.from(query);
      answer.writeUInt16BE(0x8183, 2); // there is no such name
      server.send(answer, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    afterFile(() => server.close());
    const lookUp = byNameServers([`127.0.0.1:${server.address().port}`]);
    const names = new ProxiedNames(new EgressPolicy({ allowedNetworks: [], noProxy: [] }), lookUp);
    const hanging = Array.from({ length: 500 }, (_, index) => names.look(`${index}.hangs.example`, 443));
    await expect(names.look('api.example', 443)).rejects.toMatchObject({ isRetryable: true });
    // Other ports of a name need no answer of their own.
    expect(await Promise.all([...hanging, names.look('7.hangs.example', 8443)])).toEqual(
      Array(501).fill({ problem: undefined, isPrivate: true }),
    );
    expect(await names.look('api.example', 443)).toEqual({ problem: undefined, isPrivate: false });
  });

  it('count as private, and hold up no others, while they cannot be looked up', async () => {
    const names = new ProxiedNames(new EgressPolicy({ allowedNetworks: [], noProxy: [] }), () =>
      Promise.reject(new Error('no name servers')),
    );
    for (const host of Array.from({ length: 501 }, (_, index) => `host-${index}.example`))
      expect(await names.look(host, 443)).toEqual({ problem: undefined, isPrivate: true });
  });

  it('are answered with redacted errors by hosts that the operator named', async () => {
    const server = createHttpsServer(SELF_SIGNED, (_request, response) => {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('for machines inside alone');
    });
    const url = `https://localhost:${await listen(server)}/`;
    afterFile(() => server.closeAllConnections());
    const lookUp = async () => ({ addresses: [], isIncomplete: false });
    const egress = { httpsProxy: proxy!.url, extraCa: EXTRA_CA, allowedNetworks: ['localhost'] };
    const response = await fetchBy(egress, { lookUp })(url);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('not shown')]);
  });

  it.each(['localhost', '127.0.0.1'])('go to an https proxy at %s, whose certificate is checked', async (host) => {
    const behind = Number(new URL(proxy!.url).port);
    const front = createTlsServer(SELF_SIGNED, (socket) => {
      const way = connect(behind, '127.0.0.1').on('error', () => socket.destroy());
      socket
        .on('error', () => way.destroy())
        .pipe(way)
        .pipe(socket);
    });
    const httpsProxy = `https://${host}:${await listen(front)}`;
    const allowedNetworks = [`localhost:${secure.port}`, `127.0.0.1:${plain.port}`];
    const settings = { httpsProxy, httpProxy: httpsProxy, allowedNetworks };
    const trusting = fetchBy({ ...settings, extraCa: EXTRA_CA });
    expect(await json(trusting(secure.url))).toEqual({ client: null, authorized: false });
    expect(await json(trusting(plain.url))).toMatchObject({ via: expect.stringContaining('tinyproxy') });
    for (const url of [secure.url, plain.url])
      expect(await failureOf(fetchBy(settings)(url), url)).toEqual({
        kind: 'network',
        retryable: false,
        message: expect.stringMatching(
          /^The proxy of HTTPS?_PROXY has a certificate that cannot be trusted \(.*EXTRA_CA/,
        ),
      });
  });

  it('carry traces, too', async () => {
    const egress = { allowedNetworks: [], noProxy: [], httpsProxy: undefined, httpProxy: proxy!.url };
    const agent = collectorAgent(egress, plain.url)!('http:');
    const answered = new Promise<string>((resolve, reject) => {
      httpRequest(plain.url, { agent }, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      })
        .once('error', reject)
        .end();
    });
    expect(await answered).toContain('tinyproxy');
    agent.destroy();
    expect(collectorAgent({ ...egress, noProxy: ['127.0.0.0/8'] }, plain.url)).toBeUndefined();
  });
});

it('a server whose authority is unknown is trusted once TOOLMARK_EXTRA_CA has it', async () => {
  const allowedNetworks = ['127.0.0.1', '::1'];
  expect(await failureOf(fetchBy({ allowedNetworks })(secure.url), secure.url)).toEqual({
    kind: 'network',
    retryable: false,
    message:
      `localhost:${secure.port} has a certificate that cannot be trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Fix it, or ` +
      'add its authority with TOOLMARK_EXTRA_CA.',
  });
  expect(await json(fetchBy({ allowedNetworks, extraCa: EXTRA_CA })(secure.url))).toBeTruthy();
});

const ways = ['directly', 'through a proxy'];
it.each(ways)('a client certificate is shown %s, on connections of its own', async (how) => {
  const httpsProxy = how === 'directly' ? undefined : proxy!.url;
  const fetch = fetchBy({ allowedNetworks: [`localhost:${secure.port}`], extraCa: EXTRA_CA, httpsProxy });
  const mine: GuardedRequestInit = {
    clientCertificate: { certificate: SELF_SIGNED.cert, privateKey: SELF_SIGNED.key },
  };
  const [as, nobody] = [
    { client: 'Toolmark tests, trusted by nobody', authorized: true },
    { client: null, authorized: false },
  ];
  for (const [init, expected] of [
    [mine, as],
    [{}, nobody],
    [mine, as],
    [{}, nobody],
  ] as const)
    expect(await json(fetch(secure.url, init))).toEqual(expected);
  // A certificate is public: without its key, it does not use the connections of others.
  const stolen = { certificate: SELF_SIGNED.cert, privateKey: 'another key' };
  await expect(fetch(secure.url, { clientCertificate: stolen })).rejects.toThrow();
});

it('a server with TLS 1.2 that wants a client certificate is said to', async () => {
  const server = createHttpsServer({ ...SELF_SIGNED, requestCert: true, maxVersion: 'TLSv1.2' });
  server.on('tlsClientError', () => {});
  const url = `https://localhost:${await listen(server)}`;
  expect(await failureOf(fetchBy({ allowedNetworks: ['localhost'], extraCa: EXTRA_CA })(url), url)).toEqual({
    kind: 'network',
    retryable: false,
    message: expect.stringMatching(/refuses the handshake.* It may let in only clients whose certificate it knows/),
  });
});
