import { SIMULATOR } from '#lib/contracts/values/home';
import type { Summary } from '#lib/contracts/summary';
import { frontierOf } from '../../../ui/figures/frontier';
import { shownInterval } from './run-score';

/** What a score is weighed against. */
export type TradeAxis = 'cost' | 'latency';

/** A model where it lies: what it scores, and what 1,000 cases cost or how long 95 of 100 replies take at most. */
export interface Trade {
  target: string;
  /** 0 is free. */
  x: number;
  y: number;
  interval: readonly [number, number] | null;
  /** The interval says too little, because all scores were equal. */
  isAlike: boolean;
  isSimulated: boolean;
}

/** Why a model has no place in the picture. */
export type Absence = 'not scored' | 'no price' | 'stored replies only' | 'not timed';

export interface Trades {
  placed: Trade[];
  absent: { target: string; why: Absence }[];
}

/** The models of a run where they lie, from the left. */
export function tradesOf(summaries: readonly Summary[], axis: TradeAxis): Trades {
  const placed: Trade[] = [];
  const absent: Trades['absent'] = [];
  for (const summary of summaries) {
    const { target, overall } = summary;
    const x = overall === null ? 'not scored' : axis === 'cost' ? costOf(summary) : latencyOf(summary);
    if (typeof x === 'string') absent.push({ target, why: x });
    else placed.push({ target, x, y: overall!, ...shownInterval(summary), isSimulated: isSimulated(target) });
  }
  return { placed: placed.sort((one, other) => one.x - other.x || other.y - one.y), absent };
}

const isSimulated = (target: string): boolean => target.startsWith(`${SIMULATOR}::`);
const CASES = 1000;

/** What 1,000 cases cost, or why that is not known. Stored replies cost nothing, so they are left out. */
export function costOf({ target, cost_usd: cost, scored, cached }: Summary): number | Absence {
  if (cost === null) return isSimulated(target) ? 0 : 'no price';
  const asked = scored - cached.results;
  if (asked > 0) return (cost / asked) * CASES;
  return isSimulated(target) ? 0 : 'stored replies only';
}

export const latencyOf = ({ latency_ms: { p95 } }: Summary): number | Absence => p95 ?? 'not timed';

/** Whether some model costs something, so that cost is worth a picture. */
export const hasCosts = (summaries: readonly Summary[]): boolean =>
  tradesOf(summaries, 'cost').placed.some(({ x }) => x > 0);

const FRACTIONS: readonly [share: number, words: string][] = [
  [3 / 4, 'three quarters'],
  [2 / 3, 'two thirds'],
  [1 / 2, 'half'],
  [1 / 3, 'a third'],
  [1 / 4, 'a quarter'],
  [1 / 5, 'a fifth'],
  [1 / 10, 'a tenth'],
];
const NEAR = 0.06;
/** What less saves is worth a word. */
const MUCH_LESS = 0.95;

/** "a third", "42 %", "less than 1 %": a share of something larger. */
export function shareWords(share: number): string {
  const near = FRACTIONS.find(([fraction]) => Math.abs(share / fraction - 1) <= NEAR);
  if (near) return near[1];
  return share < 0.01 ? 'less than 1 %' : `${Math.round(share * 100)} %`;
}

const pointsWords = (difference: number): string => {
  const points = Math.abs(difference) * 100;
  const shown = points >= 10 ? Math.round(points).toString() : points.toFixed(1).replace(/\.0$/, '');
  return `${shown} ${shown === '1' ? 'point' : 'points'}`;
};

const WORDS = {
  cost: {
    like: 0.95,
    least: 'cheapest',
    known: 'has a price',
    those: 'of those with a price',
    alike: 'cost about the same',
    saves: (share: string, of: string) => `costs ${share} of ${of}`,
  },
  latency: {
    like: 0.8,
    least: 'fastest',
    known: 'was timed',
    those: 'of those that were timed',
    alike: 'take about the same time',
    saves: (share: string, of: string) => `takes ${share} of the time of ${of}`,
  },
};

/** Means of a tie that are further apart are not alike: there are too few cases to tell. */
const SPREAD = 0.05;

/**
 * What the picture answers: which model is best, and what less of cost or time loses in points. Of models that tie for
 * the best, none is called better.
 * @param best the models that may be the best
 */
export function tradeWords(
  { placed }: Trades,
  best: readonly string[],
  axis: TradeAxis,
  nameOf: (target: string) => string,
): string {
  if (placed.length > 1 && placed.every(({ y }) => y === 0)) return `All ${placed.length} score 0 %.`;
  const top = placed.filter(({ target }) => best.includes(target));
  if (top.length === 0) return unknownWords(best, axis, nameOf);
  const saving = savingWords(placed, top[0]!, best, axis, nameOf);
  return [claimWords(placed, top, best, axis, nameOf), ...(saving === '' ? [] : [saving])].join('; ') + '.';
}

/** @param top the models that may be the best and have a place, from the left */
function claimWords(
  placed: readonly Trade[],
  top: readonly Trade[],
  best: readonly string[],
  axis: TradeAxis,
  nameOf: (target: string) => string,
): string {
  const words = WORDS[axis];
  const [chosen, ...others] = top as [Trade, ...Trade[]];
  const name = nameOf(chosen.target);
  if (best.length === 1) return chosen.x === placed[0]!.x ? `${name} is best and ${words.least}` : `${name} is best`;
  if (others.length === 0) return `Of the ${best.length} that tie for best, only ${name} ${words.known}`;
  const highest = top.reduce((most, one) => (one.y > most.y ? one : most));
  if (highest.y - Math.min(...top.map(({ y }) => y)) > SPREAD) {
    const unsure = `These cases cannot tell the ${best.length} best apart`;
    const of = top.length < best.length ? words.those : 'of them';
    if (highest === chosen) return `${unsure}; ${name} is the ${words.least} ${of}`;
    return `${unsure}; ${name} ${words.saves(shareWords(chosen.x / highest.x), nameOf(highest.target))}`;
  }
  if (chosen.x >= others.at(-1)!.x * words.like) return `The ${top.length} that tie for best ${words.alike}`;
  const tied = best.length === top.length ? `the ${best.length}` : `${top.length} of the ${best.length}`;
  return `${name} is the ${words.least} of ${tied} that tie for best`;
}

function unknownWords(best: readonly string[], axis: TradeAxis, nameOf: (target: string) => string): string {
  if (best.length > 1) return `Of none of the ${best.length} that tie for best, the ${axis} is known.`;
  return best[0] === undefined ? '' : `${nameOf(best[0])} is best; its ${axis} is not known.`;
}

const DEAREST_RATIO = 1e4;

/** Of the frontier's models left of one, that which saves most for each point. */
function saverOf(placed: readonly Trade[], chosen: Trade, best: readonly string[]): Trade | undefined {
  const value = ({ x, y }: Trade): number =>
    Math.log(chosen.x / Math.max(x, chosen.x / DEAREST_RATIO)) / (chosen.y - y);
  return frontierOf(placed)
    .filter(({ x, y, target }) => x < chosen.x * MUCH_LESS && y < chosen.y && !best.includes(target))
    .reduce<Trade | undefined>((most, one) => (!most || value(one) > value(most) ? one : most), undefined);
}

/** "small costs a third of large, for 13 points less". */
function savingWords(
  placed: readonly Trade[],
  chosen: Trade,
  best: readonly string[],
  axis: TradeAxis,
  nameOf: (target: string) => string,
): string {
  const saver = saverOf(placed, chosen, best);
  if (!saver) return '';
  const less = `for ${pointsWords(chosen.y - saver.y)} less`;
  if (saver.x === 0) return `${nameOf(saver.target)} is free, ${less}`;
  return `${nameOf(saver.target)} ${WORDS[axis].saves(shareWords(saver.x / chosen.x), nameOf(chosen.target))}, ${less}`;
}
