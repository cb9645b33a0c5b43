import { releaseItems, renewLeases, stoppedRuns, type LeasedItem } from '#lib/db/engine/claim-items';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { putBack, restModel, unaskableTargets, type AskedRest } from '#lib/db/engine/resting-models';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';
import { LeaseKeeper } from './lease-keeper.js';
import { RENEW_EVERY_MS } from './lease-renewal.js';

class RunStopped extends Error {}
export class ShuttingDown extends Error {}
/** The item was delivered to another worker, which settles it. */
export class LeaseLost extends Error {}

/** The item is given back without a request: its model rests, or its target takes no more requests. */
export class ModelResting extends Error {
  /** @param asked the rest that its provider has just asked for */
  constructor(readonly asked?: AskedRest) {
    super('The model is resting.');
  }
}

/** Whether work on an item was aborted here, so that this process has nothing to settle. */
export const isAborted = (error: unknown): boolean =>
  error instanceof RunStopped ||
  error instanceof ShuttingDown ||
  error instanceof LeaseLost ||
  error instanceof ModelResting;

const POLL_MS = 1000;

interface ClaimedItem {
  /** The number of the claim in this process. */
  claim: number;
  delivery: Delivery;
  laneId: string;
  abort: AbortController;
  /** Whether it is being worked on, rather than waiting for its turn. */
  isActive: boolean;
}

/**
 * The items claimed by this process. Renews their leases, and aborts items that this process must no longer work on:
 * those of stopped runs, immediately on a message and within a second if the message was lost; those delivered to
 * another worker; and those waiting to ask a model that rests.
 */
export class ClaimedItems {
  readonly #items = new Map<number, ClaimedItem>();
  readonly #leases: LeaseKeeper;
  readonly #timers: NodeJS.Timeout[];
  #claims = 0;
  #onEmpty: (() => void)[] = [];

  constructor(
    readonly pool: Pool,
    readonly workerId: string,
    readonly logger: Logger,
    databaseUrl: string,
  ) {
    this.#leases = new LeaseKeeper({
      databaseUrl,
      workerId,
      logger,
      held: () => [...this.#items.values()].map((item) => [item.claim, leaseOf(item)]),
      onLost: (claims) => this.#abortLost((item) => claims.has(item.claim)),
    });
    this.#timers = [
      setInterval(() => void this.#renewLeases(), RENEW_EVERY_MS),
      setInterval(() => void this.#poll(), POLL_MS),
    ];
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether this exact delivery is already being worked on here: its queue job came a second time. */
  has(token: number): boolean {
    return this.#items.has(token);
  }

  /** @returns a signal that aborts when this process must no longer work on the item */
  add(delivery: Delivery, laneId: string): AbortSignal {
    const abort = new AbortController();
    const item = { claim: ++this.#claims, delivery, laneId, abort, isActive: false };
    this.#items.set(delivery.token, item);
    this.#leases.hold(item.claim, leaseOf(item));
    return abort.signal;
  }

  /**
   * Records whether an item is being worked on or only waits. Postgres is updated with the next heartbeat. For an item
   * whose process was lost before, it is updated immediately, so that the item is charged if this process also dies,
   * and is never charged while it only waits.
   */
  async setActive(token: number, isActive: boolean, isSuspect: boolean): Promise<void> {
    const item = this.#items.get(token);
    if (!item || item.isActive === isActive) return;
    item.isActive = isActive;
    this.#leases.hold(item.claim, leaseOf(item));
    if (isSuspect) await retryTransient(() => renewLeases(this.pool, this.workerId, [leaseOf(item)]));
  }

  remove(token: number): void {
    const item = this.#items.get(token);
    if (item) this.#leases.drop(item.claim);
    this.#items.delete(token);
    if (this.#items.size === 0) for (const onEmpty of this.#onEmpty.splice(0)) onEmpty();
  }

  stopRun(runId: string): void {
    for (const { delivery, abort } of this.#items.values())
      if (delivery.runId === runId) abort.abort(new RunStopped('The run was stopped.'));
  }

  /**
   * Gives up an item whose model is not asked now. It is taken again when the model is available. If this fails, its
   * lease expires.
   */
  async releaseItem(delivery: Delivery, { asked }: ModelResting): Promise<void> {
    try {
      if (asked) await retryTransient(() => restModel(this.pool, delivery, asked));
      await retryTransient(() => putBack(this.pool, this.workerId, delivery));
    } catch (error) {
      this.logger.warn({ run: delivery.runId, error: (error as Error).message }, 'An item could not be released');
    }
    if (asked) await this.#releaseUnaskable();
  }

  /** Hands an item back to be done by another worker. If this fails, its lease expires. */
  async returnAll(delivery: Delivery): Promise<void> {
    await releaseItems(this.pool, this.workerId, [delivery]).catch(() => {});
  }

  /** Waits until all items have ended, and aborts the remaining ones after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    await Promise.race([this.#untilEmpty(), new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    const remaining = [...this.#items.values()];
    if (remaining.length) {
      this.logger.warn(
        { items: remaining.length, ...this.#runsAndLanes() },
        'Returning items that did not end in time',
      );
      for (const { abort } of remaining) abort.abort(new ShuttingDown('The worker is shutting down.'));
      await this.#untilEmpty();
    }
    for (const timer of this.#timers) clearInterval(timer);
    await this.#leases.close();
  }

  #untilEmpty(): Promise<void> {
    return this.#items.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /** For the log. */
  #runsAndLanes(): { runs: string[]; lanes: string[] } {
    const items = [...this.#items.values()];
    return {
      runs: [...new Set(items.map(({ delivery }) => delivery.runId))],
      lanes: [...new Set(items.map(({ laneId }) => laneId))],
    };
  }

  /** Renews the leases here while the thread does not. */
  async #renewLeases(): Promise<void> {
    if (this.#items.size === 0 || this.#leases.isRenewing) return;
    const claimed = new Set(this.#items.values());
    try {
      const renewed = new Set(await renewLeases(this.pool, this.workerId, [...claimed].map(leaseOf)));
      this.#abortLost((item) => claimed.has(item) && !renewed.has(item.delivery.token));
    } catch (error) {
      this.logger.warn(
        { items: this.#items.size, ...this.#runsAndLanes(), error: (error as Error).message },
        'Leases could not be renewed',
      );
    }
  }

  #abortLost(isLost: (item: ClaimedItem) => boolean): void {
    for (const item of this.#items.values())
      if (isLost(item)) item.abort.abort(new LeaseLost('The item was delivered to another worker.'));
  }

  async #poll(): Promise<void> {
    const runs = [...new Set([...this.#items.values()].map(({ delivery }) => delivery.runId))];
    if (runs.length === 0) return;
    for (const runId of await stoppedRuns(this.pool, runs).catch(() => [])) this.stopRun(runId);
    await this.#releaseUnaskable();
  }

  /** Gives up items that wait to ask a model that is not asked now. Requests in flight are completed. */
  async #releaseUnaskable(): Promise<void> {
    const targets = new Map([...this.#items.values()].map(({ delivery }) => [targetOf(delivery), delivery]));
    if (targets.size === 0) return;
    const unaskable = await unaskableTargets(this.pool, [...targets.values()]).catch(() => []);
    const released = new Set(unaskable.map(targetOf));
    for (const { delivery, abort, isActive } of this.#items.values())
      if (!isActive && released.has(targetOf(delivery))) abort.abort(new ModelResting());
  }
}

const leaseOf = ({ delivery, isActive }: ClaimedItem): LeasedItem => ({ ...delivery, begun: isActive });

const targetOf = ({ runId, target }: Delivery): string => `${runId} ${target}`;
