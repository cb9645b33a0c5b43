// Needs its own API, in this process, with this feature only.
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { PlatformModule } from '../platform/platform.module.js';
import { SettingsModule } from './settings.module.js';

let api: ApiInProcess;
beforeAll(async () => {
  api = await startApi({}, (options) => ({
    module: class OnlySettings {},
    imports: [PlatformModule.forRoot(options), SettingsModule],
  }));
});
afterAll(() => api.close());

it('a feature runs on the platform alone, with tokens, validation and audit, and without the others', async () => {
  const { client } = api;
  expect(await client.get('/api/settings/spending')).toMatchObject({ status: 200, body: { monthly_cap_usd: null } });
  expect(await client.put('/api/settings/spending', { monthly_cap_usd: 7 })).toMatchObject({
    status: 200,
    body: { monthly_cap_usd: 7 },
  });
  expect((await api.pool.query(`SELECT 1 FROM audit WHERE action = 'settings.spending'`)).rowCount).toBe(1);
  expect(await client.put('/api/settings/spending', { monthly_cap_usd: -7 })).toMatchObject({ status: 400 });
  expect((await fetch(`${api.url}/api/settings/spending`)).status).toBe(401);
  expect((await client.get('/api/tool-suites')).status).toBe(404);
});
