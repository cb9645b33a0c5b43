import type { MeasuredCase } from '#lib/db/read/case-measurements';

/** Replies to the compared cases, and the number that do not show what the model would have called. */
export interface ReplyCounts {
  scored: number;
  refused: number;
  cut_off: number;
}

/**
 * Sums over the compared results of one side. Latencies are counted by value, so that the median is exact and memory is
 * bounded by the number of distinct values.
 */
export class SideTotals {
  readonly #latencies = new Map<number, number>();
  readonly #means: number[] = [];
  #cost: number | null = null;
  readonly #replies: ReplyCounts = { scored: 0, refused: 0, cut_off: 0 };

  /** @param all the measured common cases of a target */
  addTarget(all: readonly MeasuredCase[]): void {
    const scored = all.reduce((sum, one) => sum + one.overall_count, 0);
    this.#replies.scored += scored;
    for (const { refused, cut_off: cutOff } of all) {
      this.#replies.refused += refused;
      this.#replies.cut_off += cutOff;
    }
    if (scored > 0) this.#means.push(all.reduce((sum, one) => sum + one.overall_sum, 0) / scored);
  }

  /** @param one a case scored on both sides */
  addCase({ cost, latencies }: MeasuredCase): void {
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost;
    for (const text of latencies?.split(' ') ?? []) {
      const latency = Number(text);
      this.#latencies.set(latency, (this.#latencies.get(latency) ?? 0) + 1);
    }
  }

  get replies(): ReplyCounts {
    return this.#replies;
  }

  get cost(): number | null {
    return this.#cost;
  }

  /** The mean of the targets' overall means, without targets that have nothing scored: the score of a run. */
  get score(): number | null {
    return this.#means.length ? this.#means.reduce((a, b) => a + b, 0) / this.#means.length : null;
  }

  /** The median by nearest rank, as in summaries. */
  get medianLatency(): number | null {
    const counts = [...this.#latencies].sort(([a], [b]) => a - b);
    const rank = Math.ceil(counts.reduce((sum, [, count]) => sum + count, 0) / 2);
    let seen = 0;
    return counts.find(([, count]) => (seen += count) >= rank)?.[0] ?? null;
  }
}
