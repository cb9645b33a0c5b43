import { availableParallelism } from 'node:os';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonAsWritten } from '#lib/contracts/json/key-order';
import { memoize } from '#lib/contracts/memoize';
import type { RunMetric } from '#lib/contracts/metric';
import { LARGE_CHARACTERS, runSerially } from '#lib/runtime/threads/large-work';
import type { Logger } from '#lib/runtime/logger';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool, type ThreadLimits } from '#lib/runtime/threads/thread-pool';
import { isCheapToScore, approximateJsonLength } from '#lib/scoring/house/is-cheap-to-score';
import type { PreparedCase } from './prepare-case.js';
import {
  answerRound,
  Meanings,
  scoreOnce,
  type CaseText,
  type Reply,
  type ScoredReply,
  type ScoringAnswer,
  type ScoringTask,
  type Turn,
} from './scoring-work.js';

/** Scoring a reply took more than it may, or threw what nobody foresaw. The item is errored; its reply is kept. */
export class Unscorable extends Error {
  constructor(
    readonly kind: 'unscorable' | 'internal',
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
/** Pairs of texts that are compared at a time, so that thousands of them hold up nothing else. */
const COMPARED_AT_ONCE = 100;

/**
 * Makes verdicts: those of small replies, whose worst case is a few milliseconds, right here, so that they pay for
 * no thread; all others in threads, where one that takes long stalls no lease and no other item. Shares (lanes,
 * teams) take turns.
 */
export class ReplyScorer {
  readonly #threads: ThreadPool<ScoringTask, ScoringAnswer>;

  constructor(
    readonly logger: Pick<Logger, 'error'>,
    limits: Partial<ThreadLimits> = {},
  ) {
    this.#threads = new ThreadPool(threadModule('apps/worker/scoring/scoring-thread'), { ...LIMITS, ...limits });
  }

  /**
   * Scores what a model answered, one reply or those of a chain's rounds: the house verdict, and the metrics that
   * were asked for. Scoring itself asks nobody, so it is done again with what the texts that it compared by meaning
   * turned out to be; most cases compare none, and are scored once.
   * @param of.share what takes turns with others of its kind
   * @param of.similarity asks the embedding model: 0..1
   * @throws Unscorable, what `similarity` throws, or the signal's reason
   */
  async score(
    prepared: PreparedCase,
    replies: readonly Reply[],
    metrics: readonly RunMetric[],
    of: { share: string; signal: AbortSignal; similarity: (expected: string, actual: string) => Promise<number> },
  ): Promise<ScoredReply> {
    const cheap = isCheapToScore(
      prepared,
      replies.map(({ message }) => message),
      metrics,
    );
    const meanings = new Meanings();
    const json = cheap ? '' : await printed(replies.map(readable));
    for (;;) {
      const made = await this.#guard(of.signal, async () => {
        if (cheap) return { scored: scoreOnce(prepared, replies, metrics, meanings), unknown: meanings.takeUnknown() };
        const task: ScoringTask = {
          what: 'score',
          case: textOf(prepared),
          replies: json,
          metrics: JSON.stringify(metrics),
          known: meanings.known(),
        };
        const answer = await this.#threads.run(task, of.share, of.signal);
        return 'unknown' in answer
          ? answer
          : { scored: parseJson(answer.json!) as unknown as ScoredReply, unknown: [] };
      });
      if ('scored' in made && made.unknown.length === 0) return made.scored;
      for (let from = 0; from < made.unknown.length; from += COMPARED_AT_ONCE) {
        const some = made.unknown.slice(from, from + COMPARED_AT_ONCE);
        await Promise.all(some.map(async ([a, b]) => meanings.learn(a, b, await of.similarity(a, b))));
      }
    }
  }

  /**
   * Plays the tools of a round of a chain.
   * @param used how often each tool was called in earlier rounds; counted on here
   * @returns undefined where the chain ends
   * @throws Unscorable, or the signal's reason
   */
  async answerRound(
    prepared: PreparedCase,
    reply: Reply,
    used: Map<string, number>,
    { share, signal }: { share: string; signal: AbortSignal },
  ): Promise<Turn> {
    if (isCheapToScore(prepared, [reply.message], []))
      return this.#guard(signal, async () => answerRound(prepared, reply, used));
    const json = await printed(readable(reply));
    const answer = await this.#guard(signal, () =>
      this.#threads.run({ what: 'turn', case: textOf(prepared), reply: json, used }, share, signal),
    );
    if (!('json' in answer)) return undefined;
    for (const [name, count] of answer.used ?? []) used.set(name, count);
    return answer.json === undefined
      ? undefined
      : runSerially(() => parseJson(answer.json!) as unknown as Turn, answer.json.length);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #guard<Made>(signal: AbortSignal, make: () => Promise<Made>): Promise<Made> {
    try {
      return await make();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ThreadLimitExceeded) {
        throw new Unscorable(
          'unscorable',
          `Scoring the reply was given up. ${error.message} The reply is kept: once its case or its ` +
            'tools have changed, a resume or a rescore can score it.',
        );
      }
      const { message, stack } = error as Error;
      this.logger.error({ error: message, stack }, 'Scoring a reply threw something unforeseen; the item is errored');
      throw new Unscorable(
        'internal',
        'Scoring the reply failed in a way that nobody foresaw; the log of the worker has more. The ' +
          'reply is kept, and a resume or a rescore scores it again.',
      );
    }
  }
}

const textOf = memoize(({ input, tools, passThreshold }: PreparedCase): CaseText => ({
  input: jsonAsWritten(input),
  tools: jsonAsWritten(tools),
  passThreshold,
}));

const printed = (value: Json): Promise<string> | string =>
  runSerially(() => jsonAsWritten(value), approximateJsonLength(value, LARGE_CHARACTERS));

/** What is read of a reply; thoughts and whatever else its message holds stay here. */
function readable({ message: { content, tool_calls, function_call }, finishReason, names }: Reply): JsonObject {
  const message = Object.fromEntries(
    Object.entries({ content, tool_calls, function_call }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  return { message, finishReason, ...(names && { names }) };
}
