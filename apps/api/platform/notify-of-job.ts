import type { Redis } from 'ioredis';
import { notify } from '#lib/events/notifications';

/** Tells workers that these lanes have work, and API replicas that the log of a job grew. */
export function notifyOfJob(redis: Redis, jobId: string, laneIds: Iterable<string> = []): void {
  for (const id of laneIds) void notify(redis, { topic: 'lane', id });
  void notify(redis, { topic: 'job', id: jobId });
}
