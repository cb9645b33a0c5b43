import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { settleItems, type SettledRun, type Settlement } from '#lib/db/engine/settle-items';
import type { Logger } from '#lib/runtime/logger';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import { measureSettled } from '../health/worker-metrics.js';
import { internalErrorSettlement, type ItemIdentity } from './error-settlements.js';

/**
 * Settles items: a team's items that end within a few milliseconds share one statement and one commit
 * (`libs/db/engine/settle-items.ts`), so that one team's waits or errors in Postgres do not affect another.
 */
export class Settler {
  readonly #batches: KeyedMicroBatcher<Settlement, boolean>;

  constructor(
    readonly deps: {
      pool: Pool;
      logger: Logger;
      /** Called after a commit, with the runs that advanced. */
      onSettled: (runs: ReadonlyMap<string, SettledRun>) => void;
    },
  ) {
    this.#batches = new KeyedMicroBatcher((batch, teamId) => this.#settle(teamId, batch), {
      waitMs: 20,
      maxSize: 200,
      concurrency: 1,
    });
  }

  /** @returns whether it was stored: false if another process had settled the item, or its run had ended */
  settle(teamId: string, settlement: Settlement): Promise<boolean> {
    return this.#batches.add(teamId, settlement);
  }

  async #store(batch: Settlement[]): Promise<boolean[]> {
    const { runs, stored } = await retryTransient(() => settleItems(this.deps.pool, batch));
    measureSettled(stored.filter(Boolean).length, batch.length);
    this.deps.onSettled(runs);
    return stored;
  }

  /**
   * Settles a batch. If Postgres rejects it because of one item's data, settles each item separately, and that one as
   * errored.
   */
  async #settle(teamId: string, batch: Settlement[]): Promise<boolean[]> {
    try {
      return await this.#store(batch);
    } catch (error) {
      const { message, stack } = error as Error;
      const runs = [...new Set(batch.map(({ delivery }) => delivery.runId))];
      this.deps.logger.error(
        { team: teamId, runs, error: message, stack, items: batch.length },
        'Items could not be settled with their results',
      );
      if (batch.length === 1) return [await this.#settleErrored(teamId, batch[0]!, error)];
      const stored: boolean[] = [];
      for (const settlement of batch) stored.push(...(await this.#settle(teamId, [settlement])));
      return stored;
    }
  }

  /** Stores only the cost, without the data that Postgres may have rejected. */
  async #settleErrored(
    teamId: string,
    { delivery, casePosition, sample, category, attempts, usage, costUsd, uncounted }: Settlement,
    why: unknown,
  ): Promise<boolean> {
    const item: ItemIdentity = { delivery, casePosition, sample, category };
    try {
      const paid = { attempts, usage, costUsd, ...(uncounted && { uncounted }) };
      const [stored] = await this.#store([internalErrorSettlement(item, why, paid)]);
      return stored!;
    } catch (error) {
      this.deps.logger.error(
        { team: teamId, run: delivery.runId, item: delivery.item, error: (error as Error).message },
        'An item could not be settled at all',
      );
      return false;
    }
  }
}
