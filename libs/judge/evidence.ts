import type { CaseInput } from '#lib/contracts/case';
import type { Conversation } from '#lib/contracts/conversation';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall } from '#lib/contracts/verdict';

/** A model's reply as shown to a judge: without the model's name and the score. */
export interface JudgedText {
  text: string | null;
  calls: { name: string; arguments: unknown }[];
  /** Some of it was truncated or left out. */
  shortened?: true;
}

interface Reference {
  calls: { name: string | string[]; arguments?: unknown }[];
  order?: string;
  extra_calls?: string;
  /** Of a conversation: what the user says later, what must not be called, and what should hold at the end. */
  later_user_turns?: readonly string[];
  forbidden_calls?: Reference['calls'];
  final_state?: unknown;
  answer?: unknown;
}

/** What a case asks and expects. */
export interface JudgedCase {
  tools: readonly Tool[];
  conversation: readonly object[];
  reference: Reference;
}

/** Characters of a text written by a model, or of a string in its arguments. */
const MAX_TEXT = 4_000;
/** Characters of all calls of a reply as JSON; further calls are left out. */
const MAX_CALLS = 32_000;
const MAX_CALL_COUNT = 50;

/** @param systemPrompt the system message before the conversation; empty for none */
export function caseAsJudged(input: CaseInput, tools: readonly Tool[], systemPrompt: string): JudgedCase {
  const asked: object[] = input.messages ?? [{ role: 'user', content: input.prompt ?? '' }];
  const conversation = systemPrompt ? [{ role: 'system', content: systemPrompt }, ...asked] : asked;
  return { tools, conversation, reference: referenceOf(input) };
}

/** The calls that a case expects: empty when it expects no call. */
function referenceOf(input: CaseInput): Reference {
  const { expected_tool: tool, expected_params: params, expected_calls: calls, should_call_tool: should } = input;
  if (input.conversation) return goalAsReference(input.conversation);
  if (calls)
    return {
      calls: calls.map(asReference),
      ...(input.call_order && { order: input.call_order }),
      ...(input.allow_extra_calls !== undefined && {
        extra_calls: input.allow_extra_calls ? 'allowed' : 'not allowed',
      }),
    };
  if (should === false || tool == null) return { calls: [] };
  return { calls: [{ name: tool, ...(params && { arguments: params }) }] };
}

const asReference = ({ tool, params }: ExpectedCall): Reference['calls'][number] => ({
  name: tool,
  ...(params && { arguments: params }),
});

const goalAsReference = ({ goal, user }: Conversation): Reference => ({
  calls: (goal.calls ?? []).map(asReference),
  ...(goal.call_order && { order: goal.call_order }),
  ...(user && { later_user_turns: user.turns }),
  ...(goal.forbidden_calls && { forbidden_calls: goal.forbidden_calls.map(asReference) }),
  ...(goal.state && { final_state: goal.state }),
  ...(goal.answer && { answer: goal.answer }),
});

/** @param called null when the calls are too long to read */
export function replyAsJudged(called: readonly ParsedCall[] | null, text: string | null): JudgedText {
  let room = MAX_CALLS;
  let shortened = called === null;
  const calls: JudgedText['calls'] = [];
  const cut = (value: string): string => {
    if (value.length <= MAX_TEXT) return value;
    shortened = true;
    return `${value.slice(0, MAX_TEXT)}... [${value.length - MAX_TEXT} more characters]`;
  };
  for (const call of (called ?? []).slice(0, MAX_CALL_COUNT)) {
    const read = { name: cut(call.name), arguments: mapTexts(call.arguments ?? call.raw ?? null, cut) };
    room -= JSON.stringify(read).length;
    if (room < 0) break;
    calls.push(read);
  }
  shortened ||= calls.length < (called ?? []).length;
  const said = text ? cut(text) : null;
  return { text: said, calls, ...(shortened && { shortened: true as const }) };
}

/** The same value with its strings replaced, including field names. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one as Json, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [change(key), mapTexts(one, change)]),
  );
}
