import type { CaseInput } from '#lib/contracts/case';
import type { Conversation, ConversationDefaults, ConversationRule } from '#lib/contracts/conversation';
import type { AnsweredCall } from '#lib/contracts/conversation-played';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall } from '#lib/contracts/verdict';
import { matcherOf } from '../arguments/matchers.js';
import { toolSetOf } from '../cases/tool-set.js';
import { isPositive } from './answer-checks.js';
import { mergeConversation, StatePatchFault } from './merge.js';
import { answerCalls, beginConversation, prepareConversation, type ConversationProgress } from './play.js';
import { namesIn } from './placeholders.js';
import { checkPlace } from './rule.js';
import { schemaFault } from './schema-fault.js';

const MAX_WARNINGS = 10;

/**
 * What a conversation may have, but hardly means, in sentences: rules that never answer, tools that may have no answer,
 * a goal that holds at the start, or that its own calls do not reach.
 */
export function conversationWarnings(
  input: CaseInput,
  defaults: ConversationDefaults | null | undefined,
  suite: readonly Tool[],
): string[] {
  if (!input.conversation) return [];
  try {
    const merged = mergeConversation(input, defaults);
    const tools = toolSetOf(merged, suite);
    const conversation = merged.conversation!;
    const own = input.conversation.tools ?? {};
    const warnings = [
      ...Object.entries(own).flatMap(warnOfRules),
      ...warnOfNoRules(conversation, tools),
      ...warnOfGoal(merged, conversation, tools),
    ];
    return warnings.slice(0, MAX_WARNINGS);
  } catch (error) {
    if (error instanceof StatePatchFault) return []; // It is an error of the case.
    throw error;
  }
}

/** The same of what the conversations of a suite have in common. */
export const defaultsWarnings = ({ tools = {} }: ConversationDefaults): string[] =>
  Object.entries(tools).flatMap(warnOfRules).slice(0, MAX_WARNINGS);

function warnOfRules([name, rules]: [string, ConversationRule[]]): string[] {
  const first = rules.findIndex(({ when }) => isAlways(when));
  const always = first >= 0 && needsNoArgument(rules[first]!) ? first : -1;
  if (first < 0)
    return [
      `${name} has no last rule that always holds: where none of its rules does, the answer is ` +
        `"Invalid arguments for ${name}.".`,
    ];
  return always >= 0 && always < rules.length - 1
    ? [`The rules of ${name} after rule ${always + 1} never answer, because rule ${always + 1} always holds.`]
    : [];
}

function warnOfNoRules({ tools: rules = {} }: Conversation, tools: readonly Tool[]): string[] {
  const ruled = new Set(Object.keys(rules).map((name) => name.toLowerCase()));
  const names = tools.map((tool) => tool.function.name).filter((name) => !ruled.has(name.toLowerCase()));
  return names.length === 0
    ? []
    : [`No rules answer ${names.join(', ')}: each call is answered with "Invalid arguments for ...".`];
}

const isAlways = (when: ConversationRule['when']): boolean =>
  !when || (!when.call && ![when.arguments, when.state].some((one) => Object.keys(one ?? {}).length > 0));
/** Whether a rule names no argument that a call may lack. */
const needsNoArgument = ({ effects = [], respond = null, error = '' }: ConversationRule): boolean =>
  textsIn([effects as unknown as Json, respond, error]).every((text) => namesIn(text).length === 0);
const textsIn = (value: Json): string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value) || isObject(value)
      ? (Object.values(value) as Json[]).flatMap(textsIn)
      : [];

function warnOfGoal(input: CaseInput, conversation: Conversation, tools: readonly Tool[]): string[] {
  const { state: wanted, calls = [], forbidden_calls: forbidden = [], answer = [] } = conversation.goal;
  const asksNothing = calls.length + forbidden.length === 0 && !answer.some(isPositive);
  const holds = (state: Json): boolean =>
    Object.entries(wanted ?? {}).every(([pointer, expected]) => checkPlace(state, pointer, expected).holds);
  const hasState = Object.keys(wanted ?? {}).length > 0;
  if (hasState && asksNothing && holds(conversation.state ?? {}))
    return ["The goal's state holds at the start: a model that does nothing reaches it."];
  const made = calls.map(callOf);
  if (made.length === 0 || made.includes(undefined)) return [];
  const { answers, progress } = playCalls(input, tools, made as ParsedCall[]);
  // The goal may name only some of the arguments that a tool needs: then nothing can be said.
  if (answers.some(({ problem }) => problem === 'invalid')) return [];
  const failed = answers.flatMap(({ problem, answer, name }, index) =>
    problem ? [`The goal's call ${index + 1}, ${name}, is answered with an error: ${answer}`] : [],
  );
  const reached = !hasState || holds(progress.state);
  return reached
    ? failed
    : [...failed, `The goal's own calls do not lead to its state: ${describeState(conversation, progress)}`];
}

function describeState({ goal }: Conversation, { state }: ConversationProgress): string {
  const wrong = Object.entries(goal.state!).filter(
    ([pointer, expected]) => !checkPlace(state, pointer, expected).holds,
  );
  const [pointer, expected] = wrong[0]!;
  const { actual } = checkPlace(state, pointer, expected);
  const is = actual === undefined ? `there is nothing at "${pointer}"` : `"${pointer}" is ${show(actual)}`;
  return `${is}, expected ${show(expected)}.`;
}

const show = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
};

/** A model makes a call again that a fault answered. */
const MAX_TRIES = 4;

function playCalls(
  input: CaseInput,
  tools: readonly Tool[],
  calls: readonly ParsedCall[],
): { answers: AnsweredCall[]; progress: ConversationProgress } {
  const prepared = prepareConversation(input, tools);
  let progress = beginConversation(input.conversation!);
  const answers: AnsweredCall[] = [];
  for (const call of calls) {
    for (let tries = 1; ; tries++) {
      const played = answerCalls(prepared, progress, [call], schemaFault);
      progress = played.progress;
      const [answer] = played.calls;
      if (!answer) return { answers, progress };
      const isFault = answer.is_error && !answer.problem;
      const mayRecover = isFault || answer.fault !== undefined;
      if (mayRecover && tries < MAX_TRIES && changesNothing(answer)) continue;
      answers.push(answer);
      break;
    }
  }
  return { answers, progress };
}
const changesNothing = ({ changes }: AnsweredCall): boolean => changes.length === 0;

/** A call that is as an expected one; undefined where a matcher does not say which. */
function callOf({ tool, params }: ExpectedCall): ParsedCall | undefined {
  const args = valueOf(params ?? {});
  return args === undefined ? undefined : { name: [tool].flat()[0]!, arguments: args as JsonObject };
}

const LEFT_OUT = Symbol('left out');

/** A value that an expected one accepts; undefined where none is known. */
function valueOf(expected: Json): Json | undefined {
  const found = someValue(expected);
  return found === LEFT_OUT ? undefined : found;
}

function someValue(expected: Json): Json | undefined | typeof LEFT_OUT {
  const held = isObject(expected) ? expected : {};
  switch (matcherOf(expected)) {
    case '$one_of':
      return someValue((held.$one_of as Json[])[0]!);
    case '$approx':
      return held.$approx;
    case '$literal':
      return held.$literal;
    case '$contains':
      return held.$contains;
    case '$absent':
    case '$optional':
      return LEFT_OUT;
    case '$regex':
    case '$any':
      return undefined;
  }
  if (Array.isArray(expected)) {
    const items = expected.map(valueOf);
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  if (!isObject(expected)) return expected;
  const members = Object.entries(expected).map(([key, value]) => [key, someValue(value)] as const);
  if (members.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(members.filter(([, value]) => value !== LEFT_OUT)) as JsonObject;
}
