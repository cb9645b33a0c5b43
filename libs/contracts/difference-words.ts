import type { CallDifference } from './call-difference.js';
import { isNumber, isObject, numberSource } from './json/json.js';

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** The name of an argument from its JSON Pointer: `folder`, `filter.status`, `guests[1].email`. */
export const argumentName = (pointer: string): string => {
  const [first, ...inner] = pointer.split('/').slice(1).map(unescaped);
  if (first === undefined) return 'all arguments';
  return inner.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`), first);
};

/** A value on one line. Objects are written without quotes around their keys. */
export function valueWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '…') return '…';
  if (isNumber(value)) return numberSource(value);
  if (Array.isArray(value)) return `[${value.map(valueWords).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return matcherWords(value) ?? `{${Object.entries(value).map(memberWords).join(', ')}}`;
}

const memberWords = ([key, value]: [string, unknown]): string => (key === '…' ? '…' : `${key}: ${valueWords(value)}`);

const MATCHER_WORDS: Record<string, (value: unknown, matcher: Record<string, unknown>) => string> = {
  $contains: (value) => `contains ${valueWords(value)}`,
  $one_of: (value) => `one of ${[value].flat().map(valueWords).join(', ')}`,
  $regex: (value) => `matches ${typeof value === 'string' ? value : valueWords(value)}`,
  $approx: (value, { $epsilon: epsilon }) =>
    `${valueWords(value)}${epsilon === undefined ? ', about' : ` within ${valueWords(epsilon)}`}`,
  $any: () => 'any value',
  $absent: () => 'left out',
  $optional: (value) => `${valueWords(value)}, or left out`,
  $literal: (value) => valueWords(value),
};

/** `contains "lease"`: a matcher of a case in words; undefined for any other value. */
export function matcherWords(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const name = Object.keys(MATCHER_WORDS).find((matcher) => Object.hasOwn(value, matcher));
  return name === undefined ? undefined : MATCHER_WORDS[name]!(value[name], value);
}

/** How a mode of comparison reads before the expected text. */
const MODE_WORDS: Record<string, string> = { contains: 'contains ', regex: 'matches ' };

function expectedWords({ rule, expected }: CallDifference): { words: string; isValue: boolean } {
  const matcher = matcherWords(expected);
  if (matcher !== undefined) return { words: matcher, isValue: rule === '$literal' };
  const mode = MODE_WORDS[rule ?? ''] ?? '';
  return { words: `${mode}${valueWords(expected)}`, isValue: mode === '' };
}

/** `folder: "inbox", not "sent"`; `search_files → create_event`: what differs, on one line. */
export function differenceWords(difference: CallDifference): string {
  const { more } = difference;
  return `${firstWords(difference)}${more > 0 ? `, and ${more} more` : ''}`;
}

function firstWords(difference: CallDifference): string {
  const { kind, expected_tool: expectedTool, called_tool: calledTool } = difference;
  const name = argumentName(difference.argument ?? '');
  switch (kind) {
    case 'tool':
      return `${expectedTool ?? 'no call'} → ${calledTool ?? 'no call'}`;
    case 'missing_call':
      return `${expectedTool ?? ''} not called`;
    case 'extra_call':
      return `also ${calledTool ?? ''}`;
    case 'unreadable_arguments':
      return `${calledTool ?? ''}: unreadable arguments`;
    case 'missing_argument':
      return `${name}: missing, expected ${expectedWords(difference).words}`;
    case 'argument': {
      const { words, isValue } = expectedWords(difference);
      return `${name}: ${valueWords(difference.called)}, ${isValue ? 'not' : 'expected'} ${words}`;
    }
  }
}
