import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { CaseInput } from '#lib/contracts/case';
import type { KnownTools, Step } from './known-tools.js';
import type { PositionedCall } from './read-javascript.js';

/** Thrown for an assertion that can never hold or cannot be parsed. The message completes "test 3 ...". */
export class UnsupportedTest extends Error {}

/** The combined demands of a test's assertions. Their order does not matter. */
export interface Demands {
  used: { step: Step; least: number }[];
  most: { step: Step; most: number }[];
  /** Sets of names: only the tools of a set may be called, and all of them must be. */
  only: string[][];
  sequences: { steps: Step[]; isExact: boolean }[];
  args: { step: Step; params: JsonObject }[];
  positions: PositionedCall[];
  /** At least one call of any tool. */
  any: boolean;
  /** No call at all. */
  none: boolean;
}

interface Call {
  accepted: string[];
  params?: JsonObject;
}

/** The maximum number of expected calls of a case. */
export const MAX_CALLS = 100;

/**
 * The fewest calls that satisfy all demands, as fields of a case. Returns undefined if nothing is demanded.
 * @throws UnreadTest if no calls satisfy them, or if a case cannot express them
 */
export function expectedCalls(
  demands: Demands,
  tools: KnownTools,
  warn: (message: string) => void,
): Partial<CaseInput> | undefined {
  narrow(demands);
  const sequence = sequenceOf(demands);
  const calls = sequence?.calls ?? [];
  const isFixed = sequence !== undefined;
  for (const { step, least } of leastOf(demands)) addMissing(calls, step, least, isFixed);
  for (const { step, params } of demands.args) placeArguments(calls, step, params, isFixed, warn);
  const forbidden = demands.most.filter(({ most }) => most === 0).flatMap(({ step }) => step.accepted);
  rejectContradictions(demands, calls);
  if (demands.none) return { expected_tool: null };
  if (calls.length === 0 && !demands.any) return forbidden.length > 0 ? nothingBut(forbidden, tools) : undefined;
  const isBounded = demands.most.some(({ step }) => !isOutside(step, demands));
  if (isBounded) warn('how often a tool may be called is converted as: no call beyond the expected ones');
  if (calls.length > 1 && !isFixed && demands.positions.length > 0)
    warn('the position of a call in the output is not converted, because other calls are expected too');
  const allowed = tools.names.filter((name) => !forbidden.includes(name));
  return {
    ...(calls.length === 0 ? { expected_tool: allowed } : asFields(calls, isFixed)),
    ...((isBounded || sequence?.isExact) && { allow_extra_calls: false }),
  };
}

/** Limits the tools that a pattern matches to those that tool-call-f1 allows. */
function narrow({ used, sequences, args, only }: Demands): void {
  const named = only.flat().map((name) => ({ name, accepted: [name] }));
  const steps = [...[...used, ...args].map(({ step }) => step), ...sequences.flatMap((one) => one.steps), ...named];
  for (const names of only)
    for (const step of steps) {
      const accepted = step.accepted.filter((name) => isWithin([name], names));
      if (accepted.length === 0)
        throw new UnsupportedTest(
          `asserts a call of "${step.name}", which is not among the tools of its tool-call-f1 ` +
            `("${names.slice(0, 5).join('", "')}")`,
        );
      step.accepted = accepted;
    }
}

/** tool-call-f1 already forbids tools outside of its set. */
const isOutside = ({ accepted }: Step, { only }: Demands): boolean =>
  only.some((names) => !accepted.some((name) => isWithin([name], names)));

function nothingBut(forbidden: readonly string[], tools: KnownTools): Partial<CaseInput> {
  if (tools.names.length > 0 && tools.names.every((name) => forbidden.includes(name))) return { expected_tool: null };
  throw new UnsupportedTest(
    'only says which tools must not be called: a case expects calls, or none at all (which "tool-used" with ' +
      '"min: 0, max: 0" says if it names every tool)',
  );
}

function asFields(calls: readonly Call[], isFixed: boolean): Partial<CaseInput> {
  const toolOf = ({ accepted }: Call): string | string[] => (accepted.length === 1 ? accepted[0]! : accepted);
  const [only] = calls;
  if (calls.length === 1)
    return { expected_tool: toolOf(only!), ...(only!.params && { expected_params: only!.params }) };
  return {
    expected_calls: calls.map((call) => ({ tool: toolOf(call), ...(call.params && { params: call.params }) })),
    call_order: isFixed ? 'strict' : 'any',
  };
}

/** The order required by sequences and positions: the longest one, which must contain all others. */
function sequenceOf(demands: Demands): { calls: Call[]; isExact: boolean } | undefined {
  const positioned = positionsOf(demands);
  const lists = [
    ...demands.sequences.map(({ steps, isExact }) => ({
      calls: steps.map(({ accepted }): Call => ({ accepted })),
      isExact,
    })),
    // A single position does not require an order.
    ...(positioned.length > 1 ? [{ calls: positioned, isExact: false }] : []),
  ];
  if (positioned.length === 1 && lists.length === 0) {
    const [{ accepted, params }] = positioned as [Call];
    const step = { name: accepted[0]!, accepted };
    if (params) demands.args.push({ step, params });
    else demands.used.push({ step, least: 1 });
  }
  const longest = lists.reduce<(typeof lists)[number] | undefined>(
    (found, list) => (!found || list.calls.length > found.calls.length ? list : found),
    undefined,
  );
  if (!longest) return undefined;
  const exact = lists.find(({ isExact }) => isExact);
  const isPlaced = positioned.every(({ accepted }, index) => isWithin(accepted, longest.calls[index]?.accepted ?? []));
  if (
    !isPlaced ||
    lists.some((list) => !containsInOrder(longest.calls, list.calls)) ||
    (exact && exact.calls.length < longest.calls.length)
  )
    throw new UnsupportedTest('asserts several sequences of calls, which a case cannot hold at once');
  return {
    calls: longest.calls.map((call, index) => ({ ...call, ...positioned[index] })),
    isExact: exact !== undefined,
  };
}

/** Whether calls contain others in the same order. */
function containsInOrder(calls: readonly Call[], others: readonly Call[]): boolean {
  let found = 0;
  for (const call of calls) if (found < others.length && isWithin(call.accepted, others[found]!.accepted)) found++;
  return found === others.length;
}

const isWithin = (names: readonly string[], accepted: readonly string[]): boolean =>
  names.every((name) => accepted.some((one) => one.toLowerCase() === name.toLowerCase()));

/** The calls that code refers to by index. */
function positionsOf({ positions, only, used }: Demands): Call[] {
  const found: { tool?: string; params?: JsonObject }[] = [];
  for (const { index, tool, params } of positions) {
    if (index >= MAX_CALLS)
      throw new UnsupportedTest(`asserts a call at the index ${index}, and a case has ${MAX_CALLS} calls`);
    while (found.length <= index) found.push({});
    const call = found[index]!;
    if (tool !== undefined && call.tool !== undefined && call.tool !== tool)
      throw new UnsupportedTest(`asserts two tools of the call at the index ${index}`);
    if (tool !== undefined) call.tool = tool;
    const both = params && joinParams(call.params ?? {}, params);
    if (params && !both)
      throw new UnsupportedTest(`asserts two values of an argument of the call at the index ${index}`);
    if (both) call.params = both as JsonObject;
  }
  const named = [...new Set([...only.flat(), ...used.flatMap(({ step }) => step.accepted)])];
  return found.map(({ tool, params }) => {
    const name = tool ?? (found.length === 1 && named.length === 1 ? named[0] : undefined);
    if (name === undefined) throw new UnsupportedTest('asserts arguments of a call whose tool it does not name');
    return { accepted: [name], ...(params && { params }) };
  });
}

/** The minimum number of calls of each tool. Single names come first: they may satisfy a pattern. */
function leastOf({ used, only, args }: Demands): { step: Step; least: number }[] {
  const once = [...args.map(({ step }) => step), ...only.flat().map((name) => ({ name, accepted: [name] }))];
  const all = [...used, ...once.map((step) => ({ step, least: 1 }))];
  return all.toSorted((a, b) => a.step.accepted.length - b.step.accepted.length);
}

function addMissing(calls: Call[], { name, accepted }: Step, least: number, isFixed: boolean): void {
  let missing = least - calls.filter((call) => isWithin(call.accepted, accepted)).length;
  if (missing <= 0) return;
  if (isFixed)
    throw new UnsupportedTest(`asserts a sequence, and calls of "${name}" besides it, which a case cannot express`);
  if (calls.length + missing > MAX_CALLS)
    throw new UnsupportedTest(`asserts more than the ${MAX_CALLS} calls of a case`);
  for (; missing > 0; missing--) calls.push({ accepted });
}

/**
 * Assigns arguments to a call of their tool: to one without arguments, to one whose arguments agree, or to a new one.
 */
function placeArguments(
  calls: Call[],
  { name, accepted }: Step,
  params: JsonObject,
  isFixed: boolean,
  warn: (message: string) => void,
): void {
  const own = calls.filter((call) => isWithin(call.accepted, accepted));
  const free = own.filter((call) => !call.params);
  if (free.length > 0) {
    if (isFixed && own.length > 1) warn(`the arguments of "${name}" are expected of its first call in the sequence`);
    free[0]!.params = params;
    return;
  }
  const agreeing = own.find((call) => joinParams(call.params!, params) !== undefined);
  if (agreeing) {
    agreeing.params = joinParams(agreeing.params!, params) as JsonObject;
    return;
  }
  if (isFixed) throw new UnsupportedTest(`asserts more arguments of "${name}" than its sequence has calls of it`);
  if (calls.length >= MAX_CALLS) throw new UnsupportedTest(`asserts more than the ${MAX_CALLS} calls of a case`);
  calls.push({ accepted, params });
}

/** Merges two expected values into one that requires both; undefined if they conflict. */
function joinParams(one: Json, other: Json): Json | undefined {
  if (!isObject(one) || !isObject(other)) return JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
  const result: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const both = Object.hasOwn(one, key) ? joinParams(one[key]!, value) : value;
    if (both === undefined) return undefined;
    result[key] = both;
  }
  return result;
}

function rejectContradictions({ none, any, most }: Demands, calls: readonly Call[]): void {
  if (none && (any || calls.length > 0)) throw new UnsupportedTest('asserts calls and the absence of calls at once');
  for (const { step, most: limit } of most) {
    const count = calls.filter((call) => isWithin(call.accepted, step.accepted)).length;
    if (count > limit)
      throw new UnsupportedTest(`asserts ${count} calls of "${step.name}" and at most ${limit} at once`);
  }
}
