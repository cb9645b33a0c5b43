import type { CaseInput } from '#lib/contracts/case';
import type { ScoringConfig } from '#lib/contracts/scoring-config';
import { isObject, MAX_JSON_DEPTH, type Json, type JsonObject } from '#lib/contracts/json/json';

/** The maximum number of values read per case. */
const MAX_VALUES = 1000;

/** The texts of all user messages of a case. */
export function promptOf({ prompt, messages = [] }: CaseInput): string {
  const texts = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => textsOf(content));
  return [...(prompt === undefined ? [] : [prompt]), ...texts].join('\n');
}

const textsOf = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : Array.isArray(content)
      ? content.flatMap((part: unknown) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
      : [];

/**
 * The distinct strings that a case expects as arguments or within them: plain values, those inside matchers, and the
 * literal parts of patterns. Up to 1,000.
 */
export function expectedStrings(input: CaseInput): string[] {
  const { expected_calls: calls, expected_params: params, scoring_config: config, param_scoring: mode } = input;
  const found = new Set<string>();
  for (const call of calls ?? [{ params, scoring_config: null }])
    for (const [key, value] of Object.entries(call.params ?? {}))
      collect(
        value,
        { isPattern: isPattern(key, call.scoring_config ?? config, mode), isLiteral: false },
        MAX_JSON_DEPTH,
        found,
      );
  return [...found];
}

const isPattern = (key: string, config: ScoringConfig | null | undefined, mode: CaseInput['param_scoring']): boolean =>
  ((config?.params && Object.hasOwn(config.params, key) ? config.params[key]!.mode : undefined) ??
    config?.mode ??
    mode) === 'regex';

function collect(value: Json, kind: TextKind, depth: number, found: Set<string>): void {
  if (found.size >= MAX_VALUES || depth === 0) return;
  if (typeof value === 'string') {
    for (const text of kind.isPattern ? literalsOf(value) : [value]) if (found.size < MAX_VALUES) found.add(text);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, kind, depth - 1, found);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value as JsonObject)) collect(inner, below(key, kind), depth - 1, found);
  }
}

interface TextKind {
  isPattern: boolean;
  /** Whether keys that begin with "$" are plain keys. */
  isLiteral: boolean;
}

const below = (key: string, { isPattern, isLiteral }: TextKind): TextKind => ({
  isPattern: isPattern || (key === '$regex' && !isLiteral),
  isLiteral: isLiteral || key === '$literal',
});

/** The literal parts of a pattern: "New York" and "Paris" of `(?i)^(New York|Paris.*)$`. */
const literalsOf = (pattern: string): string[] =>
  pattern.split(PATTERN_SYNTAX).map((part) => part.replaceAll('\\', ''));
const PATTERN_SYNTAX = /\\[a-zA-Z0-9]|\(\?[a-zA-Z-]*[:)]|\{[\d,]*\}|\.(?=[*+?{])|[()^$|*+?[\]{}]/;
