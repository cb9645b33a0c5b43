import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import type { Bound, ErrorType, FormatCompliance, ParsedCall, Verdict } from '#lib/contracts/verdict';
import { equalJson, type SimilarityLookup } from './match-arguments.js';
import type { ParsedReply } from '../replies/parse-reply.js';
import { MAX_CALLS } from '../replies/reply-bounds.js';
import { expectedCalls, oversizedVerdict, prepareCase } from './score-case.js';

const PENALTY = 0.1;
export const DEFAULT_MAX_ROUNDS = 5;
const ROUNDING = 1e-12;

/**
 * Scores a chain: the rounds up to the first call of an expected tool; what was called after it does not exist for
 * the score. overall = completion * efficiency - redundancy - detour, within 0..1.
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
  if (bound) {
    const calls = played.flatMap((round) => round.calls);
    const expected = expectedCalls(input);
    const verdict = oversizedVerdict({
      bound,
      calls,
      format_compliance: worstFormat(played),
      abstention: expected.length === 0,
      expected,
    });
    const chain = { completion: 0, efficiency: 1, redundancy: 0, detour: 0, hops: calls.length };
    return { ...verdict, ...chain, evidence: { ...verdict.evidence, chain } };
  }
  const scorer = prepareCase({ ...input, allow_extra_calls: true }, tools, passThreshold);
  const accepted = acceptedTools(input);
  const hops = counted.flat();
  const end = hops.length - 1;
  const reached = end >= 0 && accepted.has(hops[end]!.name.toLowerCase());
  const last = scorer.score(
    { calls: reached ? [hops[end]!] : scorer.abstention ? hops : [], format_compliance: 'native' },
    { similarities },
  );

  const completion = last.overall;
  const efficiency = input.optimal_hops && hops.length ? Math.min(1, input.optimal_hops / hops.length) : 1;
  const redundancy = PENALTY * hops.filter((call, index) => index > 0 && sameCall(call, hops[index - 1]!)).length;
  const allowed =
    input.valid_prerequisites && new Set([...input.valid_prerequisites.map((name) => name.toLowerCase()), ...accepted]);
  const detour = allowed
    ? PENALTY * hops.slice(0, -1).filter((call) => !allowed.has(call.name.toLowerCase())).length
    : 0;
  const overall = scorer.abstention
    ? completion
    : Math.min(1, Math.max(0, completion * efficiency - redundancy - detour));
  const chain = { completion, efficiency, redundancy, detour, hops: hops.length };
  const malformed = reached && hops.at(-1)!.arguments === null;
  const passed = overall >= passThreshold - ROUNDING && !malformed;
  const ended = last.error_type === 'none' && !passed ? 'long_way' : last.error_type;

  return {
    ...last,
    overall,
    ...chain,
    called: hops,
    passed,
    error_type: reached || scorer.abstention || hops.length === 0 ? ended : unreached(input, tools, rounds, hops),
    format_compliance: worstFormat(rounds),
    evidence: reached
      ? {
          ...last.evidence,
          chain,
          pairs: last.evidence.pairs.map((pair) => ({ ...pair, called: end })),
          unexpected: hops.slice(0, -1).map((_call, index) => index),
          ...renumbered(last, end),
        }
      : { ...last.evidence, chain, unexpected: hops.map((_call, index) => index) },
  };
}

/** The first bound that a round goes beyond, or that all of them do together. */
function boundOf(rounds: readonly ParsedReply[]): Bound | undefined {
  const found = rounds.reduce((sum, { calls }) => sum + calls.length, 0);
  return (
    rounds.find((round) => round.oversized)?.oversized ??
    (found > MAX_CALLS ? { what: 'calls', limit: MAX_CALLS, found } : undefined)
  );
}

const acceptedTools = (input: CaseInput): Set<string> =>
  new Set([input.expected_tool ?? []].flat().map((name) => name.toLowerCase()));

/** Whether a round calls an expected tool, which ends the chain. */
export const endsChain = (input: CaseInput, { calls }: ParsedReply): boolean =>
  calls.some((call) => acceptedTools(input).has(call.name.toLowerCase()));

/** The calls of each round up to the first one of an expected tool. */
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

/** The evidence of the one scored call, under the place that it has in the chain. */
const renumbered = ({ evidence }: Verdict, end: number): Partial<Verdict['evidence']> => ({
  ...(evidence.schema && { schema: evidence.schema.map((problem) => ({ ...problem, called: end })) }),
  ...(evidence.extra_arguments && {
    extra_arguments: evidence.extra_arguments.map((path) => path.replace('/0/', `/${end}/`)),
  }),
});

function unreached(
  input: CaseInput,
  tools: readonly Tool[],
  rounds: readonly ParsedReply[],
  hops: readonly ParsedCall[],
): ErrorType {
  const known = new Set(tools.map((tool) => tool.function.name.toLowerCase()));
  if (hops.some((call) => call.arguments === null)) return 'malformed_arguments';
  if (hops.some((call) => !known.has(call.name.toLowerCase()))) return 'unknown_tool';
  const stillCalling = rounds.length >= (input.max_rounds ?? DEFAULT_MAX_ROUNDS) && rounds.at(-1)!.calls.length > 0;
  return stillCalling ? 'round_limit' : 'incomplete_chain';
}

const sameCall = (a: ParsedCall, b: ParsedCall): boolean =>
  a.name.toLowerCase() === b.name.toLowerCase() &&
  equalJson(a.arguments, b.arguments) &&
  (a.arguments !== null || a.raw === b.raw);

const WORST_FIRST: FormatCompliance[] = ['malformed', 'repaired', 'native'];
const worstFormat = (rounds: readonly ParsedReply[]): FormatCompliance =>
  WORST_FIRST.find((format) => rounds.some((round) => round.format_compliance === format)) ?? 'none';
