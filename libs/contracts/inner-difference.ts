import { isObject } from './json/json.js';
import type { ArgumentCheck } from './verdict.js';

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * The values at the place that a check names. Its own values are those of the whole argument, however deep the place
 * is. They stay where one of them has no such place, as a matcher has none.
 */
export function innerDifference({
  path,
  expected,
  actual,
}: Pick<ArgumentCheck, 'path' | 'expected' | 'actual'>): Pick<ArgumentCheck, 'expected' | 'actual'> {
  let values: [unknown, unknown] = [expected, actual];
  for (const part of path.split('/').slice(2).map(unescaped)) {
    if (!values.every((value) => hasPlace(value, part))) return { expected, actual };
    values = values.map((value) => (value as Record<string, unknown>)[part]) as [unknown, unknown];
  }
  return { expected: values[0], actual: values[1] };
}

const hasPlace = (value: unknown, part: string): boolean =>
  (Array.isArray(value) ? /^\d+$/.test(part) : isObject(value)) && Object.hasOwn(value as object, part);
