import type { Redis } from '#lib/runtime/redis';
import { budgetKeys } from './budget-scripts.js';
import { MAX_BLOCK_MS } from './limits.js';

/** Current state of a lane, shared by the fleet in Redis. Times are ms since the epoch. */
export interface LaneState {
  /** Requests in flight. */
  inFlight: number;
  /** The share of the limits in use: below 1 after a provider's 429, until it has grown back. */
  factor: number;
  blockedUntil: number | undefined;
  /** The provider that asked for the block, and its message; undefined if unknown. */
  blockReason: string | undefined;
  /** Set while the breaker is open. */
  outage: { since: number; nextProbeAt: number; error: string } | undefined;
}

/** Same as in `acquire.lua`. */
const FACTOR_GROWTH = 0.05;

/** @throws when Redis cannot be reached */
export async function readLaneState(redis: Redis, laneId: string): Promise<LaneState> {
  const keys = budgetKeys(laneId);
  const now = Date.now();
  const replies = await redis
    .multi()
    .hmget(
      keys.state,
      'factor',
      'factor_at',
      'blocked_until',
      'outage_since',
      'probe_at',
      'error',
      'block_reason',
      'block_reason_of',
    )
    .zcount(keys.permits, `(${now}`, '+inf')
    .exec();
  const [factor, factorAt, blockedUntil, outageSince, probeAt, error, reason, reasonOf] = replies![0]![1] as (
    string | null
  )[];
  const recovered = (FACTOR_GROWTH * (now - Number(factorAt ?? 0))) / 1000;
  return {
    inFlight: replies![1]![1] as number,
    factor: Math.min(1, Number(factor ?? 1) + recovered),
    // A provider may have asked for any duration; `acquire.lua` blocks for no longer.
    blockedUntil: Number(blockedUntil ?? 0) > now ? Math.min(Number(blockedUntil), now + MAX_BLOCK_MS) : undefined,
    // A worker of the previous release blocks the lane without a reason.
    blockReason: reason && reasonOf === blockedUntil ? reason : undefined,
    outage: outageSince ? { since: Number(outageSince), nextProbeAt: Number(probeAt), error: error ?? '' } : undefined,
  };
}
