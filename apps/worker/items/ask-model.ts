import { setTimeout as delay } from 'node:timers/promises';
import { NO_USAGE, type Usage } from '#lib/contracts/cost';
import { RESERVED_REPLY_TOKENS } from '#lib/contracts/estimate';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Refusal, SettingChanges } from '#lib/contracts/learned';
import { memoize } from '#lib/contracts/memoize';
import { PRIVATE_BODY } from '#lib/contracts/failed-body';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import type { ProviderReply } from '#lib/providers/chat';
import { ProviderFailure } from '#lib/providers/failure';
import { adaptRequest } from '#lib/providers/learned/adapt-request';
import { readRefusal } from '#lib/providers/learned/read-refusal';
import { requestShape } from '#lib/providers/learned/request-shape';
import type { SerialisedJson } from '#lib/providers/reading/printed-json';
import type { ReplyMemory } from '#lib/providers/guarded/reply-memory';
import { replyInFailure } from '#lib/providers/formats/stored-reply';
import { MAX_THROTTLED_MS, RetryState } from '#lib/providers/retry-policy';
import { unlessRerouted, type Permits } from '#lib/queue/budget/lane-budget';
import type { Permit, PermitUsage } from '#lib/queue/budget/permits';
import { traceStep } from '#lib/runtime/tracing/tracing';
import type { HeldReply } from '../scoring/exchange.js';
import type { ModelConnection } from '../models/connections.js';
import type { FirstRequests } from '../models/first-requests.js';
import { traceRequest } from '../models/trace-request.js';
import { ModelResting } from './claimed-items.js';

/** The result of asking a model: a reply, or the failure that remains after all retries. */
export interface AskResult {
  reply?: HeldReply;
  failure?: ProviderFailure;
  attempts: number;
  /** Of the request that got the reply, or of the last one. */
  latencyMs: number;
  /** Of the reply. */
  usage: Usage;
  /** The last request. */
  sent: JsonObject;
  /** Deviations of the request from `body`, because the model refuses what it says. */
  adjusted: SettingChanges;
  requests: Json[];
  /** Response bodies in order, including refusals: of many refusals the first ones and the last. */
  bodies: (Json | SerialisedJson)[];
  /** Number of refusals. */
  refused: number;
}

export interface AskOptions {
  /** The model's current connection. @throws ProviderFailure when it cannot be asked */
  model: () => Promise<ModelConnection>;
  permits: (lane: LaneLimits) => Permits;
  /** `provider::model`, shown for what waits because of it. */
  name: string;
  /** The request as the run specifies it. It is adapted to what the model accepts. */
  body: JsonObject;
  timeoutMs: number;
  signal: AbortSignal;
  /** The memory budget for large replies. */
  replyMemory?: ReplyMemory;
  /** Identifies the item to the circuit breaker. */
  item: string;
  /** Whether this request continues a partly paid item. */
  isContinuation?: boolean;
  /** Counts a request of about this many tokens, and waits until it may be sent. @throws the signal's reason */
  turn?: (tokens: number) => Promise<void>;
  /** Records whether the item is being worked on, or is only waiting for its turn. */
  setActive?: (isActive: boolean) => Promise<void>;
  onAttempt?: (failure: ProviderFailure | undefined, seconds: number) => void;
  /** Holds back requests of a shape that the model has not answered yet. */
  firstRequests?: Pick<FirstRequests, 'isAnswered' | 'mayAsk' | 'answered' | 'refused'>;
  /** Remembers what the model has just refused. */
  onRefusal?: (refusal: Refusal) => Promise<void>;
  /** What the provider's format could not express of an answered request. */
  onNotes?: (notes: ProviderReply['notes']) => void;
}

/** A provider may refuse for a quarter of an hour. */
const MAX_REFUSALS_KEPT = 20;
/** How often one request is adapted before its refusal is final. */
const MAX_ADJUSTMENTS = 20;

/**
 * Asks a model, within the lane's budget, until it replies or a retry is pointless. Every attempt takes its own permit,
 * so that waiting between two attempts holds no slot of the lane, and uses the connection that is current by then.
 * @throws the signal's reason when it aborts; NotAskedNow when the provider asks for a wait during which the model
 * rests
 */
export const askModel = (options: AskOptions): Promise<AskResult> => new ModelAsker(options).ask();

/** An attempt in progress, and what to report to the budget when its permit is released. */
interface Attempt {
  model: ModelConnection;
  body: JsonObject;
  startedAt: number;
  usage: PermitUsage;
  /** Idempotent. @returns whether the circuit breaker is open now */
  releasePermit: () => Promise<boolean>;
}

class ModelAsker {
  readonly #result: AskResult;
  /** What the model refused of this request, even if it could not be stored for others. */
  #learned: SettingChanges = {};
  readonly #tried = new Set<string>();
  #adaptedTo: string | undefined;
  /** The shape of the request as sent. */
  #shape = '';
  #retries = new RetryState();
  #outageSince: number | undefined;
  #lastRerouted: AbortSignal | undefined;

  constructor(readonly options: AskOptions) {
    this.#result = {
      attempts: 0,
      latencyMs: 0,
      usage: NO_USAGE,
      sent: options.body,
      adjusted: {},
      requests: [],
      bodies: [],
      refused: 0,
    };
  }

  async ask(): Promise<AskResult> {
    for (;;) {
      const model = await this.options.model().catch(unavailable);
      if (model instanceof ProviderFailure) return this.#fail(model);
      this.#resetIfRerouted(model);
      const body = this.#adapt(model);
      if (!(await this.#mayAsk())) continue;
      const budget = this.options.permits(model.lane);
      const tokens = estimateTokens(body);
      const permit = await this.#waitForPermit(budget, tokens, model);
      if (!permit) continue;
      const usage: PermitUsage = { tokens: 0 };
      const releasePermit = (): Promise<boolean> => budget.release(permit, usage);
      const attempt = { model, body, startedAt: performance.now(), usage, releasePermit };
      try {
        return await this.#send(attempt);
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error;
        const ended = await this.#afterFailure(error, attempt);
        if (ended) return ended;
      } finally {
        void releasePermit();
      }
    }
  }

  /** Failures at one address say nothing about another. */
  #resetIfRerouted({ rerouted }: ModelConnection): void {
    if (this.#lastRerouted && this.#lastRerouted !== rerouted) {
      this.#learned = {};
      this.#tried.clear();
      this.#retries = new RetryState();
      this.#outageSince = undefined;
    }
    this.#lastRerouted = rerouted;
  }

  #adapt({ providerId, modelId, learned }: ModelConnection): JsonObject {
    const ways = { ...learned, ...this.#learned };
    const key = JSON.stringify(ways);
    if (key !== this.#adaptedTo) {
      this.#adaptedTo = key;
      const { body, adjusted } = adaptRequest(this.options.body, ways);
      Object.assign(this.#result, { sent: body, adjusted });
      this.#shape = `${providerId} ${modelId} ${requestShape(body)}`;
    }
    return this.#result.sent;
  }

  /** Other requests of the same shape may be about to be refused. */
  async #mayAsk(): Promise<boolean> {
    const { firstRequests, signal, setActive } = this.options;
    if (!firstRequests || firstRequests.isAnswered(this.#shape)) return true;
    await setActive?.(false);
    return firstRequests.mayAsk(this.#shape, signal);
  }

  /** @returns undefined when the model's connection has changed */
  async #waitForPermit(budget: Permits, tokens: number, { rerouted }: ModelConnection): Promise<Permit | undefined> {
    const { signal, isContinuation, setActive, turn } = this.options;
    await setActive?.(false);
    await turn?.(tokens);
    return traceStep('wait for the budget', {}, () =>
      unlessRerouted(rerouted, budget.acquire(tokens, signal, { rerouted, isContinuation })),
    );
  }

  async #send({ model, body, startedAt, usage }: Attempt): Promise<AskResult> {
    const { signal, timeoutMs, replyMemory, setActive, onAttempt, onNotes } = this.options;
    await setActive?.(true);
    this.#result.attempts++;
    if (this.#result.requests.at(-1) !== body) this.#result.requests.push(body);
    const reply = await traceRequest(model.kind, body, () => model.chat.ask(body, { signal, timeoutMs, replyMemory }));
    this.options.firstRequests?.answered(this.#shape);
    onAttempt?.(undefined, (performance.now() - startedAt) / 1000);
    onNotes?.(reply.notes);
    usage.tokens = (reply.usage.promptTokens ?? 0) + (reply.usage.completionTokens ?? 0);
    usage.outcome = 'reply';
    // For longer waits only the model rests, once its provider refuses a request.
    if ((reply.refilledInMs ?? Infinity) < MAX_THROTTLED_MS) usage.refilledInMs = reply.refilledInMs;
    usage.blockReason = `${this.options.name} has used up a rate limit until then.`;
    this.#result.bodies.push(reply.body);
    return Object.assign(this.#result, {
      reply: { message: reply.message, finishReason: reply.finishReason },
      latencyMs: Math.round(performance.now() - startedAt),
      usage: reply.usage,
    });
  }

  /** @returns undefined when the model should be asked again */
  async #afterFailure(failure: ProviderFailure, attempt: Attempt): Promise<AskResult | undefined> {
    const { model, startedAt, usage, releasePermit } = attempt;
    if (failure.isOutage) usage.outcome = { outage: failure.message, item: this.options.item };
    else if (failure.status !== undefined) usage.outcome = 'reply';
    this.options.onAttempt?.(failure, (performance.now() - startedAt) / 1000);
    this.#result.latencyMs = Math.round(performance.now() - startedAt);
    keepRefusal(this.#result, failure);

    const badReply = replyInFailure(failure);
    if (badReply) {
      const { message, finishReason } = badReply;
      return Object.assign(this.#result, { reply: { message, finishReason } });
    }
    if (await this.#learn(failure, attempt)) return undefined;
    this.options.firstRequests?.answered(this.#shape);
    const isBreakerOpen = failure.isOutage && (await releasePermit());
    if (isBreakerOpen) return this.#waitOutOutage(failure);
    this.#outageSince = undefined;
    const { next, retryAfterMs } = this.#retries.recordFailure(failure);
    usage.retryAfterMs = retryAfterMs;
    usage.blockReason = `${this.options.name} asked for a pause: ${failure.message}`;
    if (next.then === 'rest') throw restOf(failure, next.forMs, model);
    if (next.then === 'settle-errored') return this.#fail(failure);
    void releasePermit();
    await this.#pause(next.inMs, model);
    return undefined;
  }

  /** @returns whether the failure says how to adapt the request */
  async #learn(failure: ProviderFailure, { model, body, releasePermit }: Attempt): Promise<boolean> {
    const refusal = readRefusal(failure, body, { ...model.learned, ...this.#learned }, model.kind);
    if (!refusal || this.#tried.size >= MAX_ADJUSTMENTS) return false;
    const { setting, way } = refusal;
    if (this.#tried.has(`${setting} ${way}`)) return false;
    this.#tried.add(`${setting} ${way}`);
    this.#learned = { ...this.#learned, [setting]: way };
    void releasePermit();
    this.options.firstRequests?.refused(this.#shape);
    await this.options.onRefusal?.(refusal);
    return true;
  }

  /**
   * While the breaker is open no attempt is used up, and the next permit is granted when the provider replies again, or
   * as its probe.
   */
  #waitOutOutage(failure: ProviderFailure): AskResult | undefined {
    this.#outageSince ??= Date.now();
    return Date.now() - this.#outageSince < MAX_THROTTLED_MS ? undefined : this.#fail(failure);
  }

  async #pause(ms: number, { rerouted }: ModelConnection): Promise<void> {
    const { signal, setActive } = this.options;
    await setActive?.(false);
    await delay(ms, undefined, { signal: AbortSignal.any([signal, rerouted]) }).catch(() => signal.throwIfAborted());
  }

  #fail(failure: ProviderFailure): AskResult {
    return Object.assign(this.#result, { failure });
  }
}

const restOf = ({ message }: ProviderFailure, forMs: number, { accessVersion }: ModelConnection): ModelResting =>
  new ModelResting({ forMs, why: message, accessVersion });

function unavailable(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  throw error;
}

function keepRefusal(result: AskResult, { kind, message, status, body, privateBody }: ProviderFailure): void {
  const error = { kind, message, status: status ?? null, body: body ?? null };
  const refusal = { error: privateBody === undefined ? error : { ...error, [PRIVATE_BODY]: privateBody } };
  if (++result.refused <= MAX_REFUSALS_KEPT) result.bodies.push(refusal);
  else result.bodies[result.bodies.length - 1] = refusal;
}

/**
 * The tokens a request will use: input of about four characters per token, and output of an ordinary reply, or its
 * limit.
 */
function estimateTokens(body: JsonObject): number {
  const limit = typeof body.max_tokens === 'number' ? body.max_tokens : RESERVED_REPLY_TOKENS;
  const replyTokens = Math.min(limit, RESERVED_REPLY_TOKENS);
  const messages = (body.messages as JsonObject[]).reduce((sum, message) => sum + messageTokens(message), 0);
  return messages + replyTokens + toolTokens(body.tools as object);
}
/** The messages of a conversation are sent again with each of its requests. */
const messageTokens = memoize((message: JsonObject) => (JSON.stringify(message).length + 1) / 4);
const toolTokens = memoize((tools: object) => JSON.stringify(tools).length / 4);
