import { randomUUID } from 'node:crypto';
import { sha256 } from '#lib/runtime/seal';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { lockTable } from '../../../test/lock-table.js';
import { cookieOfToken, sendAs, signIn } from '../../../test/people.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let client: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
}, 60_000);

const as = (token: string): Client => clientOf(api.url, token);
const members = async (by: Client = client): Promise<any[]> => (await by.get('/api/users')).body.items;
const named = async (name: string, by?: Client) => (await members(by)).find((member) => member.name === name);
const anotherTeam = async (): Promise<{ teamId: string; owner: Client; ownerId: string }> => {
  const { body } = await api.anotherTeam();
  const owner = as(body.token.token);
  return { teamId: body.id, owner, ownerId: (await owner.get('/api/me')).body.user.id };
};
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.code];

describe('a service account', () => {
  it('has tokens that its role bounds, and starts no session; lists say when and from where it came', async () => {
    const made = await client.post('/api/users', { name: 'ci', role: 'editor' });
    expect(made).toMatchObject({ status: 201, body: { name: 'ci', kind: 'service', role: 'editor', tokens: 0 } });
    expect(codeOf(await client.post('/api/users', { name: 'ci', role: 'viewer' }))).toEqual([409, 'name_taken']);
    const token = (role: string) => client.post('/api/tokens', { name: `for ${role}s`, role, user: 'ci' });
    expect((await token('owner')).body.errors[0].path).toBe('/role');
    const { body } = await token('editor');
    expect(body).toMatchObject({ user: 'ci', created_by: 'owner', last_used_at: null });
    const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
    expect([days > 89.9, days <= 90]).toEqual([true, true]);

    expect((await as(body.token).post('/api/tool-eval/import', weatherSuite(1))).status).toBe(201);
    const session = await sendAs({ url: api.url, cookie: '' }, 'POST', '/api/session', { token: body.token });
    expect([...codeOf(session), session.headers.get('set-cookie')]).toEqual([403, 'service_account', null]);
    const own = await as(body.token).post('/api/me/tokens', { name: 'x', role: 'viewer' });
    expect(codeOf(own)).toEqual([403, 'service_account']);
    const used = await until(async () =>
      (await client.get('/api/tokens')).body.items.find(({ id, last_used_at }: any) => id === body.id && last_used_at),
    );
    expect(used).toMatchObject({ address: '127.0.0.1', agent: 'node' });
    expect(await named('ci')).toMatchObject({
      tokens: 1,
      sessions: 0,
      last_used_at: used.last_used_at,
      signs_in: false,
    });

    expect(await client.patch(`/api/users/${made.body.id}`, { role: 'viewer' })).toMatchObject({
      status: 200,
      body: { role: 'viewer' },
    });
    expect(codeOf(await as(body.token).post('/api/tool-eval/import', weatherSuite(1)))).toEqual([403, 'role_needed']);
  });
});

describe('a member who is removed', () => {
  it('can do nothing any more in this team, and goes on in others; work and jobs stay', async () => {
    const other = await anotherTeam();
    await addUnreachableModels(client);
    const grace = await signIn(api, 'grace', [
      { teamId: api.teamId, role: 'owner' },
      { teamId: other.teamId, role: 'editor' },
    ]);
    const { body: token } = await grace.send('POST', '/api/me/tokens', { name: 'laptop', role: 'editor' });
    const invitation = (await grace.send('POST', '/api/invitations', { role: 'owner' })).body.url.split('=')[1];
    const suite_id = await as(token.token).importSuite(weatherSuite(1));
    const { job_id } = (await as(token.token).post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body;
    expect(await named('grace')).toMatchObject({
      kind: 'person',
      signs_in: true,
      email: 'grace@example.com',
      tokens: 1,
      sessions: 1,
      given_by: 'owner',
    });

    const path = `/api/users/${grace.users[api.teamId]}`;
    expect((await other.owner.delete(path)).status).toBe(404);
    expect(await client.delete(path)).toMatchObject({ status: 200, body: { running_jobs: 1 } });
    expect((await client.get(`/api/jobs/${job_id}`)).body.status).toBe('queued');
    expect((await as(token.token).post('/api/tool-suites', {})).status).toBe(401);
    expect(codeOf(await grace.send('POST', '/api/tool-suites', {}, api.teamId))).toEqual([403, 'not_in_team']);
    // A change is looked up again, and what follows is remembered.
    await grace.send('POST', '/api/tool-suites', {});
    expect((await grace.send('GET', '/api/me')).body.team.id).toBe(other.teamId);
    const ended = await client.post('/api/invitations/read', { invitation });
    expect([...codeOf(ended), ended.body.params]).toEqual([409, 'invitation_ended', { status: 'withdrawn' }]);
    for (const answer of [await client.delete(path), await client.patch(path, { role: 'viewer' })])
      expect(answer.status).toBe(404);
    expect((await client.post('/api/tokens', { name: 'x', role: 'viewer', user: 'grace' })).body.errors[0].path).toBe(
      '/user',
    );
    expect(await named('grace')).toBeUndefined();

    await other.owner.delete(`/api/users/${grace.users[other.teamId]}`);
    expect((await grace.send('POST', '/api/tool-suites', {})).status).toBe(401);
  });
});

describe('the last owner who can come in', () => {
  it('stays: of two who remove each other at once, one does, and who signs in counts', async () => {
    const { teamId, owner, ownerId } = await anotherTeam();
    const itself = `/api/users/${ownerId}`;
    expect(codeOf(await owner.delete(itself))).toEqual([409, 'last_owner']);
    expect(codeOf(await owner.patch(itself, { role: 'editor' }))).toEqual([409, 'last_owner']);
    const tokens = (await owner.get('/api/tokens')).body.items;
    expect(codeOf(await owner.delete(`/api/tokens/${tokens[0].id}`))).toEqual([409, 'last_owner_token']);

    const ada = await signIn(api, 'ada', [{ teamId, role: 'owner' }]);
    // Both have begun before either is done.
    const release = await lockTable(api.pool, 'audit');
    const both = Promise.all([owner.delete(`/api/users/${ada.users[teamId]}`), ada.send('DELETE', itself)]);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await api.pool.query(waiting)).rowCount === 2);
    await release();
    expect((await both).map(({ status }) => status).sort()).toEqual([200, 409]);
    const { rows } = await api.pool.query('SELECT name FROM users WHERE team_id = $1 AND removed_at IS NULL', [teamId]);
    expect(rows).toHaveLength(1);
  });

  it('may go when a person who signs in is an owner, who may then not lose the role', async () => {
    const { teamId, owner, ownerId } = await anotherTeam();
    const ada = await signIn(api, 'ada', [{ teamId, role: 'owner' }]);
    expect((await ada.send('DELETE', `/api/users/${ownerId}`)).status).toBe(200);
    expect((await owner.post('/api/tool-suites', {})).body.detail).toContain('unknown, revoked or expired');
    expect(codeOf(await ada.send('PATCH', `/api/users/${ada.users[teamId]}`, { role: 'viewer' }))).toEqual([
      409,
      'last_owner',
    ]);
    const cy = await signIn(api, 'cy', [{ teamId, role: 'owner' }]);
    const invitation = (await cy.send('POST', '/api/invitations', { role: 'owner' })).body.url.split('=')[1];
    expect((await ada.send('PATCH', `/api/users/${cy.users[teamId]}`, { role: 'editor' })).body.role).toBe('editor');
    const kept = await cy.send('POST', '/api/me/memberships', { invitation });
    expect([...codeOf(kept), kept.body.params]).toEqual([409, 'invitation_ended', { status: 'withdrawn' }]);
    const byRule = await signIn(api, 'bob', [{ teamId, role: 'viewer', givenBy: 'rule' }]);
    expect(codeOf(await ada.send('PATCH', `/api/users/${byRule.users[teamId]}`, { role: 'owner' }))).toEqual([
      409,
      'role_from_sign_in',
    ]);
  });
});

describe('a person in two teams', () => {
  it('has two tabs that never see the things of the other team, and no team beside them', async () => {
    const [one, two, foreign] = await Promise.all([anotherTeam(), anotherTeam(), anotherTeam()]);
    const suites = await Promise.all([one, two].map(({ owner }) => owner.importSuite(weatherSuite(1))));
    const eve = await signIn(api, 'eve', [
      { teamId: one.teamId, role: 'viewer' },
      { teamId: two.teamId, role: 'editor' },
    ]);
    const seen = async (team?: string) =>
      (await eve.send('GET', '/api/tool-suites', undefined, team)).body.items?.map(({ id }: any) => id);
    expect(await Promise.all([seen(one.teamId), seen(two.teamId), seen()])).toEqual([
      [suites[0]],
      [suites[1]],
      [suites[0]],
    ]);
    expect((await eve.send('GET', `/api/tool-suites/${suites[1]}`, undefined, one.teamId)).status).toBe(404);
    const rename = (suite: string, team: string) =>
      eve.send('PATCH', `/api/tool-suites/${suite}`, { name: 'mine' }, team);
    expect((await rename(suites[1]!, one.teamId)).status).toBe(403);
    expect((await rename(suites[0]!, two.teamId)).status).toBe(404);
    expect((await rename(suites[1]!, two.teamId)).status).toBe(200);
    for (const team of [foreign.teamId, randomUUID(), 'x'])
      expect(codeOf(await eve.send('GET', '/api/tool-suites', undefined, team))).toEqual([403, 'not_in_team']);

    const teams = (await eve.send('GET', '/api/me/teams', undefined, two.teamId)).body.items;
    expect(teams.map(({ id, role, is_current }: any) => [id, role, is_current])).toEqual(
      [
        [two.teamId, 'editor', true],
        [one.teamId, 'viewer', false],
      ].sort((a, b) => (a[0]! < b[0]! ? 1 : -1)),
    );
    expect((await eve.send('PUT', '/api/session', { team_id: two.teamId })).body).toMatchObject({
      team: { id: two.teamId },
      role: 'editor',
      user: { name: 'eve' },
    });
    await eve.send('POST', '/api/tool-suites', {});
    expect(await seen()).toEqual([suites[1]]);
    expect(codeOf(await eve.send('PUT', '/api/session', { team_id: foreign.teamId }))).toEqual([403, 'not_in_team']);

    const { body } = await eve.send('POST', '/api/me/tokens', { name: 'mine', role: 'viewer' }, one.teamId);
    const ofToken = await cookieOfToken(api.url, body.token);
    expect((await as(body.token).get('/api/me/teams')).body.items.map(({ id }: any) => id)).toEqual([one.teamId]);
    expect((await sendAs({ url: api.url, cookie: ofToken, team: two.teamId }, 'GET', '/api/me')).status).toBe(403);
    expect(
      (await sendAs({ url: api.url, cookie: ofToken }, 'PUT', '/api/session', { team_id: two.teamId })).status,
    ).toBe(403);
  });
});

describe('own tokens and sessions', () => {
  it('are seen and ended by the person and by owners; a token sees and ends no more than it has', async () => {
    const { teamId, owner } = await anotherTeam();
    const mia = await signIn(api, 'mia', [{ teamId, role: 'editor' }]);
    const make = (input: object) => mia.send('POST', '/api/me/tokens', { name: 'mine', role: 'viewer', ...input });
    expect(codeOf(await make({ role: 'owner' }))).toEqual([403, 'role_needed']);
    expect((await make({ user: 'owner' })).status).toBe(400);
    expect((await make({ expires_at: '2020-01-01T00:00:00Z' })).status).toBe(422);
    const [editor, viewer, capped] = [
      (await make({ role: 'editor', expires_at: null })).body,
      (await make({})).body,
      (await make({ role: 'editor', monthly_cap_usd: 5 })).body,
    ];
    expect([editor.expires_at, editor.user, editor.created_by]).toEqual([null, 'mia', 'mia']);
    for (const limited of [as(capped.token), as(viewer.token)])
      expect((await limited.post('/api/me/tokens', { name: 'more', role: 'editor' })).status).toBe(403);
    expect((await owner.post('/api/tokens', { name: 'x', role: 'viewer', user: 'mia' })).body.errors[0].path).toBe(
      '/user',
    );
    expect((await as(viewer.token).get('/api/me/tokens')).body.items).toHaveLength(3);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const ending = as((await make({ role: 'editor', expires_at: inAnHour })).body.token);
    // A token makes none that outlives it.
    expect((await ending.post('/api/me/tokens', { name: 'x', role: 'viewer', expires_at: null })).status).toBe(422);
    expect((await ending.post('/api/me/tokens', { name: 'x', role: 'viewer' })).body.expires_at).toBe(inAnHour);
    const [first, ...others] = (await owner.get('/api/me/tokens')).body.items;
    expect(others).toEqual([]);
    // With a cap it would manage nothing, and nobody else could.
    expect(codeOf(await owner.patch(`/api/tokens/${first.id}`, { monthly_cap_usd: 3 }))).toEqual([
      409,
      'last_owner_token',
    ]);
    const setPrices = { models: [{ id: 'a', input_cost_per_mtok: 0, output_cost_per_mtok: 0 }] };
    const cappedOwner = (await owner.post('/api/tokens', { name: 'o', role: 'owner', monthly_cap_usd: 1 })).body;
    expect(codeOf(await as(cappedOwner.token).delete(`/api/tokens/${cappedOwner.id}`))).toEqual([403, 'token_limited']);
    expect(codeOf(await as(cappedOwner.token).patch('/api/providers/sim', setPrices))).toEqual([403, 'token_limited']);
    // Its runs keep to the cap when it is deleted.
    expect((await owner.delete(`/api/tokens/${cappedOwner.id}`)).status).toBe(204);
    expect((await owner.delete(`/api/tokens/${cappedOwner.id}`)).status).toBe(404);
    expect((await as(cappedOwner.token).post('/api/tool-suites', {})).status).toBe(401);
    const kept = await api.pool.query('SELECT monthly_cap_usd FROM token WHERE id = $1', [cappedOwner.id]);
    expect(kept.rows).toEqual([{ monthly_cap_usd: 1 }]);
    expect(codeOf(await as(viewer.token).delete(`/api/me/tokens/${editor.id}`))).toEqual([403, 'role_needed']);
    expect((await owner.delete(`/api/me/tokens/${editor.id}`)).status).toBe(404);
    expect(await owner.patch(`/api/tokens/${viewer.id}`, { monthly_cap_usd: 3 })).toMatchObject({
      status: 200,
      body: { monthly_cap_usd: 3 },
    });

    const browser = { url: api.url, cookie: await cookieOfToken(api.url, editor.token) };
    const list = async (send: (method: string, path: string) => Promise<any>, path = '/api/me/sessions') =>
      (await send('GET', path)).body.items;
    const ofToken = { token: 'mine', provider: null, agent: 'Firefox on Linux', address: '127.0.0.1' };
    expect(await list((method, path) => sendAs(browser, method, path))).toMatchObject([
      { ...ofToken, is_current: true },
    ]);
    const all = await list(mia.send);
    expect(all).toMatchObject([
      { ...ofToken, is_current: false },
      { provider: 'company', token: null, is_current: true },
    ]);
    const sign = all[1].id;
    expect((await sendAs(browser, 'DELETE', `/api/me/sessions/${sign}`)).status).toBe(404);
    expect((await list(owner.send, '/api/sessions')).map(({ user }: any) => user)).toEqual(['mia', 'mia']);
    expect((await client.delete(`/api/sessions/${sign}`)).status).toBe(404);
    expect((await mia.send('DELETE', `/api/me/sessions/${all[0].id}`)).status).toBe(204);
    expect((await sendAs(browser, 'POST', '/api/tool-suites', {})).status).toBe(401);
    expect((await mia.send('DELETE', `/api/me/tokens/${editor.id}`)).status).toBe(204);
    expect((await owner.delete(`/api/sessions/${sign}`)).status).toBe(204);
    expect((await mia.send('POST', '/api/tool-suites', {})).status).toBe(401);

    await api.pool.query(`UPDATE token SET expires_at = '2026-01-02' WHERE id = $1`, [viewer.id]);
    const expired = await as(viewer.token).delete('/api/session');
    expect([...codeOf(expired), expired.body.detail]).toEqual([
      401,
      'token_expired',
      'The token "mine" expired on 2026-01-02. Sign in, or ask an owner of your team for another one.',
    ]);
  });
});

describe('users and tokens of the release before', () => {
  it('are persons of their own, whose tokens keep role, team and no end', async () => {
    const { teamId, owner } = await anotherTeam();
    const [userId, secret] = [randomUUID(), `tm_${randomUUID()}`];
    // The statements of that release.
    await api.pool.query(
      'INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT (team_id, name) DO NOTHING',
      [userId, teamId, 'linus'],
    );
    await api.pool.query(
      `INSERT INTO token (id, team_id, user_id, name, role, hash, expires_at, from_env)
       SELECT $1, u.team_id, u.id, $3, $4, $5, $6, $7 FROM users u WHERE u.id = $2`,
      [randomUUID(), userId, 'old', 'editor', sha256(secret), null, false],
    );
    expect(await named('linus', owner)).toMatchObject({
      id: userId,
      kind: 'person',
      role: 'editor',
      given_by: 'owner',
      signs_in: false,
      tokens: 1,
    });
    expect((await as(secret).get('/api/me')).body).toMatchObject({
      team: { id: teamId },
      role: 'editor',
      token: { expires_at: null },
    });
    const cookie = await cookieOfToken(api.url, secret);
    expect((await sendAs({ url: api.url, cookie }, 'GET', '/api/me')).body.session.provider).toBeNull();
    expect((await owner.post('/api/tokens', { name: 'more', role: 'owner', user: 'linus' })).body.user).toBe('linus');
    expect((await owner.patch(`/api/users/${userId}`, { role: 'viewer' })).body.role).toBe('viewer');
    expect((await as(secret).post('/api/tool-suites', {})).status).toBe(403);
  });
});
