import fc from '../../../test/fast-check.js';
import { newBucket, rateLimitHeaders, take } from './rate-limit.js';

describe('a simulated rate limit', () => {
  it('lets through a burst of five seconds and then exactly its rate', () => {
    const bucket = newBucket(120, 0);
    const passed = (untilMs: number, fromMs = 0) => {
      let count = 0;
      for (let nowMs = fromMs; nowMs < untilMs; nowMs += 10) if (take(bucket, 1, nowMs).retryAfterMs === 0) count++;
      return count;
    };
    expect(passed(10)).toBe(1);
    expect(passed(60_000, 10)).toBe(10 + 2 * 60 - 2);
  });

  it('accepts a client that waits for the given time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 50 }),
        (perMinute, costs) => {
          const bucket = newBucket(perMinute, 0);
          let nowMs = 0;
          return costs.every((cost) => {
            const { retryAfterMs } = take(bucket, cost, nowMs);
            if (retryAfterMs === 0) return true;
            nowMs += retryAfterMs;
            return take(bucket, cost, nowMs).retryAfterMs === 0;
          });
        },
      ),
    );
  });

  it('accepts a request larger than the full bucket, at the cost of the next one', () => {
    const bucket = newBucket(600, 0);
    expect(take(bucket, 500, 0).retryAfterMs).toBe(0);
    expect(take(bucket, 1, 0).retryAfterMs).toBeGreaterThan(40_000);
  });

  it('reports the remainder and the wait in headers', () => {
    expect(rateLimitHeaders('tokens', 600, { retryAfterMs: 1500, remaining: 0, resetMs: 61_500 })).toEqual({
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m1.5s',
      'retry-after': '2',
      'retry-after-ms': '1500',
    });
  });
});
