import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { ToolChoice } from '#lib/contracts/run';
import { MAX_THROTTLED_MS, RetryState } from '#lib/providers/retry-policy';
import { failedGeneration, readModelReply, type ProviderReply } from '#lib/providers/chat';
import { ProviderFailure } from '#lib/providers/failure';
import type { ReplyMemory } from '#lib/providers/reply-memory';
import type { LaneLimits } from '#lib/db/engine/dispatch-lane';
import { unlessRerouted, type Permits } from '#lib/queue/budget/lane-budget';
import type { PermitUsage } from '#lib/queue/budget/permits';
import { traceStep } from '#lib/runtime/tracing/tracing';
import type { ModelConnection } from './connections.js';

/** What came of asking: a reply, or the failure that was left after all retries. */
export interface Asked {
  reply?: { message: JsonObject; finishReason: string | null };
  failure?: ProviderFailure;
  attempts: number;
  /** Of the request that was answered, or of the last one. */
  latencyMs: number;
  promptTokens: number | null;
  completionTokens: number | null;
  toolChoice: ToolChoice;
  /** "required" was refused in favour of "auto" just now. */
  refusedRequired: boolean;
  requests: Json[];
  /** Answers as they came, refusals among them: of many of those the first and the last. */
  replies: Json[];
  /** How many refusals there were. */
  refused: number;
}

/** Of the requests of an item that were refused, so many are kept; a provider may refuse for a quarter of an hour. */
const MOST_REFUSALS_KEPT = 20;

/**
 * Asks a model, within the lane's budget, until it replies or there is no point in asking again. Every request
 * takes a permit of its own, so that waiting between two attempts holds no place, and goes where the model is to be
 * asked by then.
 * @throws the signal's reason when it aborts
 */
export async function askModel(of: {
  /** The model as it can be asked now. @throws ProviderFailure when it cannot */
  model: () => Promise<ModelConnection>;
  permits: (lane: LaneLimits) => Permits;
  body: JsonObject;
  toolChoice: ToolChoice;
  timeoutMs: number;
  signal: AbortSignal;
  /** The room for its large answers. */
  replyBytes?: ReplyMemory;
  /** What the breaker tells items apart by. */
  item: string;
  /** Whether it goes on with what was paid for in part. */
  goesOn?: boolean;
  /** Told when the item only waits for its turn, and when it goes on. */
  works?: (works: boolean) => Promise<void>;
  onAttempt?: (failure: ProviderFailure | undefined, seconds: number) => void;
  /** What the provider's format could not say of a request that was answered. */
  onNotes?: (notes: ProviderReply['notes']) => void;
}): Promise<Asked> {
  const { signal, timeoutMs, item, replyBytes } = of;
  let body = of.body;
  const asked: Asked = {
    attempts: 0,
    latencyMs: 0,
    promptTokens: null,
    completionTokens: null,
    toolChoice: of.toolChoice,
    refusedRequired: false,
    requests: [body],
    replies: [],
    refused: 0,
  };
  let retries = new RetryState();
  let outageSince: number | undefined;
  let before: ModelConnection | undefined;
  for (;;) {
    const model = await of.model().catch(unavailable);
    if (model instanceof ProviderFailure) return Object.assign(asked, { failure: model });
    if (before && before.moved !== model.moved) {
      // What went wrong elsewhere says nothing of where it is asked from now on.
      retries = new RetryState();
      outageSince = undefined;
    }
    before = model;
    const { chat, moved } = model;
    const budget = of.permits(model.lane);
    const tokens = estimateTokens(body);
    await of.works?.(false);
    const permit = await traceStep('wait for the budget', {}, () =>
      unlessRerouted(moved, budget.acquire(tokens, signal, { rerouted: moved, isContinuation: of.goesOn })),
    );
    if (!permit) continue;
    const spent: PermitUsage = { tokens: 0 };
    const started = performance.now();
    try {
      await of.works?.(true);
      asked.attempts++;
      const reply: ProviderReply = await traceRequest(model.kind, body, () =>
        chat.ask(body, { signal, timeoutMs, replyMemory: replyBytes }),
      );
      of.onAttempt?.(undefined, (performance.now() - started) / 1000);
      of.onNotes?.(reply.notes);
      spent.tokens = (reply.promptTokens ?? 0) + (reply.completionTokens ?? 0);
      spent.outcome = 'reply';
      spent.refilledInMs = reply.refilledInMs;
      asked.replies.push(reply.body);
      return Object.assign(asked, {
        reply: { message: reply.message, finishReason: reply.finishReason },
        latencyMs: Math.round(performance.now() - started),
        promptTokens: reply.promptTokens,
        completionTokens: reply.completionTokens,
      });
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      if (error.isOutage) spent.outcome = { outage: error.message, item };
      else if (error.status !== undefined) spent.outcome = 'reply';
      of.onAttempt?.(error, (performance.now() - started) / 1000);
      asked.latencyMs = Math.round(performance.now() - started);
      keepRefusal(asked, error);
      const failed = failedGeneration(error);
      if (failed) return Object.assign(asked, { reply: { message: failed, finishReason: null } });
      if (
        asked.toolChoice === 'required' &&
        error.status === 400 &&
        /tool_choice/i.test(`${error.message}${error.body ?? ''}`)
      ) {
        body = { ...body, tool_choice: 'auto' };
        asked.requests.push(body);
        Object.assign(asked, { toolChoice: 'auto', refusedRequired: true });
        continue;
      }
      if (error.isOutage && (await budget.release(permit, spent))) {
        // The breaker is open: no attempt is used, and the next permit comes when the provider answers again, or as
        // its probe.
        outageSince ??= Date.now();
        if (Date.now() - outageSince < MAX_THROTTLED_MS) continue;
        return Object.assign(asked, { failure: error });
      }
      outageSince = undefined;
      const { next, retryAfterMs } = retries.recordFailure(error);
      spent.retryAfterMs = retryAfterMs;
      if (next.then === 'settle-errored') return Object.assign(asked, { failure: error });
      void budget.release(permit, spent);
      await of.works?.(false);
      await delay(next.inMs, undefined, { signal: AbortSignal.any([signal, moved]) }).catch(() =>
        signal.throwIfAborted(),
      );
    } finally {
      void budget.release(permit, spent);
    }
  }
}

function unavailable(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  throw error;
}

function keepRefusal(asked: Asked, { kind, message, status, body }: ProviderFailure): void {
  const refusal = { error: { kind, message, status: status ?? null, body: body ?? null } };
  if (++asked.refused <= MOST_REFUSALS_KEPT) asked.replies.push(refusal);
  else asked.replies[asked.replies.length - 1] = refusal;
}

/** The reply in an entry of `replies`; undefined where no model answered. */
export function keptReply(kept: Json | undefined): Asked['reply'] {
  if (kept === undefined) return undefined;
  const failed = isObject(kept) && isObject(kept.error) ? failedGeneration(kept.error) : undefined;
  return failed ? { message: failed, finishReason: null } : readModelReply(kept);
}

/** What OpenTelemetry calls the kinds that have another name there. */
const TRACED_AS: Record<string, string> = { 'openai-responses': 'openai', google: 'gcp.gemini' };

/** By OpenTelemetry's conventions for generative AI. */
function traceRequest(provider: string, body: JsonObject, ask: () => Promise<ProviderReply>): Promise<ProviderReply> {
  const said = (value: Json | undefined): string | number | undefined =>
    typeof value === 'string' || typeof value === 'number' ? value : undefined;
  return traceStep(
    `chat ${said(body.model)}`,
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': TRACED_AS[provider] ?? provider,
      'gen_ai.request.model': said(body.model),
      'gen_ai.request.temperature': said(body.temperature),
      'gen_ai.request.max_tokens': said(body.max_tokens),
    },
    async (note) => {
      const reply = await ask();
      note({
        'gen_ai.response.finish_reasons': reply.finishReason === null ? undefined : [reply.finishReason],
        'gen_ai.usage.input_tokens': reply.promptTokens,
        'gen_ai.usage.output_tokens': reply.completionTokens,
      });
      return reply;
    },
  );
}

/** What a request will use: about four characters a token in, and a reply of ordinary length out. */
function estimateTokens(body: JsonObject): number {
  const replyTokens = typeof body.max_tokens === 'number' ? Math.min(body.max_tokens, 128) : 128;
  return JSON.stringify(body.messages).length / 4 + replyTokens + toolTokens(body.tools as object);
}
const toolTokens = memoize((tools: object) => JSON.stringify(tools).length / 4);
