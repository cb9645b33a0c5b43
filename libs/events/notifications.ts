import type { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * A hint over Redis pub/sub that something changed: a lane has items, the log of a job grew, a run was cancelled, or a
 * provider changed. A lost notification delays work but loses nothing, because every listener also polls Postgres.
 */
const Notification = z.object({ topic: z.enum(['lane', 'job', 'cancel', 'provider', 'step']), id: z.string() });
export type Notification = z.infer<typeof Notification>;

/** Earlier releases publish on this channel too, so its name stays. */
const CHANNEL = 'toolmark:doorbell';

/** Publishes a notification. Ignores failures, since nothing depends on it. */
export async function notify(redis: Redis, notification: Notification): Promise<void> {
  await redis.publish(CHANNEL, JSON.stringify(notification)).catch(() => {});
}

/**
 * Resolves once it listens, or when the connection is closed first.
 * @param subscriber a dedicated connection: a subscribed connection can run no other commands
 */
export async function listen(subscriber: Redis, onNotification: (notification: Notification) => void): Promise<void> {
  subscriber.on('message', (_channel: string, message: string) => {
    const parsed = Notification.safeParse(tryParse(message));
    if (parsed.success) onNotification(parsed.data);
  });
  // While Redis is unreachable, the command waits until it is back.
  await subscriber.subscribe(CHANNEL).catch(() => {});
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
