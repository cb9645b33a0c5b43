import { QueueKeys, RedisConnection, RedisQueueBackend, type BackendFactory } from 'bullmq';
import type { Redis } from '#lib/runtime/redis';
import { QUEUE_PREFIX } from './lane-queue.js';
import type { Marker, MarkerWatch } from './marker-watch.js';

/** The backend of a BullMQ worker that has no connection of its own. */
class LaneBackend extends RedisQueueBackend {
  watch!: MarkerWatch;

  override waitForJob(seconds: number): Promise<Marker | null> {
    return this.watch.wait(this.keys as { wait: string; marker: string }, seconds);
  }

  /** Ends the wait for a job, as closing the connection that waits would. */
  override disconnectBlocking(): Promise<void> {
    this.watch.stop(this.keys.marker!);
    return Promise.resolve();
  }
}

/** Creates the backends of BullMQ workers. All of them send their commands over one connection. */
export function laneBackends(commands: Redis, watch: MarkerWatch): BackendFactory<LaneBackend> {
  const connection = new RedisConnection(commands, { shared: true, blocking: false, skipVersionCheck: true });
  connection.on('error', () => {}); // The connection logs its own errors.
  const keys = new QueueKeys(QUEUE_PREFIX);
  return (name, opts) => {
    const toKey = (type: string): string => keys.toKey(name, type);
    const backend = new LaneBackend(connection, name, keys.getKeys(name), toKey, opts, undefined, false);
    backend.watch = watch;
    return backend;
  };
}
