import { LRUCache } from 'lru-cache';
import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { RunMetric } from '#lib/contracts/metric';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '#lib/scoring/house/match-arguments';
import { scoreMetrics } from '#lib/scoring/metric-input';
import type { MetricScore } from '#lib/scoring/metrics';
import { mockTools } from '#lib/scoring/cases/mock-tools';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { endsChain } from '#lib/scoring/house/score-chain';
import { shortenMetrics, shortenVerdict } from '#lib/scoring/house/shorten-verdict';
import { prepareWith, type PreparedCase } from './prepare-case.js';

export interface ScoredReply {
  verdict: Verdict;
  metrics?: Record<string, MetricScore>;
}

/** What a model said: an OpenAI assistant message. */
export interface Reply {
  message: JsonObject;
  finishReason: string | null;
  /** Tools' own names by others that the model was told. */
  names?: Record<string, string>;
}

/** Embedding models read some thousand tokens; what a text says is told by its beginning. */
export const LONGEST_COMPARED = 8000;

/** What is known of texts that are compared by meaning, and what is not. */
export class Meanings {
  readonly #known = new Map<string, Map<string, number>>();
  #unknown = new Map<string, Set<string>>();

  /** Takes 1 for what is not known, and notes that it is asked for. */
  readonly of: SimilarityLookup = (expected, actual) => {
    const [a, b] = [expected.slice(0, LONGEST_COMPARED), actual.slice(0, LONGEST_COMPARED)];
    const known = this.#known.get(a)?.get(b);
    if (known !== undefined) return known;
    let others = this.#unknown.get(a);
    if (!others) this.#unknown.set(a, (others = new Set()));
    others.add(b);
    return 1;
  };

  learn(a: string, b: string, similarity: number): void {
    let others = this.#known.get(a);
    if (!others) this.#known.set(a, (others = new Map()));
    others.set(b, similarity);
  }

  /** The pairs that were asked for and not known, once. */
  takeUnknown(): [string, string][] {
    const pairs = [...this.#unknown].flatMap(([a, others]) => [...others].map((b): [string, string] => [a, b]));
    this.#unknown = new Map();
    return pairs;
  }

  known(): [string, string, number][] {
    return [...this.#known].flatMap(([a, others]) =>
      [...others].map(([b, similarity]): [string, string, number] => [a, b, similarity]),
    );
  }
}

/**
 * The house verdict of what was answered, one reply or those of a chain's rounds, and the metrics that were asked
 * for.
 */
export function scoreOnce(
  prepared: PreparedCase,
  replies: readonly Reply[],
  metrics: readonly RunMetric[],
  meanings: Meanings,
): ScoredReply {
  // Other people's metrics know no bounds of a reply.
  const rounds = replies.map(({ message, names }) => ({
    message,
    reply: parseReply(message, prepared.tools, { whole: metrics.length > 0, names }),
  }));
  const read = rounds.map(({ reply }) => reply);
  const similarities = meanings.of;
  const scored: ScoredReply = {
    verdict: prepared.score(read, { finishReason: replies.at(-1)!.finishReason, similarities }),
  };
  if (metrics.length)
    scored.metrics = scoreMetrics(metrics, { case: prepared.input, tools: prepared.tools, rounds, similarities });
  return scored;
}

/** What a chain makes of a round: nothing where it ends; else its calls and what their tools answer. */
export type Turn = undefined | { calls: ParsedCall[]; answers: string[] };

/** @param used how often each tool was called in earlier rounds; counted on here */
export function answerRound(
  { input, tools }: Pick<PreparedCase, 'input' | 'tools'>,
  { message, names }: Pick<Reply, 'message' | 'names'>,
  used: Map<string, number>,
): Turn {
  const read = parseReply(message, tools, { names });
  if (read.oversized || read.calls.length === 0 || endsChain(input, read)) return undefined;
  return { calls: read.calls, answers: read.calls.map(mockTools(input, used)) };
}

/** A case in JSON, which threads are told of it. */
export interface CaseText {
  input: string;
  tools: string;
  passThreshold: number;
}

/** Work of a thread. JSON travels as text: a number that keeps its text could not be cloned. */
export type ScoringTask = { case: CaseText } & (
  | { what: 'score'; replies: string; metrics: string; known: [string, string, number][] }
  | { what: 'turn'; reply: string; used: Map<string, number> }
);

/** JSON of a `ScoredReply` or a `Turn`, with what has to be known or counted beside it. */
export type ScoringAnswer = { unknown: [string, string][] } | { json: string | undefined; used?: Map<string, number> };

/** The cases that a thread used last, by their texts. */
const prepared = new LRUCache<string, PreparedCase>({ max: 16 });

function preparedOf({ input, tools, passThreshold }: CaseText): PreparedCase {
  const key = `${passThreshold} ${input}\n${tools}`;
  let found = prepared.get(key);
  if (!found) {
    found = prepareWith(
      parseJson(input) as unknown as CaseInput,
      null,
      parseJson(tools) as unknown as Tool[],
      passThreshold,
    );
    prepared.set(key, found);
  }
  return found;
}

/** What a thread does. */
export function work(task: ScoringTask): ScoringAnswer {
  const of = preparedOf(task.case);
  if (task.what === 'turn') {
    const turn = answerRound(of, parseJson(task.reply) as unknown as Reply, task.used);
    return { json: JSON.stringify(turn), used: task.used };
  }
  const meanings = new Meanings();
  for (const pair of task.known) meanings.learn(...pair);
  const scored = scoreOnce(
    of,
    parseJson(task.replies) as unknown as Reply[],
    parseJson(task.metrics) as unknown as RunMetric[],
    meanings,
  );
  const unknown = meanings.takeUnknown();
  if (unknown.length) return { unknown };
  const short: ScoredReply = {
    verdict: shortenVerdict(scored.verdict),
    ...(scored.metrics && { metrics: shortenMetrics(scored.metrics) }),
  };
  return { json: JSON.stringify(short) };
}
