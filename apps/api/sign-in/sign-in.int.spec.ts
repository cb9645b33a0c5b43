// Needs its own API with a replica: the providers of sign-in are settings.
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import type { Env } from '#lib/runtime/env';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import {
  signInFile,
  startSignInProvider,
  type ProviderState,
  type SignInProvider,
} from '../../../test/sign-in-provider.js';
import { until } from '../../../test/until.js';
import { AppModule } from '../app.module.js';
import { createApp } from '../platform/create-app.js';
import { ProviderClient } from './provider-client.js';
import { createProviderFetch } from './provider-fetch.js';
import { RereadClaims } from './reread-claims.js';
import { readSignInFile } from './sign-in-file.js';
import { PUBLIC_NETWORKS } from '../../../test/egress.js';

const PUBLIC_URL = 'http://127.0.0.1:8501';
const ADA = { name: 'Ada', email: 'ada@example.com', email_verified: true, groups: ['engineers', 'leads'] };

let provider: SignInProvider;
let api: ApiInProcess;
/** Another API on the same stores, whose log is read. */
let replica: NestFastifyApplication;
let replicaUrl: string;
let log: Record<string, string>[] = [];
/** Another one that counts alone, with limits that a test reaches. */
let limited: { app: NestFastifyApplication; url: string };
const limitedLog: Record<string, string>[] = [];

beforeAll(async () => {
  provider = await startSignInProvider({ accounts: { ada: ADA } });
  const rules = [
    { group: 'engineers', team: 'default', role: 'viewer' },
    { group: 'leads', team: 'default', role: 'editor' },
    { group: 'leads', team: 'research', role: 'owner' },
    { domain: 'corp.example', team: 'research', role: 'viewer' },
  ];
  const settings = { TOOLMARK_PUBLIC_URL: PUBLIC_URL, TOOLMARK_SESSION_DAYS: '2', TOOLMARK_SESSION_IDLE_HOURS: '3' };
  const TOOLMARK_SIGN_IN_FILE = signInFile(provider.entry({ id: 'corp', name: 'Corp', rules }));
  api = await startApi({ ...settings, TOOLMARK_SIGN_IN_FILE });
  const start = async (env: Partial<Env>, into: (line: Record<string, string>) => void) => {
    const logger = pino({ level: 'info' }, { write: (line) => into(JSON.parse(line)) });
    const app = await createApp(AppModule.forRoot({ env: { ...api.env, ...env }, logger }));
    await app.listen(0, '127.0.0.1');
    return { app, url: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
  };
  const few = { TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: 3, TOOLMARK_OPEN_REQUESTS_PER_MINUTE: 5 };
  limited = await start({ ...few, REDIS_URL: 'redis://127.0.0.1:1' }, (line) => void limitedLog.push(line));
  ({ app: replica, url: replicaUrl } = await start({}, (line) => void log.push(line)));
}, 60_000);
afterAll(() => Promise.all([api.close(), replica.close(), limited.app.close()]));
beforeEach(async () => {
  log = [];
  await provider.set({ fault: null, clockAheadMs: 0, refreshTokens: true, claimsInIdToken: true });
});

const OWN = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
type Input = { back?: string; invitation?: string };
/** Begins a sign-in. @returns where the browser goes, and its cookies, the new one last */
async function begin(input: Input = {}, { at = api.url, cookie = '' } = {}) {
  const response = await fetch(`${at}/api/sign-in/corp`, {
    method: 'POST',
    headers: { ...OWN, cookie },
    body: JSON.stringify(input),
  });
  const body = (await response.json()) as { url: string; code?: string };
  return { status: response.status, ...body, setCookies: response.headers.getSetCookie() };
}
const pair = (setCookie: string): string => setCookie.split(';')[0]!;

/** Opens a callback as a browser with this cookie. */
async function open(callback: string, cookie: string, at = api.url) {
  const { pathname, search } = new URL(callback);
  const response = await fetch(at + pathname + search, { headers: { cookie }, redirect: 'manual' });
  const setCookies = response.headers.getSetCookie();
  const session = setCookies.find((set) => /^toolmark_session=ts_/.test(set));
  return { response, html: await response.text(), setCookies, session: session && pair(session) };
}

/** Signs in, on both replicas. */
async function signIn(account: string, input: Input = {}) {
  const { url, setCookies } = await begin(input);
  return open(await provider.choose(account, url), pair(setCookies[0]!), replicaUrl);
}
const read = async (path: string, session: string, at = api.url) => {
  const response = await fetch(at + path, { headers: { ...OWN, cookie: session } });
  return { status: response.status, body: (await response.json()) as any };
};
/** The members who sign in, with their roles and teams. */
const members = async () => {
  const { rows } = await api.pool.query<{ name: string; team: string; role: string }>(
    `SELECT u.name, t.name AS team, u.role FROM users u JOIN team t ON t.id = u.team_id
     JOIN person p ON p.id = u.person_id WHERE p.issuer IS NOT NULL AND u.removed_at IS NULL`,
  );
  return rows.map(({ name, team, role }) => `${name}: ${role} of ${team}`).sort();
};

const count = async (table: string): Promise<number> =>
  Number((await api.pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
/** Entries of the audit, the oldest first. */
const audited = async (where: string, ...values: unknown[]): Promise<any[]> =>
  (
    await api.pool.query(
      `SELECT a.*, u.name AS "userName", t.name AS "teamName"
       FROM audit a LEFT JOIN users u ON u.id = a.user_id LEFT JOIN team t ON t.id = a.team_id
       WHERE ${where} ORDER BY a.at, t.name`,
      values,
    )
  ).rows;
const reasons = (): (string | undefined)[] => log.map(({ reason }) => reason);

it('begins on one replica and ends on another, in two tabs at once, on the page that was asked for', async () => {
  await provider.set({ fault: 'down' });
  expect(await begin()).toMatchObject({ status: 503, code: 'provider_unavailable' });
  await provider.set({ fault: null });
  const first = await begin({ back: '/runs?name="a"&x=<b>' });
  expect(first.setCookies[0]).toMatch(
    /^toolmark_sign_in_\w{32}=v1\.\S+; Max-Age=600; Path=\/api\/sign-in; HttpOnly; SameSite=Lax$/,
  );
  const second = await begin({ back: '//evil.example' }, { at: replicaUrl, cookie: pair(first.setCookies[0]!) });
  const cookie = [first, second].map(({ setCookies }) => pair(setCookies.at(-1)!)).join('; ');
  const callbacks = [await provider.choose('ada', second.url), await provider.choose('ada', first.url)];
  const [later, earlier] = [await open(callbacks[0]!, cookie), await open(callbacks[1]!, cookie, replicaUrl)];

  expect(later.html).toContain('content="0; url=/"');
  expect(earlier.html).toContain('content="0; url=/runs?name=&#34;a&#34;&#38;x=&#60;b&#62;"');
  expect(Object.fromEntries(earlier.response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/),
  });
  expect(earlier.setCookies).toEqual([
    expect.stringMatching(/^toolmark_sign_in_\w{32}=; Max-Age=0; Path=\/api\/sign-in;/),
    expect.stringMatching(/^toolmark_session=ts_\S+; Max-Age=17\d{4}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  const me = await read('/api/me', earlier.session!);
  expect(me.body).toMatchObject({
    user: { name: 'Ada' },
    team: { name: 'default' },
    role: 'editor',
    person: { email: 'ada@example.com', signs_in: true },
    session: { provider: 'corp' },
  });
  expect((await read('/api/me', later.session!, replicaUrl)).body.person).toEqual(me.body.person);
  expect(await members()).toEqual(['Ada: editor of default', 'Ada: owner of research']);
  const callback = earlier.response.headers.get('x-request-id');
  const begun = await audited('request_id = $1', callback);
  expect(begun).toMatchObject([{ action: 'session.create', userName: 'Ada', teamName: 'default', cause: null }]);
  expect(await audited(`action = 'user.create' AND a.cause = 'a rule of sign-in'`)).toMatchObject([
    { userName: 'Ada', teamName: 'default', address: '127.0.0.1' },
    { userName: 'Ada', teamName: 'research' },
  ]);
});

it('counts a callback once, in the browser that began it, and keeps four pending sign-ins', async () => {
  const { url, setCookies } = await begin({ back: '/runs' });
  const cookie = pair(setCookies[0]!);
  const callback = await provider.choose('ada', url);
  const elsewhere = await begin();
  const opened = [
    await open(callback, ''),
    await open(callback, pair(elsewhere.setCookies[0]!)),
    await open(
      callback,
      cookie.replace(/=v1\../, (start) => `=v1.${start.endsWith('A') ? 'B' : 'A'}`),
    ),
    await open(callback, `${cookie}; ${cookie}`),
    await open(`${callback.replace(/state=[^&]+/, 'state=')}<script>`, cookie),
  ];
  for (const { response, html, session } of opened) {
    expect([response.status, session]).toEqual([403, undefined]);
    expect(html).toContain('This sign-in has ended');
    expect(html).toContain('href="/sign-in"');
    expect(html).not.toContain('<script>');
  }
  const ids = opened.map(({ response }) => response.headers.get('x-request-id'));
  const refused = `action = 'refused.sign_in' AND request_id = ANY ($1)`;
  const [row] = await until(async () => ((await audited(refused, ids)).length ? audited(refused, ids) : undefined));
  expect(row).toMatchObject({ subject: 'GET /api/sign-in/:provider/callback', address: '127.0.0.1', team_id: null });
  const both = await Promise.all([open(callback, cookie), open(callback, cookie, replicaUrl)]);
  expect(both.map(({ response }) => response.status).sort()).toEqual([200, 403]);
  const again = await open(callback, cookie);
  expect(again.html).toContain('This sign-in was finished before.');
  expect(again.html).toContain('href="/sign-in?back=%2Fruns"');

  let jar: string[] = [];
  const pendings = [];
  for (let n = 0; n < 6; n++) {
    const begun = await begin({}, { cookie: jar.join('; ') });
    pendings.push(pair(begun.setCookies.at(-1)!));
    const removed = begun.setCookies.filter((set) => set.includes('Max-Age=0')).map((set) => set.split('=')[0]!);
    jar = [...jar.filter((kept) => !removed.includes(kept.split('=')[0]!)), pendings.at(-1)!];
  }
  expect(jar).toEqual(pendings.slice(2));
  const stranger = await fetch(`${api.url}/api/sign-in/corp`, { method: 'POST', body: '{}' });
  expect(stranger.status).toBe(403);
  const elsewhereBegun = await fetch(`${api.url}/api/sign-in/corp`, {
    method: 'POST',
    headers: { ...OWN, origin: 'http://toolmark.internal' },
    body: '{}',
  });
  expect(await elsewhereBegun.json()).toMatchObject({ code: 'wrong_address', params: { url: PUBLIC_URL } });
});

const FAULTS: [Partial<ProviderState>, reason: RegExp, sentence: RegExp][] = [
  [{ fault: 'token_issuer' }, /of the issuer "https:\/\/elsewhere.example" instead of http/, /could not be verified/],
  [{ fault: 'response_issuer' }, /"iss" \(issuer\) response parameter/, /could not be verified/],
  [{ fault: 'nonce' }, /belongs to another sign-in \(nonce\)/, /could not be verified/],
  [{ fault: 'audience' }, /for the client "another-client" instead of toolmark/, /could not be verified/],
  [{ fault: 'algorithm_none' }, /"alg" header/, /could not be verified/],
  [{ fault: 'signature' }, /signature verification failed/, /could not be verified/],
  [{ fault: 'replayed_code' }, /invalid_grant.* The code or refresh token was used before/, /was used before, or took/],
  [
    { fault: 'expired' },
    /the clocks differ: exp is \d+, and this machine's is \d+/,
    /clocks of Corp and Toolmark differ/,
  ],
  [{ clockAheadMs: 300_000 }, /the clocks differ: iat is/, /clocks of Corp and Toolmark differ/],
  [{ fault: 'down' }, /\/token cannot be asked: /, /Corp does not answer/],
  [{ fault: 'huge' }, /\/token answered more than 1048576 bytes/, /Corp does not answer/],
];
it('refuses what a provider may get wrong, with a sentence for the person and a reason for the operator', async () => {
  const sessions = await count('session');
  for (const [fault, reason, sentence] of FAULTS) {
    log = [];
    await provider.set({ fault: null, clockAheadMs: 0 });
    const { url, setCookies } = await begin({}, { at: replicaUrl });
    if (fault.fault !== 'down' && fault.fault !== 'huge') await provider.set(fault);
    const callback = await provider.choose('ada', url);
    await provider.set(fault);
    const { response, html, session } = await open(callback, pair(setCookies[0]!), replicaUrl);
    const status = fault.fault === 'down' || fault.fault === 'huge' ? 503 : 403;
    expect([fault, response.status, session]).toEqual([fault, status, undefined]);
    expect(html).toMatch(sentence);
    expect(reasons()).toEqual([expect.stringMatching(reason)]);
    expect(JSON.stringify(log)).not.toContain(new URL(callback).searchParams.get('code'));
  }
  // A clock that differs by less, or is behind as that of a provider that dates its tokens back, harms nobody.
  await provider.set({ fault: null, clockAheadMs: -240_000 });
  expect((await signIn('ada')).response.status).toBe(200);
  await provider.set({ clockAheadMs: 40_000 });
  expect((await signIn('ada')).response.status).toBe(200);
  await provider.set({ clockAheadMs: 0 });
  const { url, setCookies } = await begin();
  const cancelled = await open(await provider.choose('', url), pair(setCookies[0]!));
  expect(cancelled.html).toContain('The sign-in at Corp was cancelled');
  expect(await count('session')).toBe(sessions + 2);
});

it('reads the discovery document of a provider once for all, keeps no failure, and accepts only its own', async () => {
  const [settings] = readSignInFile(api.env.TOOLMARK_SIGN_IN_FILE, PUBLIC_URL);
  const fetch = createProviderFetch(PUBLIC_NETWORKS, settings!.issuer);
  const client = new ProviderClient(settings!, pino({ level: 'silent' }), fetch);
  const ask = () => client.authorizationUrl({ state: 's', nonce: 'n', verifier: 'v' });
  const requests = async () => (await provider.requests())['/.well-known/openid-configuration'] ?? 0;
  const before = await requests();
  for (const [fault, reason] of [
    ['down', /openid-configuration cannot be asked/],
    ['huge', /answered more than/],
    ['discovery_issuer', /names the issuer "https:\/\/elsewhere.example"; "issuer" must be exactly that, not http/],
  ] as const) {
    await provider.set({ fault });
    await expect(ask()).rejects.toThrow(reason);
  }
  await provider.set({ fault: null });
  const urls = await Promise.all(Array.from({ length: 10 }, ask));
  expect(new Set(urls)).toEqual(
    new Set([expect.stringMatching(/code_challenge=[\w-]{43}&code_challenge_method=S256/)]),
  );
  expect((await requests()) - before).toBe(4);
});

it('lets in no other tenant of Microsoft, whose document for all tenants names no issuer', async () => {
  const host = 'https://login.microsoftonline.com';
  const [settings] = readSignInFile(
    signInFile(provider.entry({ id: 'entra', name: 'Entra', issuer: `${host}/common/v2.0` })),
    PUBLIC_URL,
  );
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: `${host}/their-id/v2.0`, tid: 'their-id', aud: 'toolmark', sub: 'eve', nonce: 'n', iat };
  const answers: Record<string, object> = {
    '/common/v2.0/.well-known/openid-configuration': {
      issuer: `${host}/{tenantid}/v2.0`,
      token_endpoint: `${host}/token`,
      jwks_uri: `${host}/keys`,
    },
    '/token': {
      access_token: 'a',
      token_type: 'Bearer',
      id_token: await provider.sign({ ...claims, exp: iat + 600, name: 'Eve', email: 'eve@example.com' }),
    },
    '/keys': (await (await fetch(`${provider.issuer}/jwks`)).json()) as object,
  };
  const client = new ProviderClient(settings!, pino({ level: 'silent' }), async (url) =>
    Response.json(answers[new URL(url).pathname]),
  );
  const finished = client.finish('?code=c&state=s', { state: 's', nonce: 'n', verifier: 'v'.repeat(43) });
  await expect(finished).rejects.toThrow(/of the issuer https.*their-id.* instead of https.*common/);
});

it('knows people by issuer and subject alone, and lets nobody in whom no rule names', async () => {
  const twin = { ...ADA, groups: ['engineers'] };
  await provider.set({
    accounts: {
      ada: ADA,
      twin,
      stranger: { name: 'Sam', email: 'sam@corp.example', email_verified: false, groups: ['sales'] },
      verified: { name: 'Vera', email: 'vera@CORP.example', email_verified: true },
      overflowing: { name: 'Otto', _claim_names: { groups: 'src1' } },
    },
  });
  await signIn('ada');
  const people = await count('person');
  for (const account of ['stranger', 'overflowing']) {
    const { html, session } = await signIn(account);
    expect(html).toMatch(
      /you are in no team of this Toolmark. Ask an owner|which groups you are in, because there are/,
    );
    expect(session).toBeUndefined();
  }
  expect(await count('person')).toBe(people);
  // Their groups are in userinfo alone.
  await provider.set({ claimsInIdToken: false });
  const { session } = await signIn('twin');
  expect((await read('/api/me', session!)).body).toMatchObject({ user: { name: 'Ada (2)' }, role: 'viewer' });
  await signIn('verified');
  expect(await members()).toEqual([
    'Ada (2): viewer of default',
    'Ada: editor of default',
    'Ada: owner of research',
    'Vera: viewer of research',
  ]);
});

it('takes away at the next sign-in what a group gave, and no more; what an owner takes away stays so', async () => {
  const mia = { name: 'Mia', groups: ['leads'] };
  const with_ = (groups: string[], name = 'Mia') =>
    provider.set({ accounts: { ada: ADA, mia: { ...mia, name, groups } } });
  await with_(['leads']);
  const before = await signIn('mia');
  const me = (await read('/api/me', before.session!)).body;
  await api.pool.query(`UPDATE users SET given_by = 'owner', role = 'viewer' WHERE id = $1`, [me.user.id]);
  await with_(['engineers'], 'Mia Moss');
  await signIn('mia');
  const mias = async () => (await members()).filter((line) => line.startsWith('Mia'));
  expect(await mias()).toEqual(['Mia Moss: viewer of default']);

  await api.pool.query(`UPDATE users SET given_by = 'rule' WHERE id = $1`, [me.user.id]);
  await with_([]);
  expect((await signIn('mia')).html).toContain('you are in no team');
  expect((await read('/api/me', before.session!)).status).toBe(401);
  await with_(['leads']);
  expect((await read('/api/me', (await signIn('mia')).session!)).body.user.id).toBe(me.user.id);
  expect(await mias()).toEqual(['Mia: editor of default', 'Mia: owner of research']);

  await api.pool.query(`UPDATE users SET removed_at = now(), removed_by = 'owner' WHERE id = $1`, [me.user.id]);
  await signIn('mia');
  expect(await mias()).toEqual(['Mia: owner of research']);
});

it('redeems an invitation with the sign-in, which brings back whom an owner removed', async () => {
  await provider.set({ accounts: { ada: ADA, ivy: { name: 'Ivy' } } });
  const invite = async () => {
    const { body } = await api.client.post('/api/invitations', { role: 'editor' });
    return (body.url as string).split(/[/#?=]/).at(-1)!;
  };
  const first = await signIn('ivy', { invitation: await invite() });
  const { user, role } = (await read('/api/me', first.session!)).body;
  expect([user.name, role]).toEqual(['Ivy', 'editor']);
  expect((await api.client.delete(`/api/users/${user.id}`)).status).toBe(200);
  expect((await signIn('ivy')).session).toBeUndefined();
  const invitation = await invite();
  const again = await signIn('ivy', { invitation });
  expect((await read('/api/me', again.session!)).body.user).toEqual(user);
  const used = await signIn('ada', { invitation });
  expect(used.html).toContain('The invitation has been used.');
  expect(used.html).not.toContain('http-equiv="refresh"');
  expect((await read('/api/me', used.session!)).status).toBe(200);
});

describe('claims that are due', () => {
  const reread = async (where = `provider = 'corp'`) => {
    await api.pool.query(
      `UPDATE session SET claims_read_at = now() - interval '61 minutes', rereading_at = NULL WHERE ${where}`,
    );
    // Both replicas at once: a refresh token counts once.
    await Promise.all([api.app, replica].map((app) => app.get(RereadClaims).readDue()));
  };
  const refreshTokens = async () =>
    (await api.pool.query(`SELECT refresh_token FROM session WHERE claims_read_at IS NOT NULL`)).rows;
  beforeEach(() => api.pool.query('DELETE FROM session WHERE person_id IS NOT NULL'));

  it('are read again by one replica, and take away what a group gave', async () => {
    await provider.set({ accounts: { ada: ADA, rio: { name: 'Rio', groups: ['leads'] } } });
    const { session } = await signIn('rio');
    const [before] = await refreshTokens();
    await provider.set({ accounts: { ada: ADA, rio: { name: 'Rio', groups: ['engineers'] } } });
    await reread();
    expect((await read('/api/me', session!)).body).toMatchObject({ team: { name: 'default' }, role: 'viewer' });
    expect(await refreshTokens()).toEqual([expect.not.objectContaining(before)]);
    await reread();
    expect((await read('/api/me', session!)).status).toBe(200);
    await provider.set({ accounts: { ada: ADA, rio: { name: 'Rio', groups: [] } } });
    await reread();
    expect((await read('/api/me', session!)).status).toBe(401);
  });

  it('end no session while the provider is down, and end it when the provider says so', async () => {
    await provider.set({ accounts: { ada: ADA } });
    const { session } = await signIn('ada');
    await provider.set({ refreshTokens: false });
    const without = await signIn('ada');
    await provider.set({ refreshTokens: true, fault: 'down' });
    await reread('refresh_token IS NOT NULL');
    expect((await read('/api/me', session!)).body.role).toBe('editor');
    expect((await api.pool.query('SELECT 1 FROM session WHERE rereading_at IS NOT NULL')).rowCount).toBe(1);
    await provider.set({ fault: null });
    await reread();
    expect([await read('/api/me', session!), await read('/api/me', without.session!)]).toMatchObject([
      { status: 200 },
      { status: 401 },
    ]);
    await provider.set({ accounts: {} });
    await reread();
    expect((await read('/api/me', session!)).status).toBe(401);
  });
});

it("ends sessions at the provider's back-channel logout, and at no other message", async () => {
  await provider.set({
    accounts: { ada: ADA, twin: { name: 'Ada', groups: ['engineers'] } },
    logoutUri: `${replicaUrl}/api/sign-in/corp/logout`,
  });
  const [ada, twin] = [(await signIn('ada')).session!, (await signIn('twin')).session!];
  const alive = async () =>
    Promise.all([ada, twin].map(async (session) => (await read('/api/me', session, replicaUrl)).status === 200));
  const iat = Math.floor(Date.now() / 1000);
  const valid = {
    ...{ iss: provider.issuer, aud: 'toolmark', iat, exp: iat + 120, jti: 'x', sub: 'ada' },
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  };
  const post = async (token: string) => {
    const body = new URLSearchParams({ logout_token: token });
    const response = await fetch(`${replicaUrl}/api/sign-in/corp/logout`, { method: 'POST', body });
    return [response.status, response.headers.get('cache-control')];
  };
  const wrong: object[] = [
    { aud: 'another' },
    { iss: 'https://elsewhere.example' },
    { iat: iat - 3600, exp: iat - 3000 },
    { iat: iat + 600 },
    { nonce: 'n' },
    { events: {} },
    { sub: undefined },
    { jti: undefined },
  ];
  for (const more of wrong)
    expect([more, await post(await provider.sign({ ...valid, ...more }))]).toEqual([more, [400, 'no-store']]);
  expect(await post(await provider.sign(valid, { isForged: true }))).toEqual([400, 'no-store']);
  expect(await post(await provider.sign(valid, { header: { alg: 'none' } }))).toEqual([400, 'no-store']);
  expect(await post('junk')).toEqual([400, 'no-store']);
  // A message of an hour ago, whose sessions have long ended.
  expect(await post(await provider.sign({ ...valid, iat: iat - 3600 }))).toEqual([200, 'no-store']);
  expect(await alive()).toEqual([true, true]);
  await provider.logOut('ada');
  expect(await alive()).toEqual([false, true]);
  expect(await audited(`action = 'session.delete' AND cause = 'logout at the provider'`)).toMatchObject([
    { teamName: 'default', changes: expect.stringContaining('Ada') },
  ]);
});

it('who sends wrong messages, or sends much from the same address, stops neither sign-ins nor the log', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const junk = async () =>
    (await fetch(`${limited.url}/api/sign-in/corp/logout`, { method: 'POST', headers, body: 'logout_token=junk' }))
      .status;
  const { url, setCookies } = await begin({}, { at: limited.url });
  const cookie = pair(setCookies[0]!);
  const callback = await provider.choose('ada', url);
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push(await junk());
  expect(statuses).toEqual([400, 400, 400, 429, 429, 429]);
  const options = async () => (await fetch(`${limited.url}/api/sign-in`)).status;
  expect(await until(async () => (await options()) === 429)).toBe(true);
  expect((await open(callback, '', limited.url)).response.status).toBe(429);
  expect((await open(callback, cookie, limited.url)).session).toBeDefined();
  // It counts once.
  expect((await open(callback, cookie, limited.url)).response.status).toBe(429);
  expect(limitedLog.filter(({ reason }) => /Invalid Compact JWS/.test(reason!))).toHaveLength(4);
});
