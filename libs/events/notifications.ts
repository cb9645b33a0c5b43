import type { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * Hints over Redis pub/sub that something moved: a lane has items, a job's log grew, a run was cancelled, a
 * provider changed. Losing one delays and loses nothing: whoever listens also asks Postgres from time to time.
 */
const Notification = z.object({ topic: z.enum(['lane', 'job', 'cancel', 'provider']), id: z.string() });
export type Notification = z.infer<typeof Notification>;

const CHANNEL = 'toolmark:doorbell';

export async function notify(redis: Redis, notification: Notification): Promise<void> {
  await redis.publish(CHANNEL, JSON.stringify(notification)).catch(() => {});
}

/** @param subscriber a connection of its own: a subscribed connection can do nothing else */
export async function listen(subscriber: Redis, onNotification: (notification: Notification) => void): Promise<void> {
  subscriber.on('message', (_channel: string, message: string) => {
    const parsed = Notification.safeParse(safeJson(message));
    if (parsed.success) onNotification(parsed.data);
  });
  await subscriber.subscribe(CHANNEL);
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
