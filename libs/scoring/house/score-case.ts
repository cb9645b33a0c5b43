import type { CaseInput, ExpectedCall } from '#lib/contracts/case';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { ArgumentCheck, Bound, ErrorType, Evidence, ParsedCall, Verdict } from '#lib/contracts/verdict';
import { pairInAnyOrder, pairInOrder, type CallPairs } from './pair-calls.js';
import { checkArguments } from '../checks/check-tools.js';
import { matchArguments, type ArgumentMatch, type SimilarityLookup } from './match-arguments.js';
import type { ParsedReply } from '../replies/parse-reply.js';
import { firstCalls, MAX_COMPARISONS, MAX_PAIRS } from '../replies/reply-bounds.js';

const TOOL_WEIGHT = 0.6;
const PARAM_WEIGHT = 0.4;
/** Sums of shares may fall short of a threshold by rounding. */
const ROUNDING = 1e-12;

export interface CaseScorer {
  /** Whether the right answer is to call nothing. */
  abstention: boolean;
  score(reply: ParsedReply, extra?: { similarities?: SimilarityLookup; finishReason?: string | null }): Verdict;
}

interface Pair {
  weight: number;
  match: ArgumentMatch | null;
}

const NO_PAIR: Pair = { weight: 0, match: null };
/** Problems with the tools' schemas that are told of a reply. */
const MOST_PROBLEMS = 200;

function declaredDefaults(tool: Tool): JsonObject {
  const properties = tool.function.parameters?.properties;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, schema]) =>
      isObject(schema) && Object.hasOwn(schema, 'default') ? [[key, schema.default!]] : [],
    ),
  );
}

/** The calls that a case expects, however it was written; none where no tool should be called. */
export function expectedCalls({
  expected_calls,
  expected_tool,
  expected_params,
  scoring_config,
}: CaseInput): ExpectedCall[] {
  if (expected_calls) return expected_calls;
  return expected_tool === null || expected_tool === undefined
    ? []
    : [{ tool: expected_tool, params: expected_params, scoring_config }];
}

/**
 * Prepares a case, so that each of its replies is scored quickly. `docs/scoring.md` says what the numbers mean.
 * @param passThreshold smallest overall score that passes, 0..1
 */
export function prepareCase(input: CaseInput, tools: readonly Tool[], passThreshold: number): CaseScorer {
  const byName = new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool]));
  const several = input.expected_calls !== undefined;
  const expected = expectedCalls(input);
  const accepted = expected.map((call) => new Set([call.tool].flat().map((name) => name.toLowerCase())));
  const abstention = expected.length === 0;

  const defaults = new Map([...byName].map(([name, tool]) => [name, declaredDefaults(tool)]));
  const defaultsFor = (call: ExpectedCall, name: string): JsonObject =>
    (call.scoring_config ?? input.scoring_config)?.defaults === 'strict' ? {} : (defaults.get(name) ?? {});

  const pairOf = (index: number, called: ParsedCall, similarities?: SimilarityLookup): Pair => {
    const name = called.name.toLowerCase();
    if (!accepted[index]!.has(name)) return NO_PAIR;
    const call = expected[index]!;
    if (!call.params) return { weight: 1, match: null };
    const match: ArgumentMatch =
      called.arguments === null
        ? { score: 0, checks: [] }
        : matchArguments(
            call.params,
            called.arguments,
            defaultsFor(call, name),
            call.scoring_config ?? input.scoring_config,
            input.param_scoring,
            similarities,
          );
    return { weight: TOOL_WEIGHT + PARAM_WEIGHT * match.score, match };
  };

  return {
    abstention,
    score({ calls, format_compliance, oversized }, { similarities, finishReason } = {}) {
      const refused = (bound: Bound): Verdict =>
        oversizedVerdict({ bound, calls, format_compliance, abstention, expected });
      if (oversized) return refused(oversized);
      if (calls.length * expected.length > MAX_PAIRS)
        return refused({ what: 'pairs', limit: MAX_PAIRS, found: calls.length * expected.length });
      let comparisons = 0;
      const counted: SimilarityLookup | undefined =
        similarities && ((a, b) => (++comparisons > MAX_COMPARISONS ? undefined : similarities(a, b)));
      const weights = expected.map((_call, index) => calls.map((called) => pairOf(index, called, counted)));
      if (comparisons > MAX_COMPARISONS) return refused({ what: 'comparisons', limit: MAX_COMPARISONS });
      const plain = weights.map((row) => row.map((pair) => pair.weight));
      const assignment: CallPairs = input.call_order === 'strict' ? pairInOrder(plain) : pairInAnyOrder(plain);
      const paired = new Map(assignment.map(({ expected: e, called }) => [e, called]));
      const taken = new Set(paired.values());
      const missing = expected.flatMap((_call, index) => (paired.has(index) ? [] : [index]));
      const unexpected = calls.flatMap((_call, index) => (taken.has(index) ? [] : [index]));

      const toolScore = abstention ? (calls.length === 0 ? 1 : 0) : paired.size / expected.length;
      const scoring = expected.flatMap((call, index) => (call.params ? [index] : []));
      const paramOf = (index: number): number =>
        paired.has(index) ? weights[index]![paired.get(index)!]!.match!.score : 0;
      const paramScore = scoring.length
        ? scoring.reduce((sum, index) => sum + paramOf(index), 0) / scoring.length
        : null;
      const overall = paramScore === null ? toolScore : TOOL_WEIGHT * toolScore + PARAM_WEIGHT * paramScore;

      // A single-call case looks at its best call alone; others cost nothing unless it forbids them.
      const looked = several || taken.size === 0 ? calls : calls.filter((_call, index) => taken.has(index));
      const malformed = looked.some((call) => call.arguments === null);
      const forbiddenExtra = input.allow_extra_calls === false && unexpected.length > 0 && !abstention;
      const checks = assignment.flatMap(({ expected: e, called }) => weights[e]![called]!.match?.checks ?? []);
      const unknown = unexpected.some((index) => !byName.has(calls[index]!.name.toLowerCase()));
      const error_type = firstError({
        abstention,
        calls: calls.length,
        malformed,
        unknown,
        missing: missing.length,
        several,
        checks,
        forbiddenExtra,
      });

      return {
        tool_score: toolScore,
        param_score: paramScore,
        overall,
        passed: overall >= passThreshold - ROUNDING && !malformed && !forbiddenExtra,
        error_type,
        format_compliance,
        called: calls,
        abstention,
        evidence: evidenceOf({
          assignment,
          weights,
          missing,
          unexpected,
          calls,
          expected,
          byName,
          several,
          finishReason,
        }),
      };
    },
  };
}

/**
 * The verdict on a reply that is larger than is scored: wrong, whatever was expected. A model that goes on and on
 * did not abstain either.
 */
export function oversizedVerdict({
  bound,
  calls,
  format_compliance,
  abstention,
  expected,
}: {
  bound: Bound;
  calls: readonly ParsedCall[];
  format_compliance: ParsedReply['format_compliance'];
  abstention: boolean;
  expected: readonly ExpectedCall[];
}): Verdict {
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

/** The error taxonomy: the first that applies. */
function firstError(of: {
  abstention: boolean;
  calls: number;
  malformed: boolean;
  unknown: boolean;
  missing: number;
  several: boolean;
  checks: ArgumentCheck[];
  forbiddenExtra: boolean;
}): ErrorType {
  if (of.abstention) return of.calls === 0 ? 'none' : 'unexpected_call';
  if (of.calls === 0) return 'no_call';
  if (of.malformed) return 'malformed_arguments';
  if (of.missing > 0) return of.unknown ? 'unknown_tool' : of.several ? 'incomplete_chain' : 'wrong_tool';
  if (of.checks.some((check) => check.verdict === 'missing')) return 'missing_argument';
  if (of.checks.some((check) => check.verdict === 'mismatch')) return 'wrong_argument';
  return of.forbiddenExtra ? 'extra_call' : 'none';
}

function evidenceOf(of: {
  assignment: CallPairs;
  weights: Pair[][];
  missing: number[];
  unexpected: number[];
  calls: ParsedCall[];
  expected: ExpectedCall[];
  byName: Map<string, Tool>;
  several: boolean;
  finishReason: string | null | undefined;
}): Evidence {
  const { assignment, weights, calls, expected } = of;
  const extra = assignment.flatMap(({ expected: e, called }) => {
    const wanted = expected[e]!.params;
    return wanted && calls[called]!.arguments
      ? Object.keys(calls[called]!.arguments!)
          .filter((key) => !Object.hasOwn(wanted, key))
          .map((key) => `/${called}/${key}`)
      : [];
  });
  const schema: NonNullable<Evidence['schema']> = [];
  for (const [index, call] of calls.entries()) {
    if (schema.length >= MOST_PROBLEMS) break;
    const tool = of.byName.get(call.name.toLowerCase());
    if (tool && call.arguments) schema.push(...checkArguments(tool, call.arguments, index));
  }
  const exact = assignment.filter(({ expected: e, called }) => weights[e]![called]!.weight === 1).length;
  const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
  return {
    pairs: assignment.map(({ expected: e, called }) => ({
      called,
      expected: e,
      param_score: weights[e]![called]!.match?.score ?? null,
      arguments: weights[e]![called]!.match?.checks ?? [],
    })),
    missing: of.missing,
    unexpected: of.unexpected,
    ...(extra.length && { extra_arguments: extra }),
    ...(schema.length && { schema }),
    ...(of.several &&
      expected.length && {
        precision: ratio(exact, calls.length),
        recall: ratio(exact, expected.length),
        f1: ratio(2 * exact, calls.length + expected.length),
      }),
    ...(of.finishReason === 'length' && { notes: ['The reply was cut off at max_tokens.'] }),
  };
}
