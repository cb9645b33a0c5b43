import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { storeRounds, type AfterRound, type Round } from '#lib/db/engine/store-rounds';
import type { Logger } from '#lib/runtime/logger';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';

/** What comes after a round; `failed` when Postgres does not take it. */
type Stored = AfterRound | 'failed';

/**
 * Stores finished rounds of conversations: those of a team that end within a few milliseconds share one statement and
 * one commit. What Postgres rejects is stored one by one, so that one conversation's data fails no other.
 */
export class RoundStore {
  readonly #batches: KeyedMicroBatcher<Round, Stored>;

  constructor(
    readonly pool: Pool,
    readonly logger: Pick<Logger, 'error'>,
  ) {
    this.#batches = new KeyedMicroBatcher((batch) => this.#store(batch), { waitMs: 5, maxSize: 20, concurrency: 1 });
  }

  store(teamId: string, round: Round): Promise<Stored> {
    return this.#batches.add(teamId, round);
  }

  async #store(batch: readonly Round[]): Promise<Stored[]> {
    try {
      return await retryTransient(() => storeRounds(this.pool, batch));
    } catch (error) {
      if (batch.length === 1) {
        const { message, stack } = error as Error;
        const { runId, item } = batch[0]!.delivery;
        this.logger.error({ run: runId, item, error: message, stack }, 'A round of a conversation could not be stored');
        return ['failed'];
      }
      const stored: Stored[] = [];
      for (const round of batch) stored.push(...(await this.#store([round])));
      return stored;
    }
  }
}
