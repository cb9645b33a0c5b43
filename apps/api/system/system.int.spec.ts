// Needs its own APIs: one counts the workers of its system, and one has no Redis.
import { readFileSync } from 'node:fs';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { heartbeat } from '#lib/queue/worker-heartbeats';
import { SEALING_KEY } from '../../../test/processes.js';
import { startApi } from '../../../test/api.js';
import { clientOf } from '../../../test/client.js';
import { until } from '../../../test/until.js';
import { Presence } from '../../worker/health/presence.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const keys = new Sealer([SEALING_KEY]).keyIds;
const up = { version, redis: 'up', postgres: 'up', sealing: { keys, left: 0, missing: [] } };

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
    expect((await clientOf(api.url, token).get('/api/system')).body).toEqual({
      ...up,
      workers: { alive: 2 },
      sealing: null,
    });
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

  it('tells operators which sealing keys it has, what is left to seal again, and which key it lacks', async () => {
    const ring = new Sealer([SEALING_KEY, 'b'.repeat(64)]);
    const api = await startApi({ TOOLMARK_SEALING_KEYS: `${'b'.repeat(64)},${SEALING_KEY}` });
    const lost = new Sealer(['c'.repeat(64)]);
    await api.pool.query(`INSERT INTO instance_secret (name, sealed) VALUES ('old', $1), ('lost', $2)`, [
      ring.seal('x', 'instance secret old'),
      lost.seal('x', 'instance secret lost'),
    ]);
    expect((await api.client.get('/api/system')).body.sealing).toEqual({
      keys: ring.keyIds.reverse(),
      left: 2,
      missing: lost.keyIds,
    });
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).toContain('toolmark_secrets_to_reseal{place="installation"} 2\n');
    expect(metrics).toContain('toolmark_secrets_to_reseal{place="providers"} 0\n');
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
