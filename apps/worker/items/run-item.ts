import type { CaseInput } from '#lib/contracts/case';
import { NO_USAGE } from '#lib/contracts/cost';
import type { JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import { describeTools } from '#lib/contracts/prompt-components';
import { targetName } from '#lib/contracts/target-name';
import type { Tool } from '#lib/contracts/tool';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import type { Settlement } from '#lib/db/engine/settle-items';
import { joinParts } from '#lib/db/read/exchange-parts';
import {
  findConversations,
  findExchanges,
  type ItemPlace,
  type KeptConversation,
} from '#lib/db/read/for-workers/exchanges';
import { readAccount, readRound } from './exchange/read-round.js';
import { placeOf } from '#lib/db/read/for-workers/load-run';
import { buildRequest, expectsNoCall, type BuiltRequest } from '#lib/providers/build-request';
import { ProviderFailure } from '#lib/providers/failure';
import type { ReplyMemoryPool, ReplyMemory } from '#lib/providers/guarded/reply-memory';
import { requestKey } from '#lib/providers/request-key';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import type { Connections, HeldModel, ModelConnection } from '../models/connections.js';
import type { ItemContext, CasePlayer, ModelRequest } from './play-and-score.js';
import { errored, NOT_ASKED, type ItemResult } from './error-settlements.js';
import { hasRounds, restOfChain } from './play-case.js';
import { sumOf } from './play-conversation.js';
import type { ReplyCache, Reservation } from './reply-cache.js';
import type { RunCache } from './run-cache.js';
import type { RunWarnings } from './run-warnings.js';
import { mayAnswerAgain, type ItemScorer, type LoadedItem } from './score-item.js';

/** An item that has ended and is ready to be settled. */
export interface FinishedItem {
  settlement: Settlement;
  /** To be called once the settlement was stored or refused. */
  onSettled?: (stored: boolean) => Promise<void>;
}

/**
 * Runs one item: determines where its reply comes from, and scores it. A recorded item already has its reply, as does
 * an item of a resumed run that could not be scored before. Any other item takes a stored reply from the cache if its
 * run allows that, or asks the model.
 */
export class ItemRunner {
  /** By run. In small batches, because each exchange may have megabytes. */
  readonly #exchanges: KeyedMicroBatcher<ItemPlace, Buffer | undefined>;
  readonly #conversations: KeyedMicroBatcher<ItemPlace, KeptConversation>;

  constructor(
    readonly deps: {
      pool: Pool;
      runs: RunCache;
      connections: Connections;
      replies: ReplyCache;
      itemScorer: ItemScorer;
      player: CasePlayer;
      warnings: RunWarnings;
      replyMemoryPool: ReplyMemoryPool;
    },
  ) {
    this.#exchanges = new KeyedMicroBatcher(
      (places, runId) => retryTransient(() => findExchanges(deps.pool, runId, places)),
      { waitMs: 2, maxSize: 20, concurrency: 2 },
    );
    this.#conversations = new KeyedMicroBatcher(
      (places, runId) => retryTransient(() => findConversations(deps.pool, runId, places)),
      { waitMs: 2, maxSize: 20, concurrency: 2 },
    );
  }

  /**
   * @returns undefined when the run is gone
   * @throws the signal's reason when it aborts; any other error is internal (`internalErrorSettlement`)
   */
  async run(delivery: Delivery, context: ItemContext): Promise<FinishedItem | undefined> {
    await context.setActive(true);
    const item = await this.#load(delivery);
    if (!item) return undefined;
    const { replyMemory } = item;
    try {
      const finished = await this.#finish(item, context);
      if (replyMemory.kept) return keepRoomUntilSettled(finished, replyMemory);
      replyMemory.release();
      return finished;
    } catch (error) {
      replyMemory.release();
      throw error;
    }
  }

  async #load(delivery: Delivery): Promise<LoadedItem | undefined> {
    const cached = await this.deps.runs.run(delivery.runId);
    const target = cached?.run.targets[delivery.target];
    if (!cached || !target) return undefined;
    const { run } = cached;
    const place = placeOf(run, delivery.item);
    const prepared = await cached.caseAt(place.casePosition);
    const replyMemory = this.deps.replyMemoryPool.forItem(target.laneId);
    replyMemory.keepsAllRounds = hasRounds(prepared.input);
    return { identity: { delivery, ...place, category: prepared.category }, run, target, prepared, replyMemory };
  }

  async #finish(item: LoadedItem, context: ItemContext): Promise<FinishedItem> {
    const { itemScorer, connections } = this.deps;
    const { target } = item;
    if (target.recorded) {
      const recorded = await itemScorer.scoreRecorded(item, await this.#storedExchange(item), context.signal);
      return finishedItem(item, recorded);
    }
    // A resumed run has kept the replies that could not be scored before.
    if (item.prepared.input.conversation) {
      const scored = await this.#continueConversation(item, context);
      if (scored) return finishedItem(item, scored);
    }
    const exchange = item.prepared.input.conversation
      ? undefined
      : context.generation > 1
        ? await this.#storedExchange(item)
        : undefined;
    if (exchange) {
      const stored = { exchange, usage: NO_USAGE };
      const scored = await itemScorer.scoreStored(item, stored, context.signal);
      if (scored) return finishedItem(item, scored);
    }
    const modelName = targetName(target);
    const model = connections.hold(target.providerId, target.modelId, modelName);
    try {
      return await this.#requestReply(item, model, modelName, context);
    } finally {
      model.release();
    }
  }

  /**
   * Loads the stored rounds of a conversation.
   * @returns its result, if it has ended and was not scored
   */
  async #continueConversation(item: LoadedItem, context: ItemContext): Promise<ItemResult | undefined> {
    const { run, identity } = item;
    const place = { target: identity.delivery.target, casePosition: identity.casePosition, sample: identity.sample };
    const { rounds, last } = await this.#conversations.add(run.id, place);
    if (last.length > 0 && context.generation > 1) {
      const stored = { exchange: joinParts(rounds, last), usage: NO_USAGE };
      const scored = await this.deps.itemScorer.scoreStored(item, stored, context.signal);
      // Without an exchange, the one that is stored stays.
      if (scored) return { ...scored, exchange: Buffer.alloc(0) };
    }
    item.keptRounds = await Promise.all(rounds.map(readRound));
    return undefined;
  }

  /** An item that ends without asking a model, with what the stored rounds of its conversation took and cost. */
  async withEarlierRounds({ settlement, ...rest }: FinishedItem): Promise<FinishedItem> {
    const { delivery, casePosition, sample, result, attempts } = settlement;
    if (result.outcome !== 'errored' || attempts > 0) return { settlement, ...rest };
    const place = { target: delivery.target, casePosition, sample };
    const { rounds } = await this.#conversations.add(delivery.runId, place);
    const accounts = (await Promise.all(rounds.map(readAccount))).filter((account) => account !== undefined);
    if (accounts.length === 0) return { settlement, ...rest };
    const { usage, costUsd } = settlement;
    return { settlement: { ...settlement, ...sumOf(accounts), uncounted: { attempts, usage, costUsd } }, ...rest };
  }

  #storedExchange({ run, identity: { delivery, casePosition, sample } }: LoadedItem): Promise<Buffer | undefined> {
    return this.#exchanges.add(run.id, { target: delivery.target, casePosition, sample });
  }

  async #requestReply(
    item: LoadedItem,
    model: HeldModel,
    modelName: string,
    context: ItemContext,
  ): Promise<FinishedItem> {
    let connection: ModelConnection;
    try {
      connection = await model.current(context.signal);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return finishedItem(item, { ...NOT_ASKED, result: errored(error.kind, error.message) });
    }
    const built = buildItemRequest(item, connection, modelName);
    for (const warning of built.warnings) await this.deps.warnings.log(item.run.id, context.generation, warning);
    const request = { built, model, connection, modelName };
    // A conversation that has begun goes on where it is.
    if (item.run.config.cache !== 'off' && !item.keptRounds?.length) return this.#findOrAsk(item, request, context);
    const { ended } = await this.deps.player.playAndScore(item, request, context);
    return finishedItem(item, ended);
  }

  /** Takes the reply from the cache, or asks the model and stores its reply there. */
  async #findOrAsk(item: LoadedItem, request: ModelRequest, context: ItemContext): Promise<FinishedItem> {
    const { replies, itemScorer, player } = this.deps;
    const { run } = item;
    const wanted = {
      teamId: run.teamId,
      key: cacheKey(item, request, request.built.body),
      laneId: request.connection.lane.id,
    };
    const found = await replies.findOrReserve(wanted, run.config.cache === 'refresh', context.signal);
    if (!('exchange' in found)) return this.#askAndStore(item, request, context, found);
    const scored = await itemScorer.scoreStored(item, found, context.signal);
    const answers = scored !== undefined && mayAnswerAgain(scored.result);
    return finishedItem(item, answers ? scored : (await player.playAndScore(item, request, context)).ended);
  }

  async #askAndStore(
    item: LoadedItem,
    request: ModelRequest,
    context: ItemContext,
    reservation: Reservation,
  ): Promise<FinishedItem> {
    try {
      const { ended, sent } = await this.deps.player.playAndScore(item, request, context);
      const { settlement } = finishedItem(item, ended);
      // The key contains the address. If the model was rerouted in the meantime, the reply may come from another one.
      const { result } = settlement;
      const isCacheable = result.outcome === 'scored' && mayAnswerAgain(result) && !request.connection.rerouted.aborted;
      if (!isCacheable) {
        reservation.release();
        return { settlement };
      }
      return {
        settlement,
        onSettled: async (stored) => {
          if (stored) await reservation.store(settlement, cacheKey(item, request, sent));
          else reservation.release();
        },
      };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }
}

const finishedItem = ({ identity }: LoadedItem, result: ItemResult): FinishedItem => ({
  settlement: { ...identity, ...result },
});

/** An item's large replies hold their memory budget in this process until it is settled. */
const keepRoomUntilSettled = ({ settlement, onSettled }: FinishedItem, replyMemory: ReplyMemory): FinishedItem => ({
  settlement,
  onSettled: async (stored) => {
    replyMemory.release();
    await onSettled?.(stored);
  },
});

const buildItemRequest = (
  { run, target, prepared }: LoadedItem,
  model: ModelConnection,
  modelName: string,
): BuiltRequest =>
  buildRequest({
    config: run.config,
    suite: { systemPrompt: run.suite.systemPrompt, tools: toolsOf({ run, prepared }) },
    input: prepared.input,
    expectsNoCall: expectsNoCall(prepared.input),
    model,
    target: { name: modelName, modelId: target.modelId, params: target.params, systemPrompt: target.systemPrompt },
  });

/** The tools of a case, with the run's descriptions instead of the suite's. */
function toolsOf({ run: { suite, config }, prepared }: Pick<LoadedItem, 'run' | 'prepared'>): readonly Tool[] {
  const described = describeTools(suite.tools, config.tool_overrides);
  return described === suite.tools ? prepared.tools : toolSetsOf(prepared.input)(described);
}

/** By case and by the tools of its suite: the list caches what is built for requests. */
const toolSetsOf = memoize((input: CaseInput) => memoize((suite: readonly Tool[]) => toolSetOf(input, suite)));

const cacheKey = (
  { target, prepared, identity: { sample } }: LoadedItem,
  { connection: { baseUrl, kind, headers } }: ModelRequest,
  sent: JsonObject,
): Buffer =>
  requestKey({ providerId: target.providerId, baseUrl, kind, headers }, sent, sample, restOfChain(prepared.input));
