import { isNumber, toNumber, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ParamTuneInput } from '#lib/param-tune/contract';
import type { Arm } from '../../parts/arms.js';

/** A value of a parameter, or neighbouring ones that share a place on its axis. */
interface Step {
  /** "0.25", "0.2 to 0.3", "unset" */
  words: string;
  /** The number at which it is drawn; undefined where it is unset, or the axis has other values than numbers. */
  value: number | undefined;
}

/** A parameter that varies, with its values in order. */
export interface Axis {
  parameter: string;
  steps: readonly Step[];
  /** The place of a value, by its text. */
  placeOf: ReadonlyMap<string, number>;
  /** Whether all of its values are numbers, but for unset, which comes first. */
  isNumeric: boolean;
  /** Whether its values are spaced by factors. */
  isLog: boolean;
  /** Values that have no place, because there are too many. */
  left: number;
}

/** The arms of one place of a picture. */
export interface Cell {
  /** The best of them: of those that got furthest, the one with the highest score. Undefined without any. */
  best: Arm | undefined;
  /** Whether the best was measured on fewer cases than other arms. */
  isPartial: boolean;
  hasBase: boolean;
  isRecommended: boolean;
}

/** What a picture of a space draws. */
export interface SpaceProps {
  cells: readonly Cell[];
  across: Axis;
  /** The scores of the weakest and the strongest tint. */
  span: readonly [low: number, high: number];
  open: (arm: Arm) => void;
}

/** More places than these cannot be told apart; neighbouring numbers share one then. */
const MAX_STEPS = 30;

/** The text of null, which is sent where a parameter is left out. */
const UNSET = 'null';
const textOf = (value: Json | undefined): string => (value === undefined ? UNSET : toText(value));
const configOf = ({ config }: Arm): JsonObject => config;

/** The space of a model: its own, by its full name or the name that the tune was given, or that of all. */
export function spaceOf(target: string, { search_space: all, per_model_search_spaces: own }: Spaces): JsonObject {
  const key = Object.keys(own).find((name) => target === name || target.endsWith(`::${name}`));
  return (key === undefined ? all : own[key]!) as JsonObject;
}
type Spaces = Pick<ParamTuneInput, 'search_space' | 'per_model_search_spaces'>;

/** The parameters of which the arms have several values, each with its values as the space gives them. */
export function axesOf(arms: readonly Arm[], space: JsonObject): Axis[] {
  const parameters = new Set(arms.flatMap((arm) => Object.keys(configOf(arm))));
  return [...parameters].flatMap((parameter) => {
    const values = new Map(arms.map((arm) => [textOf(configOf(arm)[parameter]), configOf(arm)[parameter] ?? null]));
    return values.size < 2 ? [] : axisOf(parameter, values, space[parameter]);
  });
}

function axisOf(parameter: string, values: ReadonlyMap<string, Json>, given: Json | undefined): Axis {
  const isNumeric = [...values.values()].every((value) => value === null || isNumber(value));
  // The base is the first arm, wherever its value is in the space.
  const order = Array.isArray(given) ? given.map(textOf) : [];
  const orderOf = (text: string): number =>
    isNumeric ? toNumber(values.get(text)) : order.includes(text) ? order.indexOf(text) : order.length;
  const unset = isNumeric && values.has(UNSET) ? [[UNSET]] : [];
  const sorted = [...values.keys()]
    .filter((text) => unset.length === 0 || text !== UNSET)
    .toSorted((a, b) => orderOf(a) - orderOf(b));
  const size = Math.ceil(sorted.length / MAX_STEPS);
  const set = isNumeric ? chunksOf(sorted, size) : sorted.slice(0, MAX_STEPS).map((text) => [text]);
  const numbers = isNumeric ? set.map((group) => toNumber(values.get(group[0]!))) : [];
  const groups = [...unset, ...set];
  return {
    parameter,
    isNumeric: isNumeric && set.length > 1,
    isLog: isLogSpaced(numbers),
    steps: groups.map((group, n) => ({ words: wordsOf(group), value: numbers[n - unset.length] })),
    left: isNumeric ? 0 : sorted.length - groups.length,
    placeOf: new Map(groups.flatMap((group, place) => group.map((text) => [text, place] as const))),
  };
}

const chunksOf = (texts: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(texts.length / size) }, (_, n) => texts.slice(n * size, (n + 1) * size));

function wordsOf(group: readonly string[]): string {
  const [first, last] = [group[0]!, group.at(-1)!];
  if (group.length > 1) return `${first} to ${last}`;
  return first === UNSET ? 'unset' : first === '' ? '""' : first;
}

/** Values of three sizes and more whose factors vary less than their differences do. */
function isLogSpaced(numbers: readonly number[]): boolean {
  if (numbers.length < 3 || numbers[0]! <= 0) return false;
  const pairs = numbers.slice(1).map((value, n) => [value / numbers[n]!, value - numbers[n]!] as const);
  const spread = (of: readonly number[]): number => Math.max(...of) / Math.min(...of);
  return spread(pairs.map(([factor]) => factor)) < spread(pairs.map(([, difference]) => difference));
}

/** So many arms say which parameters matter. */
const MAX_SAMPLE = 1000;

/** The two axes to begin with: those whose values explain most of the differences between scores. */
export function chooseAxes(axes: readonly Axis[], arms: readonly Arm[]): [across: Axis, down: Axis] {
  const measured = arms.filter(({ mean }) => mean !== null);
  const every = Math.ceil(measured.length / MAX_SAMPLE);
  const sample = measured.filter((_, n) => n % every === 0);
  const means = sample.map(({ mean }) => mean!);
  const places = axes.map((axis) => sample.map((arm) => placeIn(axis, arm)));
  const pairs = axes.flatMap((_, n) => axes.slice(n + 1).map((_other, m) => [n, n + 1 + m] as const));
  const explained = pairs.map(([n, m]) => explainedBy(places[n]!, places[m]!, means));
  const [n, m] = pairs[explained.indexOf(Math.max(...explained))] ?? pairs[0]!;
  return ordered(axes[n]!, axes[m]!);
}

/** Numbers, or else the parameter with more values, lie across. */
export function ordered(one: Axis, other: Axis): [across: Axis, down: Axis] {
  const isFirst = one.isNumeric !== other.isNumeric ? one.isNumeric : one.steps.length >= other.steps.length;
  return isFirst ? [one, other] : [other, one];
}

/** The share of the variance of scores between the values of two parameters, adjusted for their number. */
function explainedBy(first: readonly number[], second: readonly number[], means: readonly number[]): number {
  const groups = new Map<number, { n: number; sum: number }>();
  let [sum, squares] = [0, 0];
  for (const [index, mean] of means.entries()) {
    const key = first[index]! * MAX_SAMPLE + second[index]!;
    const group = groups.get(key) ?? { n: 0, sum: 0 };
    groups.set(key, { n: group.n + 1, sum: group.sum + mean });
    sum += mean;
    squares += mean ** 2;
  }
  const within = squares - [...groups.values()].reduce((total, group) => total + group.sum ** 2 / group.n, 0);
  const all = squares - sum ** 2 / means.length;
  const free = means.length - groups.size;
  if (!(all > 1e-12) || free <= 0) return -1;
  return 1 - (within / free) * ((means.length - 1) / all);
}

const placeIn = ({ parameter, placeOf }: Axis, arm: Arm): number => placeOf.get(textOf(configOf(arm)[parameter])) ?? -1;

const REACH: readonly Arm['state'][] = ['recommended', 'finalist', 'running', 'dropped', 'waiting'];
const reachOf = ({ state, mean }: Arm): number => (mean === null ? REACH.length : REACH.indexOf(state));

/** Whether an arm is to be shown for a place rather than another one. */
const isBetter = (one: Arm, other: Arm | undefined): boolean =>
  other === undefined ||
  (reachOf(one) - reachOf(other) || other.cases - one.cases || (other.mean ?? -1) - (one.mean ?? -1)) < 0;

/** The arms by their place: row by row, from the left. An arm whose requests equal another's has its figures. */
export function cellsOf(arms: readonly Arm[], across: Axis, down?: Axis): Cell[] {
  const width = across.steps.length;
  const cells = Array.from({ length: width * (down?.steps.length ?? 1) }, (): Cell => ({
    ...{ best: undefined, isPartial: false, hasBase: false, isRecommended: false },
  }));
  const byNumber = new Map(arms.map((arm) => [arm.arm, arm]));
  const most = arms.reduce((cases, arm) => Math.max(cases, arm.cases), 0);
  for (const arm of arms) {
    const [column, row] = [placeIn(across, arm), down ? placeIn(down, arm) : 0];
    if (column < 0 || row < 0) continue;
    const cell = cells[column + width * row]!;
    const measured = arm.same_as === null ? arm : (byNumber.get(arm.same_as) ?? arm);
    if (isBetter(measured, cell.best)) cell.best = measured;
    if (arm.arm === 0) cell.hasBase = true;
    if (measured.state === 'recommended') cell.isRecommended = true;
  }
  for (const cell of cells) cell.isPartial = cell.best !== undefined && cell.best.cases < most;
  return cells;
}

/** The least and the greatest score, at least ten points apart, so that equal scores look equal. */
export function scoreSpan(arms: readonly Arm[]): readonly [low: number, high: number] {
  let [low, high] = [1, 0];
  for (const { mean } of arms) if (mean !== null) [low, high] = [Math.min(low, mean), Math.max(high, mean)];
  if (low > high) return [0, 1];
  const missing = Math.max(0, 0.1 - (high - low)) / 2;
  return [Math.max(0, low - missing), Math.min(1, high + missing)];
}

/** What each picture of a space draws. */
export interface SpaceProps {
  cells: readonly Cell[];
  across: Axis;
  /** The scores of the weakest and the strongest tint. */
  span: readonly [low: number, high: number];
  open: (arm: Arm) => void;
}
