// Needs its own API: it has no Redis, and loses Postgres.
import { startApi } from '../../../test/api.js';
import { weatherSuite } from '../../../test/client.js';
import { until } from '../../../test/until.js';
import { desiredSlots } from './lane-metrics.js';

it('the deprecated slots are the concurrency of a lane or its remaining items, and 0 while it is paused', () => {
  const lane = { paused_at: null, max_concurrency: 8, backlog: 100 };
  expect([desiredSlots(lane, 1), desiredSlots(lane, 0.5), desiredSlots(lane, 0.01)]).toEqual([8, 4, 1]);
  expect([
    desiredSlots({ ...lane, backlog: 3 }, 1),
    desiredSlots({ ...lane, backlog: 0 }, 1),
    desiredSlots({ ...lane, paused_at: new Date() }, 1),
  ]).toEqual([3, 0, 0]);
});

it('without Redis the API still exposes useful slots; without Postgres it exposes no stale numbers', async () => {
  const api = await startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
  await api.client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    limits: { max_concurrency: 5 },
    models: [{ id: 'a' }],
  });
  const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(20))).body;
  await api.client.post('/api/tool-eval', { suite_id, models: ['sim::a'] });
  const scrape = async (): Promise<string> => (await fetch(`${api.url}/metrics`)).text();
  const text = await until(
    async () => {
      const now = await scrape();
      return now.includes('toolmark_fleet_useful_slots 5') ? now : undefined;
    },
    { what: 'five slots' },
  );
  expect(text).toMatch(/^toolmark_fleet_work 1$/m);
  expect(text).toMatch(/^toolmark_store_up\{store="postgres"\} 1$/m);
  expect(text).toMatch(/^toolmark_store_up\{store="redis"\} 0$/m);
  expect(text).not.toMatch(/^toolmark_lane_adaptive_factor\{/m);
  const ended = api.pool.end();
  api.pool.end = () => ended; // as the API does when it closes
  await ended;
  const gone = await until(
    async () => {
      const now = await scrape();
      return now.includes('toolmark_store_up{store="postgres"} 0') ? now : undefined;
    },
    { what: 'Postgres to be gone' },
  );
  expect(gone).not.toMatch(/^toolmark_(useful_slots|desired_slots|fleet_\w+)\b.* \d/m);
  await api.close();
});
