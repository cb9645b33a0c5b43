// Needs APIs of its own: with limits that a test reaches, behind a proxy, and without Redis.
import { io, type Socket } from 'socket.io-client';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { weatherSuite } from '../../../test/client.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { watchCommands } from '../../../test/services.js';
import { until } from '../../../test/until.js';

const FAILURES = 5;
const OPEN = 20;
const LIMITS = {
  TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: String(FAILURES),
  TOOLMARK_OPEN_REQUESTS_PER_MINUTE: String(OPEN),
};
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

let api: ApiInProcess;
/** Trusts no proxy, and has no Redis. */
let alone: ApiInProcess;
beforeAll(async () => {
  [api, alone] = await Promise.all([
    startApi({
      ...LIMITS,
      TOOLMARK_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8, fd00::/8',
      TOOLMARK_PUBLIC_URL: 'https://toolmark.example',
      TOOLMARK_SOCKETS_PER_TOKEN: '3',
      TOOLMARK_SUBSCRIPTIONS_PER_SOCKET: '2',
    }),
    startApi({
      ...LIMITS,
      TOOLMARK_REQUESTS_PER_MINUTE: '20',
      TOOLMARK_USER_REQUESTS_PER_MINUTE: '30',
      REDIS_URL: 'redis://127.0.0.1:1',
    }),
  ]);
}, 60_000);
afterAll(() => Promise.all([api.close(), alone.close()]));

type Headers = Record<string, string>;
const ask = async (of: ApiInProcess, path: string, headers: Headers, body?: object) => {
  const response = await fetch(of.url + path, {
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const from = (address: string) => ({ 'x-forwarded-for': address });
const statusesOf = (answers: { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));
const times = <Made>(count: number, make: (n: number) => Made): Made[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Counts the statements that look for callers, or something else, while `work` runs. */
async function lookUps(of: ApiInProcess, work: () => Promise<unknown>, text = /token k|session s/): Promise<number> {
  const query = of.pool.query.bind(of.pool) as (...args: any[]) => any;
  let count = 0;
  (of.pool as any).query = (...args: any[]) => {
    if (text.test(args[0]?.text ?? args[0])) count++;
    return query(...args);
  };
  try {
    await work();
  } finally {
    delete (of.pool as any).query;
  }
  return count;
}

it.each([
  ['Redis', () => api],
  ['an API without Redis', () => alone],
])('who guesses tokens is refused, and the team behind the same proxy is not: counted by %s', async (what, which) => {
  const of = which();
  const team = (await of.client.post('/api/teams', { name: `behind ${what}` })).body;
  const [guesser, other] = [from('203.0.113.9'), { ...from('203.0.113.9'), ...bearer(team.token.token) }];
  const commands: string[] = [];
  const watching = of === api ? await watchCommands(api.env.REDIS_URL) : undefined;
  watching?.on('monitor', (_time, parts: string[]) => void commands.push(parts.join(' ')));
  const guesses: any[] = [];
  let reads: any[] = [];
  const asked = await lookUps(of, async () => {
    // One by one until the limit, so that the addresses of those after it are known.
    for (let n = 0; n <= FAILURES; n++) guesses.push(await ask(of, '/api/me', { ...guesser, ...bearer(`guess-${n}`) }));
    guesses.push(
      ...(await Promise.all(
        times(40, (n) =>
          n % 2
            ? ask(of, '/api/me', { ...guesser, ...bearer(`another-${n}`) })
            : ask(of, '/api/session', { ...guesser, ...OWN_PAGE }, { token: `another ${n}` }),
        ),
      )),
    );
    reads = await Promise.all([
      ...times(10, () => ask(of, '/api/me', other)),
      ask(of, '/api/suites/none', { ...other }).then((answer) => ({ ...answer, status: answer.status === 404 && 200 })),
      ask(of, '/api/session', { ...from('203.0.113.9'), ...OWN_PAGE }, { token: team.token.token }),
    ]);
  });
  expect(statusesOf(guesses)).toEqual({ 401: FAILURES, 429: 41 });
  expect(statusesOf(reads)).toEqual({ 200: 12 });
  expect(asked).toBeLessThan(45);
  const { headers, body } = guesses.at(-1);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body).toMatchObject({ code: 'rate_limited', params: { limit: 'failed_sign_ins', per_minute: FAILURES } });
  watching?.disconnect();
  // Other tests use the same Redis.
  if (watching) expect(commands.filter((line) => /^incr .*:failed_sign_ins:/i.test(line)).length).toBeLessThan(60);
  // A page whose session has ended signs in again, whatever its neighbours do: that takes no statement each either.
  const ended: any[] = [];
  const sessions = await lookUps(of, async () => {
    const cookie = (n: number) => ({ ...guesser, ...OWN_PAGE, cookie: `toolmark_session=ts_${n}` });
    ended.push(...(await Promise.all(times(40, (n) => ask(of, '/api/me', cookie(n))))));
  });
  expect(statusesOf(ended)).toEqual({ 401: 40 });
  expect(sessions).toBeLessThan(10);
  // Behind a proxy that is trusted, another address is another caller.
  const elsewhere = await ask(of, '/api/me', { ...from('203.0.113.10'), ...bearer('guess') });
  expect(elsewhere.status).toBe(of === api ? 401 : 429);
});

it('a token and a user have limits of their own, which every answer shows', async () => {
  const user = `user ${Math.random()}`;
  const make = async () => (await alone.client.post('/api/tokens', { name: 't', role: 'viewer', user })).body.token;
  const [first, second] = [await make(), await make()];
  const read = (token: string) => ask(alone, '/api/me', bearer(token));
  const one = await read(first);
  expect(one.headers.get('ratelimit-policy')).toBe('"token";q=20;w=60, "user";q=30;w=60');
  expect(one.headers.get('ratelimit')).toMatch(/^"token";r=19;t=\d+, "user";r=29;t=\d+$/);
  const answers = await Promise.all(times(21, () => read(first)));
  expect(statusesOf(answers)).toEqual({ 200: 19, 429: 2 });
  expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
    code: 'rate_limited',
    params: { limit: 'token', per_minute: 20 },
  });
  const others = await Promise.all(times(9, () => read(second)));
  expect(statusesOf(others)).toEqual({ 200: 8, 429: 1 });
  expect(others.find(({ status }) => status === 429)!.body.params).toEqual({ limit: 'user', per_minute: 30 });

  // A sign-in counts as well: each begins a session, and is an entry of the audit.
  const { token } = (await alone.client.post('/api/tokens', { name: 'signs in', role: 'viewer', user: `${user} b` }))
    .body;
  const signIns = await Promise.all(times(25, () => ask(alone, '/api/session', OWN_PAGE, { token })));
  expect(statusesOf(signIns)).toEqual({ 200: 20, 429: 5 });
  const counts = await until(async () => {
    const { rows } = await alone.pool.query(
      `SELECT a.action, sum(a.count)::int AS count FROM audit a JOIN token k ON k.id = a.token_id
       WHERE k.name = 'signs in' GROUP BY 1 ORDER BY 1`,
    );
    return rows.length === 2 && rows;
  });
  expect(counts).toEqual([
    { action: 'refused.rate', count: 5 },
    { action: 'session.create', count: 20 },
  ]);
});

it('whoever has no token may read the documents so often, health always, and a right token more', async () => {
  const asked = (path: string) => ask(api, path, from('203.0.113.20'));
  const answers = await Promise.all(
    times(OPEN + 3, (n) => asked(['/openapi.json', '/metrics', '/docs', '/api/sign-in'][n % 4]!)),
  );
  expect(statusesOf(answers)).toEqual({ 200: OPEN, 429: 3 });
  expect((await asked('/api/me')).status).toBe(429);
  for (const path of ['/healthz', '/readyz', '/']) expect([path, (await asked(path)).status]).not.toEqual([path, 429]);
  expect((await ask(api, '/metrics', { ...from('203.0.113.20'), ...bearer(ADMIN_TOKEN) })).status).toBe(200);
  expect((await ask(api, '/metrics', from('203.0.113.21'))).status).toBe(200);
});

it('wrong invitations, device codes and guessed logins are failed sign-ins', async () => {
  const send = (n: number) =>
    n % 2
      ? ask(api, '/api/device-logins/token', from('203.0.113.30'), { device_code: `td_${n}` })
      : ask(api, '/api/invitations/read', from('203.0.113.30'), { invitation: `ti_${n}` });
  const statuses = [];
  for (let n = 0; n <= FAILURES; n++) statuses.push((await send(n)).status);
  expect(statuses).toEqual([...times(FAILURES, () => 404), 429]);
  const begun = (await ask(api, '/api/device-logins', from('203.0.113.31'), { name: 'host' })).body;
  const guess = (code: string) => api.client.get(`/api/me/device-logins/${code}`);
  for (let n = 0; n < FAILURES; n++) expect((await guess('BBBB-BBBB')).status).toBe(404);
  // Beyond the limit, a right code is not looked for either.
  expect([(await guess('BBBB-BBBB')).status, (await guess(begun.user_code)).status]).toEqual([429, 429]);
  const body = { name: 'guesses', role: 'viewer', user: `guesser ${Math.random()}` };
  const other = bearer((await api.client.post('/api/tokens', body)).body.token);
  const atOnce = () => Promise.all(times(20, () => ask(api, '/api/me/device-logins/BBBB-BBBB', other)));
  const asked = async () => expect(statusesOf(await atOnce())).toEqual({ 404: FAILURES, 429: 15 });
  expect(await lookUps(api, asked, /FROM device_login/)).toBe(FAILURES);
});

it('headers of a proxy say where the page is, if the proxy is trusted or the address is the public one', async () => {
  const signIn = async (of: ApiInProcess, headers: Headers) => {
    const answer = await ask(of, '/api/session', { ...from('203.0.113.40'), ...headers }, { token: ADMIN_TOKEN });
    return [answer.status, answer.headers.get('set-cookie')?.endsWith('; Secure')];
  };
  const proxied = {
    origin: 'https://tools.example',
    'x-forwarded-host': 'tools.example',
    'x-forwarded-proto': 'https',
  };
  expect(await signIn(api, proxied)).toEqual([200, true]);
  expect(await signIn(alone, proxied)).toEqual([403, undefined]);
  expect(await signIn(api, { origin: 'https://toolmark.example' })).toEqual([200, true]);
  expect(await signIn(alone, { origin: 'https://toolmark.example' })).toEqual([403, undefined]);
  expect(await signIn(api, { origin: api.url, 'x-forwarded-proto': 'https' })).toEqual([403, undefined]);
  const { headers } = await ask(api, '/api/me', bearer(ADMIN_TOKEN));
  expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
  const { items } = (await api.client.get('/api/sessions')).body;
  expect(items.map(({ address }: any) => address)).toContain('203.0.113.40');
  const audited = (await api.client.get('/api/audit?action=session.create&address=203.0.113.40')).body.items;
  expect(audited).toHaveLength(2);
  const named = { ...bearer(ADMIN_TOKEN), 'x-request-id': 'proxy-7' };
  expect((await ask(api, '/api/me', named)).headers.get('x-request-id')).toBe('proxy-7');
  expect((await ask(alone, '/api/me', named)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

describe('live connections', () => {
  const told = (error: any) => [error.data?.status, error.data?.params?.limit];
  const sockets: Socket[] = [];
  afterAll(() => sockets.forEach((socket) => socket.disconnect()));
  /** @returns the socket, or the status and the limit of its refusal */
  const connect = (token: string, address = '203.0.113.50'): Promise<Socket | unknown[]> => {
    const options = { transports: ['websocket'], reconnection: false, forceNew: true };
    const socket = io(api.url, { ...options, auth: { token }, extraHeaders: from(address) });
    sockets.push(socket);
    return new Promise((resolve) =>
      socket.once('connect', () => resolve(socket)).once('connect_error', (error) => resolve(told(error))),
    );
  };
  const isOpen = (answer: Socket | unknown[]): answer is Socket => !Array.isArray(answer);
  const newToken = async (): Promise<string> =>
    (await api.client.post('/api/tokens', { name: 'live', role: 'viewer' })).body.token;

  it('of a token are few, however they ended before, and another token has its own', async () => {
    const [token, other] = [await newToken(), await newToken()];
    const answers = await Promise.all(times(12, () => connect(token)));
    expect(answers.filter(isOpen)).toHaveLength(3);
    expect(answers.filter((answer) => !isOpen(answer))).toEqual(times(9, () => [429, 'sockets']));
    expect(isOpen(await connect(other))).toBe(true);
    const [closed, broken] = answers.filter(isOpen);
    closed!.disconnect();
    (broken!.io.engine.transport as any).ws.close();
    await until(async () => isOpen(await connect(token)), { what: 'a place' });
    await until(async () => isOpen(await connect(token)), { what: 'another place' });
    expect(await connect(token)).toEqual([429, 'sockets']);
    // More tokens make no more room: the user has as much as three of them.
    const more = await Promise.all(
      (await Promise.all(times(3, newToken))).flatMap((one) => times(3, () => connect(one))),
    );
    expect(more.filter(isOpen)).toHaveLength(9 - 3 - 1);
    more.filter(isOpen).forEach((socket) => socket.disconnect());
    await until(async () => isOpen(await connect(other)), { what: 'a place for the user' });
    const { rows } = await until(
      async () => {
        const found = await api.pool.query(`SELECT team_id FROM audit WHERE action = 'refused.connection'`);
        return found.rowCount ? found : undefined;
      },
      { what: 'the refused connections in the audit' },
    );
    expect(rows[0].team_id).toEqual(expect.any(String));
  });

  it('with wrong tokens are failed sign-ins of their address', async () => {
    const answers = [];
    for (let n = 0; n <= FAILURES; n++) answers.push(await connect(`wrong-${n}`, '203.0.113.51'));
    expect(answers).toEqual([...times(FAILURES, () => [401, undefined]), [429, 'failed_sign_ins']]);
    expect((await ask(api, '/api/me', { ...from('203.0.113.51'), ...bearer('wrong') })).status).toBe(429);
    expect(isOpen(await connect(await newToken(), '203.0.113.51'))).toBe(true);
  });

  it('follow some jobs, and send so many packets', async () => {
    await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'm' }] });
    const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(1))).body;
    const submit = async () => (await api.client.post('/api/tool-eval', { suite_id, models: ['sim::m'] })).body.job_id;
    const jobs = [await submit(), await submit(), await submit()];
    const socket = (await connect(await newToken())) as Socket;
    const send = async (name: string, job_id: string) => {
      const { ok, error } = await socket.emitWithAck(name, { job_id });
      return ok || error.params.limit;
    };
    expect(await Promise.all(jobs.map((job) => send('subscribe', job)))).toEqual([true, true, 'subscriptions']);
    expect(await send('unsubscribe', jobs[0]!)).toBe(true);
    expect(await send('subscribe', jobs[2]!)).toBe(true);
    const flood = await Promise.all(times(200, () => send('unsubscribe', jobs[1]!)));
    expect([flood[0], flood.at(-1)]).toEqual([true, 'packets']);
    for (let n = 0; n < 500; n++) socket.emit('subscribe', { job_id: jobs[1] });
    await until(() => socket.disconnected, { what: 'the flood to end' });
  });
});

it('failed sign-ins are counted without what was sent', async () => {
  const metrics = (await ask(api, '/metrics', from('203.0.113.60'))).body;
  expect(metrics).toMatch(/toolmark_refused_requests_total\{reason="wrong_credential"\} [1-9]/);
  expect(metrics).not.toMatch(/203\.0\.113|guess|wrong-/);
});
