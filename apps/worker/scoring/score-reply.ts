import { availableParallelism } from 'node:os';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { memoize } from '#lib/contracts/memoize';
import type { RunMetric } from '#lib/contracts/metric';
import { LARGE_CHARACTERS, runSerially } from '#lib/runtime/threads/large-work';
import type { Logger } from '#lib/runtime/logger';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool, type ThreadLimits } from '#lib/runtime/threads/thread-pool';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import {
  approximateJsonLength,
  isCheapToPlay,
  isCheapToReplay,
  isCheapToScore,
} from '#lib/scoring/house/is-cheap-to-score';
import { thoughtsInFields } from '#lib/scoring/replies/thoughts';
import { ConversationFault } from '#lib/scoring/conversation/merge';
import type { ConversationSoFar, PlayedReply } from '#lib/scoring/conversation/play-reply';
import type { HeldReply, ReadExchange, Reply } from './exchange.js';
import type { ConversationPlayed, PreparedCase } from './prepare-case.js';
import {
  KnownSimilarities,
  playRound,
  runTools,
  scoreOnce,
  type CaseText,
  type PrintedReply,
  type ScoredReply,
  type ScoringResult,
  type ScoringTask,
  type PrintedExchange,
  type ToolResults,
} from './scoring-work.js';

/** Scoring a reply exceeded a limit, or threw an unexpected error. The item is errored; its reply is kept. */
export class Unscorable extends Error {
  constructor(
    readonly kind: 'unscorable' | 'conversation' | 'internal',
    message: string,
  ) {
    super(message);
  }
}

const LIMITS: ThreadLimits = {
  threads: Math.min(4, Math.max(2, availableParallelism())),
  cpuMs: 2000,
  wallMs: 30_000,
  heapMb: 256,
};
/** How many pairs of texts are compared at a time, so that thousands of them do not hold up other work. */
const MAX_COMPARED_AT_ONCE = 100;

/** The caller to serve, and until when. Lanes or teams (`share`) take turns in the threads. */
interface Caller {
  share: string;
  signal: AbortSignal;
}

/**
 * Computes verdicts. Small replies, whose worst case is a few milliseconds, are scored in this thread, because another
 * thread would cost more. All others are scored in threads, where a slow one stalls neither leases nor other items.
 */
export class ReplyScorer {
  readonly #threads: ThreadPool<ScoringTask, ScoringResult>;

  constructor(
    readonly logger: Pick<Logger, 'error'>,
    limits: Partial<ThreadLimits> = {},
  ) {
    this.#threads = new ThreadPool(threadModule('apps/worker/scoring/scoring-thread'), { ...LIMITS, ...limits });
  }

  /**
   * Scores one reply, or those of a chain's rounds: the house verdict, and the metrics of the run. Scoring itself does
   * not call the embedding model. It collects the pairs of texts that it compares by meaning, and is repeated when
   * their similarities are known. Most cases have no such pairs and are scored once.
   * @param of.similarity asks the embedding model: 0..1
   * @throws Unscorable, what `similarity` throws, or the signal's reason
   */
  async score(
    prepared: PreparedCase,
    replies: readonly HeldReply[],
    metrics: readonly RunMetric[],
    of: Caller & { similarity: (expected: string, actual: string) => Promise<number>; played?: ConversationPlayed },
  ): Promise<ScoredReply> {
    const known = new KnownSimilarities();
    const read = replies.filter(isRead);
    const messages = read.map(({ message }) => message);
    const isCheap =
      read.length === replies.length &&
      isCheapToScore(prepared, messages, metrics) &&
      isCheapToJudge(prepared, of.played);
    const scoreNow = isCheap
      ? async () => ({ scored: scoreOnce(prepared, read, metrics, known, of.played), unknown: known.takeUnknown() })
      : await this.#inThread(prepared, replies, metrics, known, of);
    for (;;) {
      const { scored, unknown } = await this.#guard(of.signal, scoreNow);
      if (scored && unknown.length === 0) return scored;
      for (let from = 0; from < unknown.length; from += MAX_COMPARED_AT_ONCE) {
        const pairs = unknown.slice(from, from + MAX_COMPARED_AT_ONCE);
        await Promise.all(pairs.map(async ([a, b]) => known.add(a, b, await of.similarity(a, b))));
      }
    }
  }

  async #inThread(
    prepared: PreparedCase,
    replies: readonly HeldReply[],
    metrics: readonly RunMetric[],
    known: KnownSimilarities,
    { share, signal, played }: Caller & { played?: ConversationPlayed },
  ): Promise<() => Promise<{ scored?: ScoredReply; unknown: [string, string][] }>> {
    const printed: PrintedReply[] = [];
    for (const reply of replies) printed.push(await print(reply));
    return async () => {
      const task: ScoringTask = {
        what: 'score',
        case: textOf(prepared),
        replies: printed,
        metrics: JSON.stringify(metrics),
        known: known.known(),
        ...(played && { played: JSON.stringify(played) }),
      };
      const result = await this.#threads.run(task, share, signal);
      if ('unknown' in result) return result;
      const { json } = result as { json: string };
      return { scored: parseJson(json) as unknown as ScoredReply, unknown: [] };
    };
  }

  /**
   * Runs the tools of a chain's round.
   * @param callCounts how often each tool was called in earlier rounds; this round's calls are added
   * @returns undefined at the end of the chain
   * @throws Unscorable, or the signal's reason
   */
  async runTools(
    prepared: PreparedCase,
    reply: HeldReply,
    callCounts: Map<string, number>,
    { share, signal }: Caller,
  ): Promise<ToolResults | undefined> {
    if (isRead(reply) && isCheapToScore(prepared, [reply.message], []))
      return this.#guard(signal, async () => runTools(prepared, reply, callCounts));
    const printed = await print(reply);
    const result = await this.#guard(signal, () =>
      this.#threads.run({ what: 'run tools', case: textOf(prepared), reply: printed, callCounts }, share, signal),
    );
    if (!('json' in result)) return undefined;
    for (const [name, count] of result.callCounts ?? []) callCounts.set(name, count);
    const { json: results } = result;
    if (results === undefined) return undefined;
    return runSerially(() => parseJson(results) as unknown as ToolResults, results.length);
  }

  /**
   * Plays a reply by the rules of its conversation.
   * @throws Unscorable, or the signal's reason
   */
  async playRound(
    prepared: PreparedCase,
    reply: HeldReply,
    before: ConversationSoFar,
    { share, signal }: Caller,
  ): Promise<PlayedReply> {
    const isCheap =
      isRead(reply) &&
      isCheapToScore(prepared, [reply.message], []) &&
      isCheapToPlay(prepared, reply.message, before.progress.state);
    if (isCheap) return this.#guard(signal, async () => playRound(prepared, reply, before));
    const printed = await print(reply);
    const task = {
      what: 'play round',
      case: textOf(prepared),
      reply: printed,
      before: JSON.stringify(before),
    } as const;
    const result = await this.#guard(signal, () => this.#threads.run(task, share, signal));
    const { json } = result as { json: string };
    return runSerially(() => parseJson(json) as unknown as PlayedReply, json.length);
  }

  /**
   * Reads a large stored exchange, which may have hundreds of thousands of values.
   * @throws Unscorable, or the signal's reason
   */
  async readExchange(packed: Uint8Array, { share, signal }: Caller): Promise<ReadExchange> {
    const task = { what: 'read exchange', packed } as const;
    const result = await this.#guard(signal, () => this.#threads.run(task, share, signal));
    if ('excess' in result) throw new Unscorable('unscorable', `The stored exchange ${result.excess}.`);
    const { replies, ...rest } = (result as { exchange: PrintedExchange }).exchange;
    const held = replies?.map(({ bytes, values, ...reply }) => ({
      ...reply,
      message: new SerialisedJson(bytes, values),
    }));
    return { ...rest, replies: held };
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #guard<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ThreadLimitExceeded) {
        throw new Unscorable(
          'unscorable',
          `Scoring the reply was abandoned. ${error.message} The reply is kept: after a change of its case or ` +
            'tools, a resume or a rescore can score it.',
        );
      }
      const { name, message, stack } = error as Error;
      if (name === ConversationFault.name) throw new Unscorable('conversation', message);
      this.logger.error({ error: message, stack }, 'Scoring a reply failed unexpectedly; the item is errored');
      throw new Unscorable(
        'internal',
        'Scoring the reply failed unexpectedly; see the log of the worker. The ' +
          'reply is kept, so a resume or a rescore can score it again.',
      );
    }
  }
}

const textOf = memoize(({ input, tools, passThreshold }: PreparedCase): CaseText => ({
  input: stringifyInSourceOrder(input),
  tools: stringifyInSourceOrder(tools),
  passThreshold,
}));

/** Characters of what was played: longer ones are judged in a thread. */
const MAX_CHEAP_CONVERSATION = 64 * 1024;

function isCheapToJudge({ input: { conversation } }: PreparedCase, played: ConversationPlayed | undefined): boolean {
  if (!conversation) return true;
  if (!played) return false; // Its rules are asked.
  const length = approximateJsonLength(played as unknown as Json, MAX_CHEAP_CONVERSATION);
  return length <= MAX_CHEAP_CONVERSATION && isCheapToReplay(conversation, played.rounds);
}

const isRead = (reply: HeldReply): reply is Reply => !(reply.message instanceof SerialisedJson);

async function print({ message, finishReason, names }: HeldReply): Promise<PrintedReply> {
  const rest = { finishReason, ...(names && { names }) };
  if (message instanceof SerialisedJson) return { ...rest, message: message.bytes };
  const read = readable(message);
  const length = approximateJsonLength(read, LARGE_CHARACTERS);
  return { ...rest, message: await runSerially(() => stringifyInSourceOrder(read), length) };
}

/** The parts of a message that scoring reads: of its reasoning only the end, and no other fields. */
function readable({ content, tool_calls, function_call, refusal, ...rest }: JsonObject): JsonObject {
  const thoughts = thoughtsInFields(rest);
  const message = Object.fromEntries(
    Object.entries({ content, tool_calls, function_call, refusal }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  return { ...message, ...(thoughts && { reasoning_content: thoughts }) };
}
