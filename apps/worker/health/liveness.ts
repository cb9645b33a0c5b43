import { waitingLanes, type WaitingLane } from '#lib/db/read/for-workers/waiting-lanes';
import type { Pool } from '#lib/db/connection/pool';
import { readLaneState } from '#lib/queue/budget/lane-state';
import type { Logger } from '#lib/runtime/logger';
import type { Fleet } from '../fleet/fleet.js';
import type { Redis } from '#lib/runtime/redis';
import type { LaneMeters } from './worker-metrics.js';

const CHECK_EVERY_MS = 5000;
/** Consecutive checks: 30 seconds. They are counted, not timed, because a frozen process has not checked. */
const MAX_IDLE_CHECKS = 7;

/** A lane with waiting items although this process has free slots. */
export interface IdleLane extends WaitingLane {
  freeSlots: number;
  /** Deliveries that this process has taken from it so far. */
  started: number;
}

/** An idle lane, and the number of consecutive checks without a start. */
export type SuspectLane = IdleLane & { checks: number };

export const updateSuspects = (before: readonly SuspectLane[], idle: readonly IdleLane[]): SuspectLane[] =>
  idle.map((lane) => {
    const known = before.find(({ id, started }) => id === lane.id && started === lane.started);
    return { ...lane, checks: (known?.checks ?? 0) + 1 };
  });

/** Why the process should be restarted; empty while it works. */
export const whyStuck = (suspects: readonly SuspectLane[]): string[] =>
  suspects
    .filter(({ checks }) => checks >= MAX_IDLE_CHECKS)
    .map(
      ({ providers, queued, freeSlots }) =>
        `${queued} items for ${providers} are queued and this process has ${freeSlots} free slots ` +
        'for them, but it has started none in 30 s.',
    );

/**
 * Detects when this process is stuck: items wait and it has free slots, but it does not take them although Postgres and
 * Redis respond. A half-open connection or a hanging loop has no other symptom. While a store or a provider is down the
 * process is not stuck, because a restart would not help.
 */
export class Liveness {
  #suspects: SuspectLane[] = [];
  #isChecking = false;
  #isReported = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly deps: { pool: Pool; redis: Redis; meters: LaneMeters; fleet: Pick<Fleet, 'shares'>; logger: Logger },
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#suspects = [];
  }

  get isStuck(): boolean {
    return this.whyStuck.length > 0;
  }

  get whyStuck(): string[] {
    return whyStuck(this.#suspects);
  }

  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { pool, redis, fleet, logger } = this.deps;
    try {
      // A write, because a Redis that is full or read-only still answers a ping.
      await redis.set('toolmark:writable', '1', 'PX', 1000);
      const served = fleet.shares().filter(({ slots }) => slots > 0);
      const idle = (
        await waitingLanes(
          pool,
          served.map(({ lane }) => lane.id),
        )
      )
        .map((lane) => this.#idleLane(lane))
        .filter(({ freeSlots }) => freeSlots > 0);
      const states = await Promise.all(idle.map(({ id }) => readLaneState(redis, id)));
      this.#suspects = updateSuspects(
        this.#suspects,
        idle.filter((_lane, index) => !states[index]!.outage && !states[index]!.blockedUntil),
      );
    } catch {
      this.#suspects = [];
    } finally {
      this.#isChecking = false;
    }
    const why = this.whyStuck;
    if (why.length && !this.#isReported)
      logger.error({ why }, 'This worker does not take its queued items; restart it');
    this.#isReported = why.length > 0;
  }

  /** A lane in which this process has a share, but which it does not serve, counts as having a free slot. */
  #idleLane(lane: WaitingLane): IdleLane {
    const meter = this.deps.meters.find(lane.id);
    return { ...lane, freeSlots: meter?.freeSlots ?? 1, started: meter?.started ?? 0 };
  }
}
