import type { CountedCase, CountedCaseFigures, CountedResults } from '#lib/contracts/counted';

/** Counts of one case, while its results are read. */
export class CaseCounts {
  readonly #scored: number[];
  readonly #passed: number[];
  readonly #errored: number[];
  readonly #overallSum: number[];

  constructor(
    readonly of: CountedCase,
    targets: number,
  ) {
    const zeros = (): number[] => new Array<number>(targets).fill(0);
    [this.#scored, this.#passed, this.#errored, this.#overallSum] = [zeros(), zeros(), zeros(), zeros()];
  }

  add({ target, n, scored, passed, overall }: CountedResults): void {
    if (scored) this.#scored[target]! += n;
    else this.#errored[target]! += n;
    if (passed) this.#passed[target]! += n;
    this.#overallSum[target]! += (overall ?? 0) * n;
  }

  finish(): CountedCaseFigures {
    const { position, caseId, name, prompt, category } = this.of;
    const [scored, passed] = [this.#scored, this.#passed];
    const measured = scored.flatMap((n, target) => (n > 0 ? [target] : []));
    const [first = 0, ...rest] = measured;
    return {
      ...{ position, caseId, name, prompt, category, scored, passed },
      errored: this.#errored,
      overallSum: this.#overallSum,
      // Compares shares of different sample counts by cross-multiplication, without a rounding error.
      differs: rest.some((target) => passed[target]! * scored[first]! !== passed[first]! * scored[target]!),
      allFailed: measured.length > 0 && passed.every((n) => n === 0),
    };
  }
}
