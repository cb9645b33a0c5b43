/** `[passed, not passed, errored]` of one model. */
export type Counts = [passed: number, failed: number, errored: number];
/** The outcome of a result, as an index into its counts. */
export const OUTCOME = { passed: 0, failed: 1, errored: 2 } as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

const OUTCOME_COUNT = 3;

/** How many results of each model passed, failed and errored. */
export class TargetCounts {
  readonly #counts: Int32Array;

  constructor(readonly targets: number) {
    this.#counts = new Int32Array(targets * OUTCOME_COUNT);
  }

  add(target: number, fate: Outcome, n: number): void {
    this.#counts[target * OUTCOME_COUNT + fate]! += n;
  }

  get total(): number {
    return this.#counts.reduce((sum, n) => sum + n, 0);
  }

  toJSON(): Counts[] {
    return Array.from({ length: this.targets }, (_, n) => [
      ...this.#counts.subarray(n * OUTCOME_COUNT, (n + 1) * OUTCOME_COUNT),
    ]) as Counts[];
  }
}

/** Counts per value of a facet. */
export class FacetCounts<Value extends string | number> {
  readonly #counts = new Map<Value, TargetCounts>();

  constructor(readonly targets: number) {}

  add(value: Value, target: number, fate: Outcome, n: number): void {
    let counts = this.#counts.get(value);
    if (!counts) {
      counts = new TargetCounts(this.targets);
      this.#counts.set(value, counts);
    }
    counts.add(target, fate, n);
  }

  get(value: Value): TargetCounts {
    return this.#counts.get(value) ?? new TargetCounts(this.targets);
  }

  /** The values with the most results first. */
  byTotal(): { value: Value; total: number; counts: TargetCounts }[] {
    return [...this.#counts]
      .map(([value, counts]) => ({ value, total: counts.total, counts }))
      .sort((a, b) => b.total - a.total || (a.value < b.value ? -1 : 1));
  }
}
