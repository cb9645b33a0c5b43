import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import type { Tool } from '#lib/contracts/tool';
import { DEFAULT_CONVERSATION_ROUNDS } from '#lib/contracts/values/conversations';
import type { Bound } from '#lib/contracts/verdict';
import type { ParsedReply } from '../replies/parse-reply.js';
import { answerCalls, beginConversation, prepareConversation, type SchemaFault } from './play.js';

/**
 * What the rules of a case answer to replies that were made elsewhere, such as those of a recording: tools and user
 * say now what they would have said then.
 * @param of.input the case as `mergeConversation` returns it
 */
export function playReplies({
  input,
  tools,
  replies,
  schemaFault,
}: {
  input: CaseInput;
  tools: readonly Tool[];
  replies: readonly { reply: ParsedReply }[];
  schemaFault?: SchemaFault;
}): { rounds: PlayedRound[]; end: ConversationEnd; bound?: Bound } {
  const conversation = input.conversation!;
  const { max_rounds: most = DEFAULT_CONVERSATION_ROUNDS } = conversation;
  const prepared = prepareConversation(input, tools);
  const turns = [...(conversation.user?.turns ?? [])];
  const rounds: PlayedRound[] = [];
  let progress = beginConversation(conversation);
  for (const { reply } of replies) {
    if (rounds.length === most) break;
    if (reply.oversized || reply.ending) {
      rounds.push({ calls: [], user: null });
      return { rounds, end: reply.oversized ? 'oversized' : reply.ending! };
    }
    const { calls, progress: after, end } = answerCalls(prepared, progress, reply.calls, schemaFault);
    const user = reply.calls.length === 0 ? (turns.shift() ?? null) : null;
    rounds.push({ calls, user });
    progress = after;
    if (end) return { rounds, end: 'round_limit', bound: end.bound };
    if (reply.calls.length === 0 && user === null) return { rounds, end: 'answered' };
  }
  return { rounds, end: 'round_limit' };
}
