import type { JsonObject } from '#lib/contracts/json';
import type { ToolChoice } from '#lib/contracts/run';
import type { Delivery } from '#lib/db/dispatch-lane';
import { rememberRefusesRequired } from '#lib/db/load-run';
import type { Pool } from '#lib/db/pool';
import type { CachedReply } from '#lib/db/reply-cache';
import type { Outcome, Settlement } from '#lib/db/settle-items';
import { warnOnce } from '#lib/db/warn-once';
import { buildRequest, expectsNoCall, refusesRequired, type BuiltRequest, type Warning } from '#lib/providers/build-request';
import type { Note } from '#lib/providers/dialects/dialect';
import { ProviderFailure } from '#lib/providers/failure';
import type { ReplyBudget, ReplyBytes } from '#lib/providers/reply-bytes';
import { requestKey } from '#lib/providers/request-key';
import type { LaneBudget } from '#lib/queue/lane-budget';
import { traceStep } from '#lib/runtime/tracing';
import type { Asked } from './ask-model.js';
import type { Embedder } from './embedder.js';
import type { PreparedCase } from './prepare-case.js';
import type { ModelConnection, RunCache, RunInHand } from './run-cache.js';
import { TOOLS_OF_CASE } from '#lib/scoring/tool-set';
import { packExchange, unpackExchange } from './pack-exchange.js';
import { answersIn, playCase, restOfChain, type Exchange } from './play-case.js';
import type { ReplyCache } from './reply-cache.js';
import { Unscorable, type ReplyScorer } from './score-reply.js';
import type { Reply } from './scoring-work.js';

/** How an item ended, to be settled; `settled` is to be called when that is done. */
export interface Played {
  settlement: Settlement;
  settled?: () => Promise<void>;
}

/** What a settlement says of the reply. */
type Answered = Omit<Settlement, keyof Place>;
type Place = Pick<Settlement, 'delivery' | 'casePosition' | 'sample' | 'category'>;

/** Plays one item: asks the model, reads and scores its reply. What it answers is to be settled. */
export class ItemRunner {
  readonly #announced = new Set<string>();

  constructor(
    readonly pool: Pool, readonly runs: RunCache, readonly embedder: Embedder, readonly replies: ReplyCache, readonly scorer: ReplyScorer, readonly replyBudget: ReplyBudget,
    readonly onAttempt: (laneId: string, failure: ProviderFailure | undefined, seconds: number) => void,
  ) {}

  /**
   * Its large replies have room among those of the process until the item is settled.
   * @returns undefined when the run is gone
   */
  async run(delivery: Delivery, budget: LaneBudget, signal: AbortSignal): Promise<Played | undefined> {
    const room: { of?: ReplyBytes } = {};
    try {
      const played = await this.#play(delivery, budget, signal, (laneId) => (room.of = this.replyBudget.of(laneId)));
      if (!played || !room.of?.kept) {
        room.of?.release();
        return played;
      }
      const { settlement, settled } = played;
      return { settlement, settled: () => (room.of!.release(), settled?.() ?? Promise.resolve()) };
    } catch (error) {
      room.of?.release();
      throw error;
    }
  }

  async #play(delivery: Delivery, budget: LaneBudget, signal: AbortSignal, roomOf: (laneId: string) => ReplyBytes): Promise<Played | undefined> {
    const inHand = await this.runs.run(delivery.runId);
    const target = inHand?.run.targets[delivery.target];
    if (!inHand || !target) return undefined;
    const { run } = inHand;
    const casePosition = run.casePositions[Math.floor(delivery.item / run.config.samples)]!;
    const prepared = inHand.caseAt(casePosition);
    const { input, category } = prepared;
    const place: Place = { delivery, casePosition, sample: delivery.item % run.config.samples, category };

    const model = await this.runs.connection(target.providerId, target.modelId);
    const name = `${target.providerKey}::${target.modelId}`;
    if (!model) return { settlement: { ...place, ...notAsked, result: errored('bad_request', `${name} was removed while the run went on.`) } };

    const request = buildRequest({
      config: run.config, suite: { systemPrompt: run.suite.systemPrompt, tools: prepared.tools }, input, expectsNoCall: expectsNoCall(input), model,
      target: { name, modelId: target.modelId, params: target.params, systemPrompt: target.systemPrompt },
    });
    for (const warning of request.warnings) await this.#announce(run.id, warning);
    const replyBytes = roomOf(target.laneId);
    replyBytes.forRounds = input.multi_turn === true;
    const ask = () => this.#ask({ run, prepared, request, model, name, laneId: target.laneId, delivery, replyBytes }, budget, signal);
    if (run.config.cache === 'off') return { settlement: { ...place, ...(await ask()) } };

    const key = requestKey({ providerId: target.providerId, baseUrl: model.baseUrl, kind: model.kind }, request.body, place.sample, restOfChain(input));
    const found = await this.replies.find({ teamId: run.teamId, key, laneId: target.laneId }, run.config.cache === 'refresh', signal);
    if ('exchange' in found) return { settlement: { ...place, ...(await this.#again(run, prepared, found, replyBytes, signal)) } };
    try {
      const settlement = { ...place, ...(await ask()) };
      if (settlement.result.outcome === 'scored') return { settlement, settled: () => found.keep(settlement) };
      found.giveUp();
      return { settlement };
    } catch (error) {
      found.giveUp();
      throw error;
    }
  }

  async #ask(
    { run, prepared, request, model, name, laneId, delivery, replyBytes }: {
      run: RunInHand['run']; prepared: PreparedCase; request: BuiltRequest; model: ModelConnection; name: string; laneId: string; delivery: Delivery;
      replyBytes: ReplyBytes;
    },
    budget: LaneBudget, signal: AbortSignal,
  ): Promise<Answered> {
    const notes: Note[] = [];
    const asked = await playCase(prepared, {
      chat: model.chat, provider: model.kind, budget, body: request.body, toolChoice: request.toolChoice, item: `${delivery.runId} ${delivery.item}`, timeoutMs: run.config.timeout_s * 1000, signal, replyBytes,
      onAttempt: (failure, seconds) => this.onAttempt(laneId, failure, seconds),
      onNotes: (more) => notes.push(...more),
    }, (message, used) => this.scorer.answerRound(prepared, message, used, laneId));
    for (const { what, message } of notes) await this.#announce(run.id, { code: `${model.kind}:${name}:${what}`, message: `${name}: ${message}` });
    if (asked.refusedRequired) {
      await this.#announce(run.id, refusesRequired(name));
      await rememberRefusesRequired(this.pool, model.providerId, String(request.body.model));
      this.runs.forgetConnection(model.providerId, String(request.body.model));
    }
    return {
      result: asked.answers ? await this.#score(run, prepared, laneId, asked.answers, signal) : errored(asked.failure!.kind, asked.failure!.message),
      latencyMs: asked.latencyMs,
      promptTokens: asked.promptTokens,
      completionTokens: asked.completionTokens,
      costUsd: costOf(asked, model),
      cached: false,
      attempts: asked.attempts,
      toolChoiceUsed: asked.toolChoice,
      exchange: await packExchange({ requests: withoutTools(asked.requests, prepared.tools), replies: asked.replies, rounds: asked.rounds }, replyBytes.kept),
    };
  }

  /** Scores a stored reply: free, and in no time that says anything of the model. A large one waits for room as one that arrives. */
  async #again(run: RunInHand['run'], prepared: PreparedCase, { exchange, promptTokens, completionTokens }: CachedReply, replyBytes: ReplyBytes, signal: AbortSignal): Promise<Answered> {
    const room = async <Made>(work: () => Promise<Made>): Promise<Made> => {
      await replyBytes.makeRoom();
      return work();
    };
    return unpackExchange(exchange, room, async (stored) => ({
      result: await this.#score(run, prepared, replyBytes.lane, answersIn(stored)!, signal),
      latencyMs: null, promptTokens, completionTokens, costUsd: 0, cached: true, attempts: 0, toolChoiceUsed: (stored.requests.at(-1) as JsonObject).tool_choice as ToolChoice, exchange,
    }));
  }

  /** A failing embedding model leaves the item without a score, as a failing model does; the reply is kept and can be scored again. */
  async #score(run: RunInHand['run'], prepared: PreparedCase, laneId: string, answers: Reply[], signal: AbortSignal): Promise<Outcome> {
    try {
      const similarity = (a: string, b: string) => this.embedder.similarity(run.teamId, a, b, signal);
      return { outcome: 'scored', ...(await traceStep('score', {}, () => this.scorer.score(prepared, answers, run.config.metrics, { share: laneId, similarity }))) };
    } catch (error) {
      if (error instanceof ProviderFailure || error instanceof Unscorable) return errored(error.kind, error.message);
      throw error;
    }
  }

  /** The log has each warning once per run; this set only saves asking it again for every item. */
  async #announce(runId: string, warning: Warning): Promise<void> {
    const key = `${runId} ${warning.code}`;
    if (this.#announced.has(key)) return;
    await warnOnce(this.pool, runId, warning.code, warning.message);
    if (this.#announced.size > 10_000) this.#announced.clear();
    this.#announced.add(key);
  }
}

const withoutTools = (requests: Exchange['requests'], tools: unknown): Exchange['requests'] =>
  requests.map((request) => ((request as JsonObject).tools === tools ? { ...(request as JsonObject), tools: TOOLS_OF_CASE } : request));

const errored = (kind: ProviderFailure['kind'], message: string) => ({ outcome: 'errored' as const, error: { kind, message } });

const notAsked = {
  latencyMs: null, promptTokens: null, completionTokens: null, costUsd: null, cached: false, attempts: 0, toolChoiceUsed: null, exchange: Buffer.alloc(0),
};

/** The end of an item whose processes died again and again. */
export const crashed = (delivery: Delivery, casePosition: number, sample: number, category: string | null, crashes: number): Settlement => ({
  delivery, casePosition, sample, category, ...notAsked,
  result: errored('crashed', `The worker died or froze ${crashes} times while it worked on this item.`),
});

/** US dollars; null without prices. */
function costOf(asked: Pick<Asked, 'promptTokens' | 'completionTokens'>, model: ModelConnection): number | null {
  if (model.inputCostPerMtok === null || model.outputCostPerMtok === null) return null;
  return ((asked.promptTokens ?? 0) * model.inputCostPerMtok + (asked.completionTokens ?? 0) * model.outputCostPerMtok) / 1e6;
}
