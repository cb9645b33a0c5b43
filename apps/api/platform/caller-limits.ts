import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import { sha256 } from '#lib/runtime/seal';
import { FailureLog } from './failure-log.js';
import { countRefusal } from './refusal-metrics.js';
import { RequestCounts } from './request-counts.js';
import { ENV, LOGGER, REDIS } from './stores.js';
import { addressOf } from './trusted-proxies.js';

const WINDOW_MS = 60_000;
const MAX_REMEMBERED = 50_000;

/** What is counted of whom, a minute. Headers and problems have these names. */
type Limit = 'token' | 'session' | 'user' | 'open' | 'failed_sign_ins';
interface Count {
  limit: Limit;
  most: number;
  left: number;
  resetMs: number;
  isExceeded: boolean;
}

/** A request of Fastify, or the handshake of a socket. */
export interface Asked {
  raw: IncomingMessage;
  method: string;
  routeOptions: { url?: string | undefined };
}

/**
 * Bounds how many requests a token or session, a user, and an address without either may send. A right credential is
 * never refused for its address: a wrong one counts against the address, and is answered 429 instead of 401 beyond its
 * limit.
 */
@Injectable()
export class CallerLimits {
  readonly #most: Record<Limit, number>;
  readonly #counters = new Map<Limit, ReturnType<FastifyInstance['createRateLimit']>>();
  /** Who is beyond the limit of failed sign-ins, by key. */
  readonly #beyond = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  readonly #failures: FailureLog;

  constructor(
    @Inject(ENV) env: Env,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(REDIS) readonly redis: Redis,
  ) {
    this.#most = {
      token: env.TOOLMARK_REQUESTS_PER_MINUTE,
      session: env.TOOLMARK_REQUESTS_PER_MINUTE,
      user: env.TOOLMARK_USER_REQUESTS_PER_MINUTE,
      open: env.TOOLMARK_OPEN_REQUESTS_PER_MINUTE,
      failed_sign_ins: env.TOOLMARK_FAILED_SIGN_INS_PER_MINUTE,
    };
    this.#failures = new FailureLog(logger);
  }

  /** Begins to count. Before it, nothing is limited. */
  async begin(fastify: FastifyInstance): Promise<void> {
    const { redis, logger } = this;
    const store = class extends RequestCounts {
      constructor() {
        super(redis, logger);
      }
    };
    await fastify.register(rateLimit, { global: false, store });
    for (const limit of Object.keys(this.#most) as Limit[])
      this.#counters.set(
        limit,
        fastify.createRateLimit({
          max: this.#most[limit],
          timeWindow: WINDOW_MS,
          keyGenerator: (counted) => (counted as unknown as Counted).key,
        }),
      );
  }

  /** Counts a request of a right credential. @throws ProblemError 429 */
  async ofCaller(caller: Caller, reply?: FastifyReply): Promise<void> {
    const { kind, tokenId, sessionId, userId } = caller;
    const counts = await Promise.all([
      this.#count(kind, (kind === 'token' ? tokenId : sessionId) ?? userId),
      this.#count('user', userId),
    ]);
    showCounts(reply, counts);
    const exceeded = counts.find(({ isExceeded }) => isExceeded);
    if (!exceeded) return;
    countRefusal(exceeded.limit);
    throw refusalOf(exceeded);
  }

  /** Counts a request without a credential. @returns the problem beyond the limit, 429 */
  async ofAddress({ raw }: Asked, reply?: FastifyReply): Promise<ProblemError | undefined> {
    const count = await this.#count('open', keyOf(raw));
    showCounts(reply, [count]);
    if (!count.isExceeded) return undefined;
    countRefusal('open');
    return refusalOf(count);
  }

  /** Whether an address is beyond the limit of failed sign-ins. */
  isBeyond({ raw }: Asked): boolean {
    return this.#beyond.has(keyOf(raw));
  }

  /**
   * Counts the try of a code by a person before it is looked for, right or wrong: many at once find no more than one
   * after the other. @throws ProblemError 429
   */
  async ofTry({ personId }: Caller): Promise<void> {
    const count = await this.#count('failed_sign_ins', personId);
    if (!count.isExceeded) return;
    countRefusal('failed_sign_ins');
    throw refusalOf(count);
  }

  /** Logs a wrong credential, or code. */
  noteFailure({ raw, method, routeOptions }: Asked): void {
    countRefusal('wrong_credential');
    this.#failures.note(addressOf(raw) ?? 'unknown', `${method} ${routeOptions.url}`);
  }

  /**
   * Counts and logs a wrong credential.
   * @returns the problem to answer: this one, or 429 beyond the limit
   */
  async failed(asked: Asked, problem: () => ProblemError | Promise<ProblemError>): Promise<ProblemError> {
    this.noteFailure(asked);
    const key = keyOf(asked.raw);
    const count = await this.#count('failed_sign_ins', key);
    if (!count.isExceeded) return problem();
    this.#beyond.set(key, true, { ttl: count.resetMs });
    return refusalOf(count);
  }

  async #count(limit: Limit, id: string): Promise<Count> {
    const most = this.#most[limit];
    const counted: Counted = { key: `${limit}:${id}`, routeOptions: { config: {} } };
    const count = await this.#counters.get(limit)?.(counted as unknown as FastifyRequest);
    if (!count || count.isAllowed) return { limit, most, left: most, resetMs: WINDOW_MS, isExceeded: false };
    return { limit, most, left: count.remaining, resetMs: count.ttl, isExceeded: count.isExceeded };
  }
}

/** What the plugin reads of a request: handshakes of sockets do not pass through Fastify. */
interface Counted {
  key: string;
  routeOptions: { config: object };
}

/** Redis holds no address. Whoever has an IPv6 network has all of its 64 bits. */
const keyOf = (request: IncomingMessage): string => sha256(normalizeIP(addressOf(request) ?? 'unknown')).slice(0, 32);

/** The headers of draft-ietf-httpapi-ratelimit-headers. */
function showCounts(reply: FastifyReply | undefined, counts: readonly Count[]): void {
  const list = (write: (count: Count) => string): string => counts.map(write).join(', ');
  void reply?.headers({
    'ratelimit-policy': list(({ limit, most }) => `"${limit}";q=${most};w=${WINDOW_MS / 1000}`),
    ratelimit: list(({ limit, left, resetMs }) => `"${limit}";r=${left};t=${Math.ceil(resetMs / 1000)}`),
  });
}

const SENT: Record<Limit, string> = {
  token: 'This token has sent more requests than one may in a minute',
  session: 'This session has sent more requests than one may in a minute',
  user: 'Your tokens and sessions together have sent more requests than one user may in a minute',
  open: 'Your address has sent more requests without a token than one may in a minute',
  failed_sign_ins:
    'Too many wrong tokens and failed sign-ins came from you in a minute. A right token is still accepted. The limit',
};

function refusalOf({ limit, most, resetMs }: Count): ProblemError {
  const seconds = Math.ceil(resetMs / 1000);
  const detail = `${SENT[limit]} (${most.toLocaleString('en')}). Try again in ${seconds} s.`;
  return new ProblemError(429, detail, undefined, resetMs).as('rate_limited', { limit, per_minute: most });
}
