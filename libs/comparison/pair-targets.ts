import { suggestNames } from '#lib/contracts/input/nearest-names';
import { formatInputError, ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { TargetPair } from './measurements.js';

/** Each pair is compared over all common cases. */
const MAX_PAIRS = 100;

export interface PairedTargets {
  pairs: TargetPair[];
  /** Unpaired targets of each run. */
  unmatched: { a: string[]; b: string[] };
}

/**
 * Pairs the targets of two runs: as `asked` (`<target of a>~<target of b>`), else equal ones, else the single target of
 * each run regardless of its name.
 * @throws ProblemError 422 for a pair that does not name targets of the runs
 */
export function pairTargets(a: readonly string[], b: readonly string[], asked?: readonly string[]): PairedTargets {
  const pairs = asked?.length ? readPairs(a, b, asked) : matchTargets(a, b);
  const [usedA, usedB] = [new Set(pairs.map((pair) => pair.a)), new Set(pairs.map((pair) => pair.b))];
  return {
    pairs,
    unmatched: { a: a.filter((target) => !usedA.has(target)), b: b.filter((target) => !usedB.has(target)) },
  };
}

function matchTargets(a: readonly string[], b: readonly string[]): TargetPair[] {
  const others = new Set(b);
  const equal = a.filter((target) => others.has(target)).map((target) => ({ a: target, b: target }));
  return equal.length === 0 && a.length === 1 && b.length === 1 ? [{ a: a[0]!, b: b[0]! }] : equal;
}

function readPairs(a: readonly string[], b: readonly string[], asked: readonly string[]): TargetPair[] {
  const texts = [...new Set(asked)];
  if (texts.length > MAX_PAIRS) throw refused([`has ${texts.length} pairs, and ${MAX_PAIRS} can be compared at once.`]);
  const [namesA, namesB] = [new Set(a), new Set(b)];
  const faults: string[] = [];
  const pairs = texts.flatMap((text) => {
    const read = splitPair(text, namesA, namesB);
    if (!read) {
      faults.push(`has "${text}": write a pair as <target of a>~<target of b>.`);
      return [];
    }
    if (!namesA.has(read.a)) faults.push(`names "${read.a}". ${suggestNames(read.a, a, 'targets of run a')}`);
    if (!namesB.has(read.b)) faults.push(`names "${read.b}". ${suggestNames(read.b, b, 'targets of run b')}`);
    return [read];
  });
  if (faults.length) throw refused(faults);
  return pairs;
}

/** Splits a pair at its `~`. Model ids may also contain one, so a split into two known targets is preferred. */
function splitPair(text: string, a: ReadonlySet<string>, b: ReadonlySet<string>): TargetPair | undefined {
  const splits = [...text.matchAll(/~/g)].map(({ index }) => ({ a: text.slice(0, index), b: text.slice(index + 1) }));
  return splits.find((pair) => a.has(pair.a) && b.has(pair.b)) ?? splits.find((pair) => pair.a && pair.b);
}

function refused(messages: readonly string[]): ProblemError {
  const errors: InputError[] = messages.map((message) => ({ path: '/pairs', message }));
  return new ProblemError(
    422,
    `These models cannot be compared: ${errors.map((error) => formatInputError(error).replace(/\.$/, '')).join('; ')}.`,
    errors,
  ).as('cannot_compare');
}
