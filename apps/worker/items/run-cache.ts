import { LRUCache } from 'lru-cache';
import { loadCases, parseCase, type StoredCase } from '#lib/db/read/pinned-cases';
import { loadRun, type LoadedRun } from '#lib/db/read/for-workers/load-run';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { KeyedMicroBatcher } from './micro-batch.js';
import { prepare, type PreparedCase } from '../scoring/prepare-case.js';

/** A run in hand: its pinned contents, with each case loaded, parsed and its scorer compiled when first needed. */
export interface CachedRun {
  run: LoadedRun;
  /** @throws Error when the suite's version has no such case */
  caseAt(position: number): Promise<PreparedCase>;
}

const IDLE_MS = 60_000;
/**
 * Cases that are kept prepared, by the size of their text; prepared they are some times larger. The next ones push
 * out the oldest.
 */
const LARGEST_CASES_BYTES = 8 * 2 ** 20;
/** Of a case beside its text. */
const FRAME_BYTES = 200;

/** Keeps what items of the same run share. Runs that nobody asked for in a minute are forgotten. */
export class RunCache {
  readonly #runs = new Map<string, { usedAt: number; value: Promise<CachedRun | undefined> }>();
  readonly #cases = new LRUCache<string, PreparedCase>({ maxSize: LARGEST_CASES_BYTES });
  /** Of the same version of a suite, those that are wanted at the same time come together. */
  readonly #loads: KeyedMicroBatcher<number, StoredCase | undefined>;

  constructor(readonly pool: Pool) {
    this.#loads = new KeyedMicroBatcher(
      async (positions, versionId) => {
        const found = new Map(
          (await retryTransient(() => loadCases(pool, versionId, positions))).map((one) => [one.position, one]),
        );
        return positions.map((position) => found.get(position));
      },
      { waitMs: 2, largest: 200, concurrency: 2 },
    );
  }

  run(runId: string): Promise<CachedRun | undefined> {
    let entry = this.#runs.get(runId);
    if (!entry) {
      const value = retryTransient(() => loadRun(this.pool, runId)).then(
        (run) => run && { run, caseAt: (position: number) => this.#parseCase(run, position) },
      );
      value.catch(() => this.#runs.delete(runId));
      this.#runs.set(runId, (entry = { usedAt: 0, value }));
    }
    entry.usedAt = Date.now();
    return entry.value;
  }

  async #parseCase({ suite }: LoadedRun, position: number): Promise<PreparedCase> {
    const key = `${suite.versionId} ${position}`;
    let found = this.#cases.get(key);
    if (!found) {
      const stored = await this.#loads.add(suite.versionId, position);
      if (!stored) throw new Error(`The suite's version ${suite.versionId} has no case ${position}.`);
      found = prepare(parseCase(stored.body), stored.category, suite.tools, suite.passThreshold);
      this.#cases.set(key, found, { size: stored.body.length + FRAME_BYTES });
    }
    return found;
  }

  sweep(): void {
    for (const [id, entry] of this.#runs) if (entry.usedAt < Date.now() - IDLE_MS) this.#runs.delete(id);
  }
}
