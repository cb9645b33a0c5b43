import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { parseJson } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { INVITATION_PATH } from '#lib/contracts/values/team';
import {
  claimKey,
  releaseKey,
  storeResponse,
  type ClaimedKey,
  type KeyOwner,
  type KeyState,
} from '#lib/db/catalogue/idempotency';
import { inTransaction, type Pool, type PoolClient } from '#lib/db/connection/pool';
import { leaveTurn } from '#lib/runtime/held-turn';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { Semaphore } from '#lib/runtime/semaphore';
import { sha256 } from '#lib/runtime/seal';
import { routeOptions, type CallerRequest } from './decorators.js';
import { LargeJson } from './large-bodies.js';
import { KeyCounts } from './key-counts.js';
import { toProblem } from './problem.filter.js';
import { POOL } from './stores.js';
import { SHARE_OF_TEAM } from './turns.js';

/**
 * The share of the API's connections for the changes of all teams. A team whose changes wait for one lock, or write a
 * lot, leaves connections to other teams, and all changes together leave some to reads.
 */
const SHARE_OF_ALL = 0.7;
const MAX_WAITING = 100;
/** How long a change waits for each lock. */
const LOCK_TIMEOUT = '5s';
/** How long a repeated request waits for the response of the first one. */
const WAIT_MS = 10_000;
const POLL_MS = 100;
const MAX_KEY_LENGTH = 200;
/** The largest response that is kept. */
const MAX_KEPT_BYTES = 64 * 1024;
/** Problems after which the same request may succeed. Their responses are not stored. */
const isRetryable = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/**
 * Returns the same response for the same Idempotency-Key and body for a day, so that a request whose response was lost
 * can be sent again. Of a large response only that there was one is kept. Every changing route gets its `Change` here.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #ofTeam: KeyedSemaphore;
  readonly #ofAll: Semaphore;
  readonly #counts: KeyCounts;

  constructor(@Inject(POOL) readonly pool: Pool) {
    const connections = (share: number): number => Math.max(1, Math.floor(share * pool.options.max));
    this.#counts = new KeyCounts(pool);
    this.#ofAll = new Semaphore(connections(SHARE_OF_ALL));
    this.#ofTeam = new KeyedSemaphore(
      connections(SHARE_OF_TEAM),
      MAX_WAITING,
      `${MAX_WAITING} changes of your team are queued already. Try again when some are done.`,
    );
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    if (request.method === 'GET' || !request.caller) return next.handle();
    const key = request.headers['idempotency-key'];
    const { teamId, userId } = request.caller;
    request.change = (work) => this.#inTransaction(teamId, work);
    if (key === undefined || routeOptions(request).keepsNoAnswer) return next.handle();
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH)
      throw new ProblemError(400, `An Idempotency-Key has 1 to ${MAX_KEY_LENGTH} characters.`);
    const owner = { teamId, userId, key };
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const handle = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.#respondOnce(owner, request, reply, handle));
  }

  #inTransaction<Made>(teamId: string, work: (client: PoolClient) => Promise<Made>): Promise<Made> {
    const change = (): Promise<Made> =>
      inTransaction(this.pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        return work(client);
      });
    return this.#ofTeam.run(teamId, () => this.#ofAll.run(change));
  }

  async #respondOnce(
    owner: KeyOwner,
    request: CallerRequest,
    reply: FastifyReply,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    await this.#counts.check(owner);
    const fingerprint = sha256(`${request.method} ${request.url}\n${jsonOf(request.body)}`);
    const key = await this.#claimKey(owner, fingerprint);
    if (key.state === 'under-way')
      throw new ProblemError(
        409,
        'The first request with this Idempotency-Key is still being answered.',
        undefined,
        5000,
      ).as('idempotency_key_in_use');
    if (key.state === 'other-request')
      throw new ProblemError(409, 'This Idempotency-Key was used for another request. Use a new key.').as(
        'idempotency_key_reused',
      );
    if (key.state === 'answered') return storedResponse(key, reply);
    this.#counts.add(owner);
    return this.#respondFirst(key.claim, request, reply, handle);
  }

  /** Waits while another request with the key is being handled. */
  async #claimKey(owner: KeyOwner, fingerprint: string): Promise<KeyState> {
    const untilMs = Date.now() + WAIT_MS;
    for (;;) {
      const key = await claimKey(this.pool, owner, fingerprint);
      if (key.state !== 'under-way' || Date.now() >= untilMs) return key;
      leaveTurn();
      await delay(POLL_MS);
    }
  }

  async #respondFirst(
    claim: ClaimedKey,
    request: CallerRequest,
    reply: FastifyReply,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const store = (db: Pool | PoolClient, response: unknown): Promise<void> =>
      storeAnswer(db, claim, reply.statusCode, withoutSecrets(response));
    let isStored = false;
    request.change = async (work) => {
      const response = await this.#inTransaction(claim.teamId, async (client) => {
        const made = await work(client);
        await store(client, made);
        return made;
      });
      isStored = true;
      return response;
    };
    try {
      const response = await handle();
      if (!isStored) await store(this.pool, response);
      return response;
    } catch (error) {
      await this.#afterFailure(claim, error);
      throw error;
    }
  }

  async #afterFailure(claim: ClaimedKey, error: unknown): Promise<void> {
    const { problem } = toProblem(error);
    if (isRetryable(problem.status)) return releaseKey(this.pool, claim);
    await storeAnswer(this.pool, claim, problem.status, problem).catch((failure: unknown) => {
      // A repeated request has taken over the key.
      if (!(failure instanceof ProblemError)) throw failure;
    });
  }
}

const jsonOf = (body: unknown): string =>
  body instanceof LargeJson ? `${body.text}${body.entries?.join() ?? ''}` : (JSON.stringify(body) ?? '');

/** Stores a response, or instead of a large one the problem that a repeat gets. */
function storeAnswer(db: Pool | PoolClient, claim: ClaimedKey, status: number, response: unknown): Promise<void> {
  const text = response === undefined ? '' : JSON.stringify(response);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_KEPT_BYTES) return storeResponse(db, claim, status, text);
  const { problem } = toProblem(answerNotKept(status, bytes, response));
  return storeResponse(db, claim, problem.status, JSON.stringify(problem));
}

function answerNotKept(status: number, bytes: number, response: unknown): ProblemError {
  const { id } = response as { id?: unknown };
  const place =
    typeof id === 'string' ? `What it made or changed has the id "${id}".` : 'Read what it made or changed.';
  return new ProblemError(
    409,
    `The first request with this Idempotency-Key was answered with status ${status}, and is not done again. Its ` +
      `answer of ${bytes.toLocaleString('en-US')} bytes was too large to be kept. ${place}`,
  ).as('answer_not_kept', { status, bytes, ...(typeof id === 'string' && { id }) });
}

function storedResponse({ status, response }: Extract<KeyState, { state: 'answered' }>, reply: FastifyReply): unknown {
  if (status >= 400) void reply.header('content-type', 'application/problem+json');
  void reply.status(status);
  return response === '' ? undefined : parseJson(response);
}

/** The secret of a new token or an invitation is only in its first response. */
function withoutSecrets(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return response;
  if ('url' in response && String(response.url).includes(INVITATION_PATH)) return { ...response, url: undefined };
  if (!('token' in response)) return response;
  const { token, ...rest } = response;
  return typeof token === 'string' ? rest : { ...rest, token: withoutSecrets(token) };
}
