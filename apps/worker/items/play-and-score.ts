import type { JsonObject } from '#lib/contracts/json/json';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import { rememberRefusesRequired } from '#lib/db/read/for-workers/connections';
import { toolChoiceWarning, type BuiltRequest } from '#lib/providers/build-request';
import type { Note } from '#lib/providers/dialects/note';
import { suiteNamesByWireName } from '#lib/providers/dialects/dialects';
import type { ProviderFailure } from '#lib/providers/failure';
import type { Permits } from '#lib/queue/budget/lane-budget';
import { TOOLS_PLACEHOLDER } from '#lib/scoring/cases/stored-requests';
import type { ReplyScorer } from '../scoring/score-reply.js';
import type { Connections, HeldModel, ModelConnection } from '../models/connections.js';
import { errored, type ItemResult } from './error-settlements.js';
import type { Exchange } from './exchange/exchange.js';
import { packExchange } from './exchange/pack-exchange.js';
import { playCase, type PlayedCase } from './play-case.js';
import type { RunWarnings } from './run-warnings.js';
import type { ItemScorer, LoadedItem } from './score-item.js';

/** How a claimed item is to be run. */
export interface ItemContext {
  permits: (lane: LaneLimits) => Permits;
  signal: AbortSignal;
  /** Of the run when the item was claimed. */
  generation: number;
  /** Notes whether the item is worked on, or only waits for its turn. */
  setActive: (isActive: boolean) => Promise<void>;
}

/** A request, and the model that it goes to. */
export interface ModelRequest {
  built: BuiltRequest;
  model: HeldModel;
  /** As it was when the request was built. */
  connection: ModelConnection;
  /** `provider::model` */
  modelName: string;
}

export type OnAttempt = (laneId: string, failure: ProviderFailure | undefined, seconds: number) => void;

/** Asks a model to play a case, and scores its replies. */
export class CasePlayer {
  constructor(
    readonly deps: {
      pool: Pool;
      connections: Connections;
      scorer: ReplyScorer;
      itemScorer: ItemScorer;
      warnings: RunWarnings;
      onAttempt: OnAttempt;
    },
  ) {}

  async playAndScore(item: LoadedItem, request: ModelRequest, context: ItemContext): Promise<ItemResult> {
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
    // The prices of now, or the last ones if the model was removed meanwhile.
    const { kind, ...prices } = await request.model.current().catch(() => connection);
    await this.#warn(item, request, context.generation, { kind, notes, played });
    return {
      result: played.replies
        ? await itemScorer.score(
            item,
            played.replies.map((reply) => ({ ...reply, names })),
            context.signal,
          )
        : errored(played.failure!.kind, played.failure!.message),
      latencyMs: played.latencyMs,
      promptTokens: played.promptTokens,
      completionTokens: played.completionTokens,
      costUsd: costOf(played, prices),
      cached: false,
      attempts: played.attempts,
      toolChoiceUsed: played.toolChoice,
      exchange: await packExchange(exchangeOf(played, built.body.tools, names), item.replyMemory.kept),
    };
  }

  #play(
    { run, target, prepared, identity: { delivery }, replyMemory }: LoadedItem,
    { built, model }: ModelRequest,
    { permits, signal, setActive }: ItemContext,
    names: Record<string, string> | undefined,
    notes: Note[],
  ): Promise<PlayedCase> {
    const { laneId } = target;
    return playCase(
      prepared,
      {
        model: () => model.current(),
        permits,
        body: built.body,
        toolChoice: built.toolChoice,
        item: `${delivery.runId} ${delivery.item}`,
        timeoutMs: run.config.timeout_s * 1000,
        signal,
        replyMemory,
        setActive,
        onAttempt: (failure, seconds) => this.deps.onAttempt(laneId, failure, seconds),
        onNotes: (more) => notes.push(...more),
      },
      (reply, callCounts) =>
        this.deps.scorer.runTools(prepared, { ...reply, names }, callCounts, { share: laneId, signal }),
    );
  }

  /** Warns of what the provider's format could not express, and remembers a model that refuses "required". */
  async #warn(
    { run, target }: LoadedItem,
    { modelName }: ModelRequest,
    generation: number,
    { kind, notes, played }: { kind: string; notes: Note[]; played: PlayedCase },
  ): Promise<void> {
    const { pool, connections, warnings } = this.deps;
    for (const { what, message } of notes) {
      const code = `${kind}:${modelName}:${what}`;
      await warnings.log(run.id, generation, { code, message: `${modelName}: ${message}` });
    }
    if (!played.refusedRequired) return;
    await warnings.log(run.id, generation, toolChoiceWarning(modelName));
    await retryTransient(() => rememberRefusesRequired(pool, target.providerId, target.modelId));
    void connections.refresh();
  }
}

function exchangeOf(
  { requests, bodies, rounds, refused }: PlayedCase,
  tools: unknown,
  names: Record<string, string> | undefined,
): Exchange {
  return {
    requests: requests.map((request) => {
      const { tools: sent } = request as JsonObject;
      return sent === tools ? { ...(request as JsonObject), tools: TOOLS_PLACEHOLDER } : request;
    }),
    replies: bodies,
    rounds,
    ...(refused > 0 && { refused }),
    ...(names && { names }),
  };
}

/** US dollars; null without prices. */
function costOf(
  { promptTokens, completionTokens }: Pick<PlayedCase, 'promptTokens' | 'completionTokens'>,
  { inputCostPerMtok, outputCostPerMtok }: Pick<ModelConnection, 'inputCostPerMtok' | 'outputCostPerMtok'>,
): number | null {
  if (inputCostPerMtok === null || outputCostPerMtok === null) return null;
  return ((promptTokens ?? 0) * inputCostPerMtok + (completionTokens ?? 0) * outputCostPerMtok) / 1e6;
}
