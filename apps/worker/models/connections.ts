import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal } from '#lib/contracts/learned';
import { loadConnections, type Connection } from '#lib/db/read/for-workers/connections';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { learnSetting } from '#lib/db/catalogue/learned-settings';
import { findKey, openAccess, type Secrets } from '#lib/providers/access';
import { createChatClient, type ChatClient } from '#lib/providers/chat';
import { ProviderFailure } from '#lib/providers/failure';
import type { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { KeyRefProblem } from '#lib/runtime/key-refs';
import { sha256, UnsealError } from '#lib/runtime/seal';

/** The current connection of a model. */
export interface ModelConnection extends Connection {
  chat: ChatClient;
  /**
   * Aborts when the model is to be asked at another address, in another format or with another credential, so that
   * waiting for a permit here is pointless.
   */
  rerouted: AbortSignal;
}

/** A model held by an item, which keeps its connection up to date. */
export interface HeldModel {
  /**
   * The current description by its provider.
   * @param signal ends the wait for a key by reference that the API has and this process has not read yet
   * @throws ProviderFailure when it was removed, or its key cannot be had
   */
  current(signal?: AbortSignal): Promise<ModelConnection>;
  release(): void;
}

const REFRESH_MS = 1000;
/** An older description, because Postgres was down, is read again before use. */
const MAX_AGE_MS = 5000;
const IDLE_MS = 60_000;
/** Processes read the operator's keys apart. Kubernetes brings a changed Secret to its nodes within this time. */
const KEY_REF_MS = 60_000;

interface Entry {
  providerId: string;
  modelId: string;
  holders: number;
  usedAt: number;
  readAt: number;
  /** The row as JSON, to detect changes. */
  text: string | undefined;
  endpoint: string;
  /** When the endpoint became another one. */
  movedAt: number;
  rerouted: AbortController;
  /** Rethrows the error of creating the client. */
  connection: () => ModelConnection | undefined;
  reading: Promise<void> | undefined;
}

/**
 * The models that items of this process ask, as currently described by their providers. They are read again every
 * second while an item holds them, and immediately when a provider was changed, so that a corrected address, key or
 * price reaches items that are already waiting.
 */
export class Connections {
  readonly #entries = new Map<string, Entry>();
  readonly #timer: NodeJS.Timeout;
  #isRefreshing = false;
  #isStale = false;

  constructor(
    readonly pool: Pool,
    readonly secrets: Secrets,
    readonly fetch: ReturnType<typeof createGuardedFetch>['fetch'],
  ) {
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  /** @param name of the model, for the message when it cannot be asked */
  hold(providerId: string, modelId: string, name: string): HeldModel {
    const key = keyOf({ providerId, modelId });
    const entry = this.#entries.get(key) ?? newEntry(providerId, modelId);
    this.#entries.set(key, entry);
    entry.holders++;
    return {
      current: (signal) => this.#current(entry, name, signal),
      release: () => {
        entry.holders--;
        entry.usedAt = Date.now();
      },
    };
  }

  async #current(entry: Entry, name: string, signal?: AbortSignal): Promise<ModelConnection> {
    const isOld = performance.now() - entry.readAt > MAX_AGE_MS;
    if (isOld)
      await (entry.reading ??= retryTransient(() => this.#read([entry])).finally(() => (entry.reading = undefined)));
    try {
      const connection = entry.connection();
      if (connection) return connection;
    } catch (error) {
      if (error instanceof KeyRefProblem && error.why !== 'refused' && performance.now() - entry.movedAt < KEY_REF_MS) {
        await delay(REFRESH_MS, undefined, { signal });
        return this.#current(entry, name, signal);
      }
      throw error instanceof UnsealError || error instanceof KeyRefProblem
        ? new ProviderFailure('auth', error.message, false)
        : error;
    }
    throw new ProviderFailure('bad_request', `${name} was removed while the run was in progress.`, false);
  }

  /** Reads the descriptions of all models again. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    this.#forgetIdle();
    while (this.#isStale) {
      this.#isStale = false;
      if (this.#entries.size > 0) await this.#read([...this.#entries.values()]).catch(() => {});
    }
    this.#isRefreshing = false;
  }

  /** Stores what a model refuses, for all further requests to it. */
  async learn(providerId: string, modelId: string, refusal: Refusal): Promise<void> {
    await retryTransient(() => learnSetting(this.pool, providerId, modelId, refusal));
    await this.refresh();
  }

  #forgetIdle(): void {
    for (const [key, { holders, usedAt }] of this.#entries)
      if (holders === 0 && usedAt < Date.now() - IDLE_MS) this.#entries.delete(key);
  }

  async #read(entries: readonly Entry[]): Promise<void> {
    const found = new Map((await loadConnections(this.pool, entries)).map((row) => [keyOf(row), row]));
    for (const entry of entries) this.#update(entry, found.get(keyOf(entry)));
  }

  #update(entry: Entry, row: Connection | undefined): void {
    entry.readAt = performance.now();
    // A key that is kept elsewhere may change without its provider.
    const keptKey = row?.apiKeyRef && sha256(attempt(() => findKey(row, row.apiKeyRef!, this.secrets.keyRefs)));
    const text = JSON.stringify([row, keptKey]);
    if (text === entry.text) return;
    entry.text = text;
    const endpoint = row ? JSON.stringify([row.accessVersion, keptKey, row.lane.id]) : '';
    if (endpoint !== entry.endpoint) {
      entry.endpoint = endpoint;
      entry.movedAt = performance.now();
      entry.rerouted.abort();
      entry.rerouted = new AbortController();
      setMaxListeners(0, entry.rerouted.signal); // Every item that waits for a permit there listens.
    }
    entry.connection = () => undefined;
    if (!row) return;
    try {
      const connection = this.#connect(row, entry.rerouted.signal);
      entry.connection = () => connection;
    } catch (error) {
      entry.connection = () => {
        throw error;
      };
    }
  }

  #connect(row: Connection, rerouted: AbortSignal): ModelConnection {
    const chat = createChatClient(row.kind, openAccess(row, this.secrets), this.fetch);
    return { ...row, chat, rerouted };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** What some work returns, or the message of what it throws. */
function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

const keyOf = ({ providerId, modelId }: Pick<Connection, 'providerId' | 'modelId'>): string =>
  `${providerId} ${modelId}`;

const newEntry = (providerId: string, modelId: string): Entry => ({
  providerId,
  modelId,
  holders: 0,
  usedAt: 0,
  readAt: -Infinity,
  text: undefined,
  endpoint: '',
  movedAt: -Infinity,
  rerouted: new AbortController(),
  connection: () => undefined,
  reading: undefined,
});
