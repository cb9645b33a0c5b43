import type { Logger } from '#lib/runtime/logger';
import type { LaneShare } from '../fleet/fleet.js';
import type { LaneWorkers } from '../items/lane-workers.js';

/** A lane keeps its place for this long after the share of this process is gone: workers come and go. */
const KEEP_MS = 5000;
/** Lanes that are idle for longer were closed (evict-lanes.ts). */
const FORGET_MS = 10 * 60_000;

/** Serves the busy lanes in which this process has a share, and leaves the others to other workers. */
export class LaneServer {
  /** When each lane served here last had a share, in milliseconds. */
  readonly #sharedAt = new Map<string, number>();

  constructor(readonly deps: { laneWorkers: LaneWorkers; logger: Logger }) {}

  serve({ lane, slots }: Pick<LaneShare, 'lane' | 'slots'>): void {
    if (slots === 0) return;
    this.#sharedAt.set(lane.id, performance.now());
    this.deps.laneWorkers.serve(lane, slots);
  }

  /** Serves the shares, and ceases to serve busy lanes without one. Idle lanes stay: they may have work again. */
  update(shares: readonly LaneShare[]): void {
    const { laneWorkers, logger } = this.deps;
    const now = performance.now();
    for (const [id, sharedAt] of this.#sharedAt) if (now - sharedAt > FORGET_MS) this.#sharedAt.delete(id);
    for (const share of shares) {
      this.serve(share);
      const { id } = share.lane;
      const sharedAt = this.#sharedAt.get(id);
      if (share.slots > 0 || sharedAt === undefined || now - sharedAt < KEEP_MS) continue;
      this.#sharedAt.delete(id);
      // Not awaited: its claimed items end first.
      void laneWorkers
        .cease(id)
        .catch((error: Error) => logger.warn({ lane: id, error: error.message }, 'A lane could not be closed'));
    }
  }
}
