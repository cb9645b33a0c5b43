import { newId } from '#lib/runtime/ids';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, type Answer, type Client } from '../../../test/client.js';
import { sendAs, signIn } from '../../../test/people.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let owner: Client;
let viewer: Client;
let reader: Client;
let other: Client;
let otherTeam: string;
/** Requests that were refused, by what the audit calls it. */
let refused: Record<string, Answer[]>;

const idOf = ({ headers }: Answer): string => headers.get('x-request-id')!;
const entries = async (by: Client, query: string): Promise<any[]> => (await by.get(`/api/audit?${query}`)).body.items;

beforeAll(async () => {
  api = await joinIdleApi();
  owner = api.client;
  await addUnreachableModels(owner);
  const token = async (more: object): Promise<Client> =>
    clientOf(api.url, (await owner.post('/api/tokens', { name: 'named', ...more })).body.token);
  [viewer, reader] = [await token({ role: 'viewer' }), await token({ role: 'editor', reads_only: true })];
  const made = (await api.anotherTeam()).body;
  [otherTeam, other] = [made.id, clientOf(api.url, made.token.token)];
  const expired = await token({ role: 'viewer' });
  await api.pool.query(`UPDATE token SET expires_at = now() WHERE name = 'named' AND id = $1`, [
    (await expired.get('/api/me')).body.token.id,
  ]);
  // The API remembers a token for reading alone.
  refused = {
    'refused.role': [await viewer.post('/api/tool-suites', {}), await viewer.get('/api/users')],
    'refused.token': [await reader.post('/api/tool-suites', {})],
    'refused.credential': [await expired.post('/api/tool-suites', {})],
  };
  refused.unknown = await Promise.all(Array.from({ length: 20 }, () => clientOf(api.url, 'tm_wrong').get('/api/me')));
  const stranger = await signIn(api, 'Eve', [{ teamId: api.teamId, role: 'viewer' }]);
  refused.team = [await stranger.send('GET', '/api/me', undefined, otherTeam)];
  refused.sign_in = [
    await owner.send('POST', '/api/session', { token: 'tm_wrong' }, { 'sec-fetch-site': 'same-origin' }),
    await clientOf(api.url, '').post('/api/invitations/read', { invitation: 'wrong' }),
  ];
}, 60_000);

it('says who changed what, from where, with which request, and what was there before', async () => {
  const answer = await owner.patch('/api/providers/sim', { limits: { max_concurrency: 3 }, api_key: 'sk-another' });
  const me = (await owner.get('/api/me')).body;
  expect(await entries(owner, `request_id=${idOf(answer)}`)).toEqual([
    {
      id: expect.any(String),
      at: expect.any(String),
      action: 'provider.update',
      subject: 'sim',
      subject_name: null,
      team_id: api.teamId,
      user: { id: me.user.id, name: me.user.name },
      token: { id: me.token.id, name: me.token.name },
      session_id: null,
      address: '127.0.0.1',
      request_id: idOf(answer),
      changes: [
        { field: 'api_key', before: '(secret)', after: '(secret)' },
        { field: 'api_key_last4', before: '6789', after: null },
        { field: 'limits.max_concurrency', before: 8, after: 3 },
      ],
      cause: null,
      count: 1,
    },
  ]);
  const subjectsOf = async (query: string) =>
    (await entries(owner, `action=provider.&${query}`)).map(({ subject }) => subject);
  expect(await subjectsOf(`user_id=${me.user.id}`)).toContain('sim');
  expect(await subjectsOf(`token_id=${me.token.id}`)).toContain('sim');
  expect(await subjectsOf(`user_id=${newId()}`)).toEqual([]);
  expect(await subjectsOf(`token_id=${newId()}`)).toEqual([]);
});

it('names ways in and out: who signs in, joins, changes teams and signs out, with what they may', async () => {
  const { paths } = (await owner.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { security?: object[] }>>;
  };
  const open = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { security }]) => method !== 'get' && security?.length === 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  // The walk of all other changes is in idempotency.int.spec.ts.
  expect(open.sort()).toEqual([
    'POST /api/device-logins', // Nobody knows whose it is: the approval is an entry.
    'POST /api/device-logins/token', // token.create: device-logins.int.spec.ts
    'POST /api/invitations/accept',
    'POST /api/invitations/read', // Changes nothing.
    'POST /api/session',
    'POST /api/sign-in/{provider}', // Changes nothing: the callback is an entry.
    'POST /api/sign-in/{provider}/logout', // session.delete: sign-in.int.spec.ts
  ]);
  const invite = async (by: Client) =>
    new URL((await by.post('/api/invitations', { role: 'editor' })).body.url).hash.replace('#invitation=', '');
  const person = await signIn(api, 'Ada', [{ teamId: api.teamId, role: 'viewer' }]);
  const joined = await person.send('POST', '/api/me/memberships', { invitation: await invite(other) });
  const moved = await person.send('PUT', '/api/session', { team_id: otherTeam });
  const left = await person.send('DELETE', '/api/session');
  const began = await sendAs({ url: api.url, cookie: '' }, 'POST', '/api/session', { token: owner.token });
  const accepted = await clientOf(api.url, '').post('/api/invitations/accept', {
    invitation: await invite(owner),
    name: 'Grace',
  });
  const said = async (by: Client, answer: Answer) => {
    expect(answer.status).toBeLessThan(300);
    const rows = await entries(by, `request_id=${idOf(answer)}`);
    return rows.map(({ action, user, changes }) => [
      action,
      user.name,
      Object.fromEntries(changes.map(({ field, before, after }: any) => [field, after ?? before])),
    ]);
  };
  expect(await entries(owner, `request_id=${idOf(accepted)}&action=token.create`)).toMatchObject([
    { subject_name: 'first token' },
  ]);
  const ofTeam = { role: 'editor', user: 'Ada' };
  expect(await said(other, joined)).toEqual([['invitation.accept', 'Ada', ofTeam]]);
  // It does not name the team where the session was.
  expect(await entries(other, `request_id=${idOf(moved)}`)).toMatchObject([
    {
      action: 'session.update',
      user: { name: 'Ada' },
      session_id: expect.any(String),
      changes: [{ field: 'team', before: null, after: (await other.get('/api/me')).body.team.name }],
    },
  ]);
  expect(await said(other, left)).toMatchObject([['session.delete', 'Ada', { user: 'Ada' }]]);
  expect(await said(owner, began)).toMatchObject([
    ['session.create', expect.any(String), { agent: 'Firefox on Linux', expires_at: expect.any(String) }],
  ]);
  expect(await said(owner, accepted)).toMatchObject([
    ['token.create', 'Grace', { name: 'first token', role: 'editor' }],
    ['invitation.accept', 'Grace', { role: 'editor', user: 'Grace' }],
  ]);
});

it('is read by owners, of their own team; the operator reads any', async () => {
  for (const by of [viewer, reader])
    for (const path of ['/api/audit', '/api/audit/export'])
      expect([path, (await by.get(path)).status]).toEqual([path, 403]);
  expect((await other.get(`/api/audit?team_id=${api.teamId}`)).status).toBe(403);
  expect((await other.get('/api/audit')).body.items.map(({ team_id }: any) => team_id)).not.toContain(api.teamId);
  const [own, operators] = [await owner.get('/api/audit'), await api.operator.get(`/api/audit?team_id=${api.teamId}`)];
  expect(operators.body).toEqual(own.body);
});

it('is filtered and paged, and looks through a limited number of entries for a page', async () => {
  const [first, count] = [Date.now() - 86_400_000 * 20, 20_000];
  await api.pool.query(
    `INSERT INTO audit (id, team_id, action, subject, at, address)
     SELECT id, $1, CASE n WHEN 1 THEN 'team.create' ELSE 'job.cancel' END, 'subject ' || n, $2, '192.0.2.7'
     FROM unnest($3::uuid[]) WITH ORDINALITY AS a (id, n)`,
    [otherTeam, new Date(first), Array.from({ length: count + 10 }, (_, n) => newId(first + n))],
  );
  const pages = async (query: string): Promise<string[][]> => {
    const found: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await other.get(`/api/audit?${query}${cursor && `&cursor=${cursor}`}`);
      found.push(body.items.map(({ subject }: any) => subject));
      cursor = body.next_cursor;
    }
    return found;
  };
  expect(await pages('action=team.create&address=192.0.2.7')).toEqual([[], ['subject 1']]);
  expect(await pages('action=team.&subject=subject')).toEqual([[], ['subject 1']]);
  const from = new Date(first).toISOString();
  expect(await pages(`action=job.&from=${from}&to=${new Date(first + 1).toISOString()}&subject=subject%202`)).toEqual([
    [],
    ['subject 2'],
  ]);
  expect((await pages(`to=${from}`)).flat()).toEqual([]);
  const lines = (await other.get('/api/audit/export?address=192.0.2.7')).body.trim().split('\n');
  expect(lines.length).toBe(count + 10);
  expect(JSON.parse(lines.at(-1))).toMatchObject({ action: 'team.create', subject: 'subject 1', count: 1 });
  expect(await entries(other, 'action=audit.export')).toMatchObject([
    { subject: otherTeam, changes: [{ field: 'address', before: null, after: '192.0.2.7' }] },
  ]);
  for (const wrong of ['user_id=x', 'from=yesterday', 'cursor=x', 'limit=201', 'unknown=1'])
    expect([wrong, (await other.get(`/api/audit?${wrong}`)).status]).toEqual([wrong, 400]);
});

it('counts refusals by minute and caller, and has nothing of what was sent', async () => {
  const seen = async (by: Client, query: string, answers: Answer[]) =>
    (await entries(by, `limit=200&${query}`)).filter(({ request_id }) =>
      answers.some((answer) => idOf(answer) === request_id),
    );
  const { unknown, team, sign_in: signIns, ...known } = refused;
  for (const [action, answers] of Object.entries(known)) {
    const rows = await until(
      async () => {
        const found = await seen(owner, `action=${action}`, answers);
        return found.length === answers.length ? found : undefined;
      },
      { what: action },
    );
    expect(rows.map((row) => [row.token.name, row.user.name, row.count, row.address])).toEqual(
      answers.map(() => ['named', expect.any(String), expect.any(Number), '127.0.0.1']),
    );
  }
  const [{ subject }] = await seen(owner, 'action=refused.role', known['refused.role']!.slice(0, 1));
  expect(subject).toBe('POST /api/tool-suites');
  const [wrong] = await until(() => seen(api.operator, 'action=refused.credential', unknown!), {
    what: 'unknown tokens',
  });
  expect(wrong).toMatchObject({ team_id: null, user: null, token: null, subject: 'any route', address: '127.0.0.1' });
  expect(wrong.count).toBeGreaterThanOrEqual(10);
  expect(await seen(api.operator, 'action=refused.sign_in', signIns!)).toHaveLength(2);
  expect(await seen(api.operator, 'action=refused.team', team!)).toHaveLength(1);
  const { rows } = await api.pool.query(`SELECT 1 FROM audit a WHERE a::text LIKE '%tm_wrong%'`);
  expect(rows).toEqual([]);
});
