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
      ...spreadOf(measured.map((target) => passed[target]! / scored[target]!)),
    };
  }
}

/** Equal shares in another order of models are as far apart, in spite of rounding. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

function spreadOf(shares: readonly number[]): Pick<CountedCaseFigures, 'disagreement' | 'failing'> {
  if (shares.length === 0) return { disagreement: 0, failing: -1 };
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mean = meanOf(shares);
  return { disagreement: rounded(meanOf(shares.map((share) => (share - mean) ** 2))), failing: rounded(1 - mean) };
}
