import type { Change, ComparedRun, Comparison } from '#lib/contracts/comparison';
import type { PairedCase, TargetPair } from './measurements.js';

/** What is known of a comparison before its results are read. */
export interface ComparisonFrame {
  a: Omit<ComparedRun, 'errored_share'>;
  b: Omit<ComparedRun, 'errored_share'>;
  what_changed: Change[];
  notes: string[];
  cases: Omit<Comparison['cases'], 'dropped_errored'>;
  measure: string;
  margin: number;
  maxErroredShare: number;
  /** One of the runs still goes on: there is no verdict, whatever is added. */
  running: boolean;
}

/** How often a tool was called where one was expected, in the scored samples of a pair of targets. */
export type Confusion = Comparison['confusion'][number];

/**
 * Makes a comparison of the pairs of targets that are added one after another. Of each pair it keeps the figures, and
 * of each case a few sums.
 */
export class ComparisonBuilder {
  constructor(private readonly frame: ComparisonFrame) {}

  /** @param cases all common cases, those without results too */
  addTargets(pair: TargetPair, cases: readonly PairedCase[], confusion: readonly Confusion[]): void {
    throw new Error(`not yet: ${pair.a}, ${cases.length}, ${confusion.length}, ${this.frame.measure}`);
  }

  finish(totals: Pick<Comparison, 'cost' | 'latency_p50_ms'>): Comparison {
    throw new Error(`not yet: ${totals.cost.a}`);
  }
}
