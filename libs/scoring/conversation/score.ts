import type { CaseInput } from '#lib/contracts/case';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import type {
  AnsweredCall,
  ConversationEnd,
  ConversationEvidence,
  PlayedRound,
} from '#lib/contracts/conversation-played';
import type { Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { CONVERSATION_BOUNDS, type ConversationFigure } from '#lib/contracts/values/conversations';
import type { Bound, ErrorType, FormatCompliance, ParsedCall, Verdict } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import { declaredArguments } from '../arguments/declared-arguments.js';
import { matchArguments, NOTHING_DECLARED } from '../arguments/match-arguments.js';
import { replyEvidence } from '../house/evidence.js';
import { prepareCase } from '../house/score-case.js';
import type { ParsedReply } from '../replies/parse-reply.js';
import { checkAnswer, isPositive } from './answer-checks.js';
import { beginConversation, resumeConversation } from './play.js';
import { checkPlace } from './rule.js';
import { callKey } from './call-key.js';

/** Raise this whenever the same conversation could score differently than before. */
export const CONVERSATION_VERSION = 1;
const MAX_FAILED_CALLS = 100;
const MAX_ANSWER_SHOWN = 500;

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

/** Scores a conversation by its goal: the calls of all rounds, the state at the end, and what the model said. */
export function scoreConversation(of: PlayedConversation): Verdict {
  const { rounds, end } = of;
  const goal = of.input.conversation!.goal;
  const calls = callsIn(rounds);
  const ofCalls = goal.calls && scoreCalls(of, calls);
  const state = stateParts(of);
  const answer = answerParts(of, state.last);
  const forbiddenCalls = findForbidden(of, calls);
  const forbidden = goal.forbidden_calls?.length ? Number(forbiddenCalls.length === 0) : null;

  const parts = [ofCalls?.overall ?? null, state.score, answer.score].filter((part) => part !== null);
  const mean = parts.length === 0 ? 1 : parts.reduce((sum, part) => sum + part, 0) / parts.length;
  const isReached = parts.every((part) => part === 1) && forbiddenCalls.length === 0 && end === 'answered';
  const hasExtraCall = ofCalls?.error_type === 'extra_call';
  const isMalformed = calls.some((call) => call.arguments === null);
  const passed = isReached && !isMalformed && !hasExtraCall;
  const bound = of.bound ?? rounds.at(-1)?.reply.oversized ?? ofCalls?.evidence.bound;
  const error_type: ErrorType = passed
    ? 'none'
    : errorType(of, { forbiddenCalls, ofCalls, isMalformed, state: state.score, answer: answer.score });
  const { unexpected = [], pairs = [], missing = [], ...evidence } = ofCalls?.evidence ?? {};
  return {
    tool_score: ofCalls?.tool_score ?? null,
    param_score: ofCalls?.param_score ?? null,
    overall: forbiddenCalls.length > 0 ? 0 : mean,
    passed,
    error_type,
    format_compliance: worstFormat(rounds),
    called: calls,
    abstention: false,
    evidence: {
      pairs,
      missing,
      unexpected,
      ...evidence,
      ...replyEvidence({ syntax: syntaxOf(rounds), isCut: rounds.at(-1)?.reply.isCut }, error_type),
      ...(bound && { bound }),
      conversation: {
        version: CONVERSATION_VERSION,
        calls: ofCalls?.overall ?? null,
        forbidden,
        state: state.score,
        answer: answer.score,
        efficiency: goal.calls ? efficiencyOf(goal.calls.length, calls.length) : null,
        ...failures(of.rounds, isReached),
        calls_after_goal: callsAfterGoal(of, calls.length, ofCalls),
        fabricated:
          answer.positives === null || state.score === null ? null : Number(answer.positives && state.score < 1),
        rounds: rounds.length,
        tool_ms: answeredIn(rounds).reduce((sum, { call }) => sum + (call.delay_ms ?? 0), 0),
        end,
        forbidden_calls: forbiddenCalls,
        goal_state: state.places,
        goal_answer: answer.checks,
      },
    },
  };
}

/** All calls. Those of an oversized reply are not all read, and none is played. */
const callsIn = (rounds: readonly ConversationRound[]): ParsedCall[] =>
  rounds.flatMap(({ reply }) => (reply.oversized ? [] : reply.calls)).slice(0, CONVERSATION_BOUNDS.calls);

/** The answered calls, with their indexes among all calls. */
function answeredIn(rounds: readonly ConversationRound[]): { call: AnsweredCall; called: number }[] {
  let first = 0;
  return rounds.flatMap(({ reply, played }) => {
    const answered = played.calls.map((call, index) => ({ call, called: first + index }));
    first += reply.oversized ? 0 : reply.calls.length;
    return answered;
  });
}

/** The calls against those of the goal, paired and scored like `expected_calls`. */
function scoreCalls({ input, tools, similarities }: PlayedConversation, calls: ParsedCall[]): Verdict {
  const { calls: expected_calls, call_order } = input.conversation!.goal;
  const { param_scoring, scoring_config, allow_extra_calls } = input;
  const asCase: CaseInput = { expected_calls, call_order, param_scoring, scoring_config, allow_extra_calls };
  return prepareCase(asCase, tools, 1).score({ calls, format_compliance: 'native' }, { similarities });
}

function findForbidden(
  { input, tools }: PlayedConversation,
  calls: readonly ParsedCall[],
): ConversationEvidence['forbidden_calls'] {
  const forbidden = input.conversation!.goal.forbidden_calls ?? [];
  const declared = new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool]));
  const isForbidden = ({ tool: names, params, scoring_config: config }: ExpectedCall, call: ParsedCall): boolean => {
    const name = call.name.toLowerCase();
    if (![names].flat().some((one) => one.toLowerCase() === name)) return false;
    if (!params) return true;
    if (!call.arguments) return false;
    const tool = declared.get(name);
    const ofTool = tool ? declaredArguments(tool) : NOTHING_DECLARED;
    const given = config?.defaults === 'strict' ? { ...ofTool, defaults: {} } : ofTool;
    return matchArguments(params, call.arguments, given, config, undefined).score === 1;
  };
  return calls.flatMap((call, called) => {
    const index = forbidden.findIndex((one) => isForbidden(one, call));
    return index < 0 ? [] : [{ called, forbidden: index }];
  });
}

function stateParts({ input, rounds }: PlayedConversation) {
  const { goal } = input.conversation!;
  const last = resumeConversation(
    input.conversation!,
    rounds.map(({ played }) => played),
  ).state;
  const places = Object.entries(goal.state ?? {}).map(([pointer, expected]) => {
    const { holds, actual } = checkPlace(last, pointer, expected);
    return { pointer, holds, expected, ...(actual !== undefined && { actual }) };
  });
  return { last, places, score: shareOf(places) };
}

const shareOf = (checks: readonly { holds: boolean }[]): number | null =>
  checks.length === 0 ? null : checks.filter(({ holds }) => holds).length / checks.length;

function answerParts({ input, rounds }: PlayedConversation, state: Json) {
  const wanted = input.conversation!.goal.answer ?? [];
  const texts = rounds.flatMap(({ reply, text }) => (reply.calls.length === 0 ? [text] : []));
  const context = { texts, state, rounds: rounds.map(({ played }) => played) };
  const checks = wanted.map((check, index) => ({ check: index, ...checkAnswer(check, context) }));
  const positives = checks.filter(({ check }) => isPositive(wanted[check]!));
  return {
    checks,
    score: shareOf(checks),
    /** Whether all checks hold that want something said; null without one. */
    positives: positives.length === 0 ? null : positives.every(({ holds }) => holds),
  };
}

const efficiencyOf = (needed: number, made: number): number =>
  made === 0 ? Number(needed === 0) : Math.min(1, needed / made);

/** Calls that were answered with an error, and what became of it. */
function failures(
  rounds: readonly ConversationRound[],
  isReached: boolean,
): Pick<ConversationEvidence, 'failed_calls' | 'repeated_failures' | 'recovered'> {
  const failed = answeredIn(rounds).filter(({ call }) => call.is_error);
  const seen = new Set<string>();
  let repeated_failures = 0;
  for (const { call } of failed) {
    const key = callKey(call);
    if (seen.has(key)) repeated_failures++;
    seen.add(key);
  }
  return {
    recovered: failed.length === 0 ? null : Number(isReached),
    repeated_failures,
    failed_calls: failed.slice(0, MAX_FAILED_CALLS).map(({ call: { problem, answer }, called }) => ({
      called,
      ...(problem && { problem }),
      answer: answer.slice(0, MAX_ANSWER_SHOWN),
    })),
  };
}

/** The calls after the first moment at which the calls of the goal were made and its state held. */
function callsAfterGoal({ input, rounds }: PlayedConversation, made: number, ofCalls: Verdict | undefined): number {
  const { goal } = input.conversation!;
  if (!goal.calls && !goal.state) return 0;
  if (ofCalls && ofCalls.overall < 1) return 0;
  const lastNeeded = Math.max(-1, ...(ofCalls?.evidence.pairs ?? []).map(({ called }) => called));
  const held = goal.state ? firstHeld(input, rounds) : -1;
  return held === undefined ? 0 : Math.max(0, made - 1 - Math.max(lastNeeded, held));
}

/** The index of the call after which the goal's state held first; -1 if it did from the start, undefined if never. */
function firstHeld(input: CaseInput, rounds: readonly ConversationRound[]): number | undefined {
  const conversation = input.conversation!;
  const holds = (state: Json): boolean =>
    Object.entries(conversation.goal.state!).every(([pointer, expected]) => checkPlace(state, pointer, expected).holds);
  let { state } = beginConversation(conversation);
  if (holds(state)) return -1;
  for (const { call, called } of answeredIn(rounds)) {
    if (call.changes.length === 0) continue;
    state = resumeConversation({ ...conversation, state }, [{ calls: [call] }]).state;
    if (holds(state)) return called;
  }
  return undefined;
}

const OF_ENDINGS: Partial<Record<ConversationEnd, ErrorType>> = {
  oversized: 'oversized_reply',
  refused: 'refused',
  cut_off: 'cut_off',
};
/** Types of the calls that come before the bounds of a conversation. */
const FIRST_TYPES: ReadonlySet<ErrorType | undefined> = new Set<ErrorType>([
  'no_call',
  'unexpected_call',
  'unknown_tool',
]);

/** The first error that applies to a conversation that does not pass. */
function errorType(
  { end }: PlayedConversation,
  of: {
    forbiddenCalls: readonly unknown[];
    ofCalls: Verdict | undefined;
    isMalformed: boolean;
    state: number | null;
    answer: number | null;
  },
): ErrorType {
  if (of.forbiddenCalls.length > 0) return 'forbidden_call';
  const ending = OF_ENDINGS[end];
  if (ending) return ending;
  const type = of.ofCalls?.error_type ?? 'none';
  if (of.isMalformed) return 'malformed_arguments';
  if (FIRST_TYPES.has(type)) return type;
  if (end === 'round_limit') return 'round_limit';
  if (type !== 'none') return type;
  if (of.state !== null && of.state < 1) return 'goal_state';
  if (of.answer !== null && of.answer < 1) return 'goal_answer';
  return 'incomplete_chain'; // The host refused what the model wrote, so that it did not come to its end.
}

const syntaxOf = (rounds: readonly ConversationRound[]): ParsedReply['syntax'] =>
  rounds.find(({ reply: { syntax } }) => syntax && syntax !== 'thoughts')?.reply.syntax ?? rounds.at(-1)?.reply.syntax;

const WORST_FIRST: FormatCompliance[] = ['malformed', 'repaired', 'native'];
const worstFormat = (rounds: readonly ConversationRound[]): FormatCompliance =>
  WORST_FIRST.find((format) => rounds.some(({ reply }) => reply.format_compliance === format)) ?? 'none';

/** The figures of a conversation, as metrics of its result. */
export function conversationFigures({ evidence }: Verdict): Record<ConversationFigure, { score: number | null }> {
  const { calls, forbidden, state, answer, efficiency, recovered, fabricated } = evidence.conversation!;
  return {
    'conversation.calls': { score: calls },
    'conversation.forbidden': { score: forbidden },
    'conversation.state': { score: state },
    'conversation.answer': { score: answer },
    'conversation.efficiency': { score: efficiency },
    'conversation.recovered': { score: recovered },
    'conversation.fabricated': { score: fabricated },
  };
}
