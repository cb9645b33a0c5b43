import type { Redis } from 'ioredis';
import { waitingLanes, type WaitingLane } from '#lib/db/read/for-workers/waiting-lanes';
import type { Pool } from '#lib/db/connection/pool';
import { readLaneState } from '#lib/queue/budget/lane-state';
import type { Logger } from '#lib/runtime/logger';
import type { LaneMeters } from './worker-metrics.js';

const LOOK_EVERY_MS = 5000;
/** So many looks in a row make 30 seconds. They are counted, not timed: a process that was frozen has not looked. */
const LOOKS = 7;

/** A lane where items wait although this process has free slots. */
export interface Idle extends WaitingLane {
  freeSlots: number;
  /** Items this process has started there so far. */
  started: number;
}

/** An idle lane, and at how many looks in a row nothing was started there. */
export type Suspect = Idle & { looks: number };

export const lookAgain = (before: readonly Suspect[], idle: readonly Idle[]): Suspect[] =>
  idle.map((lane) => {
    const known = before.find(({ id, started }) => id === lane.id && started === lane.started);
    return { ...lane, looks: (known?.looks ?? 0) + 1 };
  });

/** Why the process is to be started anew; none while it works. */
export const whyDead = (suspects: readonly Suspect[]): string[] =>
  suspects
    .filter(({ looks }) => looks >= LOOKS)
    .map(
      ({ providers, queued, freeSlots }) =>
        `${queued} items for ${providers} are queued and this process has ${freeSlots} free slots ` +
        'for them, but it has started none in 30 s.',
    );

/**
 * Notices when this process has got stuck: work waits, it could do it, and does not, though Postgres and Redis
 * answer. A connection that is half open, or a loop that hangs, shows in no other way. While a store or a provider
 * is down nothing is held against the process: to start it anew would not help.
 */
export class Liveness {
  #suspects: Suspect[] = [];
  #looking = false;
  #told = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly of: { pool: Pool; redis: Redis; meters: LaneMeters; logger: Logger }) {}

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#suspects = [];
  }

  get whyDead(): string[] {
    return whyDead(this.#suspects);
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { pool, redis, logger } = this.of;
    try {
      // A write: a Redis that is full or read-only answers a ping, and hands out nothing.
      await redis.set('toolmark:writable', '1', 'PX', 1000);
      const idle = (await waitingLanes(pool)).map((lane) => this.#idle(lane)).filter(({ freeSlots }) => freeSlots > 0);
      const states = await Promise.all(idle.map(({ id }) => readLaneState(redis, id)));
      this.#suspects = lookAgain(
        this.#suspects,
        idle.filter((_lane, index) => !states[index]!.outage && !states[index]!.blockedUntil),
      );
    } catch {
      this.#suspects = [];
    } finally {
      this.#looking = false;
    }
    const why = this.whyDead;
    if (why.length && !this.#told)
      logger.error({ why }, 'This worker does not take the work that waits for it; it is to be started anew');
    this.#told = why.length > 0;
  }

  /** A lane that is not served although it has work counts as one with a free slot. */
  #idle(lane: WaitingLane): Idle {
    const meter = this.of.meters.find(lane.id);
    return { ...lane, freeSlots: meter?.freeSlots ?? 1, started: meter?.started ?? 0 };
  }
}
