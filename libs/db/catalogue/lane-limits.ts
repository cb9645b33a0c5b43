/** A lane, its limits, and whether it is paused. */
export interface LaneLimits {
  id: string;
  name: string;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  paused_at: Date | null;
}
