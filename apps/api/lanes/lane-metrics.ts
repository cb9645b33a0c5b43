import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { Pool } from '#lib/db/connection/pool';
import { readReadyItems } from '#lib/db/engine/ready-items';
import { hasFleetWork } from '#lib/db/read/fleet-work';
import { readLaneLoads, type LaneLoad } from '#lib/db/read/lane-loads';
import { readLanePaces } from '#lib/db/read/lane-paces';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import { usefulSlots, type LanePace } from '#lib/queue/budget/useful-slots';
import { registry } from '#lib/runtime/metrics';
import type { Redis } from '#lib/runtime/redis';
import { POOL, REDIS } from '../platform/stores.js';

/** Scraping needs no token and is not limited; within this time it returns the same values, which spares Postgres. */
const MAX_AGE_MS = 1000;
/** Prometheus gives up after ten seconds. Values that a store does not return within this time are left out. */
const STORE_TIMEOUT_MS = 3000;
/** Reading how fast lanes go costs most. */
const PACES_MAX_AGE_MS = 10_000;

const gauge = (name: string, help: string, ...labelNames: string[]) =>
  new Gauge({ name: `toolmark_${name}`, help, labelNames, registers: [registry] });
const LANE = ['lane', 'lane_name'];

const useful = gauge('useful_slots', 'Items of a lane that can be worked on at a time, given enough workers.', ...LANE);
const fleetUseful = gauge('fleet_useful_slots', 'Items that can be worked on at a time, in all lanes together.');
const fleetWork = gauge('fleet_work', '1 while anything waits for a worker: only then must there be one.');
const desired = gauge('desired_slots', 'Deprecated, see toolmark_useful_slots; gone in the next release.', ...LANE);
const fleetDesired = gauge(
  'fleet_desired_slots',
  'Deprecated, see toolmark_fleet_useful_slots; gone in the next release.',
);
const limit = gauge('lane_limit', 'Configured limits of a lane; unset limits are left out.', ...LANE, 'limit');
const backlog = gauge('lane_backlog_items', 'Items of a lane that are not settled.', ...LANE);
const inFlight = gauge(
  'lane_in_flight_items',
  'Items of a lane that are queued or claimed by a worker.',
  ...LANE,
  'state',
);
const oldest = gauge(
  'lane_oldest_queued_seconds',
  'Age of the oldest item of a lane that no worker has claimed.',
  ...LANE,
);
const paused = gauge('lane_paused', '1 while an operator has paused the lane.', ...LANE);
const permits = gauge('lane_permits_in_flight', 'Requests of a lane in flight in the whole fleet.', ...LANE);
const factor = gauge(
  'lane_adaptive_factor',
  'Share of its limits that a lane uses after its provider answered 429; 1 when it did not recently.',
  ...LANE,
);
const blocked = gauge('lane_blocked_seconds', 'Time until the provider accepts requests again.', ...LANE);
const breaker = gauge('lane_breaker_open', '1 while the provider is down and only probes are sent.', ...LANE);
const up = gauge('store_up', '1 when Postgres and Redis answered this scrape.', 'store');
/** A reset would set them to 0, and an autoscaler would stop the workers while Postgres is down. */
const ofFleet = [fleetUseful, fleetWork, fleetDesired];
const ofLanes = [useful, desired, limit, backlog, inFlight, oldest, paused, permits, factor, blocked, breaker];

/** What the deprecated metric said: it knows neither rates nor outages, nor which items may be dispatched. */
export const desiredSlots = (
  lane: Pick<LaneLoad, 'paused_at' | 'max_concurrency' | 'backlog'>,
  adaptiveFactor: number,
): number =>
  lane.paused_at ? 0 : Math.min(Math.max(1, Math.floor(lane.max_concurrency * adaptiveFactor)), lane.backlog);

/** What Postgres knows of the fleet's work. */
interface Reading {
  lanes: LaneLoad[];
  ready: Map<string, number>;
  paces: Map<string, LanePace>;
  hasWork: boolean;
}

/** Reads the lanes from the stores into the gauges. Without Postgres they are empty rather than stale. */
@Injectable()
export class LaneMetrics {
  #reading: Promise<void> = Promise.resolve();
  #readAt = -Infinity;
  #paces = new Map<string, LanePace>();
  #pacesReadAt = -Infinity;
  #isReading = false;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  refresh(): Promise<void> {
    if (performance.now() - this.#readAt > MAX_AGE_MS) {
      this.#readAt = performance.now();
      this.#reading = this.#read();
    }
    return this.#reading;
  }

  async #read(): Promise<void> {
    const reading = await inTime(this.#readPostgres());
    const states = await inTime(
      Promise.all([this.redis.ping(), ...(reading?.lanes ?? []).map((lane) => readLaneState(this.redis, lane.id))]),
    );
    for (const one of ofLanes) one.reset();
    for (const one of ofFleet) one.remove();
    up.set({ store: 'postgres' }, reading ? 1 : 0);
    up.set({ store: 'redis' }, states ? 1 : 0);
    if (!reading) return;
    const { lanes, ready, paces, hasWork } = reading;
    let [usefulSum, desiredSum] = [0, 0];
    lanes.forEach((lane, index) => {
      const state = states?.[index + 1] as LaneState | undefined;
      const labels = { lane: lane.id, lane_name: lane.name };
      const slots = usefulSlots({
        ...lane,
        ready: ready.get(lane.id) ?? 0,
        inFlight: lane.queued + lane.claimed,
        pace: paces.get(lane.id) ?? {},
        state,
      });
      usefulSum += slots;
      useful.set(labels, slots);
      const asBefore = desiredSlots(lane, state?.factor ?? 1);
      desiredSum += asBefore;
      desired.set(labels, asBefore);
      measureLane(labels, lane, state);
    });
    fleetUseful.set(usefulSum);
    fleetWork.set(hasWork ? 1 : 0);
    fleetDesired.set(desiredSum);
  }

  /** One statement after the other, and none while those of an earlier scrape still run: a slow Postgres has enough. */
  async #readPostgres(): Promise<Reading> {
    if (this.#isReading) throw new Error('Postgres has not answered the last reading yet.');
    this.#isReading = true;
    try {
      const lanes = await readLaneLoads(this.pool);
      const ready = await readReadyItems(this.pool);
      const hasWork = await hasFleetWork(this.pool);
      if (performance.now() - this.#pacesReadAt > PACES_MAX_AGE_MS) {
        const limited = lanes.filter((lane) => lane.requests_per_minute !== null || lane.tokens_per_minute !== null);
        const ids = limited.map(({ id }) => id);
        this.#paces = await readLanePaces(this.pool, ids);
        this.#pacesReadAt = performance.now();
      }
      return { lanes, ready, hasWork, paces: this.#paces };
    } finally {
      this.#isReading = false;
    }
  }
}

function measureLane(labels: { lane: string; lane_name: string }, lane: LaneLoad, state: LaneState | undefined): void {
  limit.set({ ...labels, limit: 'concurrency' }, lane.max_concurrency);
  if (lane.requests_per_minute !== null)
    limit.set({ ...labels, limit: 'requests_per_minute' }, lane.requests_per_minute);
  if (lane.tokens_per_minute !== null) limit.set({ ...labels, limit: 'tokens_per_minute' }, lane.tokens_per_minute);
  backlog.set(labels, lane.backlog);
  inFlight.set({ ...labels, state: 'queued' }, lane.queued);
  inFlight.set({ ...labels, state: 'claimed' }, lane.claimed);
  oldest.set(labels, lane.oldestQueuedS);
  paused.set(labels, lane.paused_at ? 1 : 0);
  if (!state) return;
  permits.set(labels, state.inFlight);
  factor.set(labels, state.factor);
  blocked.set(labels, state.blockedUntil === undefined ? 0 : (state.blockedUntil - Date.now()) / 1000);
  breaker.set(labels, state.outage ? 1 : 0);
}

async function inTime<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), STORE_TIMEOUT_MS)));
  return Promise.race([reading, late])
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
