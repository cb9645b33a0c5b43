import { z } from 'zod';
import type { Redis } from '#lib/runtime/redis';

/**
 * What changed: a lane has items, the log of a job (or of its run) grew, a run was cancelled, a provider changed, or a
 * worker has more work of a step of the control loop than it can do, and asks others for help. Workers listen to all
 * but `job`, APIs to `job` alone.
 */
const Topic = z.enum(['lane', 'job', 'cancel', 'provider', 'step']);
export type Topic = z.infer<typeof Topic>;

/**
 * A hint over Redis pub/sub that something changed. A lost notification delays work but loses nothing, because every
 * listener also polls Postgres.
 */
const Notification = z.object({ topic: Topic, id: z.string() });
export type Notification = z.infer<typeof Notification>;

/** The message on a channel is the id. Each topic has its own channel, so that nobody is woken for what it ignores. */
const channelOf = (topic: Topic): string => `toolmark:changed:${topic}`;
/** The release before publishes all topics here, and hears ours no longer: it polls. Remove it in the next release. */
const CHANNEL_OF_ALL_TOPICS = 'toolmark:doorbell';

/** A busy run has results all the time, and each listener pays for each notification. */
const EVERY_MS = 100;
/** More are published as they come. */
const MAX_RECENT = 10_000;

/**
 * Publishes a notification, the same one at most every 100 ms: the first at once, later ones together when the time is
 * up. Ignores failures, since nothing depends on it.
 */
export const notify = (redis: Redis, { topic, id }: Notification): Promise<void> =>
  publisherOf(redis).publish(channelOf(topic), id);

/** Publishes what still waits for its time. Call it before the connection is closed. */
export const flushNotifications = (redis: Redis): Promise<void> => publisherOf(redis).flush();

const publishers = new WeakMap<Redis, Publisher>();
function publisherOf(redis: Redis): Publisher {
  const publisher = publishers.get(redis) ?? new Publisher(redis);
  publishers.set(redis, publisher);
  return publisher;
}

class Publisher {
  /** What was published in the last 100 ms, and whether it came again since. */
  readonly #recent = new Map<string, { channel: string; id: string; isDue: boolean }>();

  constructor(readonly redis: Redis) {}

  async publish(channel: string, id: string): Promise<void> {
    const key = `${channel} ${id}`;
    const before = this.#recent.get(key);
    if (before) before.isDue = true;
    else {
      if (this.#recent.size < MAX_RECENT) this.#remember(key, { channel, id, isDue: false });
      await this.redis.publish(channel, id).catch(() => {});
    }
  }

  #remember(key: string, recent: { channel: string; id: string; isDue: boolean }): void {
    this.#recent.set(key, recent);
    setTimeout(() => {
      this.#recent.delete(key);
      if (recent.isDue) void this.publish(recent.channel, recent.id);
    }, EVERY_MS).unref();
  }

  async flush(): Promise<void> {
    const due = [...this.#recent.values()].filter(({ isDue }) => isDue);
    for (const recent of due) recent.isDue = false;
    await Promise.all(due.map(({ channel, id }) => this.redis.publish(channel, id).catch(() => {})));
  }
}

/**
 * Resolves once it listens, or when the connection is closed first.
 * @param subscriber a dedicated connection: a subscribed connection can run no other commands
 */
export async function listen(
  subscriber: Redis,
  topics: readonly Topic[],
  onNotification: (notification: Notification) => void,
): Promise<void> {
  const topicOf = new Map(topics.map((topic) => [channelOf(topic), topic]));
  subscriber.on('message', (channel: string, message: string) => {
    const topic = topicOf.get(channel);
    if (topic) return onNotification({ topic, id: message });
    const ofRelease = Notification.safeParse(tryParse(message));
    if (ofRelease.success && topics.includes(ofRelease.data.topic)) onNotification(ofRelease.data);
  });
  // While Redis is unreachable, the command waits until it is back.
  await subscriber.subscribe(...topicOf.keys(), CHANNEL_OF_ALL_TOPICS).catch(() => {});
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
