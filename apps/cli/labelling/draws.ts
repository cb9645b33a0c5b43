import type { ApiClient } from '#lib/client/api-client';
import type { LabelDraw, LabelQueue } from '#lib/contracts/label';
import { JUDGE_ROUTE } from '../lookup/find-report.js';

const BATCH_SIZE = 10;
/** The API's maximum per draw. */
const MAX_DRAWN = 50;

const keyOf = ({ eval_id: run, result }: LabelDraw): string => `${run} ${result.id}`;

/** Supplies the results to label one by one. Unlabelled results of earlier draws come first at each draw. */
export class Draws {
  /** The first draw, for its counts of labels. */
  first!: LabelQueue;
  #waiting: LabelDraw[] = [];
  readonly #skipped = new Set<string>();

  constructor(
    private readonly client: ApiClient,
    /** `eval_id`, and `judge` if given. */
    private readonly query: Record<string, string>,
  ) {}

  /** Undefined when only skipped results are left. */
  async next(): Promise<LabelDraw | undefined> {
    if (this.#waiting.length === 0) {
      const limit = Math.min(MAX_DRAWN, BATCH_SIZE + this.#skipped.size);
      const query = new URLSearchParams({ ...this.query, limit: String(limit) });
      const queue = await this.client.call<LabelQueue>('GET', `${JUDGE_ROUTE}/label-queue?${query}`);
      this.first ??= queue;
      this.#waiting = queue.items.filter((draw) => !this.#skipped.has(keyOf(draw)));
    }
    return this.#waiting.shift();
  }

  skip(draw: LabelDraw): void {
    this.#skipped.add(keyOf(draw));
  }

  /** Makes these the next results, in this order. */
  putBack(...draws: LabelDraw[]): void {
    for (const draw of draws) this.#skipped.delete(keyOf(draw));
    this.#waiting.unshift(...draws);
  }
}
