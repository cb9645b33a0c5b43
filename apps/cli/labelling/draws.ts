import type { ApiClient } from '#lib/client/api-client';
import type { LabelDraw, LabelQueue } from '#lib/contracts/label';
import { JUDGE_ROUTE } from '../lookup/find-report.js';

const DRAWN_AT_ONCE = 10;
/** What the API draws at most. */
const MAX_DRAWN = 50;

const keyOf = ({ eval_id: run, result }: LabelDraw): string => `${run} ${result.id}`;

/** The results to label, one after the other. What was drawn before and has no label comes first at each draw. */
export class Draws {
  /** What the first draw said of the judge. */
  first!: LabelQueue;
  #waiting: LabelDraw[] = [];
  readonly #skipped = new Set<string>();

  constructor(
    private readonly client: ApiClient,
    /** `eval_id`, and `judge` where it is given. */
    private readonly query: Record<string, string>,
  ) {}

  /** Undefined when nothing is left but what was skipped. */
  async next(): Promise<LabelDraw | undefined> {
    if (this.#waiting.length === 0) {
      const limit = Math.min(MAX_DRAWN, DRAWN_AT_ONCE + this.#skipped.size);
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

  /** The next ones are these, in this order. */
  putBack(...draws: LabelDraw[]): void {
    for (const draw of draws) this.#skipped.delete(keyOf(draw));
    this.#waiting.unshift(...draws);
  }
}
