import type { Redis } from 'ioredis';
import { SAY_EVERY_MS, sayAlive, sayGone } from '#lib/queue/workers-alive';

export interface PresenceDeps {
  redis: Redis;
  workerId: string;
  /** A process that is stuck does not count as working. */
  isStuck: () => boolean;
}

/** Says in Redis, for everybody who asks, that this process works. One that is frozen, stuck or killed falls silent. */
export class Presence {
  #timer: NodeJS.Timeout | undefined;
  #isSaying = false;
  #hasStopped = false;

  constructor(readonly deps: PresenceDeps) {}

  start(): void {
    this.#timer = setInterval(() => void this.say(), SAY_EVERY_MS);
    void this.say();
  }

  /** It takes nothing any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#hasStopped = true;
    const { redis, workerId } = this.deps;
    void sayGone(redis, workerId).catch(() => {});
  }

  async say(): Promise<void> {
    const { redis, workerId, isStuck } = this.deps;
    // While Redis is away its commands wait: one waits, not one for each turn.
    if (this.#isSaying || isStuck()) return;
    this.#isSaying = true;
    try {
      await sayAlive(redis, workerId);
      if (this.#hasStopped) await sayGone(redis, workerId);
    } catch {
      // It is said again at the next turn.
    } finally {
      this.#isSaying = false;
    }
  }
}
