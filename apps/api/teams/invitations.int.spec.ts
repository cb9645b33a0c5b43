import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';
import { signIn } from '../../../test/people.js';
import { InvitationsController } from './invitations.controller.js';

let api: SharedApi;
let client: Client;
/** Somebody without a token. */
let stranger: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  stranger = clientOf(api.url, 'none');
}, 60_000);

const invite = async (input: object = { role: 'editor' }, by = client) => {
  const { body } = await by.post('/api/invitations', input);
  return { id: body.id as string, invitation: body.url.split('#invitation=')[1] as string };
};
const accept = (invitation: string, name: string) => stranger.post('/api/invitations/accept', { invitation, name });
const ended = ({ status, body }: { status: number; body: any }) => [status, body.code, body.params.status];

describe('an invitation', () => {
  it('has a link that is shown once, and says whom it invites to what', async () => {
    const send = () =>
      client.post('/api/invitations', { role: 'editor', note: 'for Ada' }, { 'idempotency-key': 'invite' });
    const [first, again] = [await send(), await send()];
    expect(first.body.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/join#invitation=ti_[\w-]{43}$/);
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(again.body.url).toBeUndefined();
    const invitation = first.body.url.split('=')[1];
    expect(JSON.stringify((await api.pool.query('SELECT * FROM invitation')).rows)).not.toContain(invitation);
    const days = (Date.parse(first.body.expires_at) - Date.now()) / 86_400_000;
    expect([days > 6.9, days <= 7]).toEqual([true, true]);
    const team = (await client.get('/api/me')).body.team.name;
    const { status, body } = await stranger.post('/api/invitations/read', { invitation });
    expect([status, body]).toEqual([
      200,
      { team, role: 'editor', invited_by: 'owner', expires_at: first.body.expires_at },
    ]);
    expect((await client.get('/api/invitations')).body.items).toEqual(
      [{ ...first.body, url: undefined, note: 'for Ada', created_by: 'owner', accepted_by: null }].map((entry) =>
        JSON.parse(JSON.stringify(entry)),
      ),
    );
    for (const expires_in_days of [0, 31, 1.5])
      expect((await client.post('/api/invitations', { role: 'viewer', expires_in_days })).status).toBe(400);
    const editor = (await client.post('/api/tokens', { name: 'e', role: 'editor' })).body;
    const capped = (await client.post('/api/tokens', { name: 'c', role: 'owner', monthly_cap_usd: 1 })).body;
    for (const { token } of [editor, capped])
      expect((await clientOf(api.url, token).post('/api/invitations', { role: 'viewer' })).status).toBe(403);
  });

  it('makes one member, however many accept it at once, with a token that expires', async () => {
    const { invitation } = await invite();
    expect((await accept(invitation, 'owner')).body).toMatchObject({ code: 'name_taken', errors: [{ path: '/name' }] });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => accept(invitation, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409))
      expect(ended(answer)).toEqual([409, 'invitation_ended', 'accepted']);
    const { token } = answers.find(({ status }) => status === 201)!.body;
    expect(token).toMatchObject({ role: 'editor', expires_at: expect.any(String) });
    expect((await clientOf(api.url, token.token).get('/api/me')).body).toMatchObject({
      team: { id: api.teamId },
      user: { name: token.user },
      role: 'editor',
    });
    const { rowCount } = await api.pool.query(
      `SELECT 1 FROM users WHERE team_id = $1 AND name IN ('a', 'b', 'c', 'd')`,
      [api.teamId],
    );
    expect(rowCount).toBe(1);
    expect((await client.get('/api/invitations')).body.items[0].accepted_by).toBe(token.user);
  });

  it('says whether it was withdrawn, is too old, or never was', async () => {
    const [withdrawn, old] = [await invite(), await invite()];
    expect((await client.delete(`/api/invitations/${withdrawn.id}`)).status).toBe(204);
    await api.pool.query(`UPDATE invitation SET expires_at = now() WHERE id = $1`, [old.id]);
    expect(ended(await accept(withdrawn.invitation, 'z'))).toEqual([409, 'invitation_ended', 'withdrawn']);
    expect(ended(await accept(old.invitation, 'z'))).toEqual([409, 'invitation_ended', 'expired']);
    expect(ended(await client.delete(`/api/invitations/${old.id}`))).toEqual([409, 'invitation_ended', 'expired']);
    expect((await accept('ti_x', 'z')).status).toBe(404);
    const temporary = (await client.post('/api/tokens', { name: 't', role: 'owner', user: 'temporary' })).body;
    const { invitation } = await invite({ role: 'owner' }, clientOf(api.url, temporary.token));
    expect((await client.delete(`/api/tokens/${temporary.id}`)).status).toBe(204);
    expect(ended(await accept(invitation, 'z'))).toEqual([409, 'invitation_ended', 'withdrawn']);
    const listed = (await client.get('/api/invitations')).body.items.map(({ id }: any) => id);
    expect([listed.includes(withdrawn.id), listed.includes(old.id)]).toEqual([false, true]);
  });

  it('is not accepted with a name alone where people sign in', async () => {
    const controller = new InvitationsController(
      api.pool,
      { TOOLMARK_SIGN_IN_FILE: 'sign-in.yaml' } as never,
      {} as never,
    );
    const { invitation } = await invite();
    await expect(controller.accept({ invitation, name: 'x' }, {} as never)).rejects.toMatchObject({
      status: 409,
      code: 'sign_in_needed',
    });
    expect((await stranger.post('/api/invitations/read', { invitation })).status).toBe(200);
  });
});

describe('a person who signs in', () => {
  it('joins another team, comes back after a removal, and gets a role that no rule changes', async () => {
    const other = (await api.anotherTeam()).body;
    const ada = await signIn(api, 'ada', [{ teamId: other.id, role: 'viewer', givenBy: 'rule' }]);
    const join = (invitation: string, team?: string) => ada.send('POST', '/api/me/memberships', { invitation }, team);
    await client.post('/api/tokens', { name: 'x', role: 'viewer', user: 'ada' });
    const first = await join((await invite()).invitation);
    expect(first).toMatchObject({ status: 201, body: { id: api.teamId, role: 'editor', is_current: false } });
    const me = (await ada.send('GET', '/api/me', undefined, api.teamId)).body;
    // Nobody is taken for somebody else of the same name.
    expect(me).toMatchObject({ user: { name: 'ada (2)' }, role: 'editor', person: { id: ada.personId } });
    const unused = await invite();
    expect((await join(unused.invitation)).status).toBe(409);
    expect((await stranger.post('/api/invitations/read', { invitation: unused.invitation })).status).toBe(200);

    await client.delete(`/api/users/${me.user.id}`);
    expect((await join(unused.invitation)).body.role).toBe('editor');
    expect((await ada.send('GET', '/api/me', undefined, api.teamId)).body.user).toEqual(me.user);
    const lead = await signIn(api, 'lead', [{ teamId: other.id, role: 'owner', givenBy: 'rule' }]);
    const own = (await lead.send('POST', '/api/invitations', { role: 'owner' })).body.url.split('#invitation=')[1];
    expect((await lead.send('POST', '/api/me/memberships', { invitation: own })).status).toBe(409);
    const byOwner = await invite({ role: 'editor' }, clientOf(api.url, other.token.token));
    expect((await join(byOwner.invitation)).body).toMatchObject({ id: other.id, role: 'editor', is_current: true });
    const { rows } = await api.pool.query('SELECT role, given_by FROM users WHERE id = $1', [ada.users[other.id]]);
    expect(rows).toEqual([{ role: 'editor', given_by: 'owner' }]);
    expect((await client.post('/api/me/memberships', { invitation: byOwner.invitation })).status).toBe(403);
  });
});
