import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import type { Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '#lib/scoring/arguments/compare-leaves';
import type { ParsedReply } from '#lib/scoring/replies/parse-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { scoreChain } from '#lib/scoring/house/score-chain';
import { toolSetOf } from '#lib/scoring/cases/tool-set';

export interface PreparedCase {
  input: CaseInput;
  category: string | null;
  /** The tools that the case is played with. */
  tools: readonly Tool[];
  /** Smallest overall score that passes, 0..1. */
  passThreshold: number;
  /** Scores one reply, or those of a chain's rounds. */
  score(replies: readonly ParsedReply[], similarities: SimilarityLookup): Verdict;
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
  if (input.multi_turn) {
    return {
      ...prepared,
      score: (replies, similarities) => scoreChain(input, tools, passThreshold, replies, similarities),
    };
  }
  const scorer = prepareCase(input, tools, passThreshold);
  return { ...prepared, score: (replies, similarities) => scorer.score(replies[0]!, { similarities }) };
}
