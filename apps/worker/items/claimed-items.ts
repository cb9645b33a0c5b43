import { releaseItems, renewLeases, stoppedRuns, LEASE_MS } from '#lib/db/engine/claim-items';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';

export class RunStopped extends Error {}
export class ShuttingDown extends Error {}
/** The item was delivered to others, who settle it. */
export class TakenAway extends Error {}

/**
 * The items this process has claimed. Keeps their leases, and aborts the requests of runs that were cancelled: at
 * once when it is told, within a second when the message was lost. What others were given meanwhile is aborted,
 * too.
 */
export class ClaimedItems {
  readonly #items = new Map<number, { delivery: Delivery; laneId: string; abort: AbortController; begun: boolean }>();
  readonly #timers: NodeJS.Timeout[];
  #emptied: (() => void)[] = [];

  constructor(
    readonly pool: Pool,
    readonly worker: string,
    readonly logger: Logger,
  ) {
    this.#timers = [
      setInterval(() => void this.#renew(), LEASE_MS / 3),
      setInterval(() => void this.#lookForStoppedRuns(), 1000),
    ];
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether this very delivery is being worked on here already (its queue job came a second time). */
  has(token: number): boolean {
    return this.#items.has(token);
  }

  add(delivery: Delivery, laneId: string): AbortSignal {
    const abort = new AbortController();
    this.#items.set(delivery.token, { delivery, laneId, abort, begun: false });
    return abort.signal;
  }

  /**
   * Notes that an item is worked on from now on, or only waits. Postgres is told with the next heartbeat; of an
   * item whose process was lost before, at once, so that it is charged if this one dies of it, and what only waits
   * never is.
   */
  async works(token: number, begun: boolean, isSuspect: boolean): Promise<void> {
    const item = this.#items.get(token);
    if (!item || item.begun === begun) return;
    item.begun = begun;
    if (isSuspect) await retryTransient(() => renewLeases(this.pool, this.worker, [{ ...item.delivery, begun }]));
  }

  remove(token: number): void {
    this.#items.delete(token);
    if (this.#items.size === 0) for (const emptied of this.#emptied.splice(0)) emptied();
  }

  stopRun(runId: string): void {
    for (const { delivery, abort } of this.#items.values())
      if (delivery.runId === runId) abort.abort(new RunStopped('The run was stopped.'));
  }

  /** Hands an item back for others to do. If that fails its lease runs out. */
  async handBack(delivery: Delivery): Promise<void> {
    await releaseItems(this.pool, this.worker, [delivery]).catch(() => {});
  }

  /** Waits for what is in hand, then aborts the rest. */
  async drain(graceMs: number): Promise<void> {
    await Promise.race([this.#untilEmpty(), new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    const left = [...this.#items.values()];
    if (left.length) {
      this.logger.warn({ items: left.length, ...this.#whose() }, 'Handing back items that did not end in time');
      for (const { abort } of left) abort.abort(new ShuttingDown('The worker is shutting down.'));
      await this.#untilEmpty();
    }
    for (const timer of this.#timers) clearInterval(timer);
  }

  #untilEmpty(): Promise<void> {
    return this.#items.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** For the log. */
  #whose(): { runs: string[]; lanes: string[] } {
    const all = [...this.#items.values()];
    return {
      runs: [...new Set(all.map(({ delivery }) => delivery.runId))],
      lanes: [...new Set(all.map(({ laneId }) => laneId))],
    };
  }

  async #renew(): Promise<void> {
    if (this.#items.size === 0) return;
    const held = [...this.#items.values()];
    try {
      const mine = new Set(
        await renewLeases(
          this.pool,
          this.worker,
          held.map(({ delivery, begun }) => ({ ...delivery, begun })),
        ),
      );
      for (const { delivery, abort } of held)
        if (!mine.has(delivery.token)) abort.abort(new TakenAway('The item was delivered to others.'));
    } catch (error) {
      this.logger.warn(
        { items: this.#items.size, ...this.#whose(), error: (error as Error).message },
        'Leases could not be renewed',
      );
    }
  }

  async #lookForStoppedRuns(): Promise<void> {
    const runs = [...new Set([...this.#items.values()].map(({ delivery }) => delivery.runId))];
    if (runs.length === 0) return;
    for (const runId of await stoppedRuns(this.pool, runs).catch(() => [])) this.stopRun(runId);
  }
}
