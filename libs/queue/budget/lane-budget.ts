import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BudgetScripts, type Grant } from './budget-scripts.js';
import { PERMIT_TTL_MS, type BudgetLimits } from './limits.js';
import { HeldPermits, type Permit, type PermitUsage } from './permits.js';

/** How a request waits for its permit. */
export interface AcquireOptions {
  /** Ends the wait, with its reason, when the request will be made in another lane. */
  rerouted?: AbortSignal;
  /** Whether the request continues an item that has begun: it gets its permit even while the budget drains. */
  isContinuation?: boolean;
}

/** @returns undefined when the wait ended because the request is rerouted */
export const unlessRerouted = (rerouted: AbortSignal, permit: Promise<Permit>): Promise<Permit | undefined> =>
  permit.catch((error: unknown) => {
    if (error === rerouted.reason) return undefined;
    throw error;
  });

/** What whoever makes requests needs of a lane's budget. */
export type Permits = Pick<LaneBudget, 'acquire' | 'release'>;

interface Waiter extends Permit {
  isContinuation: boolean;
  grant: (permit: Permit) => void;
  reject: (reason: Error) => void;
}

const MAX_BATCH = 64;
/** How long to wait while the lane is paused or Redis does not answer. */
const LOOK_AGAIN_MS = 250;

/**
 * The budget of a lane, shared by the whole fleet in Redis: requests a minute, tokens a minute, requests in flight.
 * A request gets all three or nothing, in one script (`acquire.lua`). A provider's 429 slows every worker: its
 * `Retry-After` blocks the lane, and a factor on all limits shrinks and grows back (additive increase,
 * multiplicative decrease; `release.lua`). A circuit breaker stops the lane in an outage (`breakerThresholds`).
 *
 * Buckets refill continuously. The one of requests holds one request and a tenth of a second of the rate, the one
 * of tokens a fifth of a second and one request's debt, so that a limit "per minute" is not spent in its first
 * second and nothing is lost when a waiter is a little late. They refill at 98 % of the limit: at one request a
 * minute or ten thousand, no minute sees more than the limit. When Redis lost its memory, buckets start empty and
 * nothing is granted until the processes that hold permits have renewed them: fail closed, never open.
 *
 * No library does this. rate-limiter-flexible was tried: its union of several limits is not atomic, so a request that
 * one limit refuses has already used the others. Bottleneck is unmaintained and broken on Redis 7
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
    /** Whether requests may be in flight in the fleet. Called only when Redis knows nothing of the lane. */
    readonly hasInFlight: () => Promise<boolean>,
    /** Called with the seconds that requests waited, added up, and the reason. */
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
   * @param tokens estimate of what the request will use
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
      const unlisten = (): void => signals.forEach((one) => one.removeEventListener('abort', abort));
      waiter.grant = (permit) => (unlisten(), grant(permit));
      waiter.reject = (reason) => (unlisten(), reject(reason));
      for (const one of signals) one.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
      void this.#pump();
    });
  }

  /**
   * Gives a permit back; a second time changes nothing. Waiters of this process notice the free place at once.
   * @returns whether the breaker is open now
   */
  release(permit: Permit, usage: PermitUsage): Promise<boolean> {
    return this.#held.release(permit, usage);
  }

  /** Asks Redis for all waiters of this process with one script call at a time, until nobody waits. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    await Promise.resolve(); // Requests of the same turn join the first call.
    while (this.#waiters.length) {
      const batch = this.#waiters.slice(0, MAX_BATCH);
      const askedAt = performance.now();
      this.#permitFreed = new AbortController();
      const permitFreed = this.#permitFreed.signal;
      const [granted, waitMs, reason] = await this.#ask(batch);
      if (granted > 0) this.#grantedAt = performance.now();
      for (const waiter of batch.slice(0, granted)) this.#grant(waiter);
      this.waitReason = reason;
      if (granted < batch.length && this.#waiters.length) await delayAbout(waitMs, permitFreed);
      if (reason) this.onWait(reason, (this.#waiters.length * (performance.now() - askedAt)) / 1000);
    }
    this.#isPumping = false;
  }

  async #ask(batch: Waiter[]): Promise<Grant> {
    if (this.limits.paused_at) return [0, LOOK_AGAIN_MS, 'paused'];
    try {
      const grant = await this.#scripts.acquire(batch, this.limits, '');
      if (grant[2] !== 'unknown') return grant;
      const grantedLately = performance.now() - this.#grantedAt < PERMIT_TTL_MS;
      const isLost = grantedLately || (await this.hasInFlight());
      return await this.#scripts.acquire(batch, this.limits, isLost ? 'lost' : 'new');
    } catch {
      return [0, LOOK_AGAIN_MS, 'redis'];
    }
  }

  #grant({ id, tokens, ...waiter }: Waiter): void {
    const permit = { id, tokens };
    this.#held.hold(permit);
    // One that aborted while Redis answered is gone, and its permit goes back.
    if (this.#removeWaiter(permit)) waiter.grant(permit);
    else void this.release(permit, { tokens: 0 });
  }

  #removeWaiter({ id }: Pick<Waiter, 'id'>): boolean {
    const index = this.#waiters.findIndex((waiter) => waiter.id === id);
    if (index >= 0) this.#waiters.splice(index, 1);
    return index >= 0;
  }

  /** Rejects whatever waits to begin an item, now and from now on. Items that have begun go on to get permits. */
  drain(reason: Error): void {
    this.#drained = reason;
    const continuations = this.#waiters.filter(({ isContinuation }) => isContinuation);
    for (const waiter of this.#waiters.splice(0, Infinity, ...continuations))
      if (!waiter.isContinuation) waiter.reject(reason);
  }

  /** Whether nobody waits here and nothing is held. */
  get isIdle(): boolean {
    return this.#waiters.length === 0 && this.#held.size === 0;
  }

  close(): void {
    this.#held.close();
  }
}

/** Waits a tenth more or less, at most about a second, so that the waiters of a fleet do not come all at once. */
async function delayAbout(ms: number, signal: AbortSignal): Promise<void> {
  const jitter = 0.9 + Math.random() * 0.2;
  await delay(Math.min(Math.max(ms, 1), 1000) * jitter, undefined, { signal }).catch(() => {});
}
