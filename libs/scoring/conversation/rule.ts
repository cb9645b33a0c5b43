import type { ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import type { AnsweredCall } from '#lib/contracts/conversation-played';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ArgumentCheck } from '#lib/contracts/verdict';
import { matchArguments, NOTHING_DECLARED, type DeclaredArguments } from '../arguments/match-arguments.js';
import { applyPatch, PatchFault, type Patched } from './patch.js';
import {
  fillPointer,
  fillText,
  firstCharacters,
  isReference,
  MissingArgument,
  type Reference,
} from './placeholders.js';
import { valueAt } from './pointer.js';

/** A call as rules see it. */
export interface RuleCall {
  args: JsonObject;
  /** The how-manieth call of its tool, from 1. */
  count: number;
  /** The state before it. */
  state: Json;
}

/** Compares the value at a pointer with an expected one. A value that is not there is an argument left out. */
export function checkPlace(
  state: Json,
  pointer: string,
  expected: Json,
): { holds: boolean; check: ArgumentCheck; actual: Json | undefined } {
  const actual = valueAt(state, pointer);
  const given: JsonObject = actual === undefined ? {} : { value: actual };
  const { score, checks } = matchArguments({ value: expected }, given, NOTHING_DECLARED, undefined, undefined);
  return { holds: score === 1, check: checks[0]!, actual };
}

/** A rule with the arguments of a call in its texts and pointers. */
export interface FilledRule {
  rule: ConversationRule;
  effects: PatchOperation[];
  respond: Json;
  error: string | undefined;
}

/** The rule for this call; undefined when its `when` does not hold, or an argument is missing that it names. */
export function matchRule(rule: ConversationRule, call: RuleCall, declared: DeclaredArguments): FilledRule | undefined {
  const { when = {}, effects = [], respond, error } = rule;
  if (when.call !== undefined && when.call !== call.count) return undefined;
  if (when.arguments && !hasArguments(when, call, declared)) return undefined;
  try {
    const places = Object.entries(when.state ?? {});
    if (!places.every(([pointer, expected]) => checkPlace(call.state, fillPointer(pointer, call.args), expected).holds))
      return undefined;
    return {
      rule,
      effects: effects.map((operation) => fillOperation(operation, call.args)),
      respond: fillValue(respond ?? (respond === null ? null : { status: 'ok' }), call.args),
      error: error === undefined ? undefined : fillText(error, call.args),
    };
  } catch (missing) {
    if (missing instanceof MissingArgument) return undefined;
    throw missing;
  }
}

function hasArguments(
  { arguments: expected, scoring_config: config }: NonNullable<ConversationRule['when']>,
  { args }: RuleCall,
  declared: DeclaredArguments,
): boolean {
  const given = config?.defaults === 'strict' ? { ...declared, defaults: {} } : declared;
  return matchArguments(expected!, args, given, config, undefined).score === 1;
}

function fillOperation(operation: PatchOperation, args: JsonObject): PatchOperation {
  const path = fillPointer(operation.path, args);
  if ('from' in operation) return { ...operation, path, from: fillPointer(operation.from, args) };
  return 'value' in operation
    ? { ...operation, path, value: fillValue(operation.value, args) }
    : { ...operation, path };
}

/** Fills in the texts of a value, and the pointers of its references. Keys stay. */
function fillValue(value: Json, args: JsonObject): Json {
  if (typeof value === 'string') return fillText(value, args);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, args));
  if (isReference(value)) {
    const [[key, pointer]] = Object.entries(value) as [[string, string]];
    return { [key]: fillPointer(pointer, args) };
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillValue(inner, args)]));
}

/** A reference that leads nowhere. */
class NoSuchValue extends Error {}

/**
 * Puts values in the place of references.
 * @throws NoSuchValue
 */
function resolve(value: Json, args: JsonObject, state: Json): Json {
  if (Array.isArray(value)) return value.map((item) => resolve(item, args, state));
  if (isReference(value)) return referenced(value, args, state);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, args, state)]));
}

function referenced(reference: Reference, args: JsonObject, state: Json): Json {
  const isOfState = '$state' in reference;
  const pointer = isOfState ? reference.$state : reference.$argument;
  const found = valueAt(isOfState ? state : args, pointer);
  if (found === undefined)
    throw new NoSuchValue(`${isOfState ? 'The state has' : 'The arguments have'} nothing at "${pointer}".`);
  return found;
}

type RulePlayed = Omit<AnsweredCall, 'name' | 'arguments' | 'rule'> & { state?: Json; isTooLarge?: boolean };

/** Plays a rule that matches. Where it fails, the answer is an error and the state stays as it was. */
export function playRule({ rule, effects, respond, error }: FilledRule, { args, state }: RuleCall): RulePlayed {
  const delay = rule.delay_ms === undefined ? {} : { delay_ms: rule.delay_ms };
  const failed = (problem: 'no_such_value' | 'patch_failed', answer: string): RulePlayed => ({
    answer,
    is_error: true,
    problem,
    changes: [],
    ...delay,
  });
  try {
    const operations = effects.map((operation) =>
      'value' in operation ? { ...operation, value: resolve(operation.value, args, state) } : operation,
    );
    const patched: Patched = operations.length ? applyPatch(state, operations) : { state, changes: [] };
    const answer = error ?? textOf(resolve(respond, args, patched.state));
    return { ...spoil(answer, rule, error !== undefined), ...patched, ...delay };
  } catch (fault) {
    if (fault instanceof PatchFault)
      return { ...failed('patch_failed', fault.message), ...(fault.isTooLarge && { isTooLarge: true }) };
    if (fault instanceof NoSuchValue) return failed('no_such_value', fault.message);
    throw fault;
  }
}

const textOf = (answer: Json): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));

/** Puts the faults of a rule into its answer. */
function spoil(
  whole: string,
  { truncate, malformed }: ConversationRule,
  isError: boolean,
): Pick<AnsweredCall, 'answer' | 'is_error' | 'fault'> {
  const cut = truncate === undefined ? whole : firstCharacters(whole, truncate);
  if (isError) return { answer: cut, is_error: true, fault: 'error' };
  // Whatever the first half is, a text or not, this ending makes it no JSON.
  if (malformed) return { answer: `${cut.slice(0, cut.length >> 1)},}`, is_error: false, fault: 'malformed' };
  return { answer: cut, is_error: false, ...(cut !== whole && { fault: 'truncated' as const }) };
}
