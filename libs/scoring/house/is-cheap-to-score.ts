import type { CaseInput } from '#lib/contracts/case';
import type { AnswerCheck, Conversation } from '#lib/contracts/conversation';
import type { AnsweredCall } from '#lib/contracts/conversation-played';
import type { ScoringConfig } from '#lib/contracts/scoring-config';
import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { RunMetric } from '#lib/contracts/metric';
import type { Tool } from '#lib/contracts/tool';
import { expandedLength } from '../checks/schema-walk.js';
import { MAY_HOLD_CALLS } from '../replies/parse-reply.js';
import { thoughtsInFields } from '../replies/thoughts.js';
import { expectedCalls } from './score-case.js';

/*
 * A reply is scored in the worker's main thread if its worst case takes a few milliseconds, judged by sizes alone.
 * Sizes are in characters. The limits were found by trying the worst input of each kind; ordinary replies reach a tenth
 * of them.
 */
const MAX_CALLS = 20;
const MAX_CONTENT = 64 * 1024;
/** Names and arguments of all calls together, or the text that is searched for calls. */
const MAX_CALLED = 16 * 1024;
const MAX_COMPARED = 400_000;
/** Characters of a conversation's answers times the texts that they are searched for. */
const MAX_SEARCHED = 500_000;
/**
 * Steps of the similarity ratio: comparing k texts of up to a characters with texts of up to b characters takes
 * k * a * b * min(a, b) steps at worst.
 */
const MAX_FUZZY_STEPS = 1_000_000;
/** Pattern characters times the characters that they are searched in. */
const MAX_PATTERN_STEPS = 50_000;
/** Characters of a conversation's state times the operations on it, each of which may copy what it changes. */
const MAX_STATE_STEPS = 128 * 1024;
const MAX_CHANGES = 1000;
/** Characters of a tool's schema, which is compiled once; then the same times the characters of the arguments. */
const MAX_SCHEMA = 4000;
const MAX_SCHEMA_STEPS = 3_000_000;

/** The sizes of a case. They are the same for all its replies. */
interface CaseSizes {
  expected: number;
  /** Characters of all expected arguments. */
  length: number;
  texts: number;
  longestText: number;
  fuzzy: boolean;
  patterns: boolean;
  /** Characters of a chain's mocks, or of the rules, the state and the goal of a conversation. */
  mocks: number;
  /** Texts and patterns that the answers of a conversation are searched for. */
  searched: number;
}

const sizesOf = memoize((input: CaseInput): CaseSizes => {
  const expected = expectedCalls(input);
  const params = expected.flatMap((call) => call.params ?? []);
  const written = JSON.stringify(params);
  const configs = [input.scoring_config, ...expected.map((call) => call.scoring_config)];
  const modes = new Set([input.param_scoring, ...configs.flatMap(modesOf)]);
  const strings = [...params].flatMap(stringsIn);
  return {
    expected: expected.length,
    length: written.length,
    texts: strings.length,
    longestText: Math.max(0, ...strings),
    fuzzy: modes.has('fuzzy'),
    patterns: modes.has('regex') || written.includes('"$regex"'),
    mocks: mocksLength(input),
    searched: input.conversation?.goal.answer?.flatMap(searchedFor).length ?? 0,
  };
});

function mocksLength({ conversation, multi_turn, mock_responses }: CaseInput): number {
  if (conversation) return JSON.stringify([conversation.tools, conversation.state, conversation.goal]).length;
  return multi_turn ? JSON.stringify(mock_responses ?? null).length : 0;
}

const searchedFor = (check: AnswerCheck): string[] =>
  'contains' in check ? [check.contains].flat() : 'not_contains' in check ? [check.not_contains].flat() : [''];

const modesOf = (config: ScoringConfig | null | undefined) => [
  config?.mode,
  ...Object.values(config?.params ?? {}).map((rule) => rule.mode),
];

/** The lengths of the texts in a value. */
const stringsIn = (value: Json): number[] =>
  typeof value === 'string'
    ? [value.length]
    : Array.isArray(value) || isObject(value)
      ? Object.values(value).flatMap(stringsIn)
      : [];

const schemaLength = memoize(({ function: { parameters } }: Tool): number => {
  try {
    return parameters ? expandedLength(parameters) : 0;
  } catch {
    return Infinity; // Its chain of references overflows the stack.
  }
});

const namedTools = memoize(
  (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool])),
);

const searchedText = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content));
/** Every call in a text has at least one of these, so they bound the number of calls in it. */
const MENTIONS = /name|tool|function|call|invoke|\(/gi;

/** The sizes of a reply that determine the cost of scoring it. */
interface ReplySizes {
  /** Characters of the text. */
  said: number;
  calls: number;
  called: number;
  /** The longest schema of a tool that is or may be called. */
  schema: number;
}

/** @returns undefined when the reply is too large to be cheap */
function measureReply(
  { content, tool_calls: calls, function_call: legacyCall, ...rest }: JsonObject,
  tools: readonly Tool[],
): ReplySizes | undefined {
  const sizes: ReplySizes = { said: 0, calls: 0, called: 0, schema: 0 };
  const made = Array.isArray(calls) ? calls : isObject(legacyCall) ? [legacyCall] : [];
  if (made.length > MAX_CALLS) return undefined;
  let hasPlainNames = true;
  for (const call of made) {
    const body = isObject(call) && isObject(call.function) ? call.function : call;
    if (!isObject(body)) continue;
    const name = typeof body.name === 'string' ? body.name : '';
    sizes.calls++;
    sizes.called += name.length + approximateJsonLength(body.arguments);
    if (sizes.called > MAX_CALLED) return undefined;
    const tool = namedTools(tools).get(name.toLowerCase());
    if (tool) sizes.schema = Math.max(sizes.schema, schemaLength(tool));
    hasPlainNames &&= !name.trimStart().startsWith('{');
  }
  const length = approximateJsonLength(content ?? '');
  if (length > MAX_CONTENT) return undefined;
  sizes.said = length;
  if (sizes.calls === 0) {
    // Without native calls, the text is searched for calls, and then the thoughts.
    const searched = searchedText(content ?? '') + thoughtsInFields(rest);
    if (MAY_HOLD_CALLS.test(searched)) {
      if (searched.length > MAX_CALLED) return undefined;
      hasPlainNames = false;
      sizes.called += searched.length;
      sizes.calls = searched.match(MENTIONS)?.length ?? 0;
    }
  }
  if (!hasPlainNames) for (const tool of tools) sizes.schema = Math.max(sizes.schema, schemaLength(tool));
  return sizes;
}

/** The approximate length of a value's JSON. Stops counting somewhere beyond `max`. */
export function approximateJsonLength(value: Json | undefined, max = MAX_CONTENT): number {
  if (typeof value === 'string') return value.length;
  if (isNumber(value)) return numberSource(value).length;
  if (typeof value !== 'object' || value === null) return 5;
  let length = 2;
  if (Array.isArray(value)) {
    if (value.length > max) return value.length;
    for (const item of value) if ((length += 1 + approximateJsonLength(item, max - length)) > max) break;
    return length;
  }
  for (const key in value)
    if ((length += key.length + 3 + approximateJsonLength(value[key], max - length)) > max) break;
  return length;
}

/** Whether parsing and scoring these replies takes a few milliseconds at worst. */
export function isCheapToScore(
  { input, tools }: { input: CaseInput; tools: readonly Tool[] },
  messages: readonly JsonObject[],
  metrics: readonly RunMetric[],
): boolean {
  let [calls, called, schema, said] = [0, 0, 0, 0];
  for (const message of messages) {
    const reply = measureReply(message, tools);
    if (!reply) return false;
    [calls, called, schema] = [calls + reply.calls, called + reply.called, Math.max(schema, reply.schema)];
    said += reply.said;
  }
  if (calls > MAX_CALLS || called > MAX_CALLED) return false;
  if (schema > MAX_SCHEMA || schema * called > MAX_SCHEMA_STEPS) return false;
  const sizes = sizesOf(input);
  if (sizes.searched * said > MAX_SEARCHED) return false;
  const length = sizes.length + sizes.mocks;
  if (calls * length + Math.max(1, sizes.expected) * called > MAX_COMPARED) return false;
  if (sizes.fuzzy && sizes.texts * sizes.longestText * called * Math.min(sizes.longestText, called) > MAX_FUZZY_STEPS)
    return false;
  // A pattern may contain a thousand repetitions.
  if ((sizes.patterns || sizes.mocks > 0) && length * called > MAX_PATTERN_STEPS) return false;
  return metrics.length === 0 || areMetricsCheap(metrics, sizes, calls, called);
}

function areMetricsCheap(metrics: readonly RunMetric[], sizes: CaseSizes, calls: number, called: number): boolean {
  if (called > 2000 || sizes.length > 2000 || calls > 8 || sizes.expected > 8) return false;
  return metrics.every(
    ({ id, options }) => !id.startsWith('toolmark.') && options.parameter_matching_strategy !== 'fuzzy',
  );
}

/** Whether answering these calls from the rules of a conversation takes a few milliseconds at worst. */
export function isCheapToPlay(
  { input: { conversation }, tools }: { input: CaseInput; tools: readonly Tool[] },
  message: JsonObject,
  state: Json,
): boolean {
  const reply = measureReply(message, tools);
  if (!reply || !conversation || rulesOf(conversation).length > MAX_CONTENT) return false;
  const operations = Math.max(1, reply.calls) * rulesOf(conversation).operations;
  return operations * approximateJsonLength(state, MAX_STATE_STEPS) <= MAX_STATE_STEPS;
}

/** Whether applying the changes that were recorded in a conversation takes a few milliseconds at worst. */
export function isCheapToReplay(
  { state = {} }: Conversation,
  rounds: readonly { calls: readonly Pick<AnsweredCall, 'changes'>[] }[],
): boolean {
  const changes = rounds.flatMap(({ calls }) => calls.flatMap((call) => call.changes));
  if (changes.length > MAX_CHANGES) return false;
  const values = changes.flatMap(({ value }) => (value === undefined ? [] : [value]));
  // What is added makes the state longer, and a copy of all of it twice as long.
  const copies = changes.filter(({ op }) => op === 'copy').length;
  return changes.length * approximateJsonLength([state, ...values], MAX_STATE_STEPS) * 2 ** copies <= MAX_STATE_STEPS;
}

/** What the rules of a conversation take at worst: characters, and operations of one call. */
const rulesOf = memoize((conversation: Conversation): { length: number; operations: number } => {
  const rules = Object.values(conversation.tools ?? {}).flat();
  return {
    length: approximateJsonLength(conversation as unknown as Json, MAX_CONTENT),
    operations: Math.max(1, ...rules.map(({ effects = [] }) => effects.length)),
  };
});
