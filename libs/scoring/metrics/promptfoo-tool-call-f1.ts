import { z } from 'zod';
import { isObject, unwrapAllNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonInText } from './promptfoo-text.js';
import { flag, json, metric, requiredJson, threshold } from './metric.js';
import { callsOf, NO_CALLS } from './played-case.js';

const options = z.strictObject({
  threshold: threshold(1, 'The score from which `pass` is true.'),
  inverse: flag(false, 'Inverts `pass`. The score does not change.'),
});
type Options = z.output<typeof options>;

export const promptfooToolCallF1 = metric({
  id: 'promptfoo_tool_call_f1',
  reference: 'promptfoo tool-call-f1',
  version: '0.123',
  meaning: 'F1 over the sets of tool names.',
  options,
  input: z.strictObject({
    output: requiredJson.meta({
      description: "The model's output: its calls in any provider's format, or text that contains them.",
    }),
    expected: z
      .union([z.string(), z.array(json)])
      .meta({ description: 'The expected names: a list, or comma-separated text.' }),
  }),
  example: {
    input: {
      output: [{ type: 'function', function: { name: 'weather', arguments: '{}' } }],
      expected: ['weather', 'news'],
    },
  },
  score: ({ output, expected }, options) => f1(output, expected, options),
  records: 'names',
  fromCase(played) {
    if (played.case.conversation && !played.case.conversation.goal.calls) return NO_CALLS;
    const { calls, names } = callsOf(played);
    return names.length === 0
      ? { notApplicable: 'promptfoo cannot express that no tool should be called.' }
      : { input: { output: calls.map(({ name }) => ({ name })), expected: names } };
  },
});

/**
 * promptfoo 0.123 `tool-call-f1`: compares names only, as sets.
 * @throws Error when no expected name is given, as promptfoo does
 */
function f1(output: unknown, value: string | readonly Json[], options: Options) {
  // The elements of a list count in JavaScript's string form: the number 1 is the name "1".
  const names = (typeof value === 'string' ? value.split(',') : value.map((name) => String(unwrapAllNumbers(name))))
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0)
    throw new Error('promptfoo needs at least one expected tool name: it cannot express "no tool".');
  const expected = new Set(names);
  let called: Set<string>;
  try {
    called = namesIn(output);
  } catch (error) {
    return { score: 0, pass: false, called: [], reason: (error as Error).message };
  }
  const both = [...expected].filter((name) => called.has(name)).length;
  const precision = called.size ? both / called.size : 0;
  const recall = both / expected.size;
  const score = both ? (2 * precision * recall) / (precision + recall) : 0;
  return { score, pass: score >= options.threshold !== options.inverse, called: [...called].sort() };
}

/** The names in a response of OpenAI (chat, Responses), Anthropic or Google, or in text that contains such JSON. */
function namesIn(output: unknown): Set<string> {
  if (typeof output === 'string') {
    try {
      return namesIn(JSON.parse(output));
    } catch {
      return new Set(jsonInText(output).flatMap((value) => [...namesIn(value)]));
    }
  }
  if (Array.isArray(output)) return new Set(output.filter(isObject).flatMap(nameOfItem));
  if (!isObject(output)) return new Set();
  if (Array.isArray(output.tool_calls)) {
    return new Set(
      output.tool_calls.flatMap((call) => (isObject(call) ? [...nameOf(call.function), ...nameOf(call)] : [])),
    );
  }
  if (output.type === 'tool_use' || output.type === 'function_call') {
    const name = nameOf(output);
    if (name.length) return new Set(name);
  }
  if (isJsObject(output.functionCall)) return new Set(nameOf(output.functionCall));
  if (isObject(output.toolCall) && Array.isArray(output.toolCall.functionCalls))
    return new Set(output.toolCall.functionCalls.flatMap(nameOf));
  return new Set();
}

/** Whether JavaScript calls a value an object. A number is not one, however it is stored. */
const isJsObject = (value: Json | undefined): boolean => isObject(value) || Array.isArray(value);
const nameOf = (value: Json | undefined): string[] =>
  isObject(value) && typeof value.name === 'string' ? [value.name] : [];

function nameOfItem(item: JsonObject): string[] {
  if (item.type === 'tool_use' && typeof item.name === 'string') return [item.name];
  for (const wrapper of [item.functionCall, item.function]) if (isJsObject(wrapper)) return nameOf(wrapper);
  return nameOf(item);
}
