import { Counter, Gauge, Histogram } from 'prom-client';
import { writtenTokens } from '#lib/contracts/cost';
import type { Settlement } from '#lib/db/engine/settle-items';
import { registry } from '#lib/runtime/metrics';

// docs/metrics.md lists the question that each metric answers. Labels have few values (lanes, kinds of errors,
// reasons); runs and cases are never labels.
const registers = [registry];
const LANE = ['lane', 'lane_name'];

const slots = new Gauge({
  name: 'toolmark_worker_slots',
  help: 'Maximum number of items of a lane that this process works on at a time.',
  labelNames: LANE,
  registers,
});
const meters = new Set<LaneMeter>();
/** Read from the meters when the metrics are scraped, not updated with every item. */
const activeItems = new Gauge({
  name: 'toolmark_worker_items_in_hand',
  help: 'Items of a lane that this process works on now.',
  labelNames: LANE,
  registers,
  collect() {
    for (const meter of meters) this.set(meter.labels, meter.activeItems);
  },
});
const window = new Gauge({
  name: 'toolmark_lane_window_items',
  help: 'Maximum number of items of a lane that are queued or claimed in the whole fleet.',
  labelNames: LANE,
  registers,
});
const dispatchLag = new Histogram({
  name: 'toolmark_dispatch_lag_seconds',
  help: 'Time from queueing an item until a worker claims it.',
  labelNames: LANE,
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30],
  registers,
});
const budgetWait = new Counter({
  name: 'toolmark_budget_wait_seconds_total',
  help: 'Time that requests waited for the budget of their lane, by the limit they waited for.',
  labelNames: [...LANE, 'reason'],
  registers,
});
const requests = new Counter({
  name: 'toolmark_model_requests_total',
  help: 'Requests to models, by success or kind of failure.',
  labelNames: [...LANE, 'outcome'],
  registers,
});
const requestSeconds = new Histogram({
  name: 'toolmark_model_request_seconds',
  help: 'Response time of models, without failed requests.',
  labelNames: LANE,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  registers,
});
const items = new Counter({
  name: 'toolmark_items_total',
  help: 'Items that ended in this process, by success or kind of error.',
  labelNames: [...LANE, 'outcome'],
  registers,
});
const fromCache = new Counter({
  name: 'toolmark_items_from_cache_total',
  help: 'Items that were answered from a stored reply.',
  labelNames: LANE,
  registers,
});
const tokens = new Counter({
  name: 'toolmark_tokens_total',
  help: 'Tokens of requests whose items ended in this process.',
  labelNames: [...LANE, 'direction'],
  registers,
});
const cost = new Counter({
  name: 'toolmark_cost_usd_total',
  help: 'US dollars for items that ended in this process, where prices are known.',
  labelNames: LANE,
  registers,
});
const settled = new Counter({
  name: 'toolmark_results_settled_total',
  help: 'Results that this process stored.',
  registers,
});
const late = new Counter({
  name: 'toolmark_late_settlements_total',
  help: 'Items that ended in this process after another process had settled them or their run had ended.',
  registers,
});
const settleSeconds = new Histogram({
  name: 'toolmark_settle_seconds',
  help: 'Time from the end of an item until its result is committed.',
  buckets: [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers,
});
const redeliveries = new Counter({
  name: 'toolmark_redeliveries_total',
  help: 'Items that were requeued because their queue job was lost, or their process died or froze.',
  labelNames: [...LANE, 'reason'],
  registers,
});
const crashes = new Counter({
  name: 'toolmark_item_crashes_total',
  help: 'How often a process died or froze while it worked on an item.',
  labelNames: LANE,
  registers,
});
const stepFailures = new Counter({
  name: 'toolmark_control_step_failures_total',
  help: 'Steps of the control loop that failed and were repeated.',
  labelNames: ['step'],
  registers,
});

const LANE_METRICS = [
  slots,
  activeItems,
  window,
  dispatchLag,
  budgetWait,
  requests,
  requestSeconds,
  items,
  fromCache,
  tokens,
  cost,
  redeliveries,
  crashes,
];

interface LaneLabels extends Record<string, string> {
  lane: string;
  lane_name: string;
}

/** The measurements of this process for a lane. */
export class LaneMeter {
  readonly labels: LaneLabels;
  /** Deliveries taken so far. Liveness checks that it grows. */
  started = 0;
  activeItems = 0;
  #results = 0;
  #slots: number | undefined;

  constructor(
    readonly id: string,
    readonly name: string,
  ) {
    this.labels = { lane: id, lane_name: name };
    meters.add(this);
  }

  /** Undefined when this process does not serve the lane. */
  get freeSlots(): number | undefined {
    return this.#slots === undefined ? undefined : this.#slots - this.activeItems;
  }

  setSlots(n: number): void {
    this.#slots = n;
    slots.set(this.labels, n);
  }

  setWindow(n: number): void {
    window.set(this.labels, n);
  }

  startItem(): void {
    this.started++;
    this.activeItems++;
  }

  endItem(): void {
    this.activeItems--;
  }

  recordClaim(queuedForS: number | null): void {
    if (queuedForS !== null) dispatchLag.observe(this.labels, queuedForS);
  }

  recordWait(reason: string, seconds: number): void {
    budgetWait.inc({ ...this.labels, reason }, seconds);
  }

  /** @param failure its kind; undefined when the model replied */
  recordAttempt(failure: string | undefined, seconds: number): void {
    requests.inc({ ...this.labels, outcome: failure ?? 'answered' });
    if (!failure) requestSeconds.observe(this.labels, seconds);
  }

  recordResult({ result, usage, costUsd, cached }: Settlement): void {
    this.#results++;
    items.inc({ ...this.labels, outcome: result.outcome === 'scored' ? 'scored' : result.error.kind });
    if (cached) return fromCache.inc(this.labels);
    tokens.inc({ ...this.labels, direction: 'prompt' }, usage.promptTokens ?? 0);
    tokens.inc({ ...this.labels, direction: 'completion' }, usage.completionTokens ?? 0);
    tokens.inc({ ...this.labels, direction: 'cache_read' }, usage.cacheReadTokens ?? 0);
    tokens.inc({ ...this.labels, direction: 'cache_write' }, writtenTokens(usage) ?? 0);
    cost.inc(this.labels, costUsd ?? 0);
  }

  /** The results since the last call. */
  takeResults(): number {
    const results = this.#results;
    this.#results = 0;
    return results;
  }

  /**
   * @param all items that are queued again
   * @param died how many of them were lost with their process
   */
  recordRedeliveries(all: number, died: number): void {
    redeliveries.inc({ ...this.labels, reason: 'lost' }, all - died);
    redeliveries.inc({ ...this.labels, reason: 'died' }, died);
  }

  recordCrashes(times: number): void {
    crashes.inc(this.labels, times);
  }
}

/** The meters of the lanes that this process has seen, one each. */
export class LaneMeters {
  readonly #meters = new Map<string, LaneMeter>();

  forLane({ id, name }: { id: string; name: string }): LaneMeter {
    let meter = this.#meters.get(id);
    if (!meter) this.#meters.set(id, (meter = new LaneMeter(id, name)));
    return meter;
  }

  find(laneId: string): LaneMeter | undefined {
    return this.#meters.get(laneId);
  }

  /** The results of each lane since the last call, for its throughput. */
  takeResults(): Map<string, number> {
    const taken = [...this.#meters].map(([laneId, meter]) => [laneId, meter.takeResults()] as const);
    return new Map(taken.filter(([, results]) => results > 0));
  }

  /** Forgets a lane and all its measurements. */
  async evict(laneId: string): Promise<void> {
    const meter = this.#meters.get(laneId);
    if (!meter) return;
    this.#meters.delete(laneId);
    meters.delete(meter);
    for (const metric of LANE_METRICS) {
      const values = (await metric.get()).values as { labels: Record<string, string> }[];
      for (const { labels } of values) {
        const { le: _bucket, ...own } = labels;
        if (own.lane === laneId) metric.remove(own);
      }
    }
  }
}

/** Counts a committed batch. */
export function measureSettled(stored: number, batch: number): void {
  settled.inc(stored);
  late.inc(batch - stored);
}

/** @returns a function to call when the settlement is committed */
export const measureSettling = (): (() => void) => settleSeconds.startTimer();

export const measureStepFailure = (step: string): void => stepFailures.inc({ step });
