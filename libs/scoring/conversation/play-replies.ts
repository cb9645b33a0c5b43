import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import type { Tool } from '#lib/contracts/tool';
import type { Bound } from '#lib/contracts/verdict';
import type { ParsedReply } from '../replies/parse-reply.js';
import { ConversationFault } from './merge.js';
import { prepareConversation, type SchemaFault } from './play.js';
import { conversationSoFar, playReply } from './play-reply.js';

/**
 * What the rules of a case answer to replies that were made elsewhere, such as those of a recording: tools and user
 * say now what they would have said then. Replies after its end are left out; one that breaks off has reached its last
 * round.
 * @param of.input the case as `mergeConversation` returns it
 * @throws ConversationFault when its suite makes that it cannot go on
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
  const prepared = prepareConversation(input, tools);
  const rounds: PlayedRound[] = [];
  let before = conversationSoFar(prepared);
  for (const { reply } of replies) {
    const { played, after, ended, fault } = playReply(prepared, before, reply, schemaFault);
    if (fault !== undefined) throw new ConversationFault(fault);
    rounds.push(played);
    if (ended) return { rounds, ...ended };
    before = after;
  }
  return { rounds, end: 'round_limit' };
}
