import { addUsage, NO_USAGE, type Usage } from '#lib/contracts/cost';
import type { Conversation } from '#lib/contracts/conversation';
import type { AnsweredCall, PlayedRound } from '#lib/contracts/conversation-played';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import type { Account } from '#lib/db/engine/store-rounds';
import { failedResult } from '#lib/providers/dialects/failed-result';
import { ProviderFailure } from '#lib/providers/failure';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import { EARLIER_MESSAGES_PLACEHOLDER } from '#lib/scoring/cases/stored-requests';
import { conversationSoFar, type ConversationSoFar, type PlayedReply } from '#lib/scoring/conversation/play-reply';
import type { HeldReply } from '../scoring/exchange.js';
import { Unscorable } from '../scoring/score-reply.js';
import { askModel, type AskOptions, type AskResult } from './ask-model.js';
import { messageOf, messagesOf, type LastRound, type PlayedCase } from './play-case.js';
import { isRefusedForReplies } from './refused-round.js';

/** A round that was stored, or is about to be. */
export interface FinishedRound {
  /** From 0 */
  round: number;
  asked: AskResult;
  reply: HeldReply;
  played: PlayedRound;
  /** The messages that follow its reply. */
  next: JsonObject[];
}

/** A round that an earlier process stored. */
export type KeptRound = Pick<FinishedRound, 'reply' | 'played' | 'next'> & { account: Account };

interface Playing {
  conversation: Conversation;
  /** What is stored of earlier rounds. */
  kept: readonly KeptRound[];
  answer: (reply: HeldReply, before: ConversationSoFar) => Promise<PlayedReply>;
  /**
   * Stores a finished round before the next request.
   * @returns what it took and cost; a failure when it cannot be stored
   * @throws when the item must not go on here
   */
  store: (round: FinishedRound) => Promise<Account | ProviderFailure>;
}

/**
 * Plays a conversation from the round after the last one that is stored. What is returned of requests describes the
 * last round alone; the rounds before are stored and counted.
 * @throws the signal's reason when it aborts
 */
export async function playConversation(options: AskOptions, of: Playing): Promise<PlayedCase> {
  const { kept } = of;
  const replies = kept.map(({ reply }) => reply);
  const rounds = kept.map(({ played }) => played);
  const added = kept.flatMap(({ next }) => next);
  let before = sumOf(kept.map(({ account }) => account));
  let soFar = conversationSoFar(of, rounds);
  let firstSent: JsonObject | undefined;
  for (;;) {
    const round = replies.length;
    // A worker that drains sends no further request: another goes on from here.
    const asked = await askModel({ ...options, body: withMessages(options.body, added) });
    firstSent ??= asked.sent;
    const end = (how: LastRound['ended'], last?: PlayedRound): PlayedCase => ({
      ...lastRound(asked, round),
      firstSent: firstSent!,
      replies: [...replies],
      failure: undefined,
      conversation: { round, before, rounds: [...rounds], ...(last && { last }), ...(how && { ended: how }) },
    });
    const fail = (failure: ProviderFailure | undefined, last?: PlayedRound): PlayedCase => ({
      ...end(undefined, last),
      replies: undefined,
      failure: failure ?? new ProviderFailure('internal', 'The model gave no reply.', false),
    });
    const { reply } = asked;
    if (!reply) {
      if (!isForReplies(asked.failure, options.body, added)) return fail(asked.failure);
      return { ...end({ end: 'refused_round' }), refusedRound: asked.failure! };
    }
    const answered = await of.answer(reply, soFar).catch((error: unknown) => {
      if (error instanceof Unscorable) return new ProviderFailure(error.kind, error.message, false);
      throw error;
    });
    if (answered instanceof ProviderFailure) return fail(answered);
    const { played, after, ended, fault } = answered;
    if (fault !== undefined) return fail(new ProviderFailure('conversation', fault, false), played);
    soFar = after;
    replies.push(reply);
    rounds.push(played);
    if (ended) return end(ended, played);
    const bytes = bytesSentBack(added, reply);
    if (bytes > MOST_SENT_BACK)
      return end({ end: 'oversized', bound: { what: 'messages', limit: MOST_SENT_BACK, found: bytes } }, played);
    const message = await messageOf(reply);
    if (message instanceof ProviderFailure) return fail(message, played);
    const next = followingMessages(message, answered, round);
    const account = await of.store({ round, asked, reply, played, next });
    if (account instanceof ProviderFailure) return fail(account, played);
    before = sumOf([before, account]);
    added.push(...next);
  }
}

const MOST_SENT_BACK = CONVERSATION_BOUNDS.messageBytes;

/** Whether the host refuses a request for what the model wrote in earlier rounds. */
function isForReplies(failure: ProviderFailure | undefined, body: JsonObject, added: readonly JsonObject[]): boolean {
  const written = added.filter(({ role }) => role === 'assistant');
  const given = [...(body.messages as Json[]), ...added.filter(({ role }) => role !== 'assistant')];
  return isRefusedForReplies(failure, given, written);
}

const withMessages = (body: JsonObject, added: readonly JsonObject[]): JsonObject =>
  added.length ? { ...body, messages: [...(body.messages as Json[]), ...added] } : body;

/** What the last round adds to the exchange: of its messages none, because the rounds before hold them. */
export function lastRound(
  asked: AskResult,
  round: number,
): Omit<PlayedCase, 'replies' | 'failure' | 'conversation' | 'refusedRound'> {
  const { reply, failure: _failure, usage, ...rest } = asked;
  return {
    ...rest,
    requests: round === 0 ? asked.requests : asked.requests.map(withoutEarlier),
    usages: reply ? [usage] : [],
    firstSent: asked.sent,
    rounds: reply ? [asked.bodies.length - 1] : [],
  };
}

const withoutEarlier = (request: Json): Json => ({
  ...(request as JsonObject),
  messages: [EARLIER_MESSAGES_PLACEHOLDER],
});

/** The reply and what follows it, as messages. */
function followingMessages(
  message: JsonObject,
  { calls, played: { calls: answered, user } }: PlayedReply,
  round: number,
): JsonObject[] {
  if (user !== null)
    return [
      { ...message, role: 'assistant', content: message.content ?? '' },
      { role: 'user', content: user },
    ];
  const messages = messagesOf(message, { calls, results: answered.map(({ answer }) => answer) }, round);
  return markFailed(messages, answered);
}

/** The answers of failed tools in the form of errors. */
export function markFailed(messages: readonly JsonObject[], answered: readonly AnsweredCall[]): JsonObject[] {
  const [reply, ...results] = messages;
  return [
    reply!,
    ...results.map((result, index) =>
      answered[index]?.is_error ? failedResult(String(result.tool_call_id), answered[index].answer) : result,
    ),
  ];
}

/** Bytes of the model's messages, the new one among them. */
function bytesSentBack(added: readonly JsonObject[], { message }: HeldReply): number {
  const written = added.filter(({ role }) => role === 'assistant');
  const earlier = written.reduce((sum, one) => sum + bytesOf(one), 0);
  return earlier + (message instanceof SerialisedJson ? message.bytes.length : bytesOf(message));
}

/** A message is looked at after each round that follows it. */
const bytesOf = memoize((message: JsonObject) => Buffer.byteLength(JSON.stringify(message)));

const NO_ACCOUNT: Account = { attempts: 0, latencyMs: 0, usage: NO_USAGE, costUsd: null };

/** What all of these took and cost. */
export const sumOf = (accounts: readonly Account[]): Account =>
  accounts.length === 0
    ? NO_ACCOUNT
    : {
        attempts: accounts.reduce((sum, one) => sum + one.attempts, 0),
        latencyMs: accounts.reduce((sum, one) => sum + one.latencyMs, 0),
        usage: addUsage(accounts.filter(({ attempts }) => attempts > 0).map(({ usage }): Usage => usage)),
        costUsd: sumOfCosts(accounts.map(({ costUsd }) => costUsd)),
      };

function sumOfCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length ? known.reduce((sum, cost) => sum + cost, 0) : null;
}
