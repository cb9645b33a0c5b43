import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Result } from '../../results/api';
import { EXPECTATION_KEYS } from './case-value';

type Judged = Pick<Result, 'called' | 'evidence'>;
type Call = Result['called'][number];

/** The calls that a case can expect: in a chain, the last one alone. */
const callsOf = (input: JsonObject, { called }: Judged): readonly Call[] =>
  input.multi_turn === true ? called.slice(-1) : called;

/** Why a case cannot expect what was called; undefined if it can. */
export function refusalOfCalled(input: JsonObject, result: Judged): string | undefined {
  const calls = callsOf(input, result);
  if (calls.length > MAX_EXPECTED) return `A case expects ${MAX_EXPECTED} calls at most.`;
  return calls.some((call) => call.arguments === null) ? 'The arguments could not be read.' : undefined;
}
const MAX_EXPECTED = 100;

/** The case with what was called as its expectation. @param names of the tools, as the suite spells them */
export function withCalled(input: JsonObject, result: Judged, names: readonly string[]): JsonObject {
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !EXPECTATION_KEYS.has(key)));
  const calls = callsOf(input, result).map((call) => ({
    tool: names.find((name) => name.toLowerCase() === call.name.toLowerCase()) ?? call.name,
    params: expectedArguments(call),
  }));
  const { conversation } = input;
  if (isObject(conversation)) {
    const goal = isObject(conversation.goal) ? conversation.goal : {};
    return { ...rest, conversation: { ...conversation, goal: { ...goal, calls } } };
  }
  const [first, second] = calls;
  if (!first) return { ...rest, expected_tool: null };
  if (second) return { ...rest, expected_calls: calls };
  return { ...rest, expected_tool: first.tool, expected_params: first.params };
}

const expectedArguments = ({ arguments: given }: Call): JsonObject =>
  Object.fromEntries(Object.entries(given as JsonObject).map(([name, value]) => [name, literal(value)]));

/** A value that looks like a matcher is compared literally. */
const literal = (value: Json): Json => (hasMatcher(value) ? { $literal: value } : value);

const hasMatcher = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(hasMatcher)
    : isObject(value) && Object.entries(value).some(([key, inner]) => key.startsWith('$') || hasMatcher(inner));

/**
 * The case with the wrong arguments of the paired calls accepted, too: any value of `$one_of` is right, and an argument
 * that is `$optional` may be left out. Undefined where no rule says that, as for another tool.
 */
export function withAlternative(input: JsonObject, result: Judged): JsonObject | undefined {
  const pairs = result.evidence?.pairs ?? [];
  if (!pairs.length || result.evidence?.missing.length) return undefined;
  let next = input;
  for (const { expected, called, arguments: checks = [] } of pairs) {
    const call = result.called[called]?.arguments as JsonObject | null | undefined;
    if (!call) return undefined;
    const params = paramsOf(next, expected);
    if (!params) continue;
    const wrong = new Map(checks.map(({ path, verdict }) => [nameIn(path), verdict]));
    const accept = ([name, value]: [string, Json]): [string, Json] => {
      if (wrong.get(name) === 'missing') return [name, { $optional: value }];
      return [name, wrong.get(name) === 'mismatch' ? either(value, call[name]!) : value];
    };
    next = withParams(next, expected, Object.fromEntries(Object.entries(params).map(accept)));
  }
  return stringifyInSourceOrder(next) === stringifyInSourceOrder(input) ? undefined : next;
}

/** The argument of a JSON Pointer. */
const nameIn = (path: string): string => (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');

function either(expected: Json, called: Json): Json {
  if (stringifyInSourceOrder(expected) === stringifyInSourceOrder(literal(called))) return expected;
  if (isObject(expected) && Object.keys(expected).join() === '$optional')
    return { $optional: either(expected.$optional!, called) };
  const others = isObject(expected) && Array.isArray(expected.$one_of) ? expected.$one_of : [expected];
  return { $one_of: [...others, literal(called)] };
}

function paramsOf(input: JsonObject, index: number): JsonObject | undefined {
  const call = Array.isArray(input.expected_calls) ? input.expected_calls[index] : undefined;
  const params = isObject(call) ? call.params : index === 0 ? input.expected_params : undefined;
  return isObject(params) ? params : undefined;
}

function withParams(input: JsonObject, index: number, params: JsonObject): JsonObject {
  if (!Array.isArray(input.expected_calls)) return { ...input, expected_params: params };
  const calls = input.expected_calls.map((call, at) => (at === index && isObject(call) ? { ...call, params } : call));
  return { ...input, expected_calls: calls };
}
