import type { Redis } from 'ioredis';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { SAY_EVERY_MS, sayAlive, sayGone, type AliveWorker } from '#lib/queue/workers-alive';

export interface PresenceDeps {
  redis: Redis;
  workerId: string;
  /** A process that is stuck does not count as working. */
  isStuck: () => boolean;
}

/**
 * Says in Redis, for everybody who asks, that this process works, and at which level. One that is frozen, stuck or
 * killed falls silent.
 */
export class Presence {
  #timer: NodeJS.Timeout | undefined;
  #isSaying = false;
  #hasStopped = false;

  #level = WORKER_LEVEL;

  constructor(readonly deps: PresenceDeps) {}

  /** @param level what this process can play, score and decide */
  start(level: number): void {
    this.#level = level;
    this.#timer = setInterval(() => void this.say(), SAY_EVERY_MS);
    void this.say();
  }

  /** It takes nothing any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#hasStopped = true;
    void sayGone(this.deps.redis, this.#worker).catch(() => {});
  }

  get #worker(): AliveWorker {
    return { workerId: this.deps.workerId, level: this.#level };
  }

  async say(): Promise<void> {
    const { redis, isStuck } = this.deps;
    // While Redis is away its commands wait: one waits, not one for each turn.
    if (this.#isSaying || isStuck()) return;
    this.#isSaying = true;
    try {
      await sayAlive(redis, this.#worker);
      if (this.#hasStopped) await sayGone(redis, this.#worker);
    } catch {
      // It is said again at the next turn.
    } finally {
      this.#isSaying = false;
    }
  }
}
