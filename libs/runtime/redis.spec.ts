import { createLogger } from './logger.js';
import { connectRedis, pingRedis } from './redis.js';

// Nothing listens on port 1.
describe.each(['redis://127.0.0.1:1', 'redis+sentinel://127.0.0.1:1/main', 'redis+cluster://127.0.0.1:1'])(
  'while nothing answers at %s',
  (url) => {
    it('a producer fails at once, and a worker and a subscriber wait', async () => {
      const open = (['producer', 'worker', 'subscriber'] as const).map((use) =>
        connectRedis(url, use, createLogger('test', 'silent')),
      );
      const [failed, ...waiting] = open.map((redis) => redis.ping().catch((error: Error) => error));
      expect(await failed).toBeInstanceOf(Error);
      expect(await Promise.race([...waiting, Promise.resolve('still waits')])).toBe('still waits');
      for (const redis of open) redis.disconnect();
    });

    it('a process that asks once learns the reason', async () => {
      await expect(pingRedis(url)).rejects.toThrow(/ECONNREFUSED|Connection is closed/);
    });
  },
);
