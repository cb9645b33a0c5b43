import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { storeRounds, type AfterRound, type Round } from '#lib/db/engine/store-rounds';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';

/**
 * Stores finished rounds of conversations: those of a team that end within a few milliseconds share one statement and
 * one commit.
 */
export class RoundStore {
  readonly #batches: KeyedMicroBatcher<Round, AfterRound>;

  constructor(pool: Pool) {
    this.#batches = new KeyedMicroBatcher((batch) => retryTransient(() => storeRounds(pool, batch)), {
      waitMs: 5,
      maxSize: 100,
      concurrency: 1,
    });
  }

  store(teamId: string, round: Round): Promise<AfterRound> {
    return this.#batches.add(teamId, round);
  }
}
