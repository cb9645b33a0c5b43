import { addUsage, costOf, NO_USAGE, type ModelPrices, type Usage } from '#lib/contracts/cost';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import { noteModelMissing } from '#lib/db/engine/unasked-items';
import { adjustmentWarnings, type BuiltRequest } from '#lib/providers/build-request';
import { notify } from '#lib/events/notifications';
import type { Note } from '#lib/providers/dialects/note';
import { suiteNamesByWireName } from '#lib/providers/formats/formats';
import { ProviderFailure } from '#lib/providers/failure';
import type { Permits } from '#lib/queue/budget/lane-budget';
import { STRICTLESS_TOOLS_PLACEHOLDER, TOOLS_PLACEHOLDER } from '#lib/scoring/cases/stored-requests';
import { withoutStrict } from '#lib/contracts/strict-tools';
import type { ToolChoice } from '#lib/contracts/run-input';
import type { Redis } from '#lib/runtime/redis';
import type { ReplyScorer } from '../scoring/score-reply.js';
import type { Connections, HeldModel, ModelConnection } from '../models/connections.js';
import type { FirstRequests } from '../models/first-requests.js';
import type { RequestTurns } from '../models/request-turns.js';
import type { NewExchange } from '../scoring/exchange.js';
import type { Account } from '#lib/db/engine/store-rounds';
import type { AskOptions } from './ask-model.js';
import { LeaseLost, ModelResting } from './claimed-items.js';
import { errored, type ItemResult } from './error-settlements.js';
import { packExchange } from './exchange/pack-exchange.js';
import { hasRounds, playCase, type LastRound, type PlayedCase } from './play-case.js';
import { lastRound, playConversation, sumOf, type FinishedRound } from './play-conversation.js';
import type { RoundStore } from './round-store.js';
import type { RunWarnings } from './run-warnings.js';
import type { ItemScorer, LoadedItem } from './score-item.js';

/** The context in which a claimed item runs. */
export interface ItemContext {
  permits: (lane: LaneLimits) => Permits;
  signal: AbortSignal;
  /** The run's generation when the item was claimed. */
  generation: number;
  /** Records whether the item is being worked on, or is only waiting for its turn. */
  setActive: (isActive: boolean) => Promise<void>;
}

/** A request, and the model it is sent to. */
export interface ModelRequest {
  built: BuiltRequest;
  model: HeldModel;
  /** The connection when the request was built. */
  connection: ModelConnection;
  /** `provider::model` */
  modelName: string;
}

/** The result of an item for which a model was asked. */
export interface PlayedItem {
  ended: ItemResult;
  /** The first request as the model accepted it. */
  sent: JsonObject;
}

export type OnAttempt = (laneId: string, failure: ProviderFailure | undefined, seconds: number) => void;

/** Asks a model to play a case, and scores its replies. */
export class CasePlayer {
  constructor(
    readonly deps: {
      pool: Pool;
      redis: Redis;
      connections: Connections;
      firstRequests: FirstRequests;
      turns: RequestTurns;
      scorer: ReplyScorer;
      itemScorer: ItemScorer;
      warnings: RunWarnings;
      onAttempt: OnAttempt;
      rounds: RoundStore;
    },
  ) {}

  async playAndScore(item: LoadedItem, request: ModelRequest, context: ItemContext): Promise<PlayedItem> {
    const { itemScorer } = this.deps;
    const { run, target, identity } = item;
    const { built, connection } = request;
    const notes: Note[] = [];
    const names = suiteNamesByWireName(connection.kind, built.body.tools);
    const played = await this.#play(item, request, context, names, notes);
    if (played.failure?.cause)
      itemScorer.logUnforeseen(played.failure.cause, {
        run: run.id,
        lane: target.laneId,
        item: identity.delivery.item,
      });
    if (played.failure?.isModelMissing)
      await retryTransient(() =>
        noteModelMissing(this.deps.pool, identity.delivery, { name: request.modelName, ...connection }),
      );
    // Current prices, or the last known ones if the model was removed in the meantime.
    const { kind, ...prices } = await request.model.current().catch(() => connection);
    await this.#warn(item, request, context.generation, { kind, notes, played, prices });
    const account: Account = {
      attempts: played.attempts,
      latencyMs: played.latencyMs,
      usage: addUsage(played.usages),
      costUsd: costOfAll(played.usages, prices),
    };
    const { conversation } = played;
    const total = conversation && conversation.before.attempts > 0 ? sumOf([conversation.before, account]) : account;
    const ended: ItemResult = {
      result: played.replies
        ? await itemScorer.score(
            item,
            played.replies.map((reply) => ({ ...reply, names })),
            context.signal,
            conversation?.ended && { rounds: conversation.rounds, ...conversation.ended },
          )
        : errored(played.failure!.kind, played.failure!.message),
      ...total,
      ...(total !== account && { uncounted: account }),
      cached: false,
      toolChoiceUsed: toolChoiceOf(played.sent),
      exchange: await packExchange(
        {
          ...exchangeOf(played, built.asked.tools as Json[], names),
          ...(conversation && conversationOf(conversation)),
        },
        item.replyMemory.kept,
      ),
    };
    return { ended, sent: played.firstSent };
  }

  #play(
    item: LoadedItem,
    request: ModelRequest,
    context: ItemContext,
    names: Record<string, string> | undefined,
    notes: Note[],
  ): Promise<PlayedCase> {
    const { run, target, prepared, identity, replyMemory, keptRounds = [] } = item;
    const { delivery } = identity;
    const { built, model, modelName } = request;
    const { permits, signal, setActive } = context;
    const { laneId } = target;
    const { connections, redis, scorer, turns } = this.deps;
    const caller = { share: laneId, signal };
    const options: AskOptions = {
      model: () => model.current(),
      permits,
      name: modelName,
      body: built.asked,
      firstRequests: this.deps.firstRequests,
      onRefusal: async (refusal) => {
        await connections.learn(target.providerId, target.modelId, refusal);
        void notify(redis, { topic: 'provider', id: target.providerKey });
      },
      item: `${delivery.runId} ${delivery.item}`,
      timeoutMs: run.config.timeout_s * 1000,
      signal,
      replyMemory,
      setActive,
      turn: async (tokens) => {
        if (hasRounds(prepared.input)) await turns.take(run.teamId, tokens, signal);
        else turns.count(run.teamId, tokens);
      },
      onAttempt: (failure, seconds) => this.deps.onAttempt(laneId, failure, seconds),
      onNotes: (more) => notes.push(...more),
    };
    const { conversation } = prepared.input;
    if (conversation)
      return playConversation(options, {
        conversation,
        kept: keptRounds,
        answer: (reply, before) => scorer.playRound(prepared, { ...reply, names }, before, caller),
        store: (round) => this.#storeRound(item, request, round, names),
      });
    return playCase(prepared, options, (reply, callCounts) =>
      scorer.runTools(prepared, { ...reply, names }, callCounts, caller),
    );
  }

  /**
   * Stores a round of a conversation.
   * @throws LeaseLost when the item is no longer this worker's, ModelResting when the budget has no room
   */
  async #storeRound(
    { identity, run, replyMemory }: LoadedItem,
    { built, model, connection }: ModelRequest,
    { round, asked, played, next }: FinishedRound,
    names: Record<string, string> | undefined,
  ): Promise<Account | ProviderFailure> {
    const prices = await model.current().catch(() => connection);
    const { attempts, latencyMs, usage } = asked;
    const account: Account = { attempts, latencyMs, usage, costUsd: costOfAll([usage], prices) };
    const part = exchangeOf(lastRound(asked, round), built.asked.tools as Json[], names);
    const body = await packExchange({ ...part, conversation: [played], next, account }, replyMemory.kept);
    const { delivery, casePosition, sample } = identity;
    const after = await this.deps.rounds.store(run.teamId, { delivery, casePosition, sample, round, account, body });
    if (after === 'failed')
      return new ProviderFailure('internal', 'A round could not be stored; the log of the worker says why.', false);
    if (after === 'lost') throw new LeaseLost('The item was delivered to another worker, or its run was stopped.');
    if (after === 'wait') throw new ModelResting();
    return account;
  }

  /** Warns about what the provider's format could not express, and what the model refuses. */
  async #warn(
    { run }: LoadedItem,
    { modelName, built }: ModelRequest,
    generation: number,
    { kind, notes, played, prices }: { kind: string; notes: Note[]; played: PlayedCase; prices: ModelPrices },
  ): Promise<void> {
    const { warnings } = this.deps;
    for (const { what, message } of notes) {
      const code = `${kind}:${modelName}:${what}`;
      await warnings.log(run.id, generation, { code, message: `${modelName}: ${message}` });
    }
    if (played.refusedRound)
      await warnings.log(run.id, generation, {
        code: `refused_round:${modelName}`,
        message:
          `${modelName}: the host refuses what the model wrote in an earlier round, so such a chain is scored on the ` +
          `rounds before: ${played.refusedRound.message}`,
      });
    if (prices.inputCostPerMtok !== null && prices.outputCostPerMtok !== null && played.usages.some(isUncounted))
      await warnings.log(run.id, generation, {
        code: `uncounted:${modelName}`,
        message:
          `${modelName}: its host reports no tokens, so the cost of such replies is unknown, and cost limits do not ` +
          'apply to them.',
      });
    for (const warning of adjustmentWarnings(modelName, played.adjusted, built.asked))
      await warnings.log(run.id, generation, warning);
  }
}

const conversationOf = ({ round, last, ended }: LastRound): Pick<NewExchange, 'conversation' | 'ended' | 'round'> => ({
  ...(round > 0 && { round }),
  conversation: last ? [last] : [],
  ...(ended && { ended }),
});

function exchangeOf(
  {
    requests,
    bodies,
    rounds,
    refused,
    adjusted,
  }: Pick<PlayedCase, 'requests' | 'bodies' | 'rounds' | 'refused' | 'adjusted'>,
  tools: readonly Json[],
  names: Record<string, string> | undefined,
): NewExchange {
  return {
    requests: requests.map((request) => {
      const { tools: sent } = request as JsonObject;
      if (sent === tools) return { ...(request as JsonObject), tools: TOOLS_PLACEHOLDER };
      if (sent !== withoutStrict(tools)) return request;
      return { ...(request as JsonObject), tools: STRICTLESS_TOOLS_PLACEHOLDER };
    }),
    replies: bodies,
    rounds,
    ...(refused > 0 && { refused }),
    ...(names && { names }),
    ...(Object.keys(adjusted).length > 0 && { adjusted }),
  };
}

/** Hosts treat a missing tool choice as "auto". */
const toolChoiceOf = ({ tool_choice: sent = 'auto' }: JsonObject): ToolChoice => sent as ToolChoice;

const isUncounted = ({ promptTokens, completionTokens, reportedCostUsd }: Usage): boolean =>
  promptTokens === null && completionTokens === null && reportedCostUsd === null;

/** The cost of an item's replies, in US dollars. Failed requests cost nothing. Null when no reply has a known cost. */
function costOfAll(usages: readonly Usage[], prices: ModelPrices): number | null {
  const costs = usages.map((usage) => costOf(usage, prices)).filter((cost) => cost !== null);
  if (costs.length > 0) return costs.reduce((sum, cost) => sum + cost, 0);
  return usages.length === 0 ? costOf({ ...NO_USAGE, promptTokens: 0 }, prices) : null;
}
