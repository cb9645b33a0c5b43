import { createHash } from 'node:crypto';
import type { CaseInput } from '#lib/contracts/case';
import type { Conversation } from '#lib/contracts/conversation';
import { isObject } from '#lib/contracts/json/json';
import { DEFAULT_CONVERSATION_ROUNDS } from '#lib/contracts/values/conversations';

/**
 * A hash of what a case asks and expects. Cases with the same hash can be compared; name, category, tags, source, draft
 * and formatting do not affect it. Numbers keep their text: 5 and 5.0 differ.
 * @param input the case as `parseJson` read it, with or without `id` and `position`; a conversation with what it takes
 *   from its suite
 */
export function contentOf(input: CaseInput): string {
  const rest = withoutDefaults(input);
  for (const key of [...ABOUT_THE_CASE, ...ASKED, ...EXPECTED]) delete rest[key];
  return hashOf([askedBy(input), expectedBy(input), rest]);
}

/** A hash of what a case asks, regardless of what it expects. */
export const questionOf = (input: CaseInput): string => hashOf(askedBy(input));

const ABOUT_THE_CASE = ['id', 'position', 'name', 'category', 'tags', 'source', 'draft'];
const ASKED = [
  'prompt',
  'messages',
  'tools',
  'distractors',
  'mock_responses',
  'multi_turn',
  'max_rounds',
  'conversation',
];
const EXPECTED = ['expected_tool', 'expected_params', 'expected_calls', 'should_call_tool', 'scoring_config'];
const DEFAULTS: Record<string, unknown> = { param_scoring: 'exact', call_order: 'any', allow_extra_calls: true };

const withoutDefaults = (input: CaseInput): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).filter(([key, value]) => value !== null && value !== undefined && value !== DEFAULTS[key]),
  );

function askedBy(input: CaseInput): unknown {
  const { messages, prompt, tools, distractors, mock_responses, multi_turn, max_rounds, conversation } = input;
  return {
    messages: messages ?? [{ role: 'user', content: prompt ?? '' }],
    // Models see tools and mock responses as text, with keys in their original order.
    tools: tools?.map((tool) => JSON.stringify(tool)),
    mocks: Object.fromEntries(Object.entries(mock_responses ?? {}).map(([name, mock]) => [name, JSON.stringify(mock)])),
    distractors: typeof distractors === 'number' ? { count: distractors, seed: 0 } : distractors,
    rounds: multi_turn ? (max_rounds ?? 5) : undefined,
    conversation: conversation && askedInTurn(conversation),
  };
}

/** Models see the state and answers as text, too. */
function askedInTurn({ state, tools, user, max_rounds, validate }: Conversation): unknown {
  return {
    state: JSON.stringify(state),
    tools: Object.fromEntries(Object.entries(tools ?? {}).map(([name, rules]) => [name, JSON.stringify(rules)])),
    turns: user?.turns ?? [],
    rounds: max_rounds ?? DEFAULT_CONVERSATION_ROUNDS,
    validate: validate ?? true,
  };
}

function expectedBy(input: CaseInput): unknown {
  const { expected_calls, expected_tool, expected_params, scoring_config, conversation } = input;
  if (conversation) return { ...conversation.goal, call_order: conversation.goal.call_order ?? 'any', scoring_config };
  const calls = expected_calls ?? (expected_tool == null ? [] : [{ tool: expected_tool, params: expected_params }]);
  return calls.map((call) => ({
    tool: [call.tool].flat(),
    params: call.params ?? undefined,
    scoring: ('scoring_config' in call ? call.scoring_config : undefined) ?? scoring_config ?? undefined,
  }));
}

const hashOf = (value: unknown): string => createHash('sha256').update(sorted(value)).digest('base64');

/** JSON with sorted object keys, and numbers as they were written. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)
    .join()}}`;
}
