import { loadConnection, loadRun, caseOf, type Connection, type LoadedRun } from '#lib/db/load-run';
import { untilDone, type Pool } from '#lib/db/pool';
import { createChatClient, type ChatClient } from '#lib/providers/chat';
import type { createGuardedFetch } from '#lib/providers/guarded-fetch';
import type { Sealer } from '#lib/runtime/seal';
import { prepare, type PreparedCase } from './prepare-case.js';

/** A run in hand: its pinned contents, with each case parsed and its scorer compiled when first needed. */
export interface RunInHand {
  run: LoadedRun;
  caseAt(position: number): PreparedCase;
}

export interface ModelConnection extends Connection {
  chat: ChatClient;
}

const CONNECTION_TTL_MS = 5000;
const IDLE_MS = 60_000;

/** Keeps what items of the same run share. Runs that nobody asked for in a minute are forgotten. */
export class RunCache {
  readonly #runs = new Map<string, { usedAt: number; value: Promise<RunInHand | undefined> }>();
  readonly #connections = new Map<string, { loadedAt: number; value: Promise<ModelConnection | undefined> }>();

  constructor(readonly pool: Pool, readonly sealer: Sealer, readonly fetch: ReturnType<typeof createGuardedFetch>['fetch']) {}

  run(runId: string): Promise<RunInHand | undefined> {
    let entry = this.#runs.get(runId);
    if (!entry) {
      const value = untilDone(() => loadRun(this.pool, runId)).then((run) => run && prepareLazily(run));
      value.catch(() => this.#runs.delete(runId));
      this.#runs.set(runId, (entry = { usedAt: 0, value }));
    }
    entry.usedAt = Date.now();
    return entry.value;
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

function prepareLazily(run: LoadedRun): RunInHand {
  const prepared = new Map<number, PreparedCase>();
  return {
    run,
    caseAt(position) {
      let found = prepared.get(position);
      if (!found) {
        const { body, category } = run.cases.get(position)!;
        const input = caseOf(body);
        prepared.set(position, (found = prepare(input, category, run.suite.tools, run.suite.passThreshold)));
      }
      return found;
    },
  };
}
