import type { Pool } from '#lib/db/connection/pool';
import type { LoadedLane } from '#lib/db/engine/busy-lanes';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import { laneLatencyMs } from '#lib/db/read/for-workers/lane-latency';

/** How many items of a lane a worker takes, and how many are queued ahead of it. */
export interface LaneWindow {
  /** Items that the whole fleet may hold, queued or claimed, so that no slot is idle. */
  slots: number;
  /** Items that may be queued beyond those, so that no slot waits for the dispatcher. */
  ahead: number;
}

/** Items of a lane that one process works on at a time. Additional workers add slots. */
const MAX_SLOTS_PER_WORKER = 500;
/** Assumed until a lane has settled something. */
const UNKNOWN_LATENCY_MS = 5000;
const LATENCY_TTL_MS = 2000;

/**
 * Slots needed to keep this many requests in flight: while one item is claimed, scored or settled, another has a
 * request.
 */
const slotsFor = (requests: number): number => requests + Math.ceil(requests / 8);

/** So many workers serve a lane at least, so that one that hangs does not hold it up. */
const MIN_SERVERS = 2;
/** A lane with fewer slots a worker has more workers than it has use for. */
const MIN_SLOTS_PER_SERVER = 8;

/** How many of the live workers serve a lane. */
export const serversOf = ({ max_concurrency }: Pick<LaneLimits, 'max_concurrency'>, workers: number): number =>
  Math.min(workers, Math.max(MIN_SERVERS, Math.ceil(slotsFor(max_concurrency) / MIN_SLOTS_PER_SERVER)));

/** The slots of each of the workers that serve a lane. */
export const slotsOfServer = ({ max_concurrency }: Pick<LaneLimits, 'max_concurrency'>, servers: number): number =>
  Math.min(Math.ceil(slotsFor(max_concurrency) / servers), MAX_SLOTS_PER_WORKER);

/**
 * The window of a lane. Items queued ahead of a new one delay it. Under a rate limit, therefore, only half a second of
 * requests is queued, and only as many slots count as the rate can keep busy at twice the recent latency.
 */
export function windowOf(
  { max_concurrency, requests_per_minute }: Pick<LaneLimits, 'max_concurrency' | 'requests_per_minute'>,
  latencyMs = UNKNOWN_LATENCY_MS,
): LaneWindow {
  const ratePerS = requests_per_minute === null ? Infinity : requests_per_minute / 60;
  const busyS = Math.max(250, 2 * latencyMs) / 1000;
  const busyRequests = Math.min(max_concurrency, Math.max(1, Math.ceil(ratePerS * busyS)));
  return {
    slots: slotsFor(busyRequests),
    ahead: Math.max(2, Math.min(Math.ceil(ratePerS / 2), Math.ceil(max_concurrency / 4))),
  };
}

/** Whether enough of the items queued ahead are gone: dispatching a few costs nearly as much as dispatching many. */
export const isWorthFilling = (
  { waiting, in_flight }: Pick<LoadedLane, 'waiting' | 'in_flight'>,
  { slots, ahead }: LaneWindow,
): boolean => waiting && slots + ahead - in_flight >= Math.max(1, ahead / 4);

/** The windows of lanes. Recent latencies are read every two seconds. */
export class LaneWindows {
  readonly #latencies = new Map<string, { readAt: number; ms: number | undefined }>();

  constructor(readonly pool: Pool) {}

  async forLane(lane: LaneLimits): Promise<LaneWindow> {
    return windowOf(lane, await this.#latencyOf(lane));
  }

  evict(laneId: string): void {
    this.#latencies.delete(laneId);
  }

  /** Only lanes with a rate limit need it. */
  async #latencyOf({ id, requests_per_minute }: LaneLimits): Promise<number | undefined> {
    if (requests_per_minute === null) return undefined;
    let latency = this.#latencies.get(id);
    if (!latency || performance.now() - latency.readAt > LATENCY_TTL_MS) {
      latency = { readAt: performance.now(), ms: await laneLatencyMs(this.pool, id) };
      this.#latencies.set(id, latency);
    }
    return latency.ms;
  }
}
