import { setMaxListeners } from 'node:events';
import { loadConnections, type Connection } from '#lib/db/read/for-workers/connections';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { createChatClient, type ChatClient } from '#lib/providers/chat';
import type { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import type { Sealer } from '#lib/runtime/seal';

/** A model as it can be asked now. */
export interface ModelConnection extends Connection {
  chat: ChatClient;
  /**
   * Aborts when the model is to be asked elsewhere, in another format or with another key: its turn will not come
   * where it was.
   */
  moved: AbortSignal;
}

/** A model that an item has to do with. */
export interface HeldModel {
  /**
   * As its provider describes it now; undefined when it was removed.
   * @throws UnsealError when its key cannot be opened
   */
  now(): Promise<ModelConnection | undefined>;
  release(): void;
}

const REFRESH_MS = 1000;
/** What could not be read anew for so long, because Postgres was away, is waited for. */
const TRUSTED_MS = 5000;
const IDLE_MS = 60_000;

interface Entry {
  providerId: string;
  modelId: string;
  holders: number;
  usedAt: number;
  readAt: number;
  /** What was read, to tell whether it changed. */
  text: string | undefined;
  endpoint: string;
  moved: AbortController;
  /** Throws what building it threw. */
  make: () => ModelConnection | undefined;
  reading: Promise<void> | undefined;
}

/**
 * The models that items of this process ask, as their providers describe them: read anew every second while anyone
 * holds them, and at once when a provider was changed. So an address, a key or a price that is corrected reaches
 * what waits already.
 */
export class Connections {
  readonly #entries = new Map<string, Entry>();
  readonly #timer: NodeJS.Timeout;
  #isRefreshing = false;
  #isStale = false;

  constructor(
    readonly pool: Pool,
    readonly sealer: Sealer,
    readonly fetch: ReturnType<typeof createGuardedFetch>['fetch'],
  ) {
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  hold(providerId: string, modelId: string): HeldModel {
    const key = keyOf({ providerId, modelId });
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = {
        providerId,
        modelId,
        holders: 0,
        usedAt: 0,
        readAt: -Infinity,
        text: undefined,
        endpoint: '',
        moved: new AbortController(),
        make: () => undefined,
        reading: undefined,
      };
      this.#entries.set(key, entry);
    }
    const held = entry;
    held.holders++;
    return {
      now: () => this.#now(held),
      release: () => {
        held.holders--;
        held.usedAt = Date.now();
      },
    };
  }

  async #now(entry: Entry): Promise<ModelConnection | undefined> {
    if (performance.now() - entry.readAt > TRUSTED_MS) {
      await (entry.reading ??= retryTransient(() => this.#read([entry])).finally(() => (entry.reading = undefined)));
    }
    return entry.make();
  }

  /** Reads them all anew. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    for (const [key, { holders, usedAt }] of this.#entries)
      if (holders === 0 && usedAt < Date.now() - IDLE_MS) this.#entries.delete(key);
    while (this.#isStale) {
      this.#isStale = false;
      if (this.#entries.size > 0) await this.#read([...this.#entries.values()]).catch(() => {});
    }
    this.#isRefreshing = false;
  }

  async #read(entries: readonly Entry[]): Promise<void> {
    const found = new Map((await loadConnections(this.pool, entries)).map((row) => [keyOf(row), row]));
    for (const entry of entries) this.#note(entry, found.get(keyOf(entry)));
  }

  #note(entry: Entry, row: Connection | undefined): void {
    entry.readAt = performance.now();
    const text = JSON.stringify(row) ?? '';
    if (text === entry.text) return;
    entry.text = text;
    const endpoint = row ? JSON.stringify([row.baseUrl, row.kind, row.sealedKey, row.lane.id]) : '';
    if (endpoint !== entry.endpoint) {
      entry.endpoint = endpoint;
      entry.moved.abort();
      entry.moved = new AbortController();
      setMaxListeners(0, entry.moved.signal); // All that wait for their turn there
    }
    entry.make = () => undefined;
    if (!row) return;
    try {
      const apiKey = row.sealedKey && this.sealer.open(row.sealedKey, row.providerId);
      const model = {
        ...row,
        chat: createChatClient(row.kind, { baseUrl: row.baseUrl, apiKey }, this.fetch),
        moved: entry.moved.signal,
      };
      entry.make = () => model;
    } catch (error) {
      entry.make = () => {
        throw error;
      };
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const keyOf = ({ providerId, modelId }: Pick<Connection, 'providerId' | 'modelId'>): string =>
  `${providerId} ${modelId}`;
