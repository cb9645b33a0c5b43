import { LRUCache } from 'lru-cache';
import { loadRun, type LoadedRun } from '#lib/db/read/for-workers/load-run';
import { loadCases, parseCase, type StoredCase } from '#lib/db/read/pinned-cases';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import { prepare, type PreparedCase } from '../scoring/prepare-case.js';

/** The pinned contents of a run. A case is loaded, parsed and compiled on first use. */
export interface CachedRun {
  run: LoadedRun;
  /** @throws Error when the suite version has no such case */
  caseAt(position: number): Promise<PreparedCase>;
}

const IDLE_MS = 60_000;
/** Size limit of prepared cases, measured by their text; the prepared form is several times larger. */
const MAX_CASES_BYTES = 8 * 2 ** 20;
/** Per case, in addition to its text. */
const CASE_OVERHEAD_BYTES = 200;

/** Caches what items of the same run share. A run that is unused for a minute is evicted. */
export class RunCache {
  readonly #runs = new Map<string, { usedAt: number; value: Promise<CachedRun | undefined> }>();
  readonly #cases = new LRUCache<string, PreparedCase>({ maxSize: MAX_CASES_BYTES });
  /** By suite version. */
  readonly #loads: KeyedMicroBatcher<number, StoredCase | undefined>;

  constructor(readonly pool: Pool) {
    this.#loads = new KeyedMicroBatcher(
      async (positions, versionId) => {
        const cases = await retryTransient(() => loadCases(pool, versionId, positions));
        const byPosition = new Map(cases.map((stored) => [stored.position, stored]));
        return positions.map((position) => byPosition.get(position));
      },
      { waitMs: 2, maxSize: 200, concurrency: 2 },
    );
  }

  run(runId: string): Promise<CachedRun | undefined> {
    let entry = this.#runs.get(runId);
    if (!entry) {
      const value = retryTransient(() => loadRun(this.pool, runId)).then(
        (run) => run && { run, caseAt: (position: number) => this.#caseAt(run, position) },
      );
      value.catch(() => this.#runs.delete(runId));
      this.#runs.set(runId, (entry = { usedAt: 0, value }));
    }
    entry.usedAt = Date.now();
    return entry.value;
  }

  async #caseAt({ suite }: LoadedRun, position: number): Promise<PreparedCase> {
    const key = `${suite.versionId} ${position}`;
    let prepared = this.#cases.get(key);
    if (!prepared) {
      const stored = await this.#loads.add(suite.versionId, position);
      if (!stored) throw new Error(`The suite's version ${suite.versionId} has no case ${position}.`);
      prepared = prepare(
        mergeConversation(parseCase(stored.body), suite.conversation),
        stored.category,
        suite.tools,
        suite.passThreshold,
      );
      this.#cases.set(key, prepared, { size: stored.body.length + CASE_OVERHEAD_BYTES });
    }
    return prepared;
  }

  sweep(): void {
    for (const [id, entry] of this.#runs) if (entry.usedAt < Date.now() - IDLE_MS) this.#runs.delete(id);
  }
}
