import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The budget of a lane, held across the whole fleet in Redis: requests a minute, tokens a minute, requests in
 * flight. A request gets all three or nothing, in one script. A provider's 429 slows every worker: `Retry-After`
 * blocks the lane, and the rate is lowered by a factor that grows back (additive increase, multiplicative
 * decrease).
 *
 * Buckets refill continuously and hold one request and a tenth of a second of the rate, so that a limit "per
 * minute" is not spent in its first second, and nothing is lost when a waiter comes a little late. They refill at
 * 98 % of the limit: at one request a minute or ten thousand, no minute sees more than the limit. Tokens: a fifth
 * of a second, and one request more. When Redis lost its memory they start empty, and nothing is granted until
 * those that hold permits have renewed them: fail closed, never open.
 *
 * A circuit breaker keeps an outage from using up the attempts of item after item: when many requests in a row
 * failed, of several items, without one answer between them, nothing is granted but a probe from time to time,
 * until one is answered.
 */
export interface BudgetLimits {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  /** Set while an operator wants no requests to be made. */
  paused_at?: Date | null;
}

/** What a lane does now, as the fleet shares it in Redis. Times are ms since the epoch. */
export interface LaneState {
  /** Requests under way. */
  inFlight: number;
  /** Share of the limits that is used since the provider said 429; 1 when it did not lately. */
  factor: number;
  blockedUntil: number | undefined;
  /** Set while the breaker is open. */
  outage: { since: number; nextProbeAt: number; error: string } | undefined;
}

/** Share of a limit that is used; a provider's clock and ours differ. */
const HEADROOM = 0.98;
/** Seconds of rate by which a waiter may be late without loss. */
const BURST_S = 0.1;
/** However long a provider wants to be left alone: then somebody looks whether it still does. */
const LONGEST_BLOCK_MS = 15 * 60_000;
const PERMIT_TTL_MS = 10_000;
const RENEWAL_MS = 500;
/**
 * After a lost Redis nothing is granted for this long: by then every process has a connection again and has renewed
 * what it holds.
 */
const RECOVERY_MS = 2500;
const LARGEST_BATCH = 64;
const FIRST_PROBE_MS = 1000;
const LARGEST_PROBE_MS = 30_000;
/** A probe whose process died is given up after this time. */
const PROBE_TTL_MS = 60_000;

/**
 * When the breaker opens: after so many failures in a row, of so many items. Few items may be to blame themselves;
 * a lane with few slots can show no more.
 */
const breakerOf = (concurrency: number): { failures: number; items: number } => ({
  failures: Math.min(10, Math.max(6, 2 * concurrency)),
  items: Math.min(5, Math.max(3, concurrency)),
});

// KEYS[1] state hash, KEYS[2] permits in flight (zset: permit -> expiry), KEYS[3] items that failed since an answer
// (set). Times in ms by the server's clock.
const ACQUIRE = `
local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ttl, rpm, tpm, conc, birth = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
if redis.call('EXISTS', KEYS[1]) == 0 then
  if birth == '' then return {0, 0, 'unknown'} end
  redis.call('HSET', KEYS[1], 'factor', '1', 'factor_at', now)
  if birth == 'new' then redis.call('HSET', KEYS[1], 'requests', '1', 'requests_at', now, 'tokens', '1', 'tokens_at', now)
  else redis.call('HSET', KEYS[1], 'requests', '0', 'requests_at', now, 'tokens', '0', 'tokens_at', now, 'blocked_until', now + ${RECOVERY_MS}) end
end
local v = redis.call('HMGET', KEYS[1], 'factor', 'factor_at', 'blocked_until', 'requests', 'requests_at', 'tokens', 'tokens_at', 'outage_since', 'probe_at')
local factor = tonumber(v[1] or '1')
if factor < 1 then factor = math.min(1, factor + 0.05 * (now - tonumber(v[2] or now)) / 1000) end
local blocked = tonumber(v[3] or '0')
if blocked > now + ${LONGEST_BLOCK_MS} then blocked = now + ${LONGEST_BLOCK_MS}; redis.call('HSET', KEYS[1], 'blocked_until', blocked) end
if blocked > now then return {0, blocked - now, 'blocked'} end
local n, offered = (#ARGV - 5) / 2, (#ARGV - 5) / 2
if v[8] then
  local probe_at = tonumber(v[9])
  if now < probe_at then return {0, probe_at - now, 'outage'} end
  n = 1
end
local requests, rrate, rcap, tokens, krate, kcap, kfull
if rpm > 0 then
  rrate = rpm * factor * ${HEADROOM} / 60000; rcap = 1 + rrate * ${BURST_S * 1000}
  requests = math.min(rcap, tonumber(v[4] or '0') + (now - tonumber(v[5] or now)) * rrate)
end
if tpm > 0 then
  krate = tpm * factor * ${HEADROOM} / 60000; kfull = math.max(1, krate * ${BURST_S * 1000}); kcap = 2 * kfull
  tokens = math.min(kcap, tonumber(v[6] or '0') + (now - tonumber(v[7] or now)) * krate)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local used = redis.call('ZCARD', KEYS[2]); local room = math.max(1, math.floor(conc * factor))
local granted, wait, why = 0, 0, ''
for i = 1, n do
  local estimate = tonumber(ARGV[5 + offered + i])
  if used + granted >= room then wait = 25; why = 'concurrency'; break end
  if rpm > 0 and requests < 1 then wait = math.ceil((1 - requests) / rrate); why = 'requests'; break end
  -- a request larger than half the bucket goes when that is full, and leaves a debt
  if tpm > 0 and tokens < math.min(estimate, kfull) then wait = math.ceil((math.min(estimate, kfull) - tokens) / krate); why = 'tokens'; break end
  if rpm > 0 then requests = requests - 1 end
  if tpm > 0 then tokens = tokens - estimate end
  redis.call('ZADD', KEYS[2], now + ttl, ARGV[5 + i]); granted = granted + 1
end
if v[8] and granted == 1 then
  redis.call('HSET', KEYS[1], 'probe', ARGV[6], 'probe_at', now + ${PROBE_TTL_MS})
  if offered > 1 then wait = 100; why = 'outage' end
end
redis.call('HSET', KEYS[1], 'factor', tostring(factor), 'factor_at', now)
if rpm > 0 then redis.call('HSET', KEYS[1], 'requests', tostring(requests), 'requests_at', now) end
if tpm > 0 then redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'tokens_at', now) end
redis.call('PEXPIRE', KEYS[1], 3600000); redis.call('PEXPIRE', KEYS[2], 3600000)
return {granted, wait, why}`;

// ARGV: failures and items that open the breaker, then eights: permit, tokens reserved, tokens used, retryAfterMs
// (-1: not throttled), outcome ('answer', 'outage', ''), item, error, ms until the provider's own count is refilled
// (-1: not said)
const RELEASE = `
local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
local b = redis.call('HMGET', KEYS[1], 'failures', 'outage_since', 'probe', 'probe_ms')
local failures, since, probe, probe_ms = tonumber(b[1] or '0'), b[2], b[3], tonumber(b[4] or '${FIRST_PROBE_MS}')
local failed_before = failures
for i = 3, #ARGV, 8 do
  redis.call('ZREM', KEYS[2], ARGV[i])
  local outcome, refill = ARGV[i + 4], tonumber(ARGV[i + 7])
  if outcome == 'answer' then
    failures = 0
    if since then redis.call('HDEL', KEYS[1], 'outage_since', 'probe', 'probe_at', 'probe_ms', 'error'); since = false end
  elseif outcome == 'outage' then
    failures = failures + 1
    redis.call('SADD', KEYS[3], ARGV[i + 5]); redis.call('PEXPIRE', KEYS[3], 3600000)
    if since then
      if probe == ARGV[i] then
        probe_ms = math.min(probe_ms * 2, ${LARGEST_PROBE_MS}); probe = false
        redis.call('HSET', KEYS[1], 'probe', '', 'probe_ms', probe_ms, 'probe_at', now + probe_ms, 'error', ARGV[i + 6])
      end
    elseif failures >= tonumber(ARGV[1]) and redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[2]) then
      since = tostring(now); probe_ms = ${FIRST_PROBE_MS}
      redis.call('HSET', KEYS[1], 'outage_since', since, 'probe', '', 'probe_ms', probe_ms, 'probe_at', now + probe_ms, 'error', ARGV[i + 6])
    end
  elseif since and probe == ARGV[i] then
    redis.call('HSET', KEYS[1], 'probe', '', 'probe_at', now) -- it was given up, and told nothing
  end
  if refill >= 0 and now + refill > tonumber(redis.call('HGET', KEYS[1], 'blocked_until') or '0') then redis.call('HSET', KEYS[1], 'blocked_until', now + refill) end
  local unused = tonumber(ARGV[i + 1]) - tonumber(ARGV[i + 2])
  if unused ~= 0 and redis.call('HEXISTS', KEYS[1], 'tokens') == 1 then redis.call('HINCRBYFLOAT', KEYS[1], 'tokens', unused) end
  local retry = tonumber(ARGV[i + 3])
  if retry >= 0 then
    local v = redis.call('HMGET', KEYS[1], 'factor', 'lowered_at', 'blocked_until')
    if now - tonumber(v[2] or '0') > 1000 then
      redis.call('HSET', KEYS[1], 'factor', tostring(math.max(0.05, tonumber(v[1] or '1') * 0.7)), 'factor_at', now, 'lowered_at', now)
    end
    if now + retry > tonumber(v[3] or '0') then redis.call('HSET', KEYS[1], 'blocked_until', now + retry) end
  end
end
if failures ~= failed_before then
  redis.call('HSET', KEYS[1], 'failures', failures)
  if failures == 0 then redis.call('DEL', KEYS[3]) end
end
return tonumber(since or '0')`;

// Without XX: after a flush the renewals rebuild the set of permits.
const RENEW = `
local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[i]) end
return 1`;

/** How many of the batch were granted; else how long to wait, and why. */
type Answer = [granted: number, waitMs: number, why: string];

interface Scripts {
  toolmarkAcquire(state: string, permits: string, failing: string, ...args: (string | number)[]): Promise<Answer>;
  /** Since when the breaker is open; 0 when it is closed. */
  toolmarkRelease(state: string, permits: string, failing: string, ...args: (string | number)[]): Promise<number>;
  toolmarkRenew(permits: string, ...args: (string | number)[]): Promise<number>;
}

export interface Permit {
  id: string;
  tokens: number;
}

/** What became of a request, for the budget. */
export interface PermitUsage {
  /** Tokens used; the difference to the estimate goes back. */
  tokens: number;
  /** Set when the provider said 429: how long it asked to wait (0 when it did not say). */
  retryAfterMs?: number;
  /**
   * Whether the provider answered at all, be it with a refusal. Left out when that is not known: the request was
   * given up.
   */
  outcome?: 'answer' | { outage: string; item: string };
  /** Set when the provider said that nothing is left of its limit: when it will be. */
  refilledInMs?: number;
}

/** How a request waits for its turn. */
export interface AcquireOptions {
  /** Ends the wait when the turn will not come here, with its reason. */
  rerouted?: AbortSignal;
  /** Whether it goes on with what was begun, and is let through even where nothing new may begin. */
  isContinuation?: boolean;
}

/** @returns undefined when the turn will not come there */
export const unlessRerouted = (moved: AbortSignal, permit: Promise<Permit>): Promise<Permit | undefined> =>
  permit.catch((error: unknown) => {
    if (error === moved.reason) return undefined;
    throw error;
  });

/** All that whoever makes requests needs of a lane's budget. */
export type Permits = Pick<LaneBudget, 'acquire' | 'release'>;

interface Waiter {
  id: string;
  tokens: number;
  goesOn: boolean;
  grant: (permit: Permit) => void;
  reject: (reason: Error) => void;
}

export class LaneBudget {
  readonly #redis: Redis & Scripts;
  readonly #state: string;
  readonly #permits: string;
  readonly #failing: string;
  readonly #waiting: Waiter[] = [];
  readonly #held = new Set<string>();
  #released: (string | number)[] = [];
  #flushing: Promise<number> | undefined;
  #pumping = false;
  #refusal: Error | undefined;
  #grantedAt = -Infinity;
  #wake: AbortController | undefined;
  readonly #renewal: NodeJS.Timeout;
  /** Why the last refused request had to wait. */
  waitReason = '';

  /** @param hasInFlight whether requests may be under way in the fleet; asked only when Redis knows nothing of the lane */
  constructor(
    redis: Redis,
    laneId: string,
    public limits: BudgetLimits,
    readonly hasInFlight: () => Promise<boolean>,
    /** Told how long requests waited, all together, and for what. */
    readonly onWait: (reason: string, seconds: number) => void = () => {},
  ) {
    this.#redis = redis as Redis & Scripts;
    if (!('toolmarkAcquire' in redis)) {
      redis.defineCommand('toolmarkAcquire', { numberOfKeys: 3, lua: ACQUIRE });
      redis.defineCommand('toolmarkRelease', { numberOfKeys: 3, lua: RELEASE });
      redis.defineCommand('toolmarkRenew', { numberOfKeys: 1, lua: RENEW });
    }
    [this.#state, this.#permits, this.#failing] = keysOf(laneId);
    this.#renewal = setInterval(() => {
      if (this.#held.size) void this.#redis.toolmarkRenew(this.#permits, PERMIT_TTL_MS, ...this.#held).catch(() => {});
    }, RENEWAL_MS).unref();
  }

  /**
   * Waits until the lane allows one more request; in the order of asking within this process.
   * @param tokens estimate of what the request will use
   * @throws the signal's reason when it aborts first
   */
  acquire(
    tokens: number,
    signal: AbortSignal,
    { rerouted: moved, isContinuation: goesOn = false }: AcquireOptions = {},
  ): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const refusal = signal.aborted
        ? (signal.reason as Error)
        : moved?.aborted
          ? (moved.reason as Error)
          : goesOn
            ? undefined
            : this.#refusal;
      if (refusal) return reject(refusal);
      const signals = moved ? [signal, moved] : [signal];
      const forget = (): void => signals.forEach((one) => one.removeEventListener('abort', abort));
      const abort = (): void => {
        const index = this.#waiting.indexOf(waiter);
        if (index >= 0) this.#waiting.splice(index, 1);
        waiter.reject((signal.aborted ? signal : moved!).reason as Error);
      };
      const waiter: Waiter = {
        id: randomUUID(),
        tokens: Math.ceil(tokens),
        goesOn,
        grant: (permit) => {
          forget();
          resolve(permit);
        },
        reject: (reason) => {
          forget();
          reject(reason);
        },
      };
      signals.forEach((one) => one.addEventListener('abort', abort, { once: true }));
      this.#waiting.push(waiter);
      void this.#pump();
    });
  }

  /**
   * Gives a permit back; a second time changes nothing. A freed place is noticed by waiters of this process at once.
   * @returns whether the breaker is open now
   */
  async release(permit: Permit, spent: PermitUsage): Promise<boolean> {
    if (!this.#held.delete(permit.id)) return false;
    const { tokens, retryAfterMs: throttledForMs = -1, outcome = '', refilledInMs = -1 } = spent;
    const failed = typeof outcome === 'object' ? outcome : { outage: '', item: '' };
    this.#released.push(
      permit.id,
      permit.tokens,
      Math.ceil(tokens),
      throttledForMs,
      typeof outcome === 'object' ? 'outage' : outcome,
      failed.item,
      failed.outage,
      refilledInMs,
    );
    this.#flushing ??= new Promise((resolve) => setImmediate(() => resolve(this.#flush())));
    return (await this.#flushing) > 0;
  }

  #flush(): Promise<number> {
    const released = this.#released;
    this.#released = [];
    this.#flushing = undefined;
    const { failures, items } = breakerOf(this.limits.max_concurrency);
    // A lost release costs nothing for long: permits expire.
    const outageSince = this.#redis
      .toolmarkRelease(this.#state, this.#permits, this.#failing, failures, items, ...released)
      .catch(() => 0);
    this.#wake?.abort(); // Who asks now is heard after this, over the same connection.
    return outageSince;
  }

  /** One script call at a time for all that wait here, instead of one each. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    await Promise.resolve(); // let those that ask in the same turn join the first call
    while (this.#waiting.length) {
      const batch = this.#waiting.slice(0, LARGEST_BATCH);
      const askedAt = performance.now();
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      const [granted, waitMs, why] = this.limits.paused_at
        ? ([0, 250, 'paused'] as Answer)
        : await this.#ask(batch).catch((): Answer => [0, 250, 'redis']);
      if (granted > 0) this.#grantedAt = performance.now();
      for (const waiter of batch.slice(0, granted)) {
        const index = this.#waiting.indexOf(waiter);
        const permit = { id: waiter.id, tokens: waiter.tokens };
        if (index < 0) {
          this.#held.add(permit.id); // aborted while Redis answered
          void this.release(permit, { tokens: 0 });
          continue;
        }
        this.#waiting.splice(index, 1);
        this.#held.add(permit.id);
        waiter.grant(permit);
      }
      this.waitReason = why;
      if (granted < batch.length && this.#waiting.length) {
        await delay(Math.min(Math.max(waitMs, 1), 1000) * (0.9 + Math.random() * 0.2), undefined, {
          signal: wake,
        }).catch(() => {});
      }
      if (why) this.onWait(why, (this.#waiting.length * (performance.now() - askedAt)) / 1000);
    }
    this.#pumping = false;
  }

  async #ask(batch: Waiter[]): Promise<Answer> {
    const { requests_per_minute: rpm, tokens_per_minute: tpm, max_concurrency: concurrency } = this.limits;
    const acquire = (birth: '' | 'new' | 'lost'): Promise<Answer> =>
      this.#redis.toolmarkAcquire(
        this.#state,
        this.#permits,
        this.#failing,
        PERMIT_TTL_MS,
        rpm ?? 0,
        tpm ?? 0,
        concurrency,
        birth,
        ...batch.map((waiter) => waiter.id),
        ...batch.map((waiter) => waiter.tokens),
      );
    const answer = await acquire('');
    if (answer[2] !== 'unknown') return answer;
    return acquire(performance.now() - this.#grantedAt < PERMIT_TTL_MS || (await this.hasInFlight()) ? 'lost' : 'new');
  }

  /** Rejects what waits to begin, and whoever wants to begin from now on. */
  drain(reason: Error): void {
    this.#refusal = reason;
    const goOn = this.#waiting.filter((waiter) => waiter.goesOn);
    for (const waiter of this.#waiting.splice(0, Infinity, ...goOn)) if (!waiter.goesOn) waiter.reject(reason);
  }

  /** Whether nobody waits here and nothing is held. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#held.size === 0;
  }

  close(): void {
    clearInterval(this.#renewal);
  }
}

const keysOf = (laneId: string): [state: string, permits: string, failing: string] => [
  `toolmark:{budget-${laneId}}:state`,
  `toolmark:{budget-${laneId}}:permits`,
  `toolmark:{budget-${laneId}}:failing`,
];

/** What a lane does now. @throws when Redis cannot be asked */
export async function readLaneState(redis: Redis, laneId: string): Promise<LaneState> {
  const [state, permits] = keysOf(laneId);
  const answers = await redis
    .multi()
    .hmget(state, 'factor', 'factor_at', 'blocked_until', 'outage_since', 'probe_at', 'error')
    .zcount(permits, '(' + Date.now(), '+inf')
    .exec();
  const [factor, factorAt, blockedUntil, since, probeAt, error] = answers![0]![1] as (string | null)[];
  const grown = Number(factor ?? 1) + (0.05 * (Date.now() - Number(factorAt ?? 0))) / 1000;
  return {
    inFlight: answers![1]![1] as number,
    factor: Math.min(1, grown),
    // Of a release before this one it may be any number.
    blockedUntil:
      Number(blockedUntil ?? 0) > Date.now()
        ? Math.min(Number(blockedUntil), Date.now() + LONGEST_BLOCK_MS)
        : undefined,
    outage: since ? { since: Number(since), nextProbeAt: Number(probeAt), error: error ?? '' } : undefined,
  };
}
