import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findEmbeddings, keepEmbeddings } from '#lib/db/catalogue/embedding-vectors';
import { loadEmbeddingModel, type EmbeddingModel } from '#lib/db/catalogue/embedding-model';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { RetryState } from '#lib/providers/retry-policy';
import { embedTexts } from '#lib/providers/embed';
import { ProviderFailure } from '#lib/providers/failure';
import type { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { ReplyMemoryPool } from '#lib/providers/reply-memory';
import { unlessRerouted } from '#lib/queue/budget/lane-budget';
import type { PermitUsage } from '#lib/queue/budget/permits';
import { UnsealError, type Sealer } from '#lib/runtime/seal';
import { KeyedMicroBatcher } from '../items/micro-batch.js';
import type { LaneBudgets } from '../items/lane-budgets.js';
import { LONGEST_COMPARED } from '../scoring/scoring-work.js';

const TIMEOUT_MS = 60_000;
/** So long a request waits for its turn until it is looked whether the model is asked elsewhere by now. */
const LOOK_AGAIN_MS = 5000;

/**
 * Embeds texts with the model that their team configured: those known in Postgres from there, the others in batches
 * under the limits of the model's lane. What was paid for is kept before anyone uses it.
 */
export class Embedder {
  readonly #texts: KeyedMicroBatcher<string, Float32Array | ProviderFailure>;
  /** Under way, so that items that end at the same time ask once. */
  readonly #pending = new Map<string, Promise<Float32Array | ProviderFailure>>();
  readonly #closed = new AbortController();
  /** Apart from that of replies: an item that holds one may wait for embeddings, which therefore wait for no reply. */
  readonly #room = new ReplyMemoryPool({ process: 64 * 2 ** 20, lane: 32 * 2 ** 20 });

  constructor(
    readonly of: {
      pool: Pool;
      sealer: Sealer;
      fetch: ReturnType<typeof createGuardedFetch>['fetch'];
      budgets: LaneBudgets;
    },
  ) {
    // By team: whose model answers late, or not at all, holds up nobody else.
    this.#texts = new KeyedMicroBatcher((texts, teamId) => this.#embed(teamId, texts), {
      waitMs: 5,
      largest: 64,
      concurrency: 8,
    });
  }

  /**
   * Cosine similarity of two texts, 0..1.
   * @throws ProviderFailure when the embedding model cannot be asked; the signal's reason when it aborts
   */
  async similarity(teamId: string, a: string, b: string, signal: AbortSignal): Promise<number> {
    if (a.trim() === '' || b.trim() === '') return 0; // nothing is like nothing said, and models refuse empty texts
    const vectors = Promise.all([a, b].map((text) => this.#vector(teamId, text.slice(0, LONGEST_COMPARED))));
    const [x, y] = await unlessAborted(vectors, signal);
    if (x instanceof ProviderFailure) throw x;
    if (y instanceof ProviderFailure) throw y;
    if (x!.length !== y!.length)
      throw new ProviderFailure('bad_response', 'The embedding model gave vectors of different lengths.', false);
    return Math.min(
      1,
      Math.max(
        0,
        x!.reduce((sum, value, index) => sum + value * y![index]!, 0),
      ),
    );
  }

  #vector(teamId: string, text: string): Promise<Float32Array | ProviderFailure> {
    const key = `${teamId} ${text}`;
    let vector = this.#pending.get(key);
    if (!vector) {
      vector = this.#texts.add(teamId, text).finally(() => this.#pending.delete(key));
      this.#pending.set(key, vector);
    }
    return vector;
  }

  close(): void {
    this.#closed.abort(new Error('The worker is shutting down.'));
  }

  async #embed(teamId: string, texts: string[]): Promise<(Float32Array | ProviderFailure)[]> {
    try {
      const vectors = await this.#embedFor(teamId, [...new Set(texts)]);
      return texts.map((text) => vectors.get(text)!);
    } catch (error) {
      if (error instanceof UnsealError) return texts.map(() => new ProviderFailure('auth', error.message, false));
      if (error instanceof ProviderFailure) return texts.map(() => error);
      throw error;
    }
  }

  async #embedFor(teamId: string, texts: string[]): Promise<Map<string, Float32Array>> {
    const model = await this.#model(teamId);
    const name = `${model.providerId} ${model.modelId}`;
    const hashed = texts.map((text) => ({ text, hash: createHash('sha256').update(text).digest() }));
    const known = await retryTransient(
      () =>
        findEmbeddings(
          this.of.pool,
          teamId,
          name,
          hashed.map(({ hash }) => hash),
        ),
      this.#closed.signal,
    );
    const missing = hashed.filter(({ hash }) => !known.has(hash.toString('hex')));
    if (missing.length) {
      const answer = await this.#ask(
        teamId,
        model,
        missing.map(({ text }) => text),
      );
      if (!answer) return this.#embedFor(teamId, texts);
      const { vectors, costUsd } = answer;
      const entries = missing.map(({ hash }, index) => ({ hash, vector: vectors[index]! }));
      let tries = 0;
      await retryTransient(
        () => keepEmbeddings(this.of.pool, teamId, name, entries, costUsd, tries++ > 0),
        this.#closed.signal,
      );
      missing.forEach(({ hash }, index) => known.set(hash.toString('hex'), vectors[index]!));
    }
    return new Map(hashed.map(({ text, hash }) => [text, known.get(hash.toString('hex'))!]));
  }

  /** As it is configured now. */
  async #model(teamId: string): Promise<EmbeddingModel> {
    const model = await retryTransient(() => loadEmbeddingModel(this.of.pool, teamId), this.#closed.signal);
    if (!model)
      throw new ProviderFailure(
        'bad_request',
        'The team has no embedding model any more. Set one with PUT /api/settings/embedding.',
        false,
      );
    return model;
  }

  /** @returns undefined when the team has taken another model meanwhile */
  async #ask(
    teamId: string,
    { providerId, modelId }: EmbeddingModel,
    texts: string[],
  ): Promise<{ vectors: Float32Array[]; costUsd: number } | undefined> {
    const { budgets, sealer, fetch } = this.of;
    let retries = new RetryState();
    let endpoint: string | undefined;
    for (;;) {
      const model = await this.#model(teamId);
      if (model.providerId !== providerId || model.modelId !== modelId) return undefined;
      const { baseUrl, sealedKey, lane } = model;
      if (endpoint !== `${baseUrl} ${sealedKey}`) retries = new RetryState();
      endpoint = `${baseUrl} ${sealedKey}`;
      const budget = budgets.of(lane);
      const moved = AbortSignal.timeout(LOOK_AGAIN_MS);
      const permit = await unlessRerouted(
        moved,
        budget.acquire(
          texts.reduce((sum, text) => sum + text.length / 4, 0),
          this.#closed.signal,
          { rerouted: moved, isContinuation: true },
        ),
      );
      if (!permit) continue;
      const spent: PermitUsage = { tokens: 0 };
      const replyBytes = this.#room.forItem(lane.id);
      try {
        const { vectors, tokens } = await embedTexts(
          { baseUrl, apiKey: sealedKey && sealer.open(sealedKey, providerId) },
          modelId,
          texts,
          { fetch, timeoutMs: TIMEOUT_MS, replyMemory: replyBytes },
        );
        spent.tokens = tokens;
        spent.outcome = 'reply';
        return { vectors, costUsd: (tokens * (model.costPerMtok ?? 0)) / 1e6 };
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error;
        spent.outcome = error.isOutage ? { outage: error.message, item: `embeddings of ${modelId}` } : 'reply';
        const { next, retryAfterMs } = retries.recordFailure(error);
        spent.retryAfterMs = retryAfterMs;
        if (next.then === 'settle-errored') {
          throw new ProviderFailure(
            error.kind,
            `The reply could not be compared by meaning, because the embedding model failed: ${error.message}`,
            false,
          );
        }
        void budget.release(permit, spent);
        await delay(next.inMs, undefined, { signal: this.#closed.signal });
      } finally {
        replyBytes.release();
        void budget.release(permit, spent);
      }
    }
  }
}

async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
  });
  value.catch(() => {}); // Nobody may be there any more to hear of it.
  try {
    signal.throwIfAborted();
    return await Promise.race([value, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
