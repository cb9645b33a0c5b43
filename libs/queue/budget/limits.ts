/** Limits of a lane. null means no limit. */
export interface BudgetLimits {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  /** Set while an operator has paused requests. */
  paused_at?: Date | null;
}

/** Upper bound on a provider's Retry-After; then one probe request is sent. */
export const MAX_BLOCK_MS = 15 * 60_000;

/** A permit not renewed for this long belongs to a dead process and is free again. */
export const PERMIT_TTL_MS = 10_000;

/**
 * A circuit breaker keeps an outage from using up the attempts of item after item: after this many consecutive
 * failures, of this many items, without a reply in between, the lane grants only one probe at a time, until a probe
 * gets a reply. Failures of few items may be caused by the items; a lane with few slots cannot involve more.
 */
export const breakerThresholds = (concurrency: number): { failures: number; items: number } => ({
  failures: Math.min(10, Math.max(6, 2 * concurrency)),
  items: Math.min(5, Math.max(3, concurrency)),
});
