import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { Pool } from '#lib/db/connection/pool';
import { readLaneLoads, type LaneLoad } from '#lib/db/read/lane-loads';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import { registry } from '#lib/runtime/metrics';
import type { Redis } from '#lib/runtime/redis';
import { POOL, REDIS } from '../platform/stores.js';

/** Scraping needs no token and is not limited; within this time it returns the same values, which spares Postgres. */
const MAX_AGE_MS = 1000;
/** Prometheus gives up after ten seconds. Values that a store does not return within this time are left out. */
const STORE_TIMEOUT_MS = 3000;

const gauge = (name: string, help: string, ...labelNames: string[]) =>
  new Gauge({ name: `toolmark_${name}`, help, labelNames, registers: [registry] });
const LANE = ['lane', 'lane_name'];

const desired = gauge('desired_slots', 'Items of a lane that could run at once, given enough workers.', ...LANE);
const fleetDesired = gauge('fleet_desired_slots', 'Items that could run at once on all lanes together.');
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
const all = [desired, fleetDesired, limit, backlog, inFlight, oldest, paused, permits, factor, blocked, breaker];

/** The number of slots that a lane can keep busy now. */
export const desiredSlots = (
  lane: Pick<LaneLoad, 'paused' | 'max_concurrency' | 'backlog'>,
  adaptiveFactor: number,
): number => (lane.paused ? 0 : Math.min(Math.max(1, Math.floor(lane.max_concurrency * adaptiveFactor)), lane.backlog));

/** Reads the lanes from the stores into the gauges. Without Postgres they are empty rather than stale. */
@Injectable()
export class LaneMetrics {
  #reading: Promise<void> = Promise.resolve();
  #readAt = -Infinity;

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
    const lanes = await inTime(readLaneLoads(this.pool));
    const states = await inTime(
      Promise.all([this.redis.ping(), ...(lanes ?? []).map((lane) => readLaneState(this.redis, lane.id))]),
    );
    for (const one of all) one.reset();
    fleetDesired.remove(); // a reset would set it to 0, and an autoscaler would stop the workers while Postgres is down
    up.set({ store: 'postgres' }, lanes ? 1 : 0);
    up.set({ store: 'redis' }, states ? 1 : 0);
    if (!lanes) return;
    let sum = 0;
    lanes.forEach((lane, index) => {
      const state = states?.[index + 1] as LaneState | undefined;
      const labels = { lane: lane.id, lane_name: lane.name };
      const slots = desiredSlots(lane, state?.factor ?? 1);
      sum += slots;
      desired.set(labels, slots);
      limit.set({ ...labels, limit: 'concurrency' }, lane.max_concurrency);
      if (lane.requests_per_minute !== null)
        limit.set({ ...labels, limit: 'requests_per_minute' }, lane.requests_per_minute);
      if (lane.tokens_per_minute !== null) limit.set({ ...labels, limit: 'tokens_per_minute' }, lane.tokens_per_minute);
      backlog.set(labels, lane.backlog);
      inFlight.set({ ...labels, state: 'queued' }, lane.queued);
      inFlight.set({ ...labels, state: 'claimed' }, lane.claimed);
      oldest.set(labels, lane.oldestQueuedS);
      paused.set(labels, lane.paused ? 1 : 0);
      if (!state) return;
      permits.set(labels, state.inFlight);
      factor.set(labels, state.factor);
      blocked.set(labels, state.blockedUntil === undefined ? 0 : (state.blockedUntil - Date.now()) / 1000);
      breaker.set(labels, state.outage ? 1 : 0);
    });
    fleetDesired.set(sum);
  }
}

async function inTime<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), STORE_TIMEOUT_MS)));
  return Promise.race([reading, late])
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
