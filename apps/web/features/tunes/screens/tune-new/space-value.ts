import { isNumber, isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { keysInSourceOrder } from '#lib/contracts/json/key-order';

// A search space is an object keyed by parameter name. The form keeps it as rows with separate ids, so that a name can
// be typed letter by letter: {"r1": {"name": "temperature", "axis": [0, 1]}}.

export interface Row {
  id: string;
  name: string;
  axis: Json;
}

export function rowsIn(rows: Json | undefined): Row[] {
  if (!isObject(rows)) return [];
  return Object.entries(rows).map(([id, row]) =>
    isObject(row) ? { id, name: toText(row.name), axis: row.axis ?? null } : { id, name: '', axis: null },
  );
}

/** Converts a space to rows. */
export const toRows = (space: JsonObject): JsonObject =>
  Object.fromEntries(keysInSourceOrder(space).map((name, n) => [`r${n + 1}`, { name, axis: space[name]! }]));

/** Converts rows to a space; of two rows with one name, the last wins. */
export const toSpace = (rows: Json | undefined): JsonObject =>
  Object.fromEntries(rowsIn(rows).map(({ name, axis }) => [name, axis]));

/** Why the rows are not a valid space. */
export function faultOfRows(rows: Json | undefined): string | undefined {
  const names = rowsIn(rows).map(({ name }) => name);
  if (names.includes('')) return 'A parameter has no name.';
  const twice = names.find((name, n) => names.indexOf(name) < n);
  return twice === undefined ? undefined : `The parameter ${twice} is listed twice.`;
}

/** The default values of a parameter. */
const SUGGESTED: Record<string, Json> = {
  temperature: { min: 0, max: 1, step: 0.25 },
  top_p: [0.5, 0.9, 1],
  tool_choice: ['auto', 'required'],
  max_tokens: { min: 256, max: 4096, levels: 5, scale: 'log' },
};
export const SUGGESTED_NAMES = Object.keys(SUGGESTED);
const isSuggested = (name: string): boolean => Object.hasOwn(SUGGESTED, name);

export const FIRST_ROWS: JsonObject = {
  r1: { name: 'temperature', axis: SUGGESTED.temperature! },
  r2: { name: 'tool_choice', axis: SUGGESTED.tool_choice! },
};

/** Adds a row: the next common parameter, or one without a name. */
export function withRow(rows: Json | undefined): JsonObject {
  const present = rowsIn(rows);
  const number = Math.max(0, ...present.map(({ id }) => Number(id.slice(1)) || 0)) + 1;
  const name = SUGGESTED_NAMES.find((one) => present.every((row) => row.name !== one)) ?? '';
  return { ...(isObject(rows) ? rows : {}), [`r${number}`]: { name, axis: SUGGESTED[name] ?? [] } };
}

/** Default values follow the name. */
export function renamed({ name: before, axis }: Row, name: string): JsonObject {
  const isChosen = JSON.stringify(axis) !== JSON.stringify(isSuggested(before) ? SUGGESTED[before] : []);
  return { name, axis: !isChosen && isSuggested(name) ? SUGGESTED[name]! : axis };
}

export const KINDS = [
  ['list', 'list'],
  ['step', 'range by step'],
  ['linear', 'levels, linear'],
  ['log', 'levels, log'],
] as const;
export type Kind = (typeof KINDS)[number][0];

export function kindOf(axis: Json | undefined): Kind {
  if (!isObject(axis)) return 'list';
  if (!('levels' in axis)) return 'step';
  return axis.scale === 'log' ? 'log' : 'linear';
}

/** Values of another kind between the same bounds, if there are any. */
export function ofKind(axis: Json, kind: Kind): Json {
  const numbers = valuesOf(axis).filter(isNumber);
  if (kind === 'list') return numbers;
  const byValue = numbers.toSorted((a, b) => Number(toText(a)) - Number(toText(b)));
  const ends = { min: byValue[0] ?? (kind === 'log' ? 1 : 0), max: byValue.at(-1) ?? 1 };
  if (kind === 'step') return { ...ends, step: isObject(axis) && axis.step !== undefined ? axis.step : 0.25 };
  const levels = isObject(axis) && axis.levels !== undefined ? axis.levels : 5;
  return { ...ends, levels, scale: kind };
}

/** The values of a list, or the bounds of a range. */
export function valuesOf(axis: Json | undefined): Json[] {
  if (Array.isArray(axis)) return axis;
  if (isObject(axis)) return [axis.min ?? 0, axis.max ?? 1];
  return axis === undefined ? [] : [axis];
}

/**
 * "0, 0.5, auto": values as a user types them. A value that would be read differently, such as the text "1", is written
 * as JSON.
 */
export const valuesText = (values: readonly Json[]): string =>
  values.map((value) => (typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value))).join(', ');

const isPlain = (text: string): boolean => {
  const read = readValues(text);
  return read.length === 1 && read[0] === text;
};

/** Words and JSON values separated by commas; numbers keep their text. */
export function readValues(text: string): Json[] {
  const whole = readJson(`[${text}]`);
  if (Array.isArray(whole)) return whole;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => readJson(part) ?? part);
}

/** Undefined for invalid JSON. `null` can only be written in a list of JSON values. */
function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
