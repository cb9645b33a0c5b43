import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { claimItems, SUSPECT_CRASHES, type Claim } from '#lib/db/engine/claim-items';
import { findPlace } from '#lib/db/read/for-workers/load-run';
import type { BusyLane, Delivery, LaneLimits } from '#lib/db/engine/dispatch-lane';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { settleItems, type SettledRun, type Settlement } from '#lib/db/engine/settle-items';
import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import { Delivery as DeliverySchema, laneQueueName, QUEUE_PREFIX } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import { traceItem, traceStep } from '#lib/runtime/tracing/tracing';
import { KeyedMicroBatcher } from './micro-batch.js';
import type { ClaimedItems } from './claimed-items.js';
import { RunStopped, ShuttingDown, TakenAway } from './claimed-items.js';
import type { LaneBudgets } from './lane-budgets.js';
import { failedInside, type ItemRunner, type Place, type Played } from './run-item.js';
import type { Quarantine } from './quarantine.js';
import { measureSettled, measureSettling, type LaneMeter, type LaneMeters } from '../health/worker-metrics.js';

/** Items of a lane that one process works on at a time; more workers take more. */
const LARGEST_SLOTS = 500;

/** Slots that keep so many requests under way: while one is claimed, scored or settled, another has its request. */
export const slotsFor = (requests: number): number => requests + Math.ceil(requests / 8);

/**
 * Takes deliveries from the lanes' queues and plays them: claim, budget and request, score, settle; only then is
 * the queue job acknowledged. If the process dies anywhere in between, the lease runs out and the item is delivered
 * anew.
 */
export class LaneWorkers {
  readonly #lanes = new Map<string, { worker: Worker; connection: Redis }>();
  readonly #leaving = new Set<string>();
  readonly #teams = new Map<string, string>();
  // By team: what one of them waits for in Postgres, or is refused there, holds up nobody else.
  readonly #claims: KeyedMicroBatcher<Delivery, Claim | undefined>;
  readonly #settlements: KeyedMicroBatcher<Settlement, boolean>;
  #draining = false;

  constructor(
    readonly of: {
      pool: Pool;
      budgets: LaneBudgets;
      meters: LaneMeters;
      connect: () => Redis;
      worker: string;
      items: ClaimedItems;
      runner: ItemRunner;
      quarantine: Quarantine;
      logger: Logger;
      /** Called after a commit, with the runs that moved. */
      onSettled: (runs: ReadonlyMap<string, SettledRun>) => void;
    },
  ) {
    this.#claims = new KeyedMicroBatcher((deliveries) => this.#claim(deliveries), {
      waitMs: 4,
      largest: 200,
      concurrency: 1,
    });
    this.#settlements = new KeyedMicroBatcher((batch, teamId) => this.#settle(teamId, batch), {
      waitMs: 20,
      largest: 200,
      concurrency: 1,
    });
  }

  /**
   * Listens to a lane's queue from now on, or takes note of its new limits. Its slots are divided by those who hold
   * items of it.
   */
  serve(lane: BusyLane): void {
    if (this.#draining) return;
    const { budgets, meters, logger } = this.of;
    const meter = meters.of(lane);
    const budget = budgets.of(lane);
    this.#teams.set(lane.id, lane.team_id);
    const known = this.#lanes.get(lane.id);
    const workers = lane.here ? lane.workers : lane.workers + 1;
    const concurrency = Math.min(Math.ceil(slotsFor(lane.max_concurrency) / workers), LARGEST_SLOTS);
    meter.slots(concurrency);
    if (known) {
      if (known.worker.concurrency !== concurrency) setConcurrency(known.worker, concurrency);
      return;
    }
    const connection = this.of.connect();
    const worker = new Worker(
      laneQueueName(lane.id),
      // Three declared parameters: BullMQ hands the signal only to such a processor. Nothing is returned: it would
      // be kept in Redis.
      async (job: Job, _token, _signal) => {
        await this.#deliver(meter, budget, DeliverySchema.parse(job.data));
      },
      {
        connection,
        prefix: QUEUE_PREFIX,
        concurrency,
        // Whether an item's process died is told by its lease in Postgres; these only bring back jobs that nobody
        // claimed.
        lockDuration: 15_000,
        stalledInterval: 5000,
        maxStalledCount: 1000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        runRetryDelay: 1000,
        skipVersionCheck: true,
      },
    );
    worker.on('error', (error) => logger.debug({ lane: lane.id, error: error.message }, 'The queue reports an error'));
    worker.on('failed', (job, error) =>
      logger.error(
        {
          lane: lane.id,
          run: (job?.data as Delivery | undefined)?.runId,
          delivery: job?.data as unknown,
          error: error.message,
          stack: error.stack,
        },
        'An item could not be settled; it will be delivered again',
      ),
    );
    this.#lanes.set(lane.id, { worker, connection });
    logger.info({ lane: lane.id, concurrency }, 'Serving a lane');
  }

  /**
   * Stops listening to a lane and forgets it: its connections, timers and measures. It is served again when it has
   * work.
   */
  async letGo(laneId: string): Promise<void> {
    if (this.#leaving.has(laneId)) return;
    this.#leaving.add(laneId);
    try {
      const lane = this.#lanes.get(laneId);
      this.#lanes.delete(laneId);
      await lane?.worker.close();
      lane?.connection.disconnect();
      if (this.#lanes.has(laneId)) return; // Meanwhile it has work.
      this.of.budgets.letGo(laneId);
      this.#teams.delete(laneId);
      await this.of.meters.letGo(laneId);
      this.of.logger.info({ lane: laneId }, 'Let go of a lane');
    } finally {
      this.#leaving.delete(laneId);
    }
  }

  async #deliver(meter: LaneMeter, budget: LaneBudget, delivery: Delivery): Promise<void> {
    meter.start();
    try {
      await traceItem(delivery, { 'toolmark.lane': meter.id, 'toolmark.lane_name': meter.name }, () =>
        this.#play(meter, budget, delivery),
      );
    } finally {
      meter.end();
    }
  }

  async #play(meter: LaneMeter, budget: LaneBudget, delivery: Delivery): Promise<void> {
    const { items, logger } = this.of;
    if (this.#draining || items.has(delivery.token)) return;
    const claim = await traceStep('claim', {}, async (note) => {
      const got = await this.#claims.add(this.#teams.get(meter.id)!, delivery);
      note({
        'toolmark.claimed': got !== undefined,
        'toolmark.crashes': got?.crashes,
        'toolmark.queued_seconds': got?.queuedForS,
      });
      return got;
    });
    if (!claim) return;
    meter.claimed(claim.queuedForS);
    const signal = items.add(delivery, meter.id);
    try {
      const played = await this.#playOrExplain(meter, budget, delivery, claim, signal);
      if (!played) return;
      // Noting the reply in the cache holds up no slot.
      const ended = measureSettling();
      const { settlement, settled } = played;
      const { result, attempts, cached } = settlement;
      const facts = {
        'toolmark.outcome': result.outcome === 'scored' ? 'scored' : result.error.kind,
        'toolmark.attempts': attempts,
        'toolmark.cached': cached,
      };
      const stored = await traceStep('settle', facts, () => this.settle(meter.id, settlement)).catch(
        (error: unknown) => {
          void settled?.(false);
          throw error;
        },
      );
      void settled?.(stored);
      ended();
      if (stored) meter.ended(settlement);
    } catch (error) {
      // What was stopped, or taken away, has no in-flight row of ours any more.
      if (!isGivenUp(error)) throw error;
      if (error instanceof ShuttingDown) await items.handBack(delivery);
      logger.debug({ lane: meter.id, run: delivery.runId, reason: (error as Error).message }, 'An item was given up');
    } finally {
      items.remove(delivery.token);
    }
  }

  /**
   * Plays an item. Something that nobody foresaw is how it ended: asked again it would fail again, and be paid
   * again.
   */
  async #playOrExplain(
    meter: LaneMeter,
    budget: LaneBudget,
    delivery: Delivery,
    claim: Claim,
    signal: AbortSignal,
  ): Promise<Played | undefined> {
    const { items, runner, quarantine, logger } = this.of;
    const placed = async (): Promise<Place | undefined> => {
      const found = await retryTransient(() => findPlace(this.of.pool, delivery));
      return found && { delivery, ...found };
    };
    try {
      const works = (begun: boolean): Promise<void> => items.works(delivery.token, begun, claim.lost > 0);
      const playing = {
        permits: (lane: LaneLimits) => this.of.budgets.of(lane),
        signal,
        works,
        generation: claim.generation,
      };
      if (claim.crashes < SUSPECT_CRASHES) return await runner.run(delivery, playing);
      const place = await placed();
      return place && (await quarantine.play({ meter, budget }, place, claim, playing));
    } catch (error) {
      signal.throwIfAborted();
      if (isGivenUp(error)) throw error;
      const { message, stack } = error as Error;
      logger.error(
        { lane: meter.id, run: delivery.runId, item: delivery.item, error: message, stack },
        'An item failed in an unforeseen way; it is settled as errored',
      );
      const place = await placed();
      return place && { settlement: failedInside(place, error) };
    }
  }

  async #claim(deliveries: Delivery[]): Promise<(Claim | undefined)[]> {
    const claims = await retryTransient(() => claimItems(this.of.pool, this.of.worker, deliveries));
    const byToken = new Map(claims.map((claim) => [claim.token, claim]));
    return deliveries.map((delivery) => byToken.get(delivery.token));
  }

  async #store(batch: Settlement[]): Promise<boolean[]> {
    const { runs, stored } = await retryTransient(() => settleItems(this.of.pool, batch));
    measureSettled(stored.filter(Boolean).length, batch.length);
    this.of.onSettled(runs);
    return stored;
  }

  /**
   * Settles a batch; if Postgres refuses it for what one of its items holds, each by itself, and that one as
   * errored.
   */
  async #settle(teamId: string, batch: Settlement[]): Promise<boolean[]> {
    try {
      return await this.#store(batch);
    } catch (error) {
      const { message, stack } = error as Error;
      const runs = [...new Set(batch.map(({ delivery }) => delivery.runId))];
      this.of.logger.error(
        { team: teamId, runs, error: message, stack, items: batch.length },
        'Items could not be settled as they are',
      );
      if (batch.length === 1) return this.#settleErrored(teamId, batch[0]!, error);
      const stored: boolean[] = [];
      for (const settlement of batch) stored.push(...(await this.#settle(teamId, [settlement])));
      return stored;
    }
  }

  /** With nothing of what Postgres may have refused but what was paid. */
  async #settleErrored(
    teamId: string,
    { delivery, casePosition, sample, category, attempts, costUsd }: Settlement,
    why: unknown,
  ): Promise<boolean[]> {
    const place: Place = { delivery, casePosition, sample, category };
    try {
      return await this.#store([failedInside(place, why, { attempts, costUsd })]);
    } catch (error) {
      this.of.logger.error(
        { team: teamId, run: delivery.runId, item: delivery.item, error: (error as Error).message },
        'An item could not be settled at all',
      );
      return [false];
    }
  }

  /** @returns whether it was stored: not if someone else had settled it, or its run had ended */
  settle(laneId: string, settlement: Settlement): Promise<boolean> {
    return this.#settlements.add(this.#teams.get(laneId) ?? laneId, settlement);
  }

  /** No new items from now on; answers when those in hand ended or were handed back. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const workers = [...this.#lanes.values()].map(({ worker }) => worker);
    await withoutRedis(workers.map((worker) => worker.pause(true)));
    // Requests under way cost money and are waited for, and so is what was begun with them; what only waits to
    // begin can wait elsewhere.
    this.of.budgets.refuse(new ShuttingDown('The worker is shutting down.'));
    await this.of.items.drain(graceMs);
    this.of.budgets.close();
    await withoutRedis(workers.map((worker) => worker.close()));
  }
}

/**
 * A worker whose slots are all taken looks at a new number of them when an item ends, or when it goes on after a
 * pause.
 */
function setConcurrency(worker: Worker, concurrency: number): void {
  const isMore = concurrency > worker.concurrency;
  worker.concurrency = concurrency;
  if (isMore) void worker.pause(true).then(() => worker.resume());
}

const isGivenUp = (error: unknown): boolean =>
  error instanceof RunStopped || error instanceof ShuttingDown || error instanceof TakenAway;

/** Farewells wait for Redis for ever while it is down; what they would say there is told by Postgres as well. */
async function withoutRedis(farewells: Promise<unknown>[]): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, 3000).unref());
  await Promise.race([Promise.allSettled(farewells), late]);
}
