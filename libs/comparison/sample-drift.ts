import { note, type Note } from '#lib/contracts/note';
import { momentText } from '#lib/contracts/moment-text';
import { MIN_COMMON_CASES } from '#lib/contracts/values/comparison';
import type { SampleDrift } from '#lib/contracts/sample-drift';
import { pairedInterval } from '#lib/scoring/statistics/paired';
import { plainInterval } from './figures.js';
import { points, pointsRange } from './points.js';

/** The chance that any of the tests of one comparison finds a drift where there is none. */
const DRIFT_ALPHA = 0.01;
/** Below it a difference of samples is of no account, whatever the margin. */
const LEAST_DRIFT = 0.01;

/** A run, or a run that added samples to it. */
export interface RunPart {
  /** Whether it has samples of every case of the run. */
  isWhole: boolean;
  from: Date;
  to: Date;
}

/** A run, with the runs that added samples to it. */
interface DriftingRun {
  targets: readonly unknown[];
  /** The run itself first. */
  parts: readonly RunPart[];
}

/** The level of each test of a comparison, and the difference from which it matters. */
export interface DriftTest {
  alpha: number;
  matters: number;
}

/**
 * One test for each model of both runs and each time that samples were added. Models are measured one after another, so
 * the level is divided by their number (Bonferroni): Holm would need all of their p values first. A drift of half the
 * margin moves a difference by less than that, which is within what the margin allows for.
 */
export function driftTestOf(sides: readonly DriftingRun[], margin: number): DriftTest {
  const tests = sides.reduce((sum, { targets, parts }) => sum + targets.length * (wholeOf(parts).length - 1), 0);
  return { alpha: DRIFT_ALPHA / Math.max(1, tests), matters: Math.max(LEAST_DRIFT, margin / 2) };
}

const wholeOf = (parts: readonly RunPart[]): RunPart[] => parts.filter(({ isWhole }) => isWhole);

/** The results of one target in each part of a run, by case. */
export type PartCases = readonly { position: number; scored: number; mean: number | null }[];

interface FoundDrift extends Omit<SampleDrift, 'side' | 'target'> {
  /** Number of parts before it. */
  kept: number;
}

/**
 * Whether the samples that were added to a run differ beyond chance from those before them, and since when: the t test
 * of the cases' differences, later minus earlier, at each time that samples of all cases were added. Of several times
 * the one with the smallest p counts. Samples of some cases alone are not tested: they were added because of how these
 * cases had come out.
 * @param cases the results in each of the parts
 */
export function findDrift(
  parts: readonly RunPart[],
  cases: readonly PartCases[],
  { alpha, matters }: DriftTest,
): FoundDrift | undefined {
  const whole = parts.flatMap(({ isWhole }, index) => (isWhole ? [index] : []));
  let [found, least]: [FoundDrift | undefined, number] = [undefined, alpha];
  for (const kept of whole.slice(1)) {
    const [before, after] = [whole.filter((index) => index < kept), whole.filter((index) => index >= kept)];
    const [earlier, later] = [
      sumsOf(before.map((index) => cases[index]!)),
      sumsOf(after.map((index) => cases[index]!)),
    ];
    const common = [...earlier.keys()].filter((position) => later.has(position));
    const [a, b] = [earlier, later].map((sums) => common.map((position) => sums.get(position)!)) as [Sum[], Sum[]];
    const differences = Float64Array.from(common, (_, index) => meanOf(b[index]!) - meanOf(a[index]!));
    const { mean, p, ci } = pairedInterval(differences, 1 - alpha);
    if (common.length < MIN_COMMON_CASES || p >= least || Math.abs(mean!) < matters) continue;
    least = p;
    const partOf = (sums: Sum[], of: number[]) => ({
      ...figuresOf(sums),
      ...timesOf(of.map((index) => parts[index]!)),
    });
    const [first, second] = [partOf(a, before), partOf(b, after)];
    found = {
      kept,
      earlier: first,
      later: second,
      difference: mean!,
      ci: plainInterval(ci),
      confidence: 1 - alpha,
      since: second.from,
    };
  }
  return found;
}

interface Sum {
  scored: number;
  sum: number;
}
const meanOf = ({ scored, sum }: Sum): number => sum / scored;

/** The scored samples of several parts, by case. */
function sumsOf(parts: readonly PartCases[]): Map<number, Sum> {
  const sums = new Map<number, Sum>();
  for (const { position, scored, mean } of parts.flat()) {
    if (mean === null) continue;
    const known = sums.get(position);
    if (!known) sums.set(position, { scored, sum: mean * scored });
    else {
      known.scored += scored;
      known.sum += mean * scored;
    }
  }
  return sums;
}

const figuresOf = (sums: readonly Sum[]) => ({
  samples: sums.reduce((total, { scored }) => total + scored, 0),
  mean: sums.reduce((total, one) => total + meanOf(one), 0) / sums.length,
});

function timesOf(parts: readonly RunPart[]): { from: string; to: string } {
  const [from, to] = [parts.map((one) => one.from.getTime()), parts.map((one) => one.to.getTime())];
  return { from: new Date(Math.min(...from)).toISOString(), to: new Date(Math.max(...to)).toISOString() };
}

const SIDES = { baseline: 'the baseline', run: 'the run' };

/** "the later samples of the baseline score 32 points lower (99 %: 20 to 44). It has 55 samples of ..." */
export function driftText({ side, earlier, later, difference, ci, confidence }: SampleDrift): string {
  const isLower = difference < 0;
  const interval = pointsRange(isLower ? [-ci[1], -ci[0]] : ci);
  return (
    `the later samples of ${SIDES[side]} score ${points(Math.abs(difference), ci)} ${isLower ? 'lower' : 'higher'} ` +
    `(${Number((confidence * 100).toFixed(2))} %: ${interval}). It has ${earlier.samples.toLocaleString('en')} ` +
    `samples of ${momentText(earlier.from)} and ${later.samples.toLocaleString('en')} of ${momentText(later.from)}.`
  );
}

/** Says in a comparison which samples are left out. */
export const noteOnDrift = (drift: SampleDrift): Note =>
  note(
    'samples_drifted',
    `${drift.target}: ${driftText(drift)} These later samples are not counted. The provider probably changed in ` +
      'between: run both again and compare within one day.',
    { side: drift.side, target: drift.target, since: drift.since },
  );
