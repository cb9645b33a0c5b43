import type { Pool } from '#lib/db/connection/pool';
import type { LoadedLane } from '#lib/db/engine/busy-lanes';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import { readLanePaces } from '#lib/db/read/lane-paces';
import { readLaneState } from '#lib/queue/budget/lane-state';
import { itemsPerSecond, usefulSlots, type LanePace, type SizedLane } from '#lib/queue/budget/useful-slots';
import type { Redis } from '#lib/runtime/redis';

/** How many items of a lane a worker takes, and how many are queued ahead of it. */
export interface LaneWindow {
  /** Items that the whole fleet may hold, queued or claimed, so that no slot is idle. */
  slots: number;
  /** Items that may be queued beyond those, so that no slot waits for the dispatcher. */
  ahead: number;
}

/** Items of a lane that one process works on at a time. Additional workers add slots. */
const MAX_SLOTS_PER_WORKER = 500;
const READING_TTL_MS = 2000;

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
 * The window of a lane: its useful slots, however many items there are. Items queued ahead of a new one delay it. Under
 * a rate limit, therefore, only half a second of requests is queued.
 */
export function windowOf({ pace, state, ...lane }: Omit<SizedLane, 'ready' | 'inFlight'>, now?: number): LaneWindow {
  const useful = usefulSlots({ ...lane, pace, state, ready: Infinity, inFlight: 0 }, now);
  if (useful === 0 || state?.outage) return { slots: useful, ahead: 0 };
  const inHalfASecond = Math.ceil(itemsPerSecond(lane, pace) / 2);
  return {
    slots: slotsFor(useful),
    ahead: Math.max(2, Math.min(inHalfASecond, Math.ceil(lane.max_concurrency / 4))),
  };
}

/** Whether enough of the items queued ahead are gone: dispatching a few costs nearly as much as dispatching many. */
export const isWorthFilling = (
  { waiting, in_flight }: Pick<LoadedLane, 'waiting' | 'in_flight'>,
  { slots, ahead }: LaneWindow,
): boolean => waiting && slots + ahead - in_flight >= Math.max(1, ahead / 4);

type Reading = Pick<SizedLane, 'pace' | 'state'>;

/** The windows of lanes. What they depend on besides limits is read every two seconds. */
export class LaneWindows {
  readonly #readings = new Map<string, { readAt: number; reading: Reading }>();

  constructor(readonly deps: { pool: Pool; redis: Redis }) {}

  async forLane(lane: LaneLimits): Promise<LaneWindow> {
    let last = this.#readings.get(lane.id);
    if (!last || performance.now() - last.readAt > READING_TTL_MS) {
      last = { readAt: performance.now(), reading: await this.#read(lane) };
      this.#readings.set(lane.id, last);
    }
    return windowOf({ ...lane, ...last.reading });
  }

  evict(laneId: string): void {
    this.#readings.delete(laneId);
  }

  async #read(lane: LaneLimits): Promise<Reading> {
    const { redis } = this.deps;
    // Without Redis nothing is asked, and the limits alone say what may be dispatched.
    const state = readLaneState(redis, lane.id).catch(() => undefined);
    return { pace: await this.#paceOf(lane), state: await state };
  }

  /** Only lanes with a rate limit need it. */
  async #paceOf({ id, requests_per_minute, tokens_per_minute }: LaneLimits): Promise<LanePace> {
    if (requests_per_minute === null && tokens_per_minute === null) return {};
    return (await readLanePaces(this.deps.pool, [id])).get(id) ?? {};
  }
}
