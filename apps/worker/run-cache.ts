import { LRUCache } from 'lru-cache';
import { loadCases, loadConnection, loadRun, caseOf, type Connection, type LoadedRun, type StoredCase } from '#lib/db/load-run';
import { untilDone, type Pool } from '#lib/db/pool';
import { createChatClient, type ChatClient } from '#lib/providers/chat';
import type { createGuardedFetch } from '#lib/providers/guarded-fetch';
import type { Sealer } from '#lib/runtime/seal';
import { SharedCommit } from './group-commit.js';
import { prepare, type PreparedCase } from './prepare-case.js';

/** A run in hand: its pinned contents, with each case loaded, parsed and its scorer compiled when first needed. */
export interface RunInHand {
  run: LoadedRun;
  /** @throws Error when the suite's version has no such case */
  caseAt(position: number): Promise<PreparedCase>;
}

export interface ModelConnection extends Connection {
  chat: ChatClient;
}

const CONNECTION_TTL_MS = 5000;
const IDLE_MS = 60_000;
/** Cases that are kept prepared, by the size of their text; prepared they are some times larger. The next ones push out the oldest. */
const LARGEST_CASES_BYTES = 8 * 2 ** 20;
/** Of a case beside its text. */
const FRAME_BYTES = 200;

/** Keeps what items of the same run share. Runs that nobody asked for in a minute are forgotten. */
export class RunCache {
  readonly #runs = new Map<string, { usedAt: number; value: Promise<RunInHand | undefined> }>();
  readonly #connections = new Map<string, { loadedAt: number; value: Promise<ModelConnection | undefined> }>();
  readonly #cases = new LRUCache<string, PreparedCase>({ maxSize: LARGEST_CASES_BYTES });
  /** Of the same version of a suite, those that are wanted at the same time come together. */
  readonly #loads: SharedCommit<number, StoredCase | undefined>;

  constructor(readonly pool: Pool, readonly sealer: Sealer, readonly fetch: ReturnType<typeof createGuardedFetch>['fetch']) {
    this.#loads = new SharedCommit(async (positions, versionId) => {
      const found = new Map((await untilDone(() => loadCases(pool, versionId, positions))).map((one) => [one.position, one]));
      return positions.map((position) => found.get(position));
    }, { waitMs: 2, largest: 200, concurrency: 2 });
  }

  run(runId: string): Promise<RunInHand | undefined> {
    let entry = this.#runs.get(runId);
    if (!entry) {
      const value = untilDone(() => loadRun(this.pool, runId)).then((run) => run && { run, caseAt: (position: number) => this.#caseOf(run, position) });
      value.catch(() => this.#runs.delete(runId));
      this.#runs.set(runId, (entry = { usedAt: 0, value }));
    }
    entry.usedAt = Date.now();
    return entry.value;
  }

  async #caseOf({ suite }: LoadedRun, position: number): Promise<PreparedCase> {
    const key = `${suite.versionId} ${position}`;
    let found = this.#cases.get(key);
    if (!found) {
      const stored = await this.#loads.add(suite.versionId, position);
      if (!stored) throw new Error(`The suite's version ${suite.versionId} has no case ${position}.`);
      found = prepare(caseOf(stored.body), stored.category, suite.tools, suite.passThreshold);
      this.#cases.set(key, found, { size: stored.body.length + FRAME_BYTES });
    }
    return found;
  }

  connection(providerId: string, modelId: string): Promise<ModelConnection | undefined> {
    const key = `${providerId} ${modelId}`;
    let entry = this.#connections.get(key);
    if (!entry || entry.loadedAt < Date.now() - CONNECTION_TTL_MS) {
      const value = untilDone(() => loadConnection(this.pool, providerId, modelId)).then(
        (connection) =>
          connection && {
            ...connection,
            chat: createChatClient(
              connection.kind,
              { baseUrl: connection.baseUrl, apiKey: connection.sealedKey && this.sealer.open(connection.sealedKey, connection.providerId) },
              this.fetch,
            ),
          },
      );
      value.catch(() => this.#connections.delete(key));
      this.#connections.set(key, (entry = { loadedAt: Date.now(), value }));
    }
    return entry.value;
  }

  /** Makes the next item read the model's entry anew. */
  forgetConnection(providerId: string, modelId: string): void {
    this.#connections.delete(`${providerId} ${modelId}`);
  }

  sweep(): void {
    for (const [id, entry] of this.#runs) if (entry.usedAt < Date.now() - IDLE_MS) this.#runs.delete(id);
    for (const [key, entry] of this.#connections) if (entry.loadedAt < Date.now() - IDLE_MS) this.#connections.delete(key);
  }
}
