import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from '#lib/runtime/redis';
import { BudgetScripts, type Grant } from './budget-scripts.js';
import { PERMIT_TTL_MS, type BudgetLimits } from './limits.js';
import { HeldPermits, type Permit, type PermitUsage } from './permits.js';

/** How a request waits for its permit. */
export interface AcquireOptions {
  /** Ends the wait, with its reason, when the request will be sent in another lane. */
  rerouted?: AbortSignal;
  /**
   * Whether the request continues an item that has begun: such a request gets its permit even while the budget drains.
   */
  isContinuation?: boolean;
}

/** @returns undefined when the wait ended because the request is rerouted */
export const unlessRerouted = (rerouted: AbortSignal, permit: Promise<Permit>): Promise<Permit | undefined> =>
  permit.catch((error: unknown) => {
    if (error === rerouted.reason) return undefined;
    throw error;
  });

/** The methods of a lane's budget that callers making requests need. */
export type Permits = Pick<LaneBudget, 'acquire' | 'release'>;

interface Waiter extends Permit {
  isContinuation: boolean;
  grant: (permit: Permit) => void;
  reject: (reason: Error) => void;
}

const MAX_BATCH = 64;
/** Retry delay while the lane is paused or Redis does not answer. */
const RETRY_MS = 250;

/**
 * The budget of a lane, shared by the whole fleet in Redis: requests per minute, tokens per minute, requests in flight.
 * A request gets all three or nothing, in one script (`acquire.lua`). A provider's 429 slows down every worker: its
 * `Retry-After` blocks the lane, and a factor on all limits shrinks and grows back (additive increase, multiplicative
 * decrease; `release.lua`). A circuit breaker stops the lane in an outage (`breakerThresholds`).
 *
 * Buckets refill continuously. The request bucket holds one request and a tenth of a second of the rate; the token
 * bucket holds a fifth of a second and one request's debt. So a limit "per minute" is not spent in its first second,
 * and nothing is lost when a waiter is a little late. They refill at 98 % of the limit: at one request per minute or
 * ten thousand, no minute exceeds the limit. When Redis has lost its data, buckets start empty and nothing is granted
 * until the processes that hold permits have renewed them: fail closed, never open.
 *
 * No library does this. rate-limiter-flexible was tried: its union of several limits is not atomic, so a request that
 * one limit refuses has already consumed the others. Bottleneck is unmaintained and broken on Redis 7
 * (SGrondin/bottleneck#205).
 */
export class LaneBudget {
  readonly #scripts: BudgetScripts;
  readonly #held: HeldPermits;
  readonly #waiters: Waiter[] = [];
  #isPumping = false;
  #drained: Error | undefined;
  #grantedAt = -Infinity;
  #permitFreed: AbortController | undefined;
  /** Why the last request that was not granted at once had to wait. */
  waitReason = '';

  constructor(
    redis: Redis,
    laneId: string,
    public limits: BudgetLimits,
    /** Whether requests may be in flight in the fleet. Called only when Redis has no state of the lane. */
    readonly hasInFlight: () => Promise<boolean>,
    /** Called with the total seconds that requests waited, and the reason. */
    readonly onWait: (reason: string, seconds: number) => void = () => {},
  ) {
    this.#scripts = new BudgetScripts(redis, laneId);
    this.#held = new HeldPermits(
      this.#scripts,
      () => this.limits,
      () => this.#permitFreed?.abort(),
    );
  }

  /**
   * Waits until the lane allows one more request. Requests of this process are served in the order of their calls.
   * @param tokens estimated usage of the request
   * @throws the signal's reason when it aborts first
   */
  acquire(
    tokens: number,
    signal: AbortSignal,
    { rerouted, isContinuation = false }: AcquireOptions = {},
  ): Promise<Permit> {
    const signals = rerouted ? [signal, rerouted] : [signal];
    const abortReason = (): Error | undefined => signals.find(({ aborted }) => aborted)?.reason as Error | undefined;
    const refusal = abortReason() ?? (isContinuation ? undefined : this.#drained);
    if (refusal) return Promise.reject(refusal);
    return new Promise<Permit>((grant, reject) => {
      const waiter: Waiter = { id: randomUUID(), tokens: Math.ceil(tokens), isContinuation, grant, reject };
      const abort = (): void => {
        this.#removeWaiter(waiter);
        waiter.reject(abortReason()!);
      };
      const stopListening = (): void => signals.forEach((one) => one.removeEventListener('abort', abort));
      waiter.grant = (permit) => (stopListening(), grant(permit));
      waiter.reject = (reason) => (stopListening(), reject(reason));
      for (const one of signals) one.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
      void this.#pump();
    });
  }

  /**
   * Returns a permit; a second call changes nothing. Waiters of this process use the free slot at once.
   * @returns whether the breaker is open now
   */
  release(permit: Permit, usage: PermitUsage): Promise<boolean> {
    return this.#held.release(permit, usage);
  }

  /** Acquires permits for all waiters of this process, one script call at a time, until none is left. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    await Promise.resolve(); // Requests of the same turn join the first call.
    while (this.#waiters.length) {
      const batch = this.#waiters.slice(0, MAX_BATCH);
      const requestedAt = performance.now();
      this.#permitFreed = new AbortController();
      const permitFreed = this.#permitFreed.signal;
      const [granted, waitMs, reason] = await this.#ask(batch);
      if (granted > 0) this.#grantedAt = performance.now();
      for (const waiter of batch.slice(0, granted)) this.#grant(waiter);
      this.waitReason = reason;
      if (granted < batch.length && this.#waiters.length) await delayAbout(waitMs, permitFreed);
      if (reason) this.onWait(reason, (this.#waiters.length * (performance.now() - requestedAt)) / 1000);
    }
    this.#isPumping = false;
  }

  async #ask(batch: Waiter[]): Promise<Grant> {
    if (this.limits.paused_at) return [0, RETRY_MS, 'paused'];
    try {
      const grant = await this.#scripts.acquire(batch, this.limits, '');
      if (grant[2] !== 'unknown') return grant;
      const grantedRecently = performance.now() - this.#grantedAt < PERMIT_TTL_MS;
      const isLost = grantedRecently || (await this.hasInFlight());
      return await this.#scripts.acquire(batch, this.limits, isLost ? 'lost' : 'new');
    } catch {
      return [0, RETRY_MS, 'redis'];
    }
  }

  #grant({ id, tokens, ...waiter }: Waiter): void {
    const permit = { id, tokens };
    this.#held.hold(permit);
    // A waiter that aborted while Redis answered is gone, and its permit is returned.
    if (this.#removeWaiter(permit)) waiter.grant(permit);
    else void this.release(permit, { tokens: 0 });
  }

  #removeWaiter({ id }: Pick<Waiter, 'id'>): boolean {
    const index = this.#waiters.findIndex((waiter) => waiter.id === id);
    if (index >= 0) this.#waiters.splice(index, 1);
    return index >= 0;
  }

  /** Rejects everything that waits to begin an item, now and later. Items that have begun still get permits. */
  drain(reason: Error): void {
    this.#drained = reason;
    const continuations = this.#waiters.filter(({ isContinuation }) => isContinuation);
    for (const waiter of this.#waiters.splice(0, Infinity, ...continuations))
      if (!waiter.isContinuation) waiter.reject(reason);
  }

  /** Whether there are neither waiters nor held permits. */
  get isIdle(): boolean {
    return this.#waiters.length === 0 && this.#held.size === 0;
  }

  close(): void {
    this.#held.close();
  }
}

/**
 * Waits with a jitter of a tenth, up to about a second in total, so that the waiters of a fleet do not all arrive at
 * once.
 */
async function delayAbout(ms: number, signal: AbortSignal): Promise<void> {
  const jitter = 0.9 + Math.random() * 0.2;
  await delay(Math.min(Math.max(ms, 1), 1000) * jitter, undefined, { signal }).catch(() => {});
}
