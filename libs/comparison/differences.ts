import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { Change } from '#lib/contracts/comparison';
import { jsonPointer } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';

/** Compares two values of a field, and records them if they differ. */
export type Compare = (path: readonly string[], a: unknown, b: unknown) => void;

/** The differences recorded during `work`. Long texts are cut to where they begin to differ. */
export function collectChanges(work: (compare: Compare) => void): Change[] {
  const changes: Change[] = [];
  work((path, a, b) => {
    if (textOf(a) !== textOf(b)) changes.push({ path: jsonPointer(path), ...cut(a ?? null, b ?? null) });
  });
  return changes;
}

export function compareKeys(compare: Compare, path: readonly string[], a: object, b: object): void {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    compare([...path, key], (a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]);
}

/** Compares tools by name and field by field, then the order of the common ones. */
export function compareTools(compare: Compare, path: readonly string[], a: readonly Tool[], b: readonly Tool[]): void {
  const [inA, inB] = [a, b].map((tools) => new Map(tools.map((tool) => [tool.function.name, tool.function])));
  for (const name of new Set([...inA!.keys(), ...inB!.keys()])) {
    const [before, after] = [inA!.get(name), inB!.get(name)];
    if (before && after) compareKeys(compare, [...path, name], before, after);
    else compare([...path, name], before, after);
  }
  const common = (tools: typeof inA, others: typeof inA) => [...tools!.keys()].filter((name) => others!.has(name));
  compare(path, common(inA, inB), common(inB, inA));
}

/** Compares what the conversations of two suites have in common: its fields, and the rules of each tool. */
export function compareDefaults(
  compare: Compare,
  path: readonly string[],
  a: ConversationDefaults | null | undefined,
  b: ConversationDefaults | null | undefined,
): void {
  const [{ tools: toolsA = {}, ...ownA }, { tools: toolsB = {}, ...ownB }] = [a ?? {}, b ?? {}];
  compareKeys(compare, path, ownA, ownB);
  compareKeys(compare, [...path, 'tools'], toolsA, toolsB);
}

export const textOf = (value: unknown): string => JSON.stringify(value ?? null);

const MAX_TEXT = 500;
/** Characters shown before the first difference of long texts. */
const CONTEXT = 100;

/** Two values; if one is a long text, both are cut to where they begin to differ. */
function cut(a: unknown, b: unknown): Pick<Change, 'a' | 'b'> {
  const [textA, textB] = [a, b].map((value) => (typeof value === 'string' ? value : textOf(value)));
  if (textA!.length <= MAX_TEXT && textB!.length <= MAX_TEXT) return { a, b };
  let same = 0;
  while (same < textA!.length && textA![same] === textB![same]) same++;
  const from = Math.max(0, same - CONTEXT);
  const part = (value: unknown, text: string): unknown =>
    value === null
      ? null
      : `${from > 0 ? '...' : ''}${text.slice(from, from + MAX_TEXT).toWellFormed()}` +
        (from + MAX_TEXT < text.length ? '...' : '');
  return { a: part(a, textA!), b: part(b, textB!) };
}
