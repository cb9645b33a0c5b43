import type { LaneState } from './lane-state.js';
import type { BudgetLimits } from './limits.js';

/** How fast recent items of a lane went. Each is undefined until enough of them were settled. */
export interface LanePace {
  /** How long an item holds its slot, in milliseconds. */
  latencyMs?: number | undefined;
  /** Tokens of an item, prompt and reply. */
  tokensPerItem?: number | undefined;
}

/** What decides how many slots of a lane are useful. */
export interface SizedLane extends BudgetLimits {
  pace: LanePace;
  /** Undefined while Redis does not answer. */
  state: Pick<LaneState, 'factor' | 'blockedUntil' | 'outage'> | undefined;
  /** Items that may be dispatched now: none of models that rest, wait for their turn, or have no budget left. */
  ready: number;
  /** Items queued or claimed. */
  inFlight: number;
}

/** Assumed until a lane has settled something. */
const UNKNOWN_LATENCY_MS = 5000;
/** A shorter latency than this does not keep slots from being useful: an item takes time beside its request. */
const MIN_BUSY_MS = 250;
/** A longer block than this is not worth waiting for in a slot. */
const LONG_BLOCK_MS = 60_000;

/** The items of a lane that its limits let begin in a second; Infinity without a limit. */
export const itemsPerSecond = (
  { requests_per_minute, tokens_per_minute }: Pick<BudgetLimits, 'requests_per_minute' | 'tokens_per_minute'>,
  { tokensPerItem }: LanePace,
): number =>
  Math.min(
    requests_per_minute ?? Infinity,
    tokens_per_minute !== null && tokensPerItem ? tokens_per_minute / tokensPerItem : Infinity,
  ) / 60;

/**
 * How many items of a lane can be worked on at a time, so how many slots the fleet needs for it: as many as its limits
 * keep busy at twice the recent latency, and no more than there are. Before a provider that is down there is one probe,
 * and before one that refuses for more than a minute, or in a paused lane, nothing: only what is in flight ends.
 *
 * Autoscalers follow its sum over all lanes, and the dispatcher fills its window.
 */
export function usefulSlots(lane: SizedLane, now = Date.now()): number {
  const { max_concurrency, paused_at, pace, state, ready, inFlight } = lane;
  const busyMs = Math.max(MIN_BUSY_MS, 2 * (pace.latencyMs ?? UNKNOWN_LATENCY_MS));
  const limit = Math.min(
    Math.floor(max_concurrency * (state?.factor ?? 1)),
    Math.ceil((itemsPerSecond(lane, pace) * busyMs) / 1000),
  );
  const isClosed = Boolean(paused_at) || (state?.blockedUntil ?? 0) - now > LONG_BLOCK_MS;
  const fresh = isClosed ? 0 : state?.outage ? 1 : ready;
  return Math.min(Math.max(1, limit), inFlight + Math.min(fresh, ready));
}
