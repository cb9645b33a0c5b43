import { Redis } from 'ioredis';
import { startRedis, type PrivateRedis } from '../../test/services.js';
import { until } from '../../test/until.js';
import { LaneBudget, type BudgetLimits, type Permit } from './lane-budget.js';

let server: PrivateRedis;
const made: { redis: Redis; budget: LaneBudget }[] = [];
beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => {
  for (const { redis, budget } of made.splice(0)) (budget.close(), redis.disconnect());
});
afterAll(() => server.stop());

/** As a worker process has it; two of them share nothing but Redis. */
function budgetOf(lane: string, limits: Partial<BudgetLimits>, inUse = false): LaneBudget {
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  const budget = new LaneBudget(redis, lane, { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 100, ...limits }, async () => inUse);
  made.push({ redis, budget });
  return budget;
}
const never = new AbortController().signal;

it('no more requests are in flight in the whole fleet than allowed', async () => {
  const fleet = [budgetOf('concurrency', { max_concurrency: 5 }), budgetOf('concurrency', { max_concurrency: 5 })];
  let [inFlight, most, done] = [0, 0, 0];
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const budget = fleet[n % 2]!;
      const permit = await budget.acquire(1, never);
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      done++;
      budget.release(permit, { tokens: 1 });
    }),
  );
  expect([done, most]).toEqual([200, 5]);
});

it('requests keep to their rate: never more than the limit and its burst in any second', async () => {
  const fleet = [budgetOf('rate', { requests_per_minute: 3000 }), budgetOf('rate', { requests_per_minute: 3000 })];
  const starts: number[] = [];
  await Promise.all(
    Array.from({ length: 120 }, async (_, n) => {
      const permit = await fleet[n % 2]!.acquire(1, never);
      starts.push(performance.now());
      fleet[n % 2]!.release(permit, { tokens: 1 });
    }),
  );
  starts.sort((a, b) => a - b);
  const inAnySecond = Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + 1000).length));
  expect(inAnySecond).toBeLessThanOrEqual(50 + 5 + 2);
});

it('a 429 of one worker makes the others wait as long as the provider asked', async () => {
  const [one, two] = [budgetOf('throttled', {}), budgetOf('throttled', {})];
  const permit = await one.acquire(1, never);
  const started = performance.now();
  one.release(permit, { tokens: 1, throttledForMs: 400 });
  await until(async () => Number(await made[0]!.redis.hget('toolmark:{budget-throttled}:state', 'blocked_until')) > 0);
  await two.acquire(1, never);
  expect(performance.now() - started).toBeGreaterThan(350);
});

it('a waiter that is aborted takes nothing', async () => {
  const budget = budgetOf('aborted', { max_concurrency: 1 });
  const held = await budget.acquire(1, never);
  const abort = new AbortController();
  const waiting = budget.acquire(1, abort.signal);
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  budget.release(held, { tokens: 1 });
  expect(await budget.acquire(1, never)).toHaveProperty('id');
});

it('after Redis lost everything, what is in flight still counts', async () => {
  const [one, two] = [budgetOf('flushed', { max_concurrency: 3 }, true), budgetOf('flushed', { max_concurrency: 3 }, true)];
  const held = await Promise.all([1, 2, 3].map(() => one.acquire(1, never)));
  await server.flushAll();
  const granted: Permit[] = [];
  void two.acquire(1, never).then((permit) => granted.push(permit));
  await until(async () => (await made[0]!.redis.zcard('toolmark:{budget-flushed}:permits')) === 3);
  expect(granted).toEqual([]);
  one.release(held[0]!, { tokens: 1 });
  await until(() => granted.length === 1);
});
