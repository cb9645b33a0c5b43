/**
 * A token bucket as hosted APIs use it: it refills steadily at `perMinute` and holds `BURST_S` seconds' worth, so that
 * a client which ignores the limit is refused within seconds, with a short retry delay.
 */
export interface Bucket {
  perMinute: number;
  level: number;
  atMs: number;
}
const BURST_S = 5;

const capacity = (bucket: Bucket): number => Math.max(1, (bucket.perMinute / 60) * BURST_S);

export function newBucket(perMinute: number, nowMs: number): Bucket {
  const bucket = { perMinute, level: 0, atMs: nowMs };
  bucket.level = capacity(bucket);
  return bucket;
}

/**
 * Takes `cost` from the bucket if there is enough. A full bucket lets a cost above its capacity through and goes into
 * debt, because such a cost could otherwise never pass. `retryAfterMs` is 0 if it was taken.
 */
export function take(
  bucket: Bucket,
  cost: number,
  nowMs: number,
): { retryAfterMs: number; remaining: number; resetMs: number } {
  const perMs = bucket.perMinute / 60_000;
  const full = capacity(bucket);
  bucket.level = Math.min(full, bucket.level + (nowMs - bucket.atMs) * perMs);
  bucket.atMs = nowMs;
  const lacking = Math.min(cost, full) - bucket.level;
  if (lacking <= 1e-9) bucket.level -= cost;
  return {
    retryAfterMs: lacking <= 1e-9 ? 0 : Math.max(1, Math.ceil(lacking / perMs)),
    remaining: Math.max(0, Math.floor(bucket.level)),
    resetMs: Math.ceil((full - bucket.level) / perMs),
  };
}

/** OpenAI's `x-ratelimit-*` headers, and on refusal `retry-after` in whole seconds (RFC 9110) with `retry-after-ms`. */
export function rateLimitHeaders(
  what: 'requests' | 'tokens',
  perMinute: number,
  taken: { retryAfterMs: number; remaining: number; resetMs: number },
): Record<string, string> {
  return {
    [`x-ratelimit-limit-${what}`]: String(perMinute),
    [`x-ratelimit-remaining-${what}`]: String(taken.remaining),
    [`x-ratelimit-reset-${what}`]: duration(taken.resetMs),
    ...(taken.retryAfterMs > 0 && {
      'retry-after': String(Math.ceil(taken.retryAfterMs / 1000)),
      'retry-after-ms': String(taken.retryAfterMs),
    }),
  };
}

/** OpenAI formats durations as Go does: `120ms`, `1.5s`, `6m0s`. */
function duration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  if (ms < 60_000) return `${ms / 1000}s`;
  return `${Math.floor(ms / 60_000)}m${(ms % 60_000) / 1000}s`;
}
