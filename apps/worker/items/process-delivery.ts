import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { claimItems, LEASE_MS, renewLeases, SUSPECT_CRASHES, type Claim } from '#lib/db/engine/claim-items';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { findPlace } from '#lib/db/read/for-workers/load-run';
import type { Logger } from '#lib/runtime/logger';
import { traceItem, traceStep } from '#lib/runtime/tracing/tracing';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import { measureSettling } from '../health/worker-metrics.js';
import type { LaneBudgets } from '../models/lane-budgets.js';
import type { ServedLane } from './served-lane.js';
import type { ItemContext } from './play-and-score.js';
import { isAborted, ModelResting, ShuttingDown, type ClaimedItems } from './claimed-items.js';
import { internalErrorSettlement, type ItemIdentity } from './error-settlements.js';
import type { Quarantine } from './quarantine.js';
import type { FinishedItem, ItemRunner } from './run-item.js';
import type { Settler } from './settle.js';

/**
 * Processes a delivery: claims its item, runs it and settles it. Only then is the queue job acknowledged. If the
 * process dies in between, the item's lease expires and the reconciler delivers it again.
 */
export class DeliveryProcessor {
  /** By team, so that one team's waits in Postgres do not hold up another. */
  readonly #claims: KeyedMicroBatcher<Delivery, Claim | undefined>;
  #isDraining = false;

  constructor(
    readonly deps: {
      pool: Pool;
      workerId: string;
      items: ClaimedItems;
      runner: ItemRunner;
      quarantine: Quarantine;
      settler: Settler;
      budgets: LaneBudgets;
      logger: Logger;
    },
  ) {
    this.#claims = new KeyedMicroBatcher((deliveries) => this.#claimBatch(deliveries), {
      waitMs: 4,
      maxSize: 200,
      concurrency: 1,
    });
  }

  /** Stops claiming. Deliveries that still arrive are left to other workers. */
  stopClaiming(): void {
    this.#isDraining = true;
  }

  async process(lane: ServedLane, delivery: Delivery): Promise<void> {
    const { meter } = lane;
    meter.startItem();
    try {
      await traceItem(delivery, { 'toolmark.lane': meter.id, 'toolmark.lane_name': meter.name }, () =>
        this.#process(lane, delivery),
      );
    } finally {
      meter.endItem();
    }
  }

  async #process(lane: ServedLane, delivery: Delivery): Promise<void> {
    const { items, logger } = this.deps;
    const { meter } = lane;
    if (this.#isDraining || items.has(delivery.token)) return;
    const claim = await this.#claim(lane, delivery);
    if (!claim) return;
    meter.recordClaim(claim.queuedForS);
    const signal = items.add(delivery, meter.id);
    try {
      if (claim.isUnaskable) throw new ModelResting();
      const finished = await this.#runOrExplain(lane, delivery, claim, signal);
      if (finished) await this.#settle(lane, await this.deps.runner.withEarlierRounds(finished));
    } catch (error) {
      // An aborted item no longer has an in-flight row of this process.
      if (!isAborted(error)) throw error;
      if (error instanceof ShuttingDown) await items.returnAll(delivery);
      if (error instanceof ModelResting) await items.releaseItem(delivery, error);
      logger.debug({ lane: meter.id, run: delivery.runId, reason: (error as Error).message }, 'An item was released');
    } finally {
      items.remove(delivery.token);
    }
  }

  #claim({ teamId }: ServedLane, delivery: Delivery): Promise<Claim | undefined> {
    return traceStep('claim', {}, async (note) => {
      const claim = await this.#claims.add(teamId, delivery);
      note({
        'toolmark.claimed': claim !== undefined,
        'toolmark.crashes': claim?.crashes,
        'toolmark.queued_seconds': claim?.queuedForS,
      });
      return claim;
    });
  }

  async #claimBatch(deliveries: Delivery[]): Promise<(Claim | undefined)[]> {
    const { pool, workerId } = this.deps;
    let startedAt = performance.now();
    const claims = await retryTransient(() => claimItems(pool, workerId, deliveries));
    const byToken = new Map(claims.map((claim) => [claim.token, claim]));
    // Leases are not renewed until their claim has arrived here. If that took long, other processes may have the item
    // by now.
    while (performance.now() - startedAt > LEASE_MS / 2 && byToken.size > 0) {
      startedAt = performance.now();
      const claimed = deliveries.filter(({ token }) => byToken.has(token)).map((one) => ({ ...one, begun: false }));
      const held = new Set(await retryTransient(() => renewLeases(pool, workerId, claimed)));
      for (const token of byToken.keys()) if (!held.has(token)) byToken.delete(token);
    }
    return deliveries.map((delivery) => byToken.get(delivery.token));
  }

  /** Runs an item. An unexpected error becomes the item's result: running it again would fail again, and cost again. */
  async #runOrExplain(
    lane: ServedLane,
    delivery: Delivery,
    claim: Claim,
    signal: AbortSignal,
  ): Promise<FinishedItem | undefined> {
    try {
      return await this.#run(lane, delivery, claim, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isAborted(error)) throw error;
      const { message, stack } = error as Error;
      this.deps.logger.error(
        { lane: lane.meter.id, run: delivery.runId, item: delivery.item, error: message, stack },
        'An item failed unexpectedly; it is settled as errored',
      );
      const identity = await this.#identify(delivery);
      return identity && { settlement: internalErrorSettlement(identity, error) };
    }
  }

  async #run(
    lane: ServedLane,
    delivery: Delivery,
    claim: Claim,
    signal: AbortSignal,
  ): Promise<FinishedItem | undefined> {
    const { items, runner, quarantine, budgets } = this.deps;
    const context: ItemContext = {
      permits: (limits) => budgets.forLane(limits),
      signal,
      setActive: (isActive) => items.setActive(delivery.token, isActive, claim.lost > 0),
      generation: claim.generation,
    };
    if (claim.crashes < SUSPECT_CRASHES) return runner.run(delivery, context);
    const identity = await this.#identify(delivery);
    return identity && quarantine.run(lane, identity, claim, context);
  }

  async #identify(delivery: Delivery): Promise<ItemIdentity | undefined> {
    const place = await retryTransient(() => findPlace(this.deps.pool, delivery));
    return place && { delivery, ...place };
  }

  async #settle({ teamId, meter }: ServedLane, { settlement, onSettled }: FinishedItem): Promise<void> {
    const { result, attempts, cached } = settlement;
    const facts = {
      'toolmark.outcome': result.outcome === 'scored' ? 'scored' : result.error.kind,
      'toolmark.attempts': attempts,
      'toolmark.cached': cached,
    };
    const measureEnd = measureSettling();
    const stored = await traceStep('settle', facts, () => this.deps.settler.settle(teamId, settlement)).catch(
      (error: unknown) => {
        void onSettled?.(false);
        throw error;
      },
    );
    void onSettled?.(stored); // Not awaited: no slot waits for the cache.
    measureEnd();
    if (stored) meter.recordResult(settlement);
  }
}
