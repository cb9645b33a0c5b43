import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

/** What a case expects: one tool, one of several, several calls, no call at all, or the goal of a conversation. */
export type Expectation = 'tool' | 'any' | 'calls' | 'none' | 'goal';

export const EXPECTATIONS: readonly (readonly [Expectation, string])[] = [
  ['tool', 'A call to one tool'],
  ['any', 'A call to any of several tools'],
  ['calls', 'Several calls'],
  ['none', 'No call'],
  ['goal', 'A conversation that reaches a goal'],
];

export function expectationOf(input: JsonObject): Expectation {
  if (input.conversation != null) return 'goal';
  if (Array.isArray(input.expected_calls)) return input.expected_calls.length > 0 ? 'calls' : 'none';
  if (Array.isArray(input.expected_tool)) return 'any';
  return input.expected_tool == null ? 'none' : 'tool';
}

const names = (tool: Json | undefined): string =>
  Array.isArray(tool) ? tool.map((name) => toText(name)).join(' or ') : toText(tool);

/** "get_weather", "get_weather or get_forecast", "get_weather, then book", "no call"; "any calls" of an open goal. */
export function expectedTools({ conversation, ...single }: JsonObject): string {
  const goal = isObject(conversation) && isObject(conversation.goal) ? conversation.goal : undefined;
  if (goal && goal.calls === undefined) return 'any calls';
  const {
    expected_calls: expected,
    call_order: order,
    expected_tool: tool,
  } = goal ? { expected_calls: goal.calls, call_order: goal.call_order, expected_tool: undefined } : single;
  if (Array.isArray(expected) && expected.length > 0) {
    const calls = expected.map((call) => (isObject(call) ? names(call.tool) : ''));
    return calls.join(order === 'strict' ? ', then ' : ' and ');
  }
  return names(tool) === 'null' ? 'no call' : names(tool) || 'no call';
}

/** The keys of an expectation. */
export const EXPECTATION_KEYS = new Set([
  'expected_tool',
  'expected_params',
  'expected_calls',
  'call_order',
  'should_call_tool',
  'conversation',
]);

/** The same case with another kind of expectation, which keeps what the two kinds share. */
export function withExpectation(input: JsonObject, kind: Expectation): JsonObject {
  const calls = callsOf(input);
  const [first = { tool: '' }] = calls;
  const names = [first.tool].flat().filter((name) => name !== undefined && name !== '') as Json[];
  const params: JsonObject = first.params == null ? {} : { expected_params: first.params };
  const rest = without(input, EXPECTATION_KEYS);
  if (kind === 'goal') return { ...without(rest, CHAIN_KEYS), conversation: { tools: {}, goal: { calls } } };
  if (kind === 'none') return { ...rest, expected_tool: null };
  if (kind === 'calls') return { ...rest, expected_calls: calls.length > 0 ? calls : [{ tool: '' }] };
  if (kind === 'any') return { ...rest, expected_tool: names, ...params };
  return { ...rest, expected_tool: names[0] ?? '', ...params };
}

function callsOf({ conversation, ...input }: JsonObject): JsonObject[] {
  const goal = isObject(conversation) && isObject(conversation.goal) ? conversation.goal : {};
  const calls = goal.calls ?? input.expected_calls;
  if (Array.isArray(calls)) return calls.filter((call) => isObject(call));
  if (input.expected_tool == null) return [];
  const params: JsonObject = input.expected_params == null ? {} : { params: input.expected_params };
  return [{ tool: input.expected_tool, ...params }];
}

/** The keys of a chain of calls. */
export const CHAIN_KEYS = new Set([
  'multi_turn',
  'max_rounds',
  'optimal_hops',
  'valid_prerequisites',
  'mock_responses',
]);

/** A case that is not a chain has none of a chain's fields. */
export const withChain = (input: JsonObject, isChain: boolean): JsonObject =>
  isChain ? { ...input, multi_turn: true } : without(input, CHAIN_KEYS);

/** A new conversation starts with the prompt, a new prompt with the last user message. */
export function withConversation(input: JsonObject, isConversation: boolean): JsonObject {
  if (isConversation)
    return {
      messages: [{ role: 'user', content: toText(input.prompt ?? '') }],
      ...without(input, new Set(['prompt'])),
    };
  const messages = Array.isArray(input.messages) ? input.messages : [];
  const last = messages.findLast((message) => isObject(message) && message.role === 'user');
  return { prompt: isObject(last) ? toText(last.content) : '', ...without(input, new Set(['messages'])) };
}

const without = (input: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !keys.has(key)));

/** The request body: the case without what the suite added. */
export const inputOf = (stored: JsonObject): JsonObject => without(stored, new Set(['id', 'position']));

const FIELD_KEYS = new Set([
  ...EXPECTATION_KEYS,
  ...CHAIN_KEYS,
  'name',
  'category',
  'tags',
  'prompt',
  'messages',
  'param_scoring',
  'scoring_config',
  'allow_extra_calls',
  'draft',
]);

/** Keys of the case without a field: they are in its JSON, and are preserved. */
export const keysWithoutField = (input: JsonObject): string[] =>
  Object.keys(input).filter((key) => !FIELD_KEYS.has(key) && input[key] != null);
