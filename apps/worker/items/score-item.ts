import type { CachedReply } from '#lib/db/engine/reply-cache';
import type { Outcome } from '#lib/db/engine/settle-items';
import { joinParts } from '#lib/db/read/exchange-parts';
import type { LoadedRun, LoadedTarget } from '#lib/db/read/for-workers/load-run';
import { ProviderFailure } from '#lib/providers/failure';
import type { ReplyMemory } from '#lib/providers/guarded/reply-memory';
import type { Logger } from '#lib/runtime/logger';
import { traceStep } from '#lib/runtime/tracing/tracing';
import type { Embedder } from '../embeddings/embedder.js';
import type { ConversationPlayed, PreparedCase } from '../scoring/prepare-case.js';
import { Unscorable, type ReplyScorer } from '../scoring/score-reply.js';
import type { HeldReply } from '../scoring/exchange.js';
import { ShuttingDown } from './claimed-items.js';
import type { KeptRound } from './play-conversation.js';
import { errored, internalError, NOT_ASKED, type ItemIdentity, type ItemResult } from './error-settlements.js';
import { packExchange, unpackExchange, type LargeExchanges } from './exchange/pack-exchange.js';

/** An item with everything needed to run it. */
export interface LoadedItem {
  identity: ItemIdentity;
  run: LoadedRun;
  target: LoadedTarget;
  prepared: PreparedCase;
  /** The memory budget for its large replies. */
  replyMemory: ReplyMemory;
  /** The stored rounds of its conversation. */
  keptRounds?: KeptRound[];
}

/** Scores the replies of items: new ones and stored ones. */
export class ItemScorer {
  constructor(readonly deps: { scorer: ReplyScorer; embedder: Embedder; logger: Logger }) {}

  /**
   * A failing embedding model leaves the item without a score, as a failing model does, and so does any error in
   * scoring. The reply is kept and can be scored again.
   */
  async score(
    item: LoadedItem,
    replies: HeldReply[],
    signal: AbortSignal,
    played?: ConversationPlayed,
  ): Promise<Outcome> {
    return (await this.#scoreOrExplain(item, replies, signal, played)).outcome;
  }

  /** @returns how the rules of a conversation answer replies that were made elsewhere, too */
  async #scoreOrExplain(
    { run, target, prepared }: LoadedItem,
    replies: HeldReply[],
    signal: AbortSignal,
    played?: ConversationPlayed,
  ): Promise<{ outcome: Outcome; played?: ConversationPlayed }> {
    const { scorer, embedder } = this.deps;
    const similarity = (a: string, b: string) =>
      embedder.similarity({ teamId: run.teamId, askedBy: run.id }, a, b, signal);
    try {
      const scored = await traceStep('score', {}, () =>
        scorer.score(prepared, replies, run.config.metrics, {
          share: target.laneId,
          signal,
          similarity,
          ...(played && { played }),
        }),
      );
      const { differs: _differs, played: byRules, ...verdict } = scored;
      return { outcome: { outcome: 'scored', ...verdict }, ...(byRules && { played: byRules }) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ShuttingDown) throw error;
      if (error instanceof ProviderFailure || error instanceof Unscorable)
        return { outcome: errored(error.kind, error.message) };
      this.logUnforeseen(error, { run: run.id });
      return { outcome: internalError(error) };
    }
  }

  /**
   * Scores the reply of an earlier request. Its cost is zero, and its latency would say nothing about the model.
   * @returns undefined when the exchange contains no reply
   */
  async scoreStored(
    item: LoadedItem,
    { exchange, usage }: CachedReply,
    signal: AbortSignal,
  ): Promise<ItemResult | undefined> {
    return unpackExchange(exchange, this.#large(item, signal), async (stored): Promise<ItemResult | undefined> => {
      const { multi_turn: isChain, conversation } = item.prepared.input;
      const isUnfinishedChain = (isChain && !stored.isWholeChain) || (conversation && !stored.conversation);
      const replies = isUnfinishedChain ? undefined : stored.replies;
      if (!replies) return undefined;
      return {
        result: await this.score(item, replies, signal, stored.conversation),
        latencyMs: null,
        usage,
        costUsd: 0,
        cached: true,
        attempts: 0,
        toolChoiceUsed: stored.toolChoice,
        exchange,
      };
    });
  }

  /**
   * Scores a reply that was made elsewhere, or reports why there is none. Token counts come from the recording. Its
   * cost here is zero. What the rules of a conversation answered is kept with it, and is what a rescore judges.
   */
  async scoreRecorded(item: LoadedItem, exchange: Buffer | undefined, signal: AbortSignal): Promise<ItemResult> {
    const free = { ...NOT_ASKED, costUsd: 0 };
    if (!exchange) return { ...free, result: errored('unrecorded', 'The file has no reply for this case and sample.') };
    return unpackExchange(exchange, this.#large(item, signal), async (stored): Promise<ItemResult> => {
      const { replies, usage, error, conversation } = stored;
      if (replies) {
        const { outcome: result, played } = await this.#scoreOrExplain(item, replies, signal, conversation);
        return { ...free, exchange: played ? await withPlayed(exchange, played) : exchange, usage, result };
      }
      if (error) return { ...free, exchange, result: { outcome: 'errored', error } };
      throw new Error('A recorded exchange has neither a reply nor an error.');
    });
  }

  /** Reads a large exchange: in a thread, when the memory budget has room, as for a large incoming reply. */
  #large({ replyMemory, target }: LoadedItem, signal: AbortSignal): LargeExchanges {
    return {
      read: (packed) => this.deps.scorer.readExchange(packed, { share: target.laneId, signal }),
      whenFree: async (work) => {
        await replyMemory.reserve();
        return work();
      },
    };
  }

  logUnforeseen(error: unknown, facts: object): void {
    const { message, stack } = error as Error;
    this.deps.logger.error(
      { ...facts, error: message, stack },
      'An item failed unexpectedly; it is settled as errored',
    );
  }
}

/** A recorded exchange with another part: how its conversation was played. */
async function withPlayed(exchange: Buffer, { rounds, ...ended }: ConversationPlayed): Promise<Buffer> {
  const part = { requests: [], replies: [], conversation: rounds, ended, round: 1 };
  return joinParts([exchange], await packExchange(part, 0));
}

/**
 * Whether a reply may be reused for the same request. A reply that was refused or cut off says nothing about the model.
 */
export const mayAnswerAgain = (result: Outcome): boolean =>
  result.outcome === 'errored' || !['refused', 'cut_off'].includes(result.verdict.error_type);
