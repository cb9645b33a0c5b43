/** What a lane may use. null is no limit. */
export interface BudgetLimits {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  /** Set while an operator wants no requests to be made. */
  paused_at?: Date | null;
}

/** However long a provider asks to be left alone: after this time one request finds out whether it still does. */
export const MAX_BLOCK_MS = 15 * 60_000;

/** A permit that is not renewed for this long belongs to a dead process and is free again. */
export const PERMIT_TTL_MS = 10_000;

/**
 * A circuit breaker keeps an outage from using up the attempts of item after item: after this many failures in a
 * row, of this many items, with no reply between them, the lane grants nothing but one probe at a time, until a
 * probe gets a reply. Failures of few items may be the fault of the items; a lane with few slots can show no more.
 */
export const breakerThresholds = (concurrency: number): { failures: number; items: number } => ({
  failures: Math.min(10, Math.max(6, 2 * concurrency)),
  items: Math.min(5, Math.max(3, concurrency)),
});
