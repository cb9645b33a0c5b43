// Needs its own API with a replica: the tests drop a table, and expect no other sessions.
import { io, type Socket } from 'socket.io-client';
import { MAX_SESSIONS_OF_A_TOKEN, removeEndedSessions } from '#lib/db/catalogue/sessions';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { ADMIN_TOKEN, startProcess, type RunningProcess } from '../../../test/processes.js';
import { until } from '../../../test/until.js';

let api: ApiInProcess;
let client: Client;
/** Another replica, in a process of its own, which logs everything, and whose operator chose times of sessions. */
let replica: RunningProcess;
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await startApi();
  client = api.client;
  const { DATABASE_URL, REDIS_URL } = api.env;
  replica = await startProcess('api', {
    ...{ DATABASE_URL, REDIS_URL, LOG_LEVEL: 'trace' },
    ...{ TOOLMARK_SESSION_IDLE_HOURS: '2', TOOLMARK_SESSION_DAYS: '3', TOOLMARK_TOKEN_DAYS: '5' },
  });
}, 60_000);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});
afterAll(() => api.close());

type Headers = Record<string, string>;
const OWN: Headers = { 'sec-fetch-site': 'same-origin' };
const signIn = (token: string, headers: Headers = OWN, url = api.url) =>
  fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });
/** The cookie of a new session, as a browser sends it. */
async function cookieOf(token = ADMIN_TOKEN): Promise<string> {
  const answer = await signIn(token);
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}
const send = (method: string, path: string, cookie: string, headers: Headers = OWN, url = api.url) =>
  fetch(url + path, { method, headers: { cookie, ...headers } });
const reads = async (cookie: string, url = api.url): Promise<boolean> =>
  (await send('GET', '/api/me', cookie, OWN, url)).status === 200;
const newToken = async (role: string, more: object = {}): Promise<{ id: string; token: string }> =>
  (await client.post('/api/tokens', { name: role, role, ...more })).body;

/** Connects with a cookie. @returns the error of a refused connection */
async function connect(
  cookie: string,
  headers: Headers,
  transport: 'websocket' | 'polling' = 'websocket',
  url = api.url,
): Promise<{ socket: Socket; refused: string | undefined }> {
  const extraHeaders = { cookie, ...headers };
  const socket = io(url, { transports: [transport], extraHeaders, reconnection: false, forceNew: true });
  sockets.push(socket);
  const refused = await new Promise<string | undefined>((resolve) =>
    socket.once('connect', () => resolve(undefined)).once('connect_error', ({ message }) => resolve(message)),
  );
  return { socket, refused };
}

describe('a session', () => {
  it('starts with a token, has its role, and ends with DELETE, on every replica', async () => {
    const answer = await signIn(ADMIN_TOKEN);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const me = await answer.json();
    expect(me).toEqual(await (await send('GET', '/api/me', cookie)).json());
    expect({ ...(me as object), session: null }).toEqual((await client.get('/api/me')).body);
    expect([await reads(cookie), await reads(cookie, replica.url)]).toEqual([true, true]);
    expect((await send('DELETE', '/api/settings/cache', cookie)).status).toBe(204);
    const signedOut = await send('DELETE', '/api/session', cookie);
    expect([signedOut.status, signedOut.headers.get('set-cookie')]).toEqual([
      204,
      'toolmark_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    ]);
    expect((await send('DELETE', '/api/settings/cache', cookie, OWN, replica.url)).status).toBe(401);
    await until(async () => !(await reads(cookie)) && !(await reads(cookie, replica.url)), { timeoutMs: 10_000 });
    const { rows } = await api.pool.query(`SELECT action FROM audit WHERE action LIKE 'session.%' ORDER BY id`);
    expect(rows.map(({ action }) => action)).toEqual(['session.create', 'session.delete']);
  });

  it('ends with its token, within seconds on another replica, and closes its sockets', async () => {
    const { id, token } = await newToken('editor');
    const cookie = await cookieOf(token);
    expect(await reads(cookie, replica.url)).toBe(true);
    const { socket, refused } = await connect(cookie, OWN, 'websocket', replica.url);
    expect(refused).toBeUndefined();
    const end = new Promise((resolve) => socket.once('disconnect', resolve));
    await client.delete(`/api/tokens/${id}`);
    expect((await send('POST', '/api/tool-suites', cookie, OWN, replica.url)).status).toBe(401);
    await until(async () => !(await reads(cookie, replica.url)), { timeoutMs: 10_000 });
    expect(await end).toBe('io server disconnect');
    expect((await connect(cookie, OWN)).refused).toBe('The session has ended. Sign in again.');
  });

  it('is listed with browser and address, and ends from the list on every replica, with its sockets', async () => {
    const { token } = await newToken('editor');
    const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15';
    const answer = await signIn(token, { ...OWN, 'user-agent': safari });
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const [listed] = (await client.get('/api/sessions')).body.items;
    expect(listed).toMatchObject({
      agent: 'Safari on macOS',
      address: '127.0.0.1',
      token: 'editor',
      is_current: false,
    });
    expect(await reads(cookie, replica.url)).toBe(true);
    const { socket, refused } = await connect(cookie, OWN, 'websocket', replica.url);
    expect(refused).toBeUndefined();
    const end = new Promise((resolve) => socket.once('disconnect', resolve));
    const itself = await send('DELETE', `/api/me/sessions/${listed.id}`, cookie);
    expect([itself.status, itself.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await send('POST', '/api/tool-suites', cookie, OWN, replica.url)).status).toBe(401);
    await until(async () => !(await reads(cookie, replica.url)), { timeoutMs: 10_000 });
    expect(await end).toBe('io server disconnect');
    expect((await client.delete(`/api/sessions/${listed.id}`)).status).toBe(404);
  });

  it('lasts as long as the operator of the API that began it says, on all of them', async () => {
    const answer = await signIn(ADMIN_TOKEN, OWN, replica.url);
    const cookie = answer.headers.get('set-cookie')!;
    const days = Number(/Max-Age=(\d+)/.exec(cookie)![1]) / 86_400;
    expect([days > 2.99, days <= 3]).toEqual([true, true]);
    await api.pool.query(`UPDATE session SET last_used_at = now() - interval '2 hours' WHERE idle_hours = 2`);
    await until(async () => !(await reads(cookie.split(';')[0]!)));
    const atReplica = clientOf(replica.url);
    const { body } = await atReplica.post('/api/tokens', { name: 'short', role: 'viewer' });
    expect((Date.parse(body.expires_at) - Date.now()) / 86_400_000).toBeLessThanOrEqual(5);
  });

  it.each([
    ['is over', `expires_at = now()`],
    ['was not used for twelve hours', `last_used_at = now() - interval '12 hours'`],
  ])('that %s can no longer read, and its row is removed', async (_what, change) => {
    const cookie = await cookieOf();
    await api.pool.query(`DELETE FROM session WHERE hash NOT IN (SELECT max(hash) FROM session)`);
    const current = await cookieOf();
    await api.pool.query(`UPDATE session SET ${change} WHERE created_at < (SELECT max(created_at) FROM session)`);
    await until(async () => !(await reads(cookie)));
    expect(await reads(current)).toBe(true);
    await removeEndedSessions(api.pool);
    expect((await api.pool.query('SELECT 1 FROM session')).rowCount).toBe(1);
  });

  it('records its use once a minute', async () => {
    const cookie = await cookieOf();
    const lastUsed = async (): Promise<number> =>
      (await api.pool.query('SELECT last_used_at AS at FROM session ORDER BY created_at DESC LIMIT 1')).rows[0].at;
    const first = await lastUsed();
    for (let n = 0; n < 3; n++) await send('DELETE', '/api/settings/cache', cookie);
    expect(await lastUsed()).toEqual(first);
    await api.pool.query(`UPDATE session SET last_used_at = now() - interval '61 s'`);
    const before = await lastUsed();
    await send('DELETE', '/api/settings/cache', cookie);
    expect(await lastUsed()).not.toEqual(before);
  });

  it('lasts no longer than its token or seven days', async () => {
    const maxAge = async (token: string): Promise<number> =>
      Number(/Max-Age=(\d+)/.exec((await signIn(token)).headers.get('set-cookie')!)![1]);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const short = await maxAge((await newToken('viewer', { expires_at: inAnHour })).token);
    expect([short > 3500, short <= 3600]).toEqual([true, true]);
    const days = (await maxAge(ADMIN_TOKEN)) / 86_400;
    expect([days > 6.99, days <= 7]).toEqual([true, true]);
  });

  it('has the role of its token and no more', async () => {
    const cookie = await cookieOf((await newToken('viewer')).token);
    expect(await reads(cookie)).toBe(true);
    const refused = await send('POST', '/api/tool-suites', cookie);
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      403,
      'This needs the role "editor"; the session has "viewer".',
    ]);
    expect((await send('DELETE', '/api/session', cookie)).status).toBe(204);
  });

  it('is one of at most a hundred of its token: one more ends the least recently used', async () => {
    const { id, token } = await newToken('viewer');
    const [oldest, next] = [await cookieOf(token), await cookieOf(token)];
    await api.pool.query(
      `UPDATE session SET last_used_at = created_at - interval '1 h' WHERE token_id = $1
         AND created_at = (SELECT min(created_at) FROM session WHERE token_id = $1)`,
      [id],
    );
    await api.pool.query(
      `INSERT INTO session (hash, user_id, token_id, role, expires_at)
       SELECT n::text, user_id, id, role, now() + interval '1 day' FROM token, generate_series(3, $2) n WHERE id = $1`,
      [id, MAX_SESSIONS_OF_A_TOKEN],
    );
    await cookieOf(token);
    expect((await api.pool.query('SELECT 1 FROM session WHERE token_id = $1', [id])).rowCount).toBe(
      MAX_SESSIONS_OF_A_TOKEN,
    );
    expect([await reads(oldest), await reads(next)]).toEqual([false, true]);
  });

  it('is not started by a wrong token, a large body, or a body that is not JSON', async () => {
    expect((await signIn('nobody')).status).toBe(401);
    expect((await signIn('x'.repeat(11_000))).status).toBe(413);
    const form = { method: 'POST', headers: { ...OWN, 'content-type': 'text/plain' }, body: '{"token": "x"}' };
    expect((await fetch(`${api.url}/api/session`, form)).status).toBe(415);
    const { status } = await client.delete('/api/session');
    expect(status).toBe(409);
  });
});

describe('the cookie', () => {
  const NAME_AND_SECRET = /^toolmark_session=ts_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict/;
  const https = () => api.url.replace('http:', 'https:');

  it.each<[as: string, headers: () => Headers, isSecure: boolean]>([
    ['without TLS', () => ({ ...OWN, origin: api.url }), false],
    ['behind a proxy that nobody trusts', () => ({ ...OWN, 'x-forwarded-proto': 'https' }), false],
    ['where the browser says so', () => ({ ...OWN, origin: https() }), true],
  ])(
    'cannot be read by scripts nor sent by other sites, and %s is Secure where possible',
    async (_as, headers, isSecure) => {
      const cookie = (await signIn(ADMIN_TOKEN, headers())).headers.get('set-cookie')!;
      expect(cookie).toMatch(NAME_AND_SECRET);
      expect(cookie.endsWith('; Secure')).toBe(isSecure);
    },
  );

  const host = () => new URL(api.url).host;
  const ours: [headers: string, () => Headers][] = [
    ['Sec-Fetch-Site: same-origin', () => OWN],
    ['an equal Origin', () => ({ origin: api.url })],
    ['an equal Origin behind TLS', () => ({ origin: https() })],
    ['the scheme of a proxy that nobody trusts', () => ({ origin: api.url, 'x-forwarded-proto': 'https' })],
    ["the page's own header, where the browser says nothing", () => ({ 'toolmark-page': '1' })],
  ];
  const foreign: [headers: string, () => Headers][] = [
    ['nothing', () => ({})],
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['Sec-Fetch-Site: same-site', () => ({ 'sec-fetch-site': 'same-site', origin: api.url })],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
    ['both, and one foreign', () => ({ 'sec-fetch-site': 'cross-site', 'toolmark-page': '1' })],
    ['another Origin', () => ({ origin: 'https://evil.example', 'toolmark-page': '1' })],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' })],
    [
      'the host of a proxy that nobody trusts',
      () => ({ origin: 'https://tools.example', 'x-forwarded-host': 'tools.example' }),
    ],
    ['our host in front of another', () => ({ origin: `http://${host()}.evil.example` })],
    ['an opaque Origin', () => ({ origin: 'null' })],
    ['several Origins', () => ({ origin: `${api.url}, https://evil.example` })],
  ];

  it.each(ours)('is accepted with %s', async (_what, headers) => {
    const cookie = await cookieOf();
    expect((await signIn(ADMIN_TOKEN, headers())).status).toBe(200);
    expect((await send('GET', '/api/me', cookie, headers())).status).toBe(200);
    expect((await send('DELETE', '/api/settings/cache', cookie, headers())).status).toBe(204);
    for (const transport of ['websocket', 'polling'] as const)
      expect([transport, (await connect(cookie, headers(), transport)).refused]).toEqual([transport, undefined]);
  });

  it.each(foreign)('is refused with %s', async (_what, headers) => {
    const cookie = await cookieOf();
    const refused = await signIn(ADMIN_TOKEN, headers());
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await send('GET', '/api/me', cookie, headers())).status).toBe(401);
    expect((await send('DELETE', '/api/settings/cache', cookie, headers())).status).toBe(401);
    for (const transport of ['websocket', 'polling'] as const)
      expect([transport, (await connect(cookie, headers(), transport)).refused]).toEqual([
        transport,
        'The token is unknown, revoked or expired.',
      ]);
  });

  it('yields to a token, is not a token itself, and is ignored when a sibling site adds another cookie', async () => {
    const cookie = await cookieOf();
    const viewer = await newToken('viewer');
    const withBoth = await send('DELETE', '/api/settings/cache', cookie, {
      ...OWN,
      authorization: `Bearer ${viewer.token}`,
    });
    expect(withBoth.status).toBe(403);
    const secret = cookie.split('=')[1]!;
    expect((await clientOf(api.url, secret).get('/api/me')).status).toBe(401);
    expect(await reads(`toolmark_session=${viewer.token}`)).toBe(false);
    expect(await reads(`${cookie}; toolmark_session=${'x'.repeat(46)}`)).toBe(false);
    expect(await reads(`theme=dark; ${cookie}; a=b`)).toBe(true);
  });

  it('is a secret: no table, answer or log contains it or its token', async () => {
    const { token } = await newToken('editor');
    const answer = await signIn(token, OWN, replica.url);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const secret = cookie.split('=')[1]!;
    const headers = { ...OWN, 'content-type': 'application/json', 'idempotency-key': 'by-cookie', cookie };
    const body = JSON.stringify({ ...weatherSuite(1), cases: undefined });
    const made = await fetch(`${replica.url}/api/tool-eval/import`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    await api.pool.query('ALTER TABLE audit RENAME TO audit_away');
    expect((await signIn(token, OWN, replica.url)).status).toBe(500);
    expect((await send('DELETE', '/api/session', cookie, OWN, replica.url)).status).toBe(500);
    await api.pool.query('ALTER TABLE audit_away RENAME TO audit');
    expect((await send('DELETE', '/api/session', cookie, OWN, replica.url)).status).toBe(204);
    const stored = await Promise.all(
      ['session', 'token', 'audit', 'idempotency_key'].map(
        async (table) => (await api.pool.query(`SELECT t::text FROM ${table} t`)).rows,
      ),
    );
    await until(() => replica.logs().split('A request failed').length === 3);
    const everything = [await answer.text(), await made.text(), JSON.stringify(stored), replica.logs()].join();
    expect(everything).toContain('by-cookie');
    for (const hidden of [secret, token]) expect(everything).not.toContain(hidden);
  });
});
