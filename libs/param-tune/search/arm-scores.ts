import type { Measured, Trial } from './strategy.js';

/** The scores of each arm by case. */
export class ArmScores {
  readonly #sums = new Map<number, { sums: Float64Array; samples: Float64Array; rung: string }>();

  constructor(readonly cases: number) {}

  add({ arm, rung, from, samples }: Trial, measured: Measured): void {
    const known = this.#sums.get(arm) ?? {
      sums: new Float64Array(this.cases),
      samples: new Float64Array(this.cases),
      rung,
    };
    known.rung = rung;
    measured.forEach((score, index) => {
      if (Number.isNaN(score)) return;
      known.sums[from + index]! += score * samples;
      known.samples[from + index]! += samples;
    });
    this.#sums.set(arm, known);
  }

  /** The measured arms, in the order of their first trial. */
  arms(): number[] {
    return [...this.#sums.keys()];
  }

  rungOf(arm: number): string {
    return this.#sums.get(arm)!.rung;
  }

  /** The mean score of each of the first `cases` cases; NaN for a case without one. */
  scores(arm: number, cases = this.cases): Float64Array {
    const known = this.#sums.get(arm);
    return Float64Array.from({ length: cases }, (_, index) =>
      known && known.samples[index]! > 0 ? known.sums[index]! / known.samples[index]! : NaN,
    );
  }

  /** The mean over the scored cases among the first `cases`. Each case has the same weight. */
  mean(arm: number, cases = this.cases): { mean: number | null; cases: number } {
    const { sums, samples } = this.#sums.get(arm) ?? { sums: [], samples: [] };
    let [sum, scored] = [0, 0];
    for (let index = 0; index < cases; index++)
      if (samples[index]! > 0) {
        sum += sums[index]! / samples[index]!;
        scored++;
      }
    return { mean: scored ? sum / scored : null, cases: scored };
  }
}
