// A private system: the event loop of one of its workers is blocked.
import { LEASE_MS } from '#lib/db/engine/claim-items';
import { weatherSuite } from '../client.js';
import { startEndpoint } from '../endpoint.js';
import { startProcess } from '../processes.js';
import { startSystem } from '../system.js';
import { until } from '../until.js';

const ITEMS = 8;
const BLOCK_MS = 3 * LEASE_MS;

it('a worker whose event loop blocks for three leases keeps its items, and nothing is requested twice', async () => {
  const [{ client, databaseUrl, redisUrl }, provider] = await Promise.all([
    startSystem({ workers: 0 }),
    startEndpoint(),
  ]);
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, BLOCK_MS: String(BLOCK_MS) };
  const blocked = await startProcess('worker', env, { preload: 'test/block-event-loop.mjs' });
  await client.post('/api/providers', {
    key: 'slow',
    base_url: provider.url,
    limits: { max_concurrency: ITEMS },
    models: [{ id: 'slow' }],
  });
  const suite_id = await client.importSuite(weatherSuite(ITEMS));
  const submitted = await client.post('/api/tool-eval', { suite_id, models: ['slow::slow'], cache: 'off' });
  const run = async () => (await client.get(`/api/tool-eval/history/${submitted.body.eval_id}`)).body;

  await until(async () => provider.asked.length === ITEMS, { what: 'all items to be asked' });
  const other = await startProcess('worker', env);
  await blocked.kill('SIGWINCH');
  await until(async () => blocked.logs().includes('The event loop is free again'), {
    what: 'the event loop to be free again',
    timeoutMs: 3 * BLOCK_MS,
  });
  provider.answer();
  const ended = await until(
    async () => {
      provider.answer();
      const { status, counts } = await run();
      return status === 'completed' && counts;
    },
    { what: 'the run to end', timeoutMs: 60_000 },
  );
  expect(ended).toMatchObject({ settled: ITEMS, errored: 0 });
  expect(provider.asked).toHaveLength(ITEMS);
  await until(async () => blocked.logs().includes('it takes no new items for a while'), { what: 'the pause' });
  expect(other.logs()).not.toContain('Requeueing items');
}, 180_000);
