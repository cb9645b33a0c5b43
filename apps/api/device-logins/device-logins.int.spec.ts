import { beginDeviceLogin, removeEndedDeviceLogins } from '#lib/db/catalogue/device-logins';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Answer, type Client } from '../../../test/client.js';

let api: SharedApi;
let owner: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  owner = api.client;
}, 60_000);
afterEach(() => api.pool.query('DELETE FROM device_login'));

/** A command line has no token yet. */
const send = async (path: string, body: object): Promise<Answer> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json(), headers: response.headers };
};
const begin = async (name = 'host'): Promise<{ device_code: string; user_code: string; url: string }> => {
  const { status, body } = await send('/api/device-logins', { name });
  expect([status, body]).toEqual([201, expect.objectContaining({ expires_in_s: 600, interval_s: 5 })]);
  return body;
};
const askAtOnce = ({ device_code }: { device_code: string }) => send('/api/device-logins/token', { device_code });
/** After the interval. */
const ask = async (login: { device_code: string }): Promise<Answer> => {
  await api.pool.query(`UPDATE device_login SET polled_at = polled_at - interval '5 s'`);
  return askAtOnce(login);
};
const codeOf = ({ status, body }: Answer) => [status, body.code];
const decide = (by: Client, { user_code }: { user_code: string }, approve: boolean, role?: string) =>
  by.post(`/api/me/device-logins/${user_code}`, { approve, ...(role && { role }) });
const tokenOf = async (role: string, more: object = {}): Promise<Client> =>
  clientOf(api.url, (await owner.post('/api/tokens', { name: role, role, user: `a ${role}`, ...more })).body.token);
const works = async (token: string): Promise<boolean> => (await clientOf(api.url, token).get('/api/me')).status === 200;

describe('a login of a command line', () => {
  it('that somebody approves gives a token of theirs, in one answer, and only its hash is stored', async () => {
    const login = await begin('ada-laptop');
    expect(login.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(login.url).toBe(`/device?code=${login.user_code}`);
    expect(codeOf(await askAtOnce(login))).toEqual([409, 'authorization_pending']);
    expect(codeOf(await askAtOnce(login))).toEqual([429, 'slow_down']);
    const typed = login.user_code.toLowerCase().replace('-', ' ');
    expect(await owner.get(`/api/me/device-logins/${typed}`)).toMatchObject({
      status: 200,
      body: { user_code: login.user_code, name: 'ada-laptop', address: '127.0.0.1' },
    });
    expect((await decide(owner, login, true, 'editor')).status).toBe(204);
    expect((await decide(owner, login, false)).status).toBe(404);
    const { status, body } = await ask(login);
    expect([status, body]).toEqual([200, expect.objectContaining({ user: 'owner', role: 'editor' })]);
    const inDays = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
    expect([inDays > 89.9, inDays <= 90]).toEqual([true, true]);
    const me = (await clientOf(api.url, body.token).get('/api/me')).body;
    expect(me).toMatchObject({ role: 'editor', token: { name: 'toolmark login on ada-laptop' } });
    const { rows } = await api.pool.query(
      `SELECT l::text FROM device_login l UNION ALL SELECT k::text FROM token k WHERE k.id = $1`,
      [me.token.id],
    );
    for (const secret of [login.device_code, body.token]) expect(JSON.stringify(rows)).not.toContain(secret);
    const audited = await api.pool.query('SELECT action FROM audit WHERE team_id = $1 ORDER BY id DESC LIMIT 2', [
      api.teamId,
    ]);
    expect(audited.rows.map(({ action }) => action)).toEqual(['token.create', 'device_login.approve']);
  });

  it('whose answer was lost, or is asked for twice at the same instant, has ended, and its token with it', async () => {
    for (const again of ['later', 'at once'] as const) {
      const login = await begin();
      await decide(owner, login, true);
      const answers = again === 'later' ? [await ask(login)] : await Promise.all([askAtOnce(login), askAtOnce(login)]);
      const [{ body }] = answers.filter(({ status }) => status === 200) as [Answer];
      if (again === 'later') expect(await works(body.token)).toBe(true);
      const ended = again === 'later' ? await askAtOnce(login) : answers.find(({ status }) => status !== 200)!;
      expect(codeOf(ended)).toEqual([404, 'login_ended']);
      expect((await clientOf(api.url, body.token).post('/api/tool-suites', {})).status).toBe(401);
      expect(codeOf(await askAtOnce(login))).toEqual([404, 'login_ended']);
    }
  });

  it('that is refused, too old or unknown gives nothing, and ended ones are removed', async () => {
    const [refused, old, other] = [await begin(), await begin(), await begin()];
    expect((await decide(owner, refused, false)).status).toBe(204);
    expect(codeOf(await ask(refused))).toEqual([403, 'login_refused']);
    await decide(owner, old, true);
    await api.pool.query('UPDATE device_login SET expires_at = now() WHERE user_code <> $1', [
      other.user_code.replace('-', ''),
    ]);
    expect(codeOf(await ask(old))).toEqual([404, 'login_ended']);
    expect(codeOf(await ask({ device_code: 'td_unknown' }))).toEqual([404, 'login_ended']);
    await removeEndedDeviceLogins(api.pool);
    expect((await api.pool.query('SELECT 1 FROM device_login')).rowCount).toBe(1);
  });

  it('has the role at most of whoever approved it, at that time and when it is fetched', async () => {
    const editor = await tokenOf('editor');
    const login = await begin();
    expect(await decide(editor, login, true, 'owner')).toMatchObject({ status: 403, body: { code: 'role_needed' } });
    expect((await decide(editor, login, true)).status).toBe(204);
    const setMember = (change: string) =>
      api.pool.query(`UPDATE users SET ${change} WHERE team_id = $1 AND name = 'a editor'`, [api.teamId]);
    await setMember(`role = 'viewer'`);
    expect((await ask(login)).body).toMatchObject({ user: 'a editor', role: 'viewer' });
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const ending = (await owner.post('/api/tokens', { name: 'x', role: 'viewer', expires_at: inAnHour })).body;
    const [short, gone] = [await begin(), await begin()];
    for (const one of [short, gone]) await decide(clientOf(api.url, ending.token), one, true);
    expect((await ask(short)).body.expires_at).toBe(inAnHour);
    await owner.delete(`/api/tokens/${ending.id}`);
    expect(codeOf(await ask(gone))).toEqual([404, 'login_ended']);
    const late = await begin();
    await decide(editor, late, true);
    await setMember('removed_at = now()');
    expect(codeOf(await ask(late))).toEqual([404, 'login_ended']);
  });

  it('is not approved by a token with limits, or by a service account', async () => {
    const login = await begin();
    const limited = await tokenOf('viewer', { reads_only: true });
    expect(codeOf(await limited.get(`/api/me/device-logins/${login.user_code}`))).toEqual([403, 'token_limited']);
    const service = await tokenOf('owner', { user: 'robot' });
    await api.pool.query(
      `UPDATE person SET kind = 'service' FROM users u WHERE u.person_id = person.id AND u.name = 'robot'`,
    );
    expect(codeOf(await service.get(`/api/me/device-logins/${login.user_code}`))).toEqual([403, 'service_account']);
    expect((await decide(owner, login, false)).status).toBe(204);
  });

  it('gives way when its address begins many, and nobody begins one while very many wait', async () => {
    const logins = [await begin()];
    for (let n = 0; n < 200; n++) logins.push(await begin());
    expect(codeOf(await ask(logins[0]!))).toEqual([404, 'login_ended']);
    expect(codeOf(await ask(logins[1]!))).toEqual([409, 'authorization_pending']);
    await api.pool.query(
      `INSERT INTO device_login (id, hash, user_code, name, address, expires_at)
       SELECT gen_random_uuid(), n::text, n::text, 'x', n::text, now() + interval '1 minute'
       FROM generate_series(1, 9800) n`,
    );
    await expect(beginDeviceLogin(api.pool, 'one more', '192.0.2.1')).rejects.toMatchObject({ status: 429 });
    // Its own oldest gives way.
    await begin();
  });

  it('has a bounded name, and takes a small body', async () => {
    for (const name of ['', ' ', 'x'.repeat(101), 7])
      expect((await send('/api/device-logins', { name })).status).toBe(400);
    expect((await send('/api/device-logins', { name: 'x'.repeat(20_000) })).status).toBe(413);
    const login = await begin('x'.repeat(100));
    await decide(owner, login, true);
    const { token } = (await ask(login)).body;
    expect((await clientOf(api.url, token).get('/api/me')).body.token.name).toHaveLength(100);
  });
});
