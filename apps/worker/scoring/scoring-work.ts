import { LRUCache } from 'lru-cache';
import type { CaseInput } from '#lib/contracts/case';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import { memoize } from '#lib/contracts/memoize';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { RunMetric } from '#lib/contracts/metric';
import { toStorable } from '#lib/contracts/json/storable';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '#lib/scoring/arguments/compare-leaves';
import { prepareConversation } from '#lib/scoring/conversation/play';
import { playReplies } from '#lib/scoring/conversation/play-replies';
import { playReply, type ConversationSoFar, type PlayedReply } from '#lib/scoring/conversation/play-reply';
import { schemaFault } from '#lib/scoring/conversation/schema-fault';
import { conversationFigures } from '#lib/scoring/conversation/score';
import { saidIn } from '#lib/scoring/replies/thoughts';
import { equalJson } from '#lib/scoring/arguments/match-arguments';
import { scoreMetrics } from '#lib/scoring/metrics';
import type { MetricScore } from '#lib/scoring/metrics/metric';
import { mockTools } from '#lib/scoring/cases/mock-tools';
import { parseReply, type ParsedReply } from '#lib/scoring/replies/parse-reply';
import { countValues } from '#lib/contracts/json/count-values';
import { tooManyValues } from '#lib/providers/reading/count-values';
import { decodeUtf8, MAX_REPLY_VALUES } from '#lib/providers/reading/reading-work';
import { endsChain } from '#lib/scoring/house/score-chain';
import { shortenMetrics, shortenVerdict } from '#lib/scoring/house/shorten-verdict';
import { readPacked, type ReadExchange, type Reply } from './exchange.js';
import { prepareWith, type ConversationPlayed, type PreparedCase } from './prepare-case.js';

export interface ScoredReply {
  verdict: Verdict;
  metrics?: Record<string, MetricScore>;
  /** The calls are read otherwise today than they were answered. */
  differs?: true;
  /** What the rules of the conversation answer to replies that were made elsewhere. */
  played?: ConversationPlayed;
}

/** A reply whose message is JSON, as characters or in UTF-8. */
export type PrintedReply = Omit<Reply, 'message'> & { message: string | Uint8Array };

/** The maximum length of a text compared by meaning. Embedding models read several thousand tokens. */
export const MAX_COMPARED_CHARS = 8000;

/** Semantic similarities of texts: the pairs known so far, and the missing ones that scoring asked for. */
export class KnownSimilarities {
  readonly #known = new Map<string, Map<string, number>>();
  #unknown = new Map<string, Set<string>>();

  /** Returns 1 for an unknown pair, and records it as missing. */
  readonly find: SimilarityLookup = (expected, actual) => {
    const [a, b] = [expected.slice(0, MAX_COMPARED_CHARS), actual.slice(0, MAX_COMPARED_CHARS)];
    const known = this.#known.get(a)?.get(b);
    if (known !== undefined) return known;
    let others = this.#unknown.get(a);
    if (!others) this.#unknown.set(a, (others = new Set()));
    others.add(b);
    return 1;
  };

  add(a: string, b: string, similarity: number): void {
    let others = this.#known.get(a);
    if (!others) this.#known.set(a, (others = new Map()));
    others.set(b, similarity);
  }

  /** The missing pairs. Each is returned once. */
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

/** The house verdict of one reply, or of those of a chain's rounds, and the metrics of the run. */
export function scoreOnce(
  prepared: PreparedCase,
  replies: readonly Reply[],
  metrics: readonly RunMetric[],
  known: KnownSimilarities,
  played?: ConversationPlayed,
): ScoredReply {
  // Metrics of other projects read the whole reply, however large.
  const rounds = replies.map(({ message, names, finishReason }) => ({
    message,
    reply: parseReply(message, prepared.tools, { whole: metrics.length > 0, names, finishReason }),
  }));
  const read = rounds.map(({ reply }) => reply);
  const similarities = known.find;
  const byRules = played ?? playedByRules(prepared, rounds);
  const scored: ScoredReply = {
    verdict: withFinishReason(
      prepared.score(
        read,
        similarities,
        byRules && { played: byRules, texts: replies.map(({ message }) => saidIn(message)) },
      ),
      replies.at(-1)?.finishReason,
    ),
    ...(!played && byRules && { played: byRules }),
  };
  if (metrics.length)
    scored.metrics = scoreMetrics(metrics, {
      case: prepared.input,
      tools: prepared.tools,
      rounds,
      ...(byRules && { played: byRules }),
      similarities,
    });
  if (prepared.input.conversation) scored.metrics = { ...scored.metrics, ...conversationFigures(scored.verdict) };
  if (played && read.some(({ calls }, index) => !areAnswered(calls, played.rounds[index]))) scored.differs = true;
  return scored;
}

/** What the rules of a conversation answer to replies that were made elsewhere. @throws ConversationFault */
const playedByRules = (
  { input, tools }: PreparedCase,
  replies: readonly { reply: ParsedReply }[],
): ConversationPlayed | undefined =>
  input.conversation ? playReplies({ input, tools, replies, schemaFault }) : undefined;

/** Whether these calls are those that were answered; a bound may have left the last ones without an answer. */
const areAnswered = (calls: readonly ParsedCall[], played: PlayedRound | undefined): boolean =>
  (played?.calls ?? []).every(
    (answered, index) => calls[index]?.name === answered.name && equalJson(calls[index].arguments, answered.arguments),
  ) &&
  (played?.user == null || calls.length === 0);

/** A provider's own finish reason is a short word. */
const MAX_REASON = 100;

const withFinishReason = ({ evidence, ...verdict }: Verdict, reason: string | null = null): Verdict => ({
  ...verdict,
  evidence: reason === null ? evidence : { ...evidence, finish_reason: toStorable(reason.slice(0, MAX_REASON)) },
});

/** The calls of a chain's round, and the results of their tools. */
export interface ToolResults {
  calls: ParsedCall[];
  results: string[];
}

/**
 * Runs the tools of a round from the mocks of the case.
 * @param callCounts how often each tool was called in earlier rounds; this round's calls are added
 * @returns undefined at the end of the chain
 */
export function runTools(
  { input, tools }: Pick<PreparedCase, 'input' | 'tools'>,
  { message, names, finishReason }: Reply,
  callCounts: Map<string, number>,
): ToolResults | undefined {
  const reply = parseReply(message, tools, { names, finishReason });
  // A call that its host could not parse has no message with which a conversation could continue.
  if (reply.isUnread) return undefined;
  if (reply.oversized || reply.ending || reply.calls.length === 0 || endsChain(input, reply)) return undefined;
  return { calls: reply.calls, results: reply.calls.map(mockTools(input, callCounts)) };
}

const preparedConversation = memoize((input: CaseInput) =>
  memoize((tools: readonly Tool[]) => prepareConversation(input, tools)),
);

/** Plays a reply by the rules of its conversation. */
export function playRound(
  { input, tools }: Pick<PreparedCase, 'input' | 'tools'>,
  { message, names, finishReason }: Reply,
  before: ConversationSoFar,
): PlayedReply {
  const reply = parseReply(message, tools, { names, finishReason });
  return playReply(preparedConversation(input)(tools), before, reply, schemaFault);
}

/** A case as JSON, for a thread. */
export interface CaseText {
  input: string;
  tools: string;
  passThreshold: number;
}

/** Work for a thread. JSON is passed as text, because numbers that keep their text cannot be cloned. */
export type ScoringTask =
  | {
      what: 'score';
      case: CaseText;
      replies: PrintedReply[];
      metrics: string;
      known: [string, string, number][];
      played?: string;
    }
  | { what: 'play round'; case: CaseText; reply: PrintedReply; before: string }
  | { what: 'run tools'; case: CaseText; reply: PrintedReply; callCounts: Map<string, number> }
  /** `packed` is a stored exchange, compressed with zstd. */
  | { what: 'read exchange'; packed: Uint8Array };

/** `json` is a `ScoredReply` or `ToolResults`; `excess` is the reason why an exchange is not read. */
export type ScoringResult =
  | { unknown: [string, string][] }
  | { json: string | undefined; callCounts?: Map<string, number> }
  | { exchange: PrintedExchange }
  | { excess: string };

/** A stored exchange whose replies have their messages in UTF-8, with the approximate number of values in each. */
export type PrintedExchange = Omit<ReadExchange, 'replies'> & {
  replies: (Omit<Reply, 'message'> & { bytes: Uint8Array<ArrayBuffer>; values: number })[] | undefined;
};

/**
 * A larger exchange is not scored again. A chain's stored exchange is up to four times the size limit of a response.
 */
const MAX_EXCHANGE_BYTES = 64 * 2 ** 20;

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

const readPrinted = ({ message, ...rest }: PrintedReply): Reply => ({
  ...rest,
  message: parseJson(typeof message === 'string' ? message : decodeUtf8(message)) as JsonObject,
});

/** Runs a task in a thread. */
export function runScoringTask(task: ScoringTask): ScoringResult {
  if (task.what === 'read exchange') return printExchange(task.packed);
  const preparedCase = preparedOf(task.case);
  if (task.what === 'run tools') {
    const results = runTools(preparedCase, readPrinted(task.reply), task.callCounts);
    return { json: JSON.stringify(results), callCounts: task.callCounts };
  }
  if (task.what === 'play round') {
    const before = parseJson(task.before) as unknown as ConversationSoFar;
    return { json: JSON.stringify(playRound(preparedCase, readPrinted(task.reply), before)) };
  }
  const known = new KnownSimilarities();
  for (const pair of task.known) known.add(...pair);
  const scored = scoreOnce(
    preparedCase,
    task.replies.map(readPrinted),
    parseJson(task.metrics) as unknown as RunMetric[],
    known,
    task.played === undefined ? undefined : (parseJson(task.played) as unknown as ConversationPlayed),
  );
  const unknown = known.takeUnknown();
  if (unknown.length) return { unknown };
  const short: ScoredReply = {
    verdict: shortenVerdict(scored.verdict),
    ...(scored.metrics && { metrics: shortenMetrics(scored.metrics) }),
    ...(scored.differs && { differs: true as const }),
    ...(scored.played && { played: scored.played }),
  };
  return { json: JSON.stringify(short) };
}

function printExchange(packed: Uint8Array): ScoringResult {
  const read = readPacked(packed, { bytes: MAX_EXCHANGE_BYTES, values: MAX_REPLY_VALUES });
  if ('exceeds' in read)
    return {
      excess:
        read.exceeds === 'values'
          ? tooManyValues(MAX_REPLY_VALUES)
          : `has more than ${MAX_EXCHANGE_BYTES / 2 ** 20} MiB`,
    };
  const { replies, ...rest } = read.exchange;
  const print = ({ message, ...reply }: Reply) => {
    const bytes = new TextEncoder().encode(stringifyInSourceOrder(message));
    return { ...reply, bytes, values: countValues(bytes).values };
  };
  return { exchange: { ...rest, replies: replies?.map(print) } };
}
