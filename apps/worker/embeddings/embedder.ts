import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { loadEmbeddingModel, type EmbeddingModel } from '#lib/db/catalogue/embedding-model';
import { findEmbeddings, storeEmbeddings, type NewEmbedding } from '#lib/db/catalogue/embedding-vectors';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { MAX_THROTTLED_MS, RetryState } from '#lib/providers/retry-policy';
import { openAccess, type Secrets } from '#lib/providers/access';
import { embedTexts } from '#lib/providers/embed';
import { ProviderFailure } from '#lib/providers/failure';
import type { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { ReplyMemoryPool } from '#lib/providers/guarded/reply-memory';
import { unlessRerouted } from '#lib/queue/budget/lane-budget';
import type { PermitUsage } from '#lib/queue/budget/permits';
import { KeyRefProblem } from '#lib/runtime/key-refs';
import { UnsealError } from '#lib/runtime/seal';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import type { LaneBudgets } from '../models/lane-budgets.js';
import { MAX_COMPARED_CHARS } from '../scoring/scoring-work.js';

const TIMEOUT_MS = 60_000;
/** How long a request waits for a permit before the model's settings are read again. */
const MAX_SETTINGS_AGE_MS = 5000;
/** A provider may return any number. */
const MAX_COUNTED_TOKENS = 2 ** 31 - 1;

type Vector = Float32Array | ProviderFailure;
/** A text, and the run or rescore that asks for its vector. */
interface Asked {
  text: string;
  askedBy: string;
}
/** The vectors of a request, with its usage and cost. */
interface Requested {
  vectors: Float32Array[];
  tokens: number;
  costUsd: number;
}

/**
 * Embeds texts with the model configured by their team. Vectors stored in Postgres are reused; the others are requested
 * in batches under the limits of the model's lane. Paid vectors are stored before they are used.
 */
export class Embedder {
  /** By team, so that a slow or unavailable model does not hold up other teams. */
  readonly #texts: KeyedMicroBatcher<Asked, Vector>;
  /** Pending requests, so that items that end at the same time share one request. */
  readonly #pending = new Map<string, Promise<Vector>>();
  readonly #closed = new AbortController();
  /**
   * Separate from the memory budget of model replies: an item that holds a reply may wait for embeddings, which
   * therefore must not wait for replies.
   */
  readonly #replyMemoryPool = ReplyMemoryPool.of(64);

  constructor(
    readonly deps: {
      pool: Pool;
      secrets: Secrets;
      fetch: ReturnType<typeof createGuardedFetch>['fetch'];
      budgets: LaneBudgets;
    },
  ) {
    this.#texts = new KeyedMicroBatcher((asked, teamId) => this.#embed(teamId, asked), {
      waitMs: 5,
      maxSize: 64,
      concurrency: 8,
    });
  }

  /**
   * Cosine similarity of two texts, 0..1.
   * @param of the team, and the run or the rescore whose token pays
   * @throws ProviderFailure when the embedding model cannot be asked; the signal's reason when it aborts
   */
  async similarity(
    of: { teamId: string; askedBy: string },
    a: string,
    b: string,
    signal: AbortSignal,
  ): Promise<number> {
    if (a.trim() === '' || b.trim() === '') return 0; // An empty text is similar to nothing, and models refuse it.
    const vectors = Promise.all([a, b].map((text) => this.#vector(of, text.slice(0, MAX_COMPARED_CHARS))));
    const [x, y] = await unlessAborted(vectors, signal);
    if (x instanceof ProviderFailure) throw x;
    if (y instanceof ProviderFailure) throw y;
    if (x!.length !== y!.length)
      throw new ProviderFailure('bad_response', 'The embedding model returned vectors of different lengths.', false);
    const cosine = x!.reduce((sum, value, index) => sum + value * y![index]!, 0);
    return Math.min(1, Math.max(0, cosine));
  }

  #vector({ teamId, askedBy }: { teamId: string; askedBy: string }, text: string): Promise<Vector> {
    const key = `${teamId} ${text}`;
    let vector = this.#pending.get(key);
    if (!vector) {
      vector = this.#texts.add(teamId, { text, askedBy }).finally(() => this.#pending.delete(key));
      this.#pending.set(key, vector);
    }
    return vector;
  }

  close(): void {
    this.#closed.abort(new Error('The worker is shutting down.'));
  }

  async #embed(teamId: string, asked: Asked[]): Promise<Vector[]> {
    try {
      const vectors = await this.#embedFor(teamId, [...new Map(asked.map((one) => [one.text, one])).values()]);
      return asked.map(({ text }) => vectors.get(text)!);
    } catch (error) {
      if (error instanceof UnsealError || error instanceof KeyRefProblem)
        return asked.map(() => new ProviderFailure('auth', error.message, false));
      if (error instanceof ProviderFailure) return asked.map(() => error);
      throw error;
    }
  }

  async #embedFor(teamId: string, asked: Asked[]): Promise<Map<string, Float32Array>> {
    const model = await this.#model(teamId);
    const hashed = asked.map((one) => ({ ...one, hash: createHash('sha256').update(one.text).digest() }));
    const hashes = hashed.map(({ hash }) => hash);
    const known = await retryTransient(
      () => findEmbeddings(this.deps.pool, teamId, storedNameOf(model), hashes),
      this.#closed.signal,
    );
    const missing = hashed.filter(({ hash }) => !known.has(hash.toString('hex')));
    if (missing.length) {
      const requested = await this.#request(
        teamId,
        model,
        missing.map(({ text }) => text),
      );
      if (!requested) return this.#embedFor(teamId, asked);
      const chars = missing.reduce((sum, { text }) => sum + text.length, 0);
      const entries = missing.map(({ text, hash, askedBy }, index) => ({
        ...{ hash, askedBy, vector: requested.vectors[index]! },
        share: text.length / chars,
      }));
      await this.#store(teamId, model, entries, requested);
      for (const { hash, vector } of entries) known.set(hash.toString('hex'), vector);
    }
    return new Map(hashed.map(({ text, hash }) => [text, known.get(hash.toString('hex'))!]));
  }

  async #store(
    teamId: string,
    model: EmbeddingModel,
    entries: NewEmbedding[],
    { tokens, costUsd }: Requested,
  ): Promise<void> {
    const { providerKey, modelId } = model;
    const bill = { providerKey, modelId, tokens, costUsd };
    let tries = 0;
    await retryTransient(
      () => storeEmbeddings(this.deps.pool, teamId, storedNameOf(model), entries, bill, tries++ > 0),
      this.#closed.signal,
    );
  }

  /** The current settings of the model. */
  async #model(teamId: string): Promise<EmbeddingModel> {
    const model = await retryTransient(() => loadEmbeddingModel(this.deps.pool, teamId), this.#closed.signal);
    if (!model)
      throw new ProviderFailure(
        'bad_request',
        'The team no longer has an embedding model. An owner can set one.',
        false,
      );
    return model;
  }

  /** @returns undefined when the team has chosen another model in the meantime */
  async #request(
    teamId: string,
    { providerId, modelId }: EmbeddingModel,
    texts: string[],
  ): Promise<Requested | undefined> {
    const tokens = texts.reduce((sum, text) => sum + text.length / 4, 0);
    let retries = new RetryState();
    let endpoint: string | undefined;
    for (;;) {
      const model = await this.#model(teamId);
      if (model.providerId !== providerId || model.modelId !== modelId) return undefined;
      if (endpoint !== endpointOf(model)) retries = new RetryState();
      endpoint = endpointOf(model);
      const budget = this.deps.budgets.forLane(model.lane);
      const settingsExpired = AbortSignal.timeout(MAX_SETTINGS_AGE_MS);
      const permit = await unlessRerouted(
        settingsExpired,
        budget.acquire(tokens, this.#closed.signal, { rerouted: settingsExpired, isContinuation: true }),
      );
      if (!permit) continue;
      const usage: PermitUsage = { tokens: 0 };
      try {
        return await this.#send(model, texts, usage);
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error;
        const inMs = afterFailure(error, model.name, retries, usage);
        void budget.release(permit, usage);
        await delay(inMs, undefined, { signal: this.#closed.signal });
      } finally {
        void budget.release(permit, usage);
      }
    }
  }

  async #send(model: EmbeddingModel, texts: string[], usage: PermitUsage): Promise<Requested> {
    const { secrets, fetch } = this.deps;
    const { modelId, costPerMtok } = model;
    const replyMemory = this.#replyMemoryPool.forItem(model.lane.id);
    try {
      const { vectors, tokens: said } = await embedTexts(openAccess(model, secrets), modelId, texts, {
        fetch,
        timeoutMs: TIMEOUT_MS,
        replyMemory,
      });
      const tokens = Math.min(Math.max(0, Math.round(said)), MAX_COUNTED_TOKENS);
      usage.tokens = tokens;
      usage.outcome = 'reply';
      return { vectors, tokens, costUsd: (tokens * (costPerMtok ?? 0)) / 1e6 };
    } finally {
      replyMemory.release();
    }
  }
}

/** The name under which a model's vectors are stored. */
const storedNameOf = ({ providerId, modelId }: EmbeddingModel): string => `${providerId} ${modelId}`;

const endpointOf = ({ providerId, accessVersion }: EmbeddingModel): string => `${providerId} ${accessVersion}`;

/**
 * Records a failure for the budget.
 * @returns when to ask again
 * @throws ProviderFailure when a retry is pointless
 */
function afterFailure(failure: ProviderFailure, name: string, retries: RetryState, usage: PermitUsage): number {
  usage.outcome = failure.isOutage ? { outage: failure.message, item: `embeddings of ${name}` } : 'reply';
  const { next, retryAfterMs } = retries.recordFailure(failure);
  usage.retryAfterMs = next.then === 'rest' ? MAX_THROTTLED_MS : retryAfterMs;
  usage.blockReason = `${name} asked for a pause: ${failure.message}`;
  if (next.then === 'retry') return next.inMs;
  const message = `The reply could not be compared by meaning, because the embedding model failed: ${failure.message}`;
  throw new ProviderFailure(failure.kind, message, false);
}

async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
  });
  value.catch(() => {}); // After an abort, no one handles the rejection.
  try {
    signal.throwIfAborted();
    return await Promise.race([value, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
