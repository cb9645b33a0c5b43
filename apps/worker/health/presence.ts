import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { addResults } from '#lib/queue/lane-throughput';
import { HEARTBEAT_MS, heartbeat, removeWorker, type AliveWorker } from '#lib/queue/worker-heartbeats';
import type { Redis } from '#lib/runtime/redis';

export interface PresenceDeps {
  redis: Redis;
  workerId: string;
  /** A process that is stuck does not count as working. */
  isStuck: () => boolean;
  /** The results of each lane since the last call. Those of a turn that Redis misses are not counted again. */
  takeResults: () => ReadonlyMap<string, number>;
}

/**
 * Heartbeats in Redis: this process works, at which level, and how fast its lanes are. They stop when it is frozen,
 * stuck or killed.
 */
export class Presence {
  #timer: NodeJS.Timeout | undefined;
  #isSaying = false;
  #hasStopped = false;

  #level = WORKER_LEVEL;

  constructor(readonly deps: PresenceDeps) {}

  /** @param level of what this process can play, score and decide */
  start(level: number): void {
    this.#level = level;
    this.#timer = setInterval(() => void this.announce(), HEARTBEAT_MS);
    void this.announce();
  }

  /** It takes no more items. */
  stop(): void {
    clearInterval(this.#timer);
    this.#hasStopped = true;
    void removeWorker(this.deps.redis, this.#worker).catch(() => {});
  }

  get #worker(): AliveWorker {
    return { workerId: this.deps.workerId, level: this.#level };
  }

  async announce(): Promise<void> {
    const { redis, isStuck, takeResults } = this.deps;
    // While Redis is down its commands queue up: keep one waiting, not one per turn.
    if (this.#isSaying || isStuck()) return;
    this.#isSaying = true;
    try {
      await heartbeat(redis, this.#worker);
      await addResults(redis, takeResults());
      if (this.#hasStopped) await removeWorker(redis, this.#worker);
    } catch {
      // The next turn repeats the heartbeat.
    } finally {
      this.#isSaying = false;
    }
  }
}
