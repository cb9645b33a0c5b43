// Needs an API of its own, whose operator keeps keys outside of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';
import { startEndpoint } from '../../../test/endpoint.js';
import { until } from '../../../test/until.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-keys-'));
const [list, key] = [join(folder, 'list.yaml'), join(folder, 'openai')];
const REF = `file:${key}`;
const WHOLE_INPUT = { key: 'kept', models: [{ id: 'm' }], api_key_ref: REF };

let api: ApiInProcess;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
let search: Client;
let other: Client;

beforeAll(async () => {
  endpoint = await startEndpoint();
  endpoint.open();
  writeFileSync(key, 'sk-before-0123456789\n');
  const entry = { ref: REF, teams: ['search'], origins: [new URL(endpoint.url).origin] };
  writeFileSync(list, JSON.stringify({ keys: [entry, { ref: 'env:NOT_THERE', teams: ['search'] }] }));
  api = await startApi({ TOOLMARK_KEY_REFS_FILE: list });
  const teamOf = async (name: string): Promise<Client> =>
    clientOf(api.url, (await api.client.post('/api/teams', { name })).body.token.token);
  other = await teamOf('other');
  search = await teamOf('search');
  await until(async () => (await search.get('/api/providers/key-refs')).body.items.length > 0, {
    what: 'the new team to have its keys',
  });
}, 60_000);
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const make = (client: Client, more: object = {}) =>
  client.post('/api/providers', { ...WHOLE_INPUT, base_url: endpoint.url, ...more });

it('a key by reference is for the teams that its entry names, at the origins that it names', async () => {
  expect((await search.get('/api/providers/key-refs')).body.items).toEqual([
    { ref: REF, origins: [new URL(endpoint.url).origin] },
    { ref: 'env:NOT_THERE', origins: null },
  ]);
  expect((await other.get('/api/providers/key-refs')).body.items).toEqual([]);
  const { body: viewer } = await search.post('/api/tokens', { name: 'v', role: 'editor' });
  expect((await clientOf(api.url, viewer.token).get('/api/providers/key-refs')).status).toBe(403);
  for (const [client, more, why] of [
    [other, {}, /not among the keys that your team may use/],
    [search, { api_key_ref: 'env:PATH' }, /not among the keys that your team may use/],
    [search, { api_key_ref: `file:${folder}/../${key}` }, /not among the keys that your team may use/],
    [search, { api_key_ref: 'env:NOT_THERE' }, /it is not set in the environment of this process/],
    [search, { base_url: 'http://127.0.0.1:9/v1' }, /be sent to .* only, not to http:\/\/127\.0\.0\.1:9\./],
  ] as const) {
    const { status, body } = await make(client, more);
    expect([status, body.errors]).toEqual([422, [{ path: '/api_key_ref', message: expect.stringMatching(why) }]]);
  }
  const { status, body } = await make(search);
  expect([status, body.api_key_ref, body.api_key_set, body.api_key_last4]).toEqual([201, REF, false, null]);
  const moved = { base_url: 'http://127.0.0.1:9/v1' };
  expect((await search.patch('/api/providers/kept', moved)).status).toBe(422);
  expect((await search.patch('/api/providers/kept', { ...moved, api_key_ref: REF })).status).toBe(422);
});

it('a key that changes behind its reference is sent from then on, and is neither shown nor stored', async () => {
  const sent = async (): Promise<string | undefined> => {
    await search.post('/api/providers/kept/test');
    return endpoint.asked.at(-1)!.authorization;
  };
  expect(await sent()).toBe('Bearer sk-before-0123456789');
  writeFileSync(key, 'sk-after-0123456789\n');
  await until(async () => (await sent()) === 'Bearer sk-after-0123456789', { what: 'the new key' });
  const tables = await api.pool.query('SELECT p.* FROM provider p');
  const audit = await search.get('/api/audit');
  const everything = JSON.stringify([tables.rows, await search.get('/api/providers'), audit]);
  expect(everything).toContain(REF);
  expect(everything).not.toMatch(/sk-(before|after)|0123456789/);
  writeFileSync(list, '{"keys": []}');
  await until(async () => (await search.get('/api/providers/key-refs')).body.items.length === 0, { what: 'no keys' });
  expect(await search.post('/api/providers/kept/test')).toMatchObject({
    status: 409,
    body: { code: 'key_reference_unavailable', detail: expect.stringMatching(/ask the operator to list it/) },
  });
  expect((await search.patch('/api/providers/kept', { name: 'still mine' })).status).toBe(200);
  expect((await search.patch('/api/providers/kept', { api_key_ref: null })).body.api_key_ref).toBeNull();
});
