import type { JsonObject } from '#lib/contracts/json/json';
import type { ToolChoice } from '#lib/contracts/run';
import { storable } from '#lib/contracts/json/storable';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { findExchanges, type ItemPlace } from '#lib/db/read/for-workers/exchanges';
import { placeOf, type LoadedTarget } from '#lib/db/read/for-workers/load-run';
import { rememberRefusesRequired } from '#lib/db/read/for-workers/connections';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { CachedReply } from '#lib/db/engine/reply-cache';
import type { Outcome, Settlement } from '#lib/db/engine/settle-items';
import { logWarning } from '#lib/db/engine/log-events';
import {
  buildRequest,
  expectsNoCall,
  toolChoiceWarning,
  type BuiltRequest,
  type Warning,
} from '#lib/providers/build-request';
import type { Note } from '#lib/providers/dialects/dialect';
import { suiteNamesByWireName } from '#lib/providers/dialects/dialects';
import { ProviderFailure } from '#lib/providers/failure';
import type { ReplyMemoryPool, ReplyMemory } from '#lib/providers/reply-memory';
import { requestKey } from '#lib/providers/request-key';
import type { LaneLimits } from '#lib/db/engine/dispatch-lane';
import type { Permits } from '#lib/queue/budget/lane-budget';
import type { Logger } from '#lib/runtime/logger';
import { UnsealError } from '#lib/runtime/seal';
import { traceStep } from '#lib/runtime/tracing/tracing';
import type { Asked } from './ask-model.js';
import type { Connections, HeldModel, ModelConnection } from './connections.js';
import type { Embedder } from '../embeddings/embedder.js';
import { KeyedMicroBatcher } from './micro-batch.js';
import { ShuttingDown } from './claimed-items.js';
import { packExchange, unpackExchange } from './pack-exchange.js';
import type { PreparedCase } from '../scoring/prepare-case.js';
import type { RunCache, CachedRun } from './run-cache.js';
import { TOOLS_PLACEHOLDER } from '#lib/scoring/cases/tool-set';
import { answersIn, playCase, recordedError, restOfChain, tokensIn, type Exchange } from './play-case.js';
import type { ReplyCache } from './reply-cache.js';
import { Unscorable, type ReplyScorer } from '../scoring/score-reply.js';
import type { Reply } from '../scoring/scoring-work.js';

/** How an item ended, to be settled; `settled` is to be called when that is done, with whether it was stored. */
export interface Played {
  settlement: Settlement;
  settled?: (stored: boolean) => Promise<void>;
}

/** What a settlement says of the reply. */
type Answered = Omit<Settlement, keyof Place>;
export type Place = Pick<Settlement, 'delivery' | 'casePosition' | 'sample' | 'category'>;

/** What a delivery came with, and how it is to be played. */
export interface Playing {
  permits: (lane: LaneLimits) => Permits;
  signal: AbortSignal;
  /** Of the run when it was claimed. */
  generation: number;
  /** Told when the item is worked on, and when it only waits for its turn. */
  works: (works: boolean) => Promise<void>;
}

/** An item, and whom to ask. */
interface Question {
  run: CachedRun['run'];
  target: LoadedTarget;
  /** Of the model. */
  name: string;
  delivery: Delivery;
  place: Place;
  prepared: PreparedCase;
  replyBytes: ReplyMemory;
  /** @throws ProviderFailure when it cannot be asked */
  model: () => Promise<ModelConnection>;
}

/** Plays one item: asks the model, reads and scores its reply. What it answers is to be settled. */
export class ItemRunner {
  readonly #announced = new Set<string>();
  /** By run. Few at a time, since each may have megabytes. */
  readonly #exchanges: KeyedMicroBatcher<ItemPlace, Buffer | undefined>;

  constructor(
    readonly of: {
      pool: Pool;
      runs: RunCache;
      connections: Connections;
      embedder: Embedder;
      replies: ReplyCache;
      scorer: ReplyScorer;
      replyBudget: ReplyMemoryPool;
      logger: Logger;
      onAttempt: (laneId: string, failure: ProviderFailure | undefined, seconds: number) => void;
    },
  ) {
    this.#exchanges = new KeyedMicroBatcher(
      (places, runId) => retryTransient(() => findExchanges(of.pool, runId, places)),
      {
        waitMs: 2,
        largest: 20,
        concurrency: 2,
      },
    );
  }

  /**
   * Its large replies have room among those of the process until the item is settled.
   * @returns undefined when the run is gone
   * @throws the signal's reason when it aborts; anything else is a fault of ours (`internalError`)
   */
  async run(delivery: Delivery, playing: Playing): Promise<Played | undefined> {
    const room: { of?: ReplyMemory } = {};
    try {
      const played = await this.#play(delivery, playing, (laneId) => (room.of = this.of.replyBudget.forItem(laneId)));
      if (!played || !room.of?.kept) {
        room.of?.release();
        return played;
      }
      const { settlement, settled } = played;
      return { settlement, settled: (stored) => (room.of!.release(), settled?.(stored) ?? Promise.resolve()) };
    } catch (error) {
      room.of?.release();
      throw error;
    }
  }

  async #play(
    delivery: Delivery,
    playing: Playing,
    roomOf: (laneId: string) => ReplyMemory,
  ): Promise<Played | undefined> {
    const { runs } = this.of;
    await playing.works(true);
    const inHand = await runs.run(delivery.runId);
    const target = inHand?.run.targets[delivery.target];
    if (!inHand || !target) return undefined;
    const { run } = inHand;
    const where = placeOf(run, delivery.item);
    const prepared = await inHand.caseAt(where.casePosition);
    const { input, category } = prepared;
    const place: Place = { delivery, ...where, category };
    const { signal } = playing;
    const replyBytes = roomOf(target.laneId);
    replyBytes.keepsAllRounds = input.multi_turn === true;

    // A run that was resumed has kept the replies that could not be scored before, and a recorded one has all there
    // are.
    const kept =
      target.recorded || playing.generation > 1
        ? await this.#exchanges.add(run.id, { ...where, target: delivery.target })
        : undefined;
    if (target.recorded)
      return { settlement: { ...place, ...(await this.#recorded(run, prepared, kept, replyBytes, signal)) } };
    const again =
      kept &&
      (await this.#again(
        run,
        prepared,
        { exchange: kept, promptTokens: null, completionTokens: null },
        replyBytes,
        signal,
      ));
    if (again) return { settlement: { ...place, ...again } };

    const held = this.of.connections.hold(target.providerId, target.modelId);
    try {
      const name = `${target.providerKey}::${target.modelId}`;
      return await this.#answer(
        { run, target, name, delivery, place, prepared, replyBytes, model: reachable(held, name) },
        playing,
      );
    } finally {
      held.release();
    }
  }

  /** Asks the model, or finds what it said before. */
  async #answer(of: Question, playing: Playing): Promise<Played> {
    const { run, target, name, place, prepared, replyBytes } = of;
    const { replies } = this.of;
    const { signal } = playing;
    let model: ModelConnection;
    try {
      model = await of.model();
    } catch (error) {
      if (error instanceof ProviderFailure)
        return { settlement: { ...place, ...notAsked, result: errored(error.kind, error.message) } };
      throw error;
    }
    const { input } = prepared;
    const request = buildRequest({
      config: run.config,
      suite: { systemPrompt: run.suite.systemPrompt, tools: prepared.tools },
      input,
      expectsNoCall: expectsNoCall(input),
      model,
      target: { name, modelId: target.modelId, params: target.params, systemPrompt: target.systemPrompt },
    });
    for (const warning of request.warnings) await this.#announce(run.id, playing.generation, warning);
    const ask = () => this.#ask(of, request, model, playing);
    if (run.config.cache === 'off') return { settlement: { ...place, ...(await ask()) } };

    const key = requestKey(
      { providerId: target.providerId, baseUrl: model.baseUrl, kind: model.kind },
      request.body,
      place.sample,
      restOfChain(input),
    );
    const found = await replies.find(
      { teamId: run.teamId, key, laneId: model.lane.id },
      run.config.cache === 'refresh',
      signal,
    );
    if ('exchange' in found) {
      const answered = await this.#again(run, prepared, found, replyBytes, signal);
      return { settlement: { ...place, ...(answered ?? (await ask())) } };
    }
    try {
      const settlement = { ...place, ...(await ask()) };
      // Its key names where it was to be asked; that may have changed meanwhile.
      const isKept = settlement.result.outcome === 'scored' && !model.moved.aborted;
      if (isKept)
        return { settlement, settled: (stored) => (stored ? found.keep(settlement) : Promise.resolve(found.giveUp())) };
      found.giveUp();
      return { settlement };
    } catch (error) {
      found.giveUp();
      throw error;
    }
  }

  async #ask(
    { run, target, name, prepared, delivery, replyBytes, model }: Question,
    request: BuiltRequest,
    first: ModelConnection,
    { permits, signal, works, generation }: Playing,
  ): Promise<Answered> {
    const { laneId } = target;
    const notes: Note[] = [];
    const names = suiteNamesByWireName(first.kind, request.body.tools);
    const asked = await playCase(
      prepared,
      {
        model,
        permits,
        body: request.body,
        toolChoice: request.toolChoice,
        item: `${delivery.runId} ${delivery.item}`,
        timeoutMs: run.config.timeout_s * 1000,
        signal,
        replyBytes,
        works,
        onAttempt: (failure, seconds) => this.of.onAttempt(laneId, failure, seconds),
        onNotes: (more) => notes.push(...more),
      },
      (reply, used) => this.of.scorer.answerRound(prepared, { ...reply, names }, used, { share: laneId, signal }),
    );
    if (asked.failure?.cause) this.#unforeseen(asked.failure.cause, { run: run.id, lane: laneId, item: delivery.item });
    const { kind, ...prices } = await model().catch(() => first);
    for (const { what, message } of notes)
      await this.#announce(run.id, generation, { code: `${kind}:${name}:${what}`, message: `${name}: ${message}` });
    if (asked.refusedRequired) {
      await this.#announce(run.id, generation, toolChoiceWarning(name));
      await retryTransient(() => rememberRefusesRequired(this.of.pool, target.providerId, target.modelId));
      void this.of.connections.refresh();
    }
    const { replies, rounds, refused } = asked;
    const exchange: Exchange = {
      requests: withoutTools(asked.requests, request.body.tools),
      replies,
      rounds,
      ...(refused > 0 && { refused }),
      ...(names && { names }),
    };
    return {
      result: asked.answers
        ? await this.#score(
            run,
            prepared,
            laneId,
            asked.answers.map((answer) => ({ ...answer, names })),
            signal,
          )
        : errored(asked.failure!.kind, asked.failure!.message),
      latencyMs: asked.latencyMs,
      promptTokens: asked.promptTokens,
      completionTokens: asked.completionTokens,
      costUsd: costOf(asked, prices),
      cached: false,
      attempts: asked.attempts,
      toolChoiceUsed: asked.toolChoice,
      exchange: await packExchange(exchange, replyBytes.kept),
    };
  }

  /**
   * Scores a stored reply: free, and in no time that says anything of the model. A large one waits for room as one
   * that arrives.
   * @returns undefined where the exchange holds no reply
   */
  async #again(
    run: CachedRun['run'],
    prepared: PreparedCase,
    { exchange, promptTokens, completionTokens }: CachedReply,
    replyBytes: ReplyMemory,
    signal: AbortSignal,
  ): Promise<Answered | undefined> {
    return unpackExchange(exchange, roomIn(replyBytes), async (stored) => {
      // A chain that broke off is played anew.
      const answers = prepared.input.multi_turn && !stored.rounds ? undefined : answersIn(stored);
      return (
        answers && {
          result: await this.#score(run, prepared, replyBytes.lane, answers, signal),
          latencyMs: null,
          promptTokens,
          completionTokens,
          costUsd: 0,
          cached: true,
          attempts: 0,
          toolChoiceUsed: (stored.requests.at(-1) as JsonObject).tool_choice as ToolChoice,
          exchange,
        }
      );
    });
  }

  /**
   * Scores a reply that was made elsewhere, or says why there is none. Tokens are those that were said to be used
   * for it; here it cost nothing.
   */
  async #recorded(
    run: CachedRun['run'],
    prepared: PreparedCase,
    exchange: Buffer | undefined,
    replyBytes: ReplyMemory,
    signal: AbortSignal,
  ): Promise<Answered> {
    const free = { ...notAsked, costUsd: 0 };
    if (!exchange)
      return { ...free, result: errored('unrecorded', 'The file holds no reply of this case and sample.') };
    return unpackExchange(exchange, roomIn(replyBytes), async (stored): Promise<Answered> => {
      const answers = answersIn(stored);
      if (!answers) return { ...free, exchange, result: { outcome: 'errored', error: recordedError(stored) } };
      return {
        ...free,
        exchange,
        ...tokensIn(stored),
        result: await this.#score(run, prepared, replyBytes.lane, answers, signal),
      };
    });
  }

  /**
   * A failing embedding model leaves the item without a score, as a failing model does; so does whatever goes wrong
   * in scoring. The reply is kept and can be scored again.
   */
  async #score(
    run: CachedRun['run'],
    prepared: PreparedCase,
    laneId: string,
    answers: Reply[],
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      const similarity = (a: string, b: string) => this.of.embedder.similarity(run.teamId, a, b, signal);
      return {
        outcome: 'scored',
        ...(await traceStep('score', {}, () =>
          this.of.scorer.score(prepared, answers, run.config.metrics, { share: laneId, signal, similarity }),
        )),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ShuttingDown) throw error;
      if (error instanceof ProviderFailure || error instanceof Unscorable) return errored(error.kind, error.message);
      this.#unforeseen(error, { run: run.id });
      return internalError(error);
    }
  }

  #unforeseen(error: unknown, facts: object): void {
    const { message, stack } = error as Error;
    this.of.logger.error(
      { ...facts, error: message, stack },
      'An item failed in an unforeseen way; it is settled as errored',
    );
  }

  /** The log of each generation of a run has each warning once; this set only saves asking it again for every item. */
  async #announce(runId: string, generation: number, warning: Warning): Promise<void> {
    const key = `${runId} ${generation} ${warning.code}`;
    if (this.#announced.has(key)) return;
    await retryTransient(() => logWarning(this.of.pool, runId, warning.code, warning.message));
    if (this.#announced.size > 10_000) this.#announced.clear();
    this.#announced.add(key);
  }
}

/** A large exchange waits for room as a large reply that arrives. */
const roomIn =
  (replyBytes: ReplyMemory) =>
  async <Made>(work: () => Promise<Made>): Promise<Made> => {
    await replyBytes.reserve();
    return work();
  };

/** @param name of the model, for whoever reads that it is gone */
const reachable = (held: HeldModel, name: string) => async (): Promise<ModelConnection> => {
  const model = await held.now().catch((error: unknown) => {
    throw error instanceof UnsealError ? new ProviderFailure('auth', error.message, false) : error;
  });
  if (!model) throw new ProviderFailure('bad_request', `${name} was removed while the run went on.`, false);
  return model;
};

const withoutTools = (requests: Exchange['requests'], tools: unknown): Exchange['requests'] =>
  requests.map((request) =>
    (request as JsonObject).tools === tools ? { ...(request as JsonObject), tools: TOOLS_PLACEHOLDER } : request,
  );

const errored = (kind: ProviderFailure['kind'], message: string) => ({
  outcome: 'errored' as const,
  error: { kind, message },
});

const notAsked = {
  latencyMs: null,
  promptTokens: null,
  completionTokens: null,
  costUsd: null,
  cached: false,
  attempts: 0,
  toolChoiceUsed: null,
  exchange: Buffer.alloc(0),
};

/** The end of an item whose processes died again and again while a request of it was under way. */
export const crashed = (place: Place, crashes: number): Settlement => ({
  ...place,
  ...notAsked,
  result: errored('crashed', `The worker died or froze ${crashes} times while it worked on this item.`),
});

/** The end of an item that was played by itself, because processes had died of it, and took too long. */
export const outOfTime = (place: Place, longestMs: number): Settlement => ({
  ...place,
  ...notAsked,
  result: errored(
    'timeout',
    'Processes died while they worked on this item, so it was asked in one of its own, which had no ' +
      `answer within ${longestMs / 1000} s.`,
  ),
});

/** The end of an item that something unforeseen was thrown for. What was paid for it counts. */
export const failedInside = (
  place: Place,
  error: unknown,
  paid: Partial<Pick<Settlement, 'costUsd' | 'attempts'>> = {},
): Settlement => ({
  ...place,
  ...notAsked,
  ...paid,
  result: internalError(error),
});

const internalError = (error: unknown): Outcome =>
  errored('internal', storable(`Something unforeseen went wrong here: ${(error as Error).message}`).slice(0, 2000));

/** US dollars, at the prices of now; null without prices. */
function costOf(
  asked: Pick<Asked, 'promptTokens' | 'completionTokens'>,
  { inputCostPerMtok, outputCostPerMtok }: Pick<ModelConnection, 'inputCostPerMtok' | 'outputCostPerMtok'>,
): number | null {
  if (inputCostPerMtok === null || outputCostPerMtok === null) return null;
  return ((asked.promptTokens ?? 0) * inputCostPerMtok + (asked.completionTokens ?? 0) * outputCostPerMtok) / 1e6;
}
