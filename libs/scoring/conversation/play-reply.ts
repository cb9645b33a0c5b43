import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import { DEFAULT_CONVERSATION_ROUNDS } from '#lib/contracts/values/conversations';
import type { Bound, ParsedCall } from '#lib/contracts/verdict';
import type { ParsedReply } from '../replies/parse-reply.js';
import { describeBrokenBound } from './broken-bound.js';
import {
  answerCalls,
  beginConversation,
  resumeConversation,
  type ConversationProgress,
  type PreparedConversation,
  type SchemaFault,
} from './play.js';

/** A conversation before a reply. Plain JSON. */
export interface ConversationSoFar {
  progress: ConversationProgress;
  /** Replies that were played. */
  rounds: number;
  /** Turns of the user that were said. */
  turns: number;
}

/** What follows a reply. */
export interface PlayedReply {
  /** All calls of the reply; a bound may have left the last ones without an answer. */
  calls: ParsedCall[];
  played: PlayedRound;
  after: ConversationSoFar;
  /** Why it is the last reply; undefined when the conversation goes on. */
  ended?: { end: ConversationEnd; bound?: Bound };
  /** Why the conversation cannot go on by its suite's making, in a sentence. */
  fault?: string;
}

/** @param rounds those that were played; no rule is asked again */
export const conversationSoFar = (
  { conversation }: Pick<PreparedConversation, 'conversation'>,
  rounds: readonly PlayedRound[] = [],
): ConversationSoFar => ({
  progress: rounds.length ? resumeConversation(conversation, rounds) : beginConversation(conversation),
  rounds: rounds.length,
  turns: rounds.filter(({ user }) => user !== null).length,
});

/** Plays one reply, whether a model gives it now or it was recorded: its calls are answered, the user says more, or
 * the conversation ends. */
export function playReply(
  prepared: PreparedConversation,
  before: ConversationSoFar,
  reply: ParsedReply,
  schemaFault?: SchemaFault,
): PlayedReply {
  const { calls } = reply;
  const last = (ended: PlayedReply['ended']): PlayedReply => ({
    calls,
    played: { calls: [], user: null },
    after: { ...before, rounds: before.rounds + 1 },
    ended,
  });
  if (reply.oversized) return last({ end: 'oversized', bound: reply.oversized });
  if (reply.ending) return last({ end: reply.ending });
  // A call that its host could not parse has no message with which a conversation could continue.
  if (reply.isUnread) return last({ end: 'answered' });

  const { max_rounds: most = DEFAULT_CONVERSATION_ROUNDS, user } = prepared.conversation;
  const answered = answerCalls(prepared, before.progress, calls, schemaFault);
  const isLast = before.rounds + 1 >= most;
  const turn = calls.length === 0 ? user?.turns[before.turns] : undefined;
  const said = isLast ? null : (turn ?? null);
  const played: PlayedReply = {
    calls,
    played: { calls: answered.calls, user: said },
    after: {
      progress: answered.progress,
      rounds: before.rounds + 1,
      turns: before.turns + (said === null ? 0 : 1),
    },
  };
  if (answered.end?.bySuite) return { ...played, fault: describeBrokenBound(answered.end.bySuite, answered.end.bound) };
  if (answered.end) return { ...played, ended: { end: 'round_limit', bound: answered.end.bound } };
  if (calls.length === 0 && turn === undefined) return { ...played, ended: { end: 'answered' } };
  return isLast ? { ...played, ended: { end: 'round_limit' } } : played;
}
