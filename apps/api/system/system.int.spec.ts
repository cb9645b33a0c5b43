// Needs its own APIs: one counts the workers of its system, and one has no Redis.
import { readFileSync } from 'node:fs';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { heartbeat } from '#lib/queue/worker-heartbeats';
import { startApi } from '../../../test/api.js';
import { clientOf } from '../../../test/client.js';
import { until } from '../../../test/until.js';
import { Presence } from '../../worker/health/presence.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const up = { version, redis: 'up', postgres: 'up' };

describe('the system', () => {
  let redis: Redis;
  afterEach(() => redis?.disconnect());
  const connect = async (url: string): Promise<Redis> => {
    redis = connectRedis(url, 'worker', createLogger('test', 'silent'));
    await redis.ping();
    return redis;
  };

  it('counts working workers, not those that stopped, are stuck or fell silent', async () => {
    const api = await startApi();
    const { client } = api;
    const alive = async (): Promise<number> => (await client.get('/api/system')).body.workers.alive;
    expect((await client.get('/api/system')).body).toEqual({ ...up, workers: { alive: 0 } });
    await connect(api.env.REDIS_URL);
    let isStuck = false;
    const [one, other] = ['one', 'other'].map(
      (workerId) => new Presence({ redis, workerId, isStuck: () => isStuck, takeResults: () => new Map() }),
    );
    await one!.announce();
    await one!.announce();
    await other!.announce();
    expect(await alive()).toBe(2);
    const { token } = (await client.post('/api/tokens', { name: 'v', role: 'viewer' })).body;
    expect((await clientOf(api.url, token).get('/api/system')).body).toEqual({ ...up, workers: { alive: 2 } });
    expect((await fetch(`${api.url}/api/system`)).status).toBe(401);

    other!.stop();
    await other!.announce(); // A heartbeat that was already in progress.
    expect(await alive()).toBe(1);
    // Like a frozen process: its last heartbeat becomes stale.
    await redis.zincrby('toolmark:workers', '-16000', `one level ${WORKER_LEVEL}`);
    expect(await alive()).toBe(0);
    isStuck = true;
    await one!.announce();
    expect(await alive()).toBe(0);
    isStuck = false;
    await one!.announce();
    expect(await alive()).toBe(1);
    await redis.zincrby('toolmark:workers', '-16000', `one level ${WORKER_LEVEL}`);
    await heartbeat(redis, { workerId: 'third', level: 7 });
    expect(await redis.zrange('toolmark:workers', '0', '-1')).toEqual(['third level 7']);
    await api.close();
  });

  it('is described without Redis, with an unknown number of workers', async () => {
    const api = await startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
    const answer = await until(
      async () => {
        const found = await api.client.get('/api/system');
        return found.status === 200 ? found : undefined;
      },
      { what: 'an answer' },
    );
    expect(answer.body).toEqual({ ...up, redis: 'down', workers: { alive: null } });
    await api.close();
  });
});
