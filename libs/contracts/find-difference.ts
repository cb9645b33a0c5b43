import type { CallDifference } from './call-difference.js';
import { innerDifference } from './inner-difference.js';
import { isNumber, isObject, numberSource } from './json/json.js';
import type { Result } from './result.js';
import type { ArgumentCheck } from './verdict.js';

type Judged = Pick<Result, 'passed' | 'error_type' | 'expected' | 'called' | 'evidence'>;

const MAX_NAME = 200;
const NOTHING = { argument: null, rule: null };
/** Replies whose calls do not count: the error alone says what is wrong. */
const WITHOUT_CALLS: ReadonlySet<string> = new Set(['errored', 'refused', 'cut_off', 'oversized_reply']);

/**
 * Where a reply first differs from what its case expects: the tool before its arguments. Null for a reply that passed,
 * without evidence, and where the error alone says it.
 */
export function findDifference({
  passed,
  error_type: type,
  expected,
  called,
  evidence,
}: Judged): CallDifference | null {
  if (passed || !evidence || WITHOUT_CALLS.has(type)) return null;
  const { pairs = [], missing = [], unexpected = [], chain, conversation } = evidence;
  const tools = expectedTools(expected);
  const calledAt = (index: number | undefined): string | null =>
    index === undefined ? null : (called[index]?.name.slice(0, MAX_NAME) ?? null);
  const isExtra = type === 'extra_call' || type === 'unexpected_call';
  const wrong = pairs.flatMap((pair) => (pair.arguments ?? []).filter(isWrong).map((check) => ({ ...pair, check })));
  const more = missing.length + wrong.length + (isExtra ? unexpected.length : 0) - 1;

  const unreadable = called.find((call) => call.arguments === null);
  if (type === 'malformed_arguments' && unreadable) {
    const name = unreadable.name.slice(0, MAX_NAME);
    return { kind: 'unreadable_arguments', expected_tool: null, called_tool: name, ...NOTHING, more: more + 1 };
  }
  if (missing[0] !== undefined) {
    const isReplaced = chain === undefined && !conversation && (unexpected.length > 0 || called.length === 0);
    const called_tool = isReplaced ? calledAt(unexpected[0]) : null;
    const kind = isReplaced ? 'tool' : 'missing_call';
    return { kind, expected_tool: tools[missing[0]] ?? null, called_tool, ...NOTHING, more };
  }
  const [first] = wrong;
  if (first) {
    const expected_tool = tools[first.expected] ?? null;
    return { ...argumentDifference(first.check), expected_tool, called_tool: calledAt(first.called), more };
  }
  if (!isExtra || unexpected.length === 0) return null;
  const kind = tools.length === 0 ? 'tool' : 'extra_call';
  return { kind, expected_tool: null, called_tool: calledAt(unexpected[0]), ...NOTHING, more };
}

const isWrong = ({ verdict }: ArgumentCheck): boolean => verdict === 'mismatch' || verdict === 'missing';

function expectedTools({ tool, calls }: Judged['expected']): string[] {
  const all = calls ? calls.map((call) => (call as { tool: unknown }).tool) : tool == null ? [] : [tool];
  return all.map((one) => [one].flat().map(String).join(' or ').slice(0, MAX_NAME));
}

type ArgumentDifference = Pick<CallDifference, 'kind' | 'argument' | 'rule' | 'expected' | 'called'>;

function argumentDifference({ path, rule, verdict, ...values }: ArgumentCheck): ArgumentDifference {
  const inner = innerDifference({ path, ...values });
  const { expected, actual, at } = soleDifference(inner.expected, inner.actual);
  const both = typeof expected === 'string' && typeof actual === 'string';
  const from = both ? firstDifference(expected, actual) : 0;
  return {
    kind: verdict === 'missing' ? 'missing_argument' : 'argument',
    argument: `${path}${at}`.slice(0, MAX_NAME),
    rule,
    ...(expected !== undefined && { expected: shortened(expected, from) }),
    ...(actual !== undefined && { called: shortened(actual, from) }),
  };
}

const MAX_DEPTH = 8;
const MAX_LEAVES = 200;

/**
 * The only place inside two values at which they differ; the values themselves if there are several. A rule may accept
 * one of several.
 */
function soleDifference(expected: unknown, actual: unknown): { expected: unknown; actual: unknown; at: string } {
  let [values, at] = [{ expected, actual }, ''];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const keys = differingKeys(values.expected, values.actual);
    if (keys?.length !== 1) break;
    const [key] = keys as [string];
    values = { expected: memberOf(values.expected, key), actual: memberOf(values.actual, key) };
    at += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return { ...values, at };
}

const memberOf = (of: unknown, key: string): unknown => (of as Record<string, unknown>)[key];

/** Undefined where the values are not two objects, or two lists of the same length. */
function differingKeys(one: unknown, other: unknown): string[] | undefined {
  const areLists = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  const areObjects = isObject(one) && isObject(other) && !Object.keys(one).some((key) => key.startsWith('$'));
  if (!areLists && !areObjects) return undefined;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  if (keys.length > MAX_LEAVES) return undefined;
  const text = (of: unknown, key: string): string | undefined =>
    Object.hasOwn(of as object, key) ? JSON.stringify(memberOf(of, key)) : undefined;
  return keys.filter((key) => text(one, key) !== text(other, key));
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at]!.toLowerCase() === other[at]?.toLowerCase()) at++;
  return at;
}

const MAX_TEXT = 60;
/** Characters shown before the first that differs. */
const LEAD = 20;
const MAX_MEMBERS = 5;
const MAX_SHOWN_DEPTH = 3;

/** A value of bounded size. @param from for a text, where the difference begins */
function shortened(value: unknown, from = 0, depth = 0): unknown {
  if (typeof value === 'string') return shortText(value, from);
  if (isNumber(value)) return numberSource(value).length > MAX_TEXT ? shortText(numberSource(value), 0) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_SHOWN_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_MEMBERS).map((item) => shortened(item, 0, depth + 1));
    return value.length > MAX_MEMBERS ? [...items, '…'] : items;
  }
  const entries = Object.entries(value as object);
  const shown = entries.slice(0, MAX_MEMBERS).map(([key, one]) => [shortText(key, 0), shortened(one, 0, depth + 1)]);
  return Object.fromEntries(entries.length > MAX_MEMBERS ? [...shown, ['…', '…']] : shown);
}

function shortText(text: string, from: number): string {
  if (text.length <= MAX_TEXT) return text;
  const start = Math.max(0, Math.min(from - LEAD, text.length - MAX_TEXT));
  const end = start + MAX_TEXT;
  const shown = text.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}
