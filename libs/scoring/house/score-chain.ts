import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import type { Bound, ErrorType, Evidence, FormatCompliance, ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import { equalJson } from '../arguments/match-arguments.js';
import type { ParsedReply } from '../replies/parse-reply.js';
import { MAX_CALLS } from '../replies/reply-bounds.js';
import { replyEvidence } from './evidence.js';
import { endedVerdict, expectedCalls, oversizedVerdict, prepareCase, reachesThreshold } from './score-case.js';

const PENALTY = 0.1;
export const DEFAULT_MAX_ROUNDS = 5;

type ChainScores = NonNullable<Verdict['evidence']['chain']>;

/**
 * Scores a chain up to the first call of an expected tool. Later calls do not affect the score. overall = completion *
 * efficiency - redundancy - detour, within 0..1.
 */
export function scoreChain(
  input: CaseInput,
  tools: readonly Tool[],
  passThreshold: number,
  rounds: readonly ParsedReply[],
  similarities?: SimilarityLookup,
): Verdict {
  const counted = countedCalls(input, rounds);
  const played = rounds.slice(0, counted.length);
  const bound = boundOf(played);
  if (bound) return oversizedChainVerdict(input, played, bound);

  const hops = counted.flat();
  const lastHop = hops.at(-1);
  const isReached = lastHop !== undefined && acceptedTools(input).has(lastHop.name.toLowerCase());
  const scorer = prepareCase({ ...input, allow_extra_calls: true }, tools, passThreshold);
  const { ending } = rounds.at(-1) ?? {};
  if (ending && !isReached && !(scorer.abstention && hops.length > 0))
    return endedChainVerdict(input, rounds, hops, ending);
  const scoredCalls = isReached ? [lastHop] : scorer.abstention ? hops : [];
  const verdict = scorer.score({ calls: scoredCalls, format_compliance: 'native' }, { similarities });

  const chain = chainScores(input, hops, verdict.overall);
  const overall = scorer.abstention ? chain.completion : chainOverall(chain);
  const isMalformed = isReached && lastHop.arguments === null;
  const passed = reachesThreshold(overall, passThreshold) && !isMalformed;
  const failsByLength = verdict.error_type === 'none' && !passed;
  const reachedType = failsByLength ? 'long_way' : verdict.error_type;
  const isComplete = isReached || scorer.abstention || hops.length === 0;
  const error_type = isComplete ? reachedType : unreachedType(input, tools, rounds, hops);
  const form = replyEvidence({ syntax: syntaxOf(rounds), isCut: rounds.at(-1)?.isCut }, error_type);
  return {
    ...verdict,
    overall,
    ...chain,
    called: hops,
    passed,
    error_type,
    format_compliance: worstFormat(rounds),
    evidence: isReached
      ? { ...verdict.evidence, ...form, chain, ...renumberedEvidence(verdict.evidence, hops.length - 1) }
      : { ...verdict.evidence, ...form, chain, unexpected: hops.map((_call, index) => index) },
  };
}

/** The verdict on a chain whose last reply is incomplete: see `endedVerdict`. */
function endedChainVerdict(
  input: CaseInput,
  rounds: readonly ParsedReply[],
  hops: ParsedCall[],
  ending: NonNullable<ParsedReply['ending']>,
): Verdict {
  const expected = expectedCalls(input);
  const chain: ChainScores = { ...chainScores(input, hops, 0), completion: 0 };
  const verdict = endedVerdict({
    ending,
    calls: hops,
    format_compliance: worstFormat(rounds),
    abstention: expected.length === 0,
    expected,
  });
  return { ...verdict, ...chain, evidence: { ...verdict.evidence, chain } };
}

/** The call syntax of the rounds whose calls a host left in the text. */
const syntaxOf = (rounds: readonly ParsedReply[]): ParsedReply['syntax'] =>
  rounds.find(({ syntax }) => syntax && syntax !== 'thoughts')?.syntax ?? rounds.at(-1)?.syntax;

function chainScores(input: CaseInput, hops: readonly ParsedCall[], completion: number): ChainScores {
  const efficiency = input.optimal_hops && hops.length ? Math.min(1, input.optimal_hops / hops.length) : 1;
  const repeated = hops.filter((call, index) => index > 0 && isSameCall(call, hops[index - 1]!)).length;
  return {
    completion,
    efficiency,
    redundancy: PENALTY * repeated,
    detour: PENALTY * detoursIn(input, hops),
    hops: hops.length,
  };
}

/** The number of calls before the last whose tool is neither a valid prerequisite nor expected. */
function detoursIn(input: CaseInput, hops: readonly ParsedCall[]): number {
  if (!input.valid_prerequisites) return 0;
  const allowed = new Set([...input.valid_prerequisites.map((name) => name.toLowerCase()), ...acceptedTools(input)]);
  return hops.slice(0, -1).filter((call) => !allowed.has(call.name.toLowerCase())).length;
}

const chainOverall = ({ completion, efficiency, redundancy, detour }: ChainScores): number =>
  Math.min(1, Math.max(0, completion * efficiency - redundancy - detour));

function oversizedChainVerdict(input: CaseInput, played: readonly ParsedReply[], bound: Bound): Verdict {
  const calls = played.flatMap((round) => round.calls);
  const expected = expectedCalls(input);
  const verdict = oversizedVerdict({
    bound,
    calls,
    format_compliance: worstFormat(played),
    abstention: expected.length === 0,
    expected,
  });
  const chain: ChainScores = { completion: 0, efficiency: 1, redundancy: 0, detour: 0, hops: calls.length };
  return { ...verdict, ...chain, evidence: { ...verdict.evidence, chain } };
}

/** The first bound that a round, or all rounds together, exceed. */
function boundOf(rounds: readonly ParsedReply[]): Bound | undefined {
  const oversized = rounds.find((round) => round.oversized)?.oversized;
  if (oversized) return oversized;
  const found = rounds.reduce((sum, { calls }) => sum + calls.length, 0);
  return found > MAX_CALLS ? { what: 'calls', limit: MAX_CALLS, found } : undefined;
}

const acceptedTools = (input: CaseInput): Set<string> =>
  new Set([input.expected_tool ?? []].flat().map((name) => name.toLowerCase()));

/** Whether a round ends the chain by calling an expected tool. */
export const endsChain = (input: CaseInput, { calls }: ParsedReply): boolean =>
  calls.some((call) => acceptedTools(input).has(call.name.toLowerCase()));

/**
 * Whether a stored chain does not answer another expectation: it ended with a call that its case expected then, and
 * with rounds left in which the tool that is expected now may have been called.
 * @param called all calls of the chain
 */
export const endedTooEarly = (
  ran: CaseInput,
  now: CaseInput,
  called: readonly ParsedCall[],
  rounds: number,
): boolean => {
  const [before, accepted] = [acceptedTools(ran), acceptedTools(now)];
  const calls = (tools: Set<string>): boolean => called.some(({ name }) => tools.has(name.toLowerCase()));
  const hasRoundsLeft = rounds < (now.max_rounds ?? DEFAULT_MAX_ROUNDS);
  return accepted.size > 0 && hasRoundsLeft && calls(before) && !calls(accepted);
};

/** The calls of each round, up to the first call of an expected tool. */
export function countedCalls(input: CaseInput, rounds: readonly ParsedReply[]): ParsedCall[][] {
  const accepted = acceptedTools(input);
  const counted: ParsedCall[][] = [];
  for (const { calls } of rounds) {
    const end = calls.findIndex((call) => accepted.has(call.name.toLowerCase()));
    counted.push(end < 0 ? calls : calls.slice(0, end + 1));
    if (end >= 0) break;
  }
  return counted;
}

/** The evidence of the scored call, with its index in the chain. */
const renumberedEvidence = (evidence: Evidence, lastIndex: number): Partial<Evidence> => ({
  pairs: evidence.pairs.map((pair) => ({ ...pair, called: lastIndex })),
  unexpected: Array.from({ length: lastIndex }, (_, index) => index),
  ...(evidence.schema && { schema: evidence.schema.map((problem) => ({ ...problem, called: lastIndex })) }),
  ...(evidence.extra_arguments && {
    extra_arguments: evidence.extra_arguments.map((path) => path.replace('/0/', `/${lastIndex}/`)),
  }),
});

/** The error type of a chain that never called an expected tool. */
function unreachedType(
  input: CaseInput,
  tools: readonly Tool[],
  rounds: readonly ParsedReply[],
  hops: readonly ParsedCall[],
): ErrorType {
  const known = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  if (hops.some((call) => call.arguments === null)) return 'malformed_arguments';
  if (hops.some((call) => !known.has(call.name.toLowerCase()))) return 'unknown_tool';
  const isStillCalling = rounds.length >= (input.max_rounds ?? DEFAULT_MAX_ROUNDS) && rounds.at(-1)!.calls.length > 0;
  return isStillCalling ? 'round_limit' : 'incomplete_chain';
}

const isSameCall = (a: ParsedCall, b: ParsedCall): boolean =>
  a.name.toLowerCase() === b.name.toLowerCase() &&
  equalJson(a.arguments, b.arguments) &&
  (a.arguments !== null || a.raw === b.raw);

const WORST_FIRST: FormatCompliance[] = ['malformed', 'repaired', 'native'];
const worstFormat = (rounds: readonly ParsedReply[]): FormatCompliance =>
  WORST_FIRST.find((format) => rounds.some((round) => round.format_compliance === format)) ?? 'none';
