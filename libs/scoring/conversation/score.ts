import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import type { Tool } from '#lib/contracts/tool';
import type { ConversationFigure } from '#lib/contracts/values/conversations';
import type { Bound, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import type { ParsedReply } from '../replies/parse-reply.js';

/** One reply of a conversation, and what followed it. */
export interface ConversationRound {
  reply: ParsedReply;
  /** What the model said: `saidIn` of its message. */
  text: string;
  played: PlayedRound;
}

/** A conversation that ended. */
export interface PlayedConversation {
  /** The case as `mergeConversation` returns it. */
  input: CaseInput;
  tools: readonly Tool[];
  rounds: readonly ConversationRound[];
  end: ConversationEnd;
  bound?: Bound;
  similarities?: SimilarityLookup;
}

export function scoreConversation(_played: PlayedConversation): Verdict {
  throw new Error('To be written.');
}

/** The figures of a conversation, as metrics of its result. */
export function conversationFigures(_verdict: Verdict): Record<ConversationFigure, { score: number | null }> {
  throw new Error('To be written.');
}
