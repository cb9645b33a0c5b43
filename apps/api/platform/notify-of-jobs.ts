import { notify } from '#lib/events/notifications';
import type { Redis } from '#lib/runtime/redis';

/** Notifies API replicas that the logs of these jobs grew, and workers that these lanes have work. */
export function notifyOfJobs(redis: Redis, jobIds: Iterable<string>, laneIds: Iterable<string> = []): void {
  for (const id of laneIds) void notify(redis, { topic: 'lane', id });
  for (const id of jobIds) void notify(redis, { topic: 'job', id });
}
