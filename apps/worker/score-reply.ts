import type { JsonObject } from '#lib/contracts/json';
import type { RunMetric } from '#lib/contracts/metric';
import type { Verdict } from '#lib/contracts/verdict';
import type { Similarities } from '#lib/scoring/match-arguments';
import { scoreMetrics } from '#lib/scoring/metric-input';
import type { MetricScore } from '#lib/scoring/metrics';
import { readReply } from '#lib/scoring/read-reply';
import type { PreparedCase } from './run-cache.js';

export interface ScoredReply {
  verdict: Verdict;
  metrics?: Record<string, MetricScore>;
}

/** What a model said: an OpenAI assistant message. */
export interface Reply {
  message: JsonObject;
  finishReason: string | null;
}

/**
 * Scores what a model answered, one reply or those of a chain's rounds: the house verdict, and the metrics that were asked for.
 * Scoring itself asks nobody, so it is done again with what the texts that it compared by meaning turned out to be; most cases
 * compare none, and are scored once.
 * @param similarity asks the embedding model: 0..1
 * @throws what `similarity` throws
 */
export async function scoreReply(
  prepared: PreparedCase, replies: readonly Reply[], metrics: readonly RunMetric[], similarity: (expected: string, actual: string) => Promise<number>,
): Promise<ScoredReply> {
  const rounds = replies.map(({ message }) => ({ message, reply: readReply(message, prepared.tools) }));
  const read = rounds.map(({ reply }) => reply);
  const finishReason = replies.at(-1)!.finishReason;
  const known = new Map<string, number>();
  for (;;) {
    const unknown = new Map<string, [string, string]>();
    const similarities: Similarities = (expected, actual) => {
      const key = JSON.stringify([expected, actual]);
      if (!known.has(key)) unknown.set(key, [expected, actual]);
      return known.get(key) ?? 1;
    };
    const scored: ScoredReply = { verdict: prepared.score(read, { finishReason, similarities }) };
    if (metrics.length) scored.metrics = scoreMetrics(metrics, { case: prepared.input, tools: prepared.tools, rounds, similarities });
    if (unknown.size === 0) return scored;
    await Promise.all([...unknown].map(async ([key, texts]) => known.set(key, await similarity(...texts))));
  }
}
