import { randomUUID } from 'node:crypto';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { afterFile } from '../../test/after-file.js';
import { createRedis } from '../../test/services.js';
import { until } from '../../test/until.js';
import { flushNotifications, listen, notify, type Notification, type Topic } from './notifications.js';

const logger = createLogger('test', 'silent');
let url: string;
let publisher: Redis;
beforeAll(async () => {
  ({ url } = await createRedis());
  publisher = connect('producer');
  await until(() => publisher.ping().catch(() => undefined));
});

function connect(use: 'producer' | 'subscriber'): Redis {
  const redis = connectRedis(url, use, logger);
  afterFile(async () => redis.disconnect());
  return redis;
}

/** What a process hears of these topics, of ids with this beginning: channels are shared with other tests. */
async function hears(topics: readonly Topic[], beginning: string): Promise<Notification[]> {
  const heard: Notification[] = [];
  await listen(connect('subscriber'), topics, (one) => one.id.startsWith(beginning) && heard.push(one));
  return heard;
}

it('a process hears the topics that it listens to and no others, of this release and of the one before', async () => {
  const id = randomUUID();
  const [worker, api] = [await hears(['lane', 'step'], id), await hears(['job'], id)];
  await notify(publisher, { topic: 'job', id });
  await notify(publisher, { topic: 'lane', id });
  await publisher.publish('toolmark:doorbell', JSON.stringify({ topic: 'job', id: `${id} before` }));
  await publisher.publish('toolmark:doorbell', JSON.stringify({ topic: 'cancel', id: `${id} before` }));
  await publisher.publish('toolmark:doorbell', 'no JSON');
  await notify(publisher, { topic: 'job', id: `${id} last` });
  await notify(publisher, { topic: 'step', id });
  await until(() => api.length === 3 && worker.length === 2);
  expect(worker.map(({ topic }) => topic)).toEqual(['lane', 'step']);
  expect(api.map((heard) => heard.id)).toEqual([id, `${id} before`, `${id} last`]);
});

it('of a job that changes all the time a process hears the first change at once, and the last one soon', async () => {
  const id = randomUUID();
  const [busy, quiet] = [`${id} busy`, `${id} quiet`];
  const heard = await hears(['job'], id);
  for (let n = 0; n < 1000; n++) void notify(publisher, { topic: 'job', id: busy });
  void notify(publisher, { topic: 'job', id: quiet });
  await until(() => heard.length === 3);
  void notify(publisher, { topic: 'job', id: quiet });
  await until(() => heard.length === 4);
  expect(heard.map((one) => one.id)).toEqual([busy, quiet, busy, quiet]);
});

it('a process that stops publishes what waits for its time', async () => {
  const id = randomUUID();
  const heard = await hears(['job'], id);
  const stopping = connect('producer');
  await until(() => stopping.ping().catch(() => undefined));
  for (let n = 0; n < 3; n++) void notify(stopping, { topic: 'job', id });
  await flushNotifications(stopping);
  stopping.disconnect();
  await until(() => heard.length === 2);
  await notify(stopping, { topic: 'job', id }); // Nobody hears it, and nothing throws.
});
