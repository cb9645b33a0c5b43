import type { CaseInput } from '#lib/contracts/case';
import type { Conversation, ConversationRule } from '#lib/contracts/conversation';
import type { AnsweredCall, Change, PlayedRound } from '#lib/contracts/conversation-played';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import type { Bound, ParsedCall } from '#lib/contracts/verdict';
import { declaredArguments } from '../arguments/declared-arguments.js';
import { NOTHING_DECLARED, type DeclaredArguments } from '../arguments/match-arguments.js';
import { exceedsState, measure, utf8Length } from './measure.js';
import { applyPatch } from './patch.js';
import { matchRule, playRule } from './rule.js';

/*
 * A conversation's tools: state and call in, answer and state out. No I/O, no clock, no randomness, and the same in
 * Node and in a browser.
 */

/** How far a conversation is. Plain JSON that nobody changes. */
export interface ConversationProgress {
  state: Json;
  /** How often each tool was called, by its name in lower case. */
  callCounts: Record<string, number>;
  /** All calls, those of unknown tools included. */
  calls: number;
  /** UTF-8 bytes of all answers, and of the changes that are recorded with them. */
  answerBytes: number;
  /** The rules that answered, as `tool/index`. */
  answered: string[];
}

export interface PreparedConversation {
  conversation: Conversation;
  /** The tools of the case with their rules, by name in lower case. */
  tools: ReadonlyMap<string, PreparedTool>;
}
export interface PreparedTool {
  tool: Tool;
  declared: DeclaredArguments;
  rules: readonly ConversationRule[];
}

/** What arguments break in the schema of their tool, as the end of a sentence; undefined for nothing. */
export type SchemaFault = (tool: Tool, args: JsonObject) => string | undefined;

/** Why a conversation ends before its calls are answered. */
export interface ConversationStop {
  bound: Bound;
  /** The rule that made it, of the suite's making and not the model's by repetition: the item is errored, not wrong. */
  bySuite?: BreakingRule;
}
export interface BreakingRule {
  tool: string;
  /** From 0. */
  rule: number;
  /** The call that it answered, of all of the conversation, from 0. */
  call: number;
}

/** @param input a case as `mergeConversation` returns it */
export function prepareConversation({ conversation }: CaseInput, tools: readonly Tool[]): PreparedConversation {
  const rules = new Map(
    Object.entries(conversation!.tools ?? {}).map(([name, list]) => [name.toLowerCase(), list] as const),
  );
  const prepared = tools.map((tool): [string, PreparedTool] => {
    const name = tool.function.name.toLowerCase();
    return [name, { tool, declared: declaredArguments(tool), rules: rules.get(name) ?? [] }];
  });
  return { conversation: conversation!, tools: new Map(prepared) };
}

export const beginConversation = ({ state = {} }: Conversation): ConversationProgress => ({
  state,
  callCounts: {},
  calls: 0,
  answerBytes: 0,
  answered: [],
});

/** How far a conversation is after what was played of it. It asks no rule, and applies what was recorded. */
export const resumeConversation = (
  conversation: Conversation,
  rounds: readonly Pick<PlayedRound, 'calls'>[],
): ConversationProgress => rounds.flatMap(({ calls }) => calls).reduce(afterCall, beginConversation(conversation));

/** @param changed the state after the call, if it is known */
function afterCall(progress: ConversationProgress, call: AnsweredCall, changed?: unknown): ConversationProgress {
  const name = call.name.toLowerCase();
  const rule = `${name}/${call.rule}`;
  const isNew = call.rule !== null && !progress.answered.includes(rule);
  return {
    state: isState(changed) ? changed.state : stateAfter(progress.state, call.changes),
    callCounts:
      call.problem === 'unknown_tool'
        ? progress.callCounts
        : { ...progress.callCounts, [name]: callsOf(progress, name) + 1 },
    calls: progress.calls + 1,
    answerBytes: progress.answerBytes + bytesOf(call),
    answered: isNew ? [...progress.answered, rule] : progress.answered,
  };
}
const bytesOf = ({ answer, changes }: Pick<AnsweredCall, 'answer' | 'changes'>): number =>
  utf8Length(answer) + (changes.length ? measure(changes as unknown as Json).bytes : 0);
const isState = (value: unknown): value is { state: Json } => typeof value === 'object' && value !== null;
const stateAfter = (state: Json, changes: readonly Change[]): Json =>
  changes.length === 0 ? state : applyPatch(state, changes).state;
const callsOf = ({ callCounts }: ConversationProgress, name: string): number =>
  Object.hasOwn(callCounts, name) ? callCounts[name]! : 0;

/**
 * Answers the calls of one reply in their order, each on the state that the one before it left.
 * @param schemaFault `schemaFault` of schema-fault.ts; without it, no call is checked against its schema
 * @returns the calls that were answered, and `end` when a bound was exceeded: the call that did it changed nothing,
 *   and the calls after it have no answer
 */
export function answerCalls(
  prepared: PreparedConversation,
  progress: ConversationProgress,
  calls: readonly ParsedCall[],
  schemaFault?: SchemaFault,
): { calls: AnsweredCall[]; progress: ConversationProgress; end?: ConversationStop } {
  const answered: AnsweredCall[] = [];
  let current = progress;
  for (const call of calls) {
    if (current.calls >= CONVERSATION_BOUNDS.calls)
      return { calls: answered, progress: current, end: { bound: boundOf('calls') } };
    const one = answerOne(prepared, current, call, schemaFault);
    if ('bound' in one) return { calls: answered, progress: current, end: one };
    answered.push(one.call);
    current = afterCall(current, one.call, one);
  }
  return { calls: answered, progress: current };
}

const boundOf = (what: 'calls' | 'state' | 'answers'): Bound => ({
  what,
  limit: {
    calls: CONVERSATION_BOUNDS.calls,
    state: CONVERSATION_BOUNDS.stateBytes,
    answers: CONVERSATION_BOUNDS.answerBytes,
  }[what],
});

/** Arguments of so many bytes are the model's making, whatever a rule does with them. */
const LARGE_ARGUMENTS = 64 * 1024;

function answerOne(
  prepared: PreparedConversation,
  progress: ConversationProgress,
  call: ParsedCall,
  schemaFault: SchemaFault | undefined,
): { call: AnsweredCall; state: Json } | ConversationStop {
  const { state } = progress;
  const played = play(prepared, progress, call, schemaFault);
  const rule = `${call.name.toLowerCase()}/${played.rule}`;
  const isOfModel =
    played.rule === null || progress.answered.includes(rule) || measure(call.arguments).bytes > LARGE_ARGUMENTS;
  const exceeded = (what: 'state' | 'answers'): ConversationStop => ({
    bound: boundOf(what),
    ...(!isOfModel && { bySuite: { tool: call.name, rule: played.rule!, call: progress.calls } }),
  });
  const { state: changed = state, isTooLarge, ...rest } = played;
  if (isTooLarge || (changed !== state && exceedsState(changed))) return exceeded('state');
  if (progress.answerBytes + bytesOf(played) > CONVERSATION_BOUNDS.answerBytes) return exceeded('answers');
  return { call: { name: call.name, arguments: call.arguments, ...rest }, state: changed };
}

type Played = Omit<AnsweredCall, 'name' | 'arguments'> & { state?: Json; isTooLarge?: boolean };

const refused = (problem: NonNullable<AnsweredCall['problem']>, answer: string): Played => ({
  answer,
  is_error: true,
  rule: null,
  problem,
  changes: [],
});

function play(
  { conversation, tools }: PreparedConversation,
  progress: ConversationProgress,
  { name, arguments: args }: ParsedCall,
  schemaFault: SchemaFault | undefined,
): Played {
  const prepared = tools.get(name.toLowerCase());
  if (!prepared) return refused('unknown_tool', `There is no tool "${name.slice(0, 200)}".`);
  const { tool, declared, rules } = prepared;
  const own = tool.function.name;
  if (args === null) return refused('unreadable', `The arguments for ${own} are not a JSON object.`);
  const fault = conversation.validate === false ? undefined : schemaFault?.(tool, args);
  if (fault !== undefined) return refused('invalid', `Invalid arguments for ${own}: ${fault}`);
  const call = { args, count: callsOf(progress, name.toLowerCase()) + 1, state: progress.state };
  for (const [index, rule] of rules.entries()) {
    const matched = matchRule(rule, call, declared ?? NOTHING_DECLARED);
    if (matched) return { ...playRule(matched, call), rule: index };
  }
  return refused('no_rule', `Invalid arguments for ${own}.`);
}
