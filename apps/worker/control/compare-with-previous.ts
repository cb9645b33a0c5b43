import { DEFAULT_MARGIN } from '#lib/contracts/values/comparison';
import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import { readRun } from '#lib/db/engine/experiment-pairs';
import { previousRunOf, runsToCompareWithPrevious, storeAgainst, type RunToCompare } from '#lib/db/engine/run-against';
import { storeTrendPoints } from '#lib/db/engine/trend-points';
import { intervalOfSums } from '#lib/scoring/statistics/intervals';
import { RetryBackoff } from '../orchestration/retry-backoff.js';
import { isGone, type ComparePair } from './compare-pair.js';

/** Compares each ended run with the one before it, so that every list can say what changed, and adds it to trends. */
export class PreviousComparer {
  readonly #backoff = new RetryBackoff();

  constructor(readonly deps: { pool: Pool; compare: ComparePair; onMoreToDo: () => void }) {}

  /** The runs that are due, except those that failed a moment ago. */
  toCompare(): Promise<RunToCompare[]> {
    return runsToCompareWithPrevious(this.deps.pool, this.#backoff.waiting());
  }

  async compare(run: RunToCompare, stop: AbortSignal): Promise<void> {
    const { pool, onMoreToDo } = this.deps;
    let isDone = false;
    await withLease(pool, `against ${run.id}`, async (lost) => {
      try {
        await this.#note(run, AbortSignal.any([stop, lost]));
        this.#backoff.clear(run.id);
        isDone = true;
      } catch (error) {
        if (!stop.aborted) this.#backoff.add(run.id, error);
        if (isGone(error)) return; // Found again, if it was the other run.
        throw error;
      }
    });
    if (isDone) onMoreToDo();
  }

  /** Its points of trends are written even if the comparison fails. */
  async #note(run: RunToCompare, signal: AbortSignal): Promise<void> {
    try {
      if (!run.isCompared) await this.#compare(run, signal);
    } finally {
      await storeTrendPoints(this.deps.pool, run, intervalOfSums);
    }
  }

  async #compare(found: RunToCompare, signal: AbortSignal): Promise<void> {
    const { pool, compare } = this.deps;
    const previousId = await previousRunOf(pool, found.id);
    if (previousId === null) return storeAgainst(pool, found, null);
    const [run, previous] = [await readRun(pool, found.id), await readRun(pool, previousId)];
    if (!run || !previous) return;
    const rules = { teamId: found.teamId, measure: 'overall', margin: DEFAULT_MARGIN };
    const { comparison } = await compare(rules, run, previous, signal);
    await storeAgainst(pool, found, { id: previousId, generation: previous.generation, comparison });
  }
}
