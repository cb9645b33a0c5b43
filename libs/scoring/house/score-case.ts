import type { PreparedCase, CandidatePair, Pairing } from './prepared-case.js';
import type { CaseInput } from '#lib/contracts/case';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import type { Tool } from '#lib/contracts/tool';
import type { Bound, ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { ParsedReply } from '../replies/parse-reply.js';
import { firstCalls, MAX_COMPARISONS, MAX_PAIRS } from '../replies/reply-bounds.js';
import { errorTypeOf } from './error-type.js';
import { evidenceOf, replyEvidence } from './evidence.js';
import { declaredArguments } from '../arguments/declared-arguments.js';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import { matchArguments, NOTHING_DECLARED, type ArgumentMatch } from '../arguments/match-arguments.js';
import { pairInAnyOrder, pairInOrder, type CallPairs } from './pair-calls.js';

const TOOL_WEIGHT = 0.6;
const PARAM_WEIGHT = 0.4;
/** Rounding may put the sum of shares just below a threshold that it reaches. */
const ROUNDING = 1e-12;

export const reachesThreshold = (overall: number, passThreshold: number): boolean =>
  overall >= passThreshold - ROUNDING;

export interface CaseScorer {
  /** Whether the correct reply makes no call. */
  abstention: boolean;
  score(reply: ParsedReply, extra?: { similarities?: SimilarityLookup }): Verdict;
}

const NO_PAIR: CandidatePair = { weight: 0, match: null };

/** The calls that a case expects, in any notation. Empty if no tool should be called. */
export function expectedCalls({
  conversation,
  expected_calls,
  expected_tool,
  expected_params,
  scoring_config,
}: CaseInput): ExpectedCall[] {
  if (conversation) return conversation.goal.calls ?? [];
  if (expected_calls) return expected_calls;
  return expected_tool === null || expected_tool === undefined
    ? []
    : [{ tool: expected_tool, params: expected_params, scoring_config }];
}

/**
 * Prepares a case, so that each of its replies is scored quickly. `docs/scoring.md` explains the numbers.
 * @param passThreshold the smallest overall score that passes, 0..1
 */
export function prepareCase(input: CaseInput, tools: readonly Tool[], passThreshold: number): CaseScorer {
  const byName = new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool]));
  const expected = expectedCalls(input);
  const prepared: PreparedCase = {
    input,
    passThreshold,
    expected,
    accepted: expected.map((call) => new Set([call.tool].flat().map((name) => name.toLowerCase()))),
    abstention: expected.length === 0,
    tools: byName,
    declared: new Map([...byName].map(([name, tool]) => [name, declaredArguments(tool)])),
  };
  return {
    abstention: prepared.abstention,
    score: (reply, { similarities } = {}) => scoreReply(prepared, reply, similarities),
  };
}

function scoreReply(prepared: PreparedCase, reply: ParsedReply, similarities: SimilarityLookup | undefined): Verdict {
  const { input, abstention, passThreshold } = prepared;
  const { calls, format_compliance, ending } = reply;
  if (ending && !reply.oversized) return endedVerdict({ ...prepared, ...reply, ending });
  const pairing = pairCalls(prepared, reply, similarities);
  if ('bound' in pairing) return oversizedVerdict({ ...prepared, bound: pairing.bound, calls, format_compliance });

  const { toolScore, paramScore } = scoresOf(prepared, calls.length, pairing);
  const overall = paramScore === null ? toolScore : TOOL_WEIGHT * toolScore + PARAM_WEIGHT * paramScore;
  const isMalformed = judgedCalls(input, calls, pairing.pairs).some((call) => call.arguments === null);
  const hasForbiddenCall = input.allow_extra_calls === false && pairing.unexpected.length > 0 && !abstention;
  const error_type = errorTypeOf(prepared, calls, pairing, { isMalformed, hasForbiddenCall });
  return {
    tool_score: toolScore,
    param_score: paramScore,
    overall,
    passed: reachesThreshold(overall, passThreshold) && !isMalformed && !hasForbiddenCall,
    error_type,
    format_compliance,
    called: calls,
    abstention,
    evidence: { ...evidenceOf(prepared, calls, pairing), ...replyEvidence(reply, error_type) },
  };
}

/** Pairs the calls of a reply with the expected calls. @returns the exceeded bound, if any */
function pairCalls(
  prepared: PreparedCase,
  { calls, oversized }: ParsedReply,
  similarities: SimilarityLookup | undefined,
): Pairing | { bound: Bound } {
  const { expected, input } = prepared;
  if (oversized) return { bound: oversized };
  const found = calls.length * expected.length;
  if (found > MAX_PAIRS) return { bound: { what: 'pairs', limit: MAX_PAIRS, found } };
  let comparisons = 0;
  const counted: SimilarityLookup | undefined =
    similarities && ((a, b) => (++comparisons > MAX_COMPARISONS ? undefined : similarities(a, b)));
  const candidates = expected.map((_call, index) => calls.map((call) => candidatePair(prepared, index, call, counted)));
  if (comparisons > MAX_COMPARISONS) return { bound: { what: 'comparisons', limit: MAX_COMPARISONS } };

  const weights = candidates.map((row) => row.map((candidate) => candidate.weight));
  const pairs = input.call_order === 'strict' ? pairInOrder(weights) : pairInAnyOrder(weights);
  const pairedExpected = new Set(pairs.map((pair) => pair.expected));
  const pairedCalls = new Set(pairs.map((pair) => pair.called));
  return {
    candidates,
    pairs,
    missing: expected.flatMap((_call, index) => (pairedExpected.has(index) ? [] : [index])),
    unexpected: calls.flatMap((_call, index) => (pairedCalls.has(index) ? [] : [index])),
  };
}

function candidatePair(
  { input, expected, accepted, declared }: PreparedCase,
  index: number,
  called: ParsedCall,
  similarities: SimilarityLookup | undefined,
): CandidatePair {
  const name = called.name.toLowerCase();
  if (!accepted[index]!.has(name)) return NO_PAIR;
  const call = expected[index]!;
  if (!call.params) return { weight: 1, match: null };
  const config = call.scoring_config ?? input.scoring_config;
  const ofTool = declared.get(name) ?? NOTHING_DECLARED;
  const given = config?.defaults === 'strict' ? { ...ofTool, defaults: {} } : ofTool;
  const match: ArgumentMatch =
    called.arguments === null
      ? { score: 0, checks: [] }
      : matchArguments(call.params, called.arguments, given, config, input.param_scoring, similarities);
  return { weight: TOOL_WEIGHT + PARAM_WEIGHT * match.score, match };
}

function scoresOf(
  { expected, abstention }: PreparedCase,
  calls: number,
  { candidates, pairs }: Pairing,
): { toolScore: number; paramScore: number | null } {
  const toolScore = abstention ? (calls === 0 ? 1 : 0) : pairs.length / expected.length;
  const calledFor = new Map(pairs.map((pair) => [pair.expected, pair.called]));
  const withParams = expected.flatMap((call, index) => (call.params ? [index] : []));
  if (withParams.length === 0) return { toolScore, paramScore: null };
  const scoreOf = (index: number): number => {
    const called = calledFor.get(index);
    return called === undefined ? 0 : candidates[index]![called]!.match!.score;
  };
  return { toolScore, paramScore: withParams.reduce((sum, index) => sum + scoreOf(index), 0) / withParams.length };
}

/** A single-call case judges only its best call. Other calls cost nothing unless the case forbids them. */
function judgedCalls({ expected_calls }: CaseInput, calls: ParsedCall[], pairs: CallPairs): ParsedCall[] {
  const judgesAll = expected_calls !== undefined || pairs.length === 0;
  return judgesAll ? calls : pairs.map(({ called }) => calls[called]!);
}

/** The verdict on an oversized reply: wrong, whatever was expected. A model that repeats itself does not abstain. */
export function oversizedVerdict({
  bound,
  calls,
  format_compliance,
  abstention,
  expected,
}: Pick<PreparedCase, 'abstention' | 'expected'> &
  Pick<ParsedReply, 'format_compliance'> & { bound: Bound; calls: readonly ParsedCall[] }): Verdict {
  return {
    tool_score: 0,
    param_score: expected.some((call) => call.params) ? 0 : null,
    overall: 0,
    passed: false,
    error_type: 'oversized_reply',
    format_compliance,
    called: firstCalls(calls),
    abstention,
    evidence: { pairs: [], missing: expected.map((_call, index) => index), unexpected: [], bound },
  };
}

/**
 * The verdict on an incomplete reply, because the model declined, a filter cut it, or it ended at its token limit. It
 * is neither correct, nor a wrong call, nor an abstention.
 */
export function endedVerdict({
  ending,
  calls,
  format_compliance,
  abstention,
  expected,
}: Pick<PreparedCase, 'abstention' | 'expected'> &
  Pick<ParsedReply, 'calls' | 'format_compliance'> & { ending: NonNullable<ParsedReply['ending']> }): Verdict {
  return {
    tool_score: 0,
    param_score: expected.some((call) => call.params) ? 0 : null,
    overall: 0,
    passed: false,
    error_type: ending,
    format_compliance,
    called: firstCalls(calls),
    abstention,
    evidence: {
      pairs: [],
      missing: expected.map((_call, index) => index),
      unexpected: firstCalls(calls).map((_call, index) => index),
    },
  };
}
