import type { CaseInput } from '#lib/contracts/case';
import type { AnswerCheck, Conversation, ConversationDefaults } from '#lib/contracts/conversation';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import type { Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import { checkParams, checkPattern, checkValue, type Fail } from '../checks/check-expected.js';
import { toolSetOf } from '../cases/tool-set.js';
import { checkRules, leadsNowhere, mayBeMissing, NOT_BY_MEANING } from './check-rules.js';
import { measure } from './measure.js';
import { mergeConversation, StatePatchFault } from './merge.js';
import { Places } from './places.js';
import { keysOf } from './pointer.js';

/** Fields whose place a conversation takes, and where what they say belongs. */
const REPLACED = {
  multi_turn: 'a conversation has its rounds anyway, so leave it out',
  expected_tool: 'name the calls in "conversation.goal.calls"',
  expected_calls: 'name the calls in "conversation.goal.calls"',
  expected_params: 'name the calls in "conversation.goal.calls"',
  should_call_tool: 'name the calls in "conversation.goal.calls", an empty list for none',
  mock_responses: 'put the answers into "conversation.tools"',
  optimal_hops: 'name the calls in "conversation.goal.calls"; its efficiency is theirs',
  valid_prerequisites: 'name what must not be called in "conversation.goal.forbidden_calls"',
  max_rounds: 'put it into the conversation, as "conversation.max_rounds"',
  call_order: 'put it into the goal, as "conversation.goal.call_order"',
} as const;

/** The errors of a case's conversation, as it is written. Paths are pointers into the case. */
export function checkConversation(
  input: CaseInput,
  defaults: ConversationDefaults | null | undefined,
  suite: readonly Tool[],
): InputError[] {
  const { fail, errors } = collector();
  const { conversation } = input;
  if (!conversation) return [];
  for (const [key, instead] of Object.entries(REPLACED)) {
    const value = input[key as keyof typeof REPLACED];
    const isGiven = key === 'expected_tool' ? value !== undefined : value != null && value !== false;
    if (isGiven || (key === 'should_call_tool' && value === false))
      fail([key], `cannot be combined with "conversation": ${instead}.`);
  }
  if (conversation.state !== undefined && conversation.state_patch)
    fail(['conversation', 'state_patch'], 'cannot be combined with "state": it changes the state of the suite.');
  const merged = merge(input, defaults, fail);
  if (!merged) return errors;
  checkState(['conversation', conversation.state_patch ? 'state_patch' : 'state'], merged.conversation.state!, fail);
  const tools = new Map(toolSetOf(merged.input, suite).map((tool) => [tool.function.name.toLowerCase(), tool]));
  const places = new Places(merged.conversation.state!, merged.conversation.tools!);
  checkRules(['conversation', 'tools'], conversation.tools ?? {}, { tools, places, fail });
  checkGoal(merged, tools, places, fail);
  return errors;
}

interface Merged {
  input: CaseInput;
  conversation: Conversation;
}

function merge(input: CaseInput, defaults: ConversationDefaults | null | undefined, fail: Fail): Merged | undefined {
  try {
    const merged = mergeConversation(input, defaults);
    return { input: merged, conversation: merged.conversation! };
  } catch (error) {
    if (!(error instanceof StatePatchFault)) throw error;
    fail(['conversation', 'state_patch', error.operation], `does not apply: ${error.reason}`);
    return undefined;
  }
}

/** The errors of what the conversations of a suite have in common. Paths are pointers into it. */
export function checkConversationDefaults(defaults: ConversationDefaults, suite: readonly Tool[]): InputError[] {
  const { fail, errors } = collector();
  checkState(['state'], defaults.state ?? {}, fail);
  const tools = new Map(suite.map((tool) => [tool.function.name.toLowerCase(), tool]));
  const places = new Places(defaults.state ?? {}, defaults.tools ?? {});
  // Without a state of the suite, each case has its own, and only there is seen where pointers lead.
  const anywhere = defaults.state === undefined ? { missingIn: () => undefined, unfitFor: () => undefined } : places;
  checkRules(['tools'], defaults.tools ?? {}, { tools, places: anywhere as Places, fail });
  return errors;
}

function collector(): { fail: Fail; errors: InputError[] } {
  const errors: InputError[] = [];
  return { errors, fail: (path, message) => void errors.push({ path: jsonPointer(path), message }) };
}

function checkState(path: PropertyKey[], state: Json, fail: Fail): void {
  const { bytes, depth, hasPrototypeKey } = measure(state);
  const { stateBytes, stateDepth } = CONVERSATION_BOUNDS;
  if (bytes > stateBytes)
    fail(
      path,
      `makes a state of ${Math.ceil(bytes / 1024)} KiB of JSON, which is more than ${stateBytes / 1024} KiB: ` +
        'keep only what the tools read and change.',
    );
  if (depth > stateDepth) fail(path, `is nested ${depth} deep, and at most ${stateDepth} levels are kept.`);
  else if (hasPrototypeKey) fail(path, 'has a key "__proto__", which no state can have.');
}

function checkGoal(
  { input, conversation }: Merged,
  tools: ReadonlyMap<string, Tool>,
  places: Places,
  fail: Fail,
): void {
  const { calls, forbidden_calls: forbidden = [], state = {}, answer = [] } = conversation.goal;
  const path = ['conversation', 'goal'];
  if (!calls && forbidden.length === 0 && Object.keys(state).length === 0 && answer.length === 0)
    fail(path, 'says nothing: give at least one of "calls", "forbidden_calls", "state" and "answer".');
  const names = [...tools.values()].map((tool) => tool.function.name);
  const checkName = (at: PropertyKey[], name: string): void => {
    if (!tools.has(name.toLowerCase()))
      fail(at, `No tool "${name}" among those that the model is offered. ${suggestNames(name, names, 'its tools')}`);
  };
  const checkCall = (
    at: PropertyKey[],
    { tool, params, scoring_config: own }: ExpectedCall,
    isOfCase: boolean,
  ): void => {
    for (const name of [tool].flat()) checkName([...at, 'tool'], name);
    const config = own ?? (isOfCase ? input.scoring_config : undefined);
    if (params) checkParams([...at, 'params'], params, config, isOfCase ? input.param_scoring : undefined, fail);
    const modes = [own?.mode, ...Object.values(own?.params ?? {}).map(({ mode }) => mode)];
    if (!isOfCase && modes.includes('semantic')) fail([...at, 'scoring_config'], NOT_BY_MEANING);
  };
  calls?.forEach((call, index) => checkCall([...path, 'calls', index], call, true));
  forbidden.forEach((call, index) => checkCall([...path, 'forbidden_calls', index], call, false));
  for (const [pointer, expected] of Object.entries(state)) {
    const at = [...path, 'state', pointer];
    checkValue(at, expected, { mode: 'exact', isValueOfKey: true, isInObject: false }, fail);
    const missing = places.missingIn(keysOf(pointer), mayBeMissing(expected));
    if (missing !== undefined) fail(at, leadsNowhere(missing));
  }
  answer.forEach((check, index) => checkAnswerCheck([...path, 'answer', index], check, { places, checkName, fail }));
}

function checkAnswerCheck(
  path: PropertyKey[],
  check: AnswerCheck,
  { places, checkName, fail }: { places: Places; checkName: (at: PropertyKey[], name: string) => void; fail: Fail },
): void {
  if ('regex' in check) checkPattern([...path, 'regex'], check.regex, fail);
  if ('not_regex' in check) checkPattern([...path, 'not_regex'], check.not_regex, fail);
  if (!('quotes' in check)) return;
  if (typeof check.quotes !== 'string') return checkName([...path, 'quotes', 'tool'], check.quotes.tool);
  const missing = places.missingIn(keysOf(check.quotes));
  if (missing !== undefined) fail([...path, 'quotes'], leadsNowhere(missing));
}
