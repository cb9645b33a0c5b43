import type { MeasuredCase } from './case-measurements.js';

/**
 * Merges a target's results in each case over several runs, as if their samples came from one run.
 * @param runs the cases of each run, each in their order
 * @returns in the order of the cases
 */
export function mergeCases(runs: readonly (readonly MeasuredCase[])[]): MeasuredCase[] {
  if (runs.length === 1) return [...runs[0]!];
  const merged = new Map<number, MeasuredCase>();
  for (const one of runs.flat()) {
    const known = merged.get(one.position);
    merged.set(one.position, known ? mergeCase(known, one) : one);
  }
  return [...merged.values()].sort((a, b) => a.position - b.position);
}

const mergeCase = (a: MeasuredCase, b: MeasuredCase): MeasuredCase => ({
  position: a.position,
  scored: a.scored + b.scored,
  errored: a.errored + b.errored,
  refused: a.refused + b.refused,
  cut_off: a.cut_off + b.cut_off,
  passed: a.passed + b.passed,
  ...mergeMeans(a, b),
  overall_sum: a.overall_sum + b.overall_sum,
  overall_count: a.overall_count + b.overall_count,
  cost: a.cost === null || b.cost === null ? (a.cost ?? b.cost) : a.cost + b.cost,
  latencies: joined(a.latencies, b.latencies),
  called: joined(a.called, b.called),
});

type Moments = Pick<MeasuredCase, 'scored' | 'mean' | 'variance'>;

/** Chan, Golub and LeVeque (1979): needs no samples and loses no digits. */
function mergeMeans(a: Moments, b: Moments): Pick<Moments, 'mean' | 'variance'> {
  if (a.mean === null || b.mean === null) return a.mean === null ? b : a;
  const scored = a.scored + b.scored;
  const apart = b.mean - a.mean;
  const squares = ({ scored: n, variance }: Moments): number => (variance ?? 0) * (n - 1);
  return {
    mean: a.mean + (apart * b.scored) / scored,
    variance: (squares(a) + squares(b) + (apart * apart * a.scored * b.scored) / scored) / (scored - 1),
  };
}

const joined = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : `${a} ${b}`;
