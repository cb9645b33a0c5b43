import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { listen } from './notifications.js';

it('a process that stops before Redis has answered stops without an error', async () => {
  const silent = createServer().listen(0, '127.0.0.1').unref();
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const subscriber = connectRedis(`redis://127.0.0.1:${port}`, 'subscriber', createLogger('api', 'silent'));
  const listening = listen(subscriber, ['job'], () => {});
  await once(silent, 'connection');
  subscriber.disconnect();
  await expect(listening).resolves.toBeUndefined();
});
