import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import type { Tool } from '#lib/contracts/tool';
import type { Bound, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '#lib/scoring/arguments/compare-leaves';
import type { ParsedReply } from '#lib/scoring/replies/parse-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { scoreConversation } from '#lib/scoring/conversation/score';
import { scoreChain } from '#lib/scoring/house/score-chain';
import { toolSetOf } from '#lib/scoring/cases/tool-set';

/** How a conversation was played. */
export interface ConversationPlayed {
  /** What followed each reply. */
  rounds: PlayedRound[];
  end: ConversationEnd;
  bound?: Bound;
}

export interface PreparedCase {
  input: CaseInput;
  category: string | null;
  /** The tools that the case is played with. */
  tools: readonly Tool[];
  /** Smallest overall score that passes, 0..1. */
  passThreshold: number;
  /**
   * Scores one reply, or those of a chain's or a conversation's rounds.
   * @param conversation how it was played, and what the model said in each; only of a conversation
   */
  score(
    replies: readonly ParsedReply[],
    similarities: SimilarityLookup,
    conversation?: { played: ConversationPlayed; texts: readonly string[] },
  ): Verdict;
}

/** @param passThreshold smallest overall score that passes, 0..1 */
export const prepare = (
  input: CaseInput,
  category: string | null,
  suiteTools: readonly Tool[],
  passThreshold: number,
): PreparedCase => prepareWith(input, category, toolSetOf(input, suiteTools), passThreshold);

/** Like `prepare`, for a case whose tools are already chosen. */
export function prepareWith(
  input: CaseInput,
  category: string | null,
  tools: readonly Tool[],
  passThreshold: number,
): PreparedCase {
  const prepared = { input, category, tools, passThreshold };
  if (input.conversation) {
    return {
      ...prepared,
      score: (replies, similarities, conversation) => {
        const { texts, played } = conversation!;
        const rounds = replies.slice(0, Math.max(1, played.rounds.length)).map((reply, index) => ({
          reply,
          text: texts[index]!,
          played: played.rounds[index] ?? { calls: [], user: null },
        }));
        const { end, bound } = played;
        return scoreConversation({ input, tools, rounds, end, ...(bound && { bound }), similarities });
      },
    };
  }
  if (input.multi_turn) {
    return {
      ...prepared,
      score: (replies, similarities) => scoreChain(input, tools, passThreshold, replies, similarities),
    };
  }
  const scorer = prepareCase(input, tools, passThreshold);
  return { ...prepared, score: (replies, similarities) => scorer.score(replies[0]!, { similarities }) };
}
