import { Redis } from 'ioredis';
import { startRedis, type PrivateRedis } from '../../test/services.js';
import { until } from '../../test/until.js';
import { LaneBudget, readLaneState, type BudgetLimits, type Permit } from './lane-budget.js';

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
      void budget.release(permit, { tokens: 1 });
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
      void fleet[n % 2]!.release(permit, { tokens: 1 });
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
  void one.release(permit, { tokens: 1, throttledForMs: 400 });
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
  void budget.release(held, { tokens: 1 });
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
  void one.release(held[0]!, { tokens: 1 });
  await until(() => granted.length === 1);
});

describe('the breaker', () => {
  const fail = (budget: LaneBudget, permit: Permit, item: string) => budget.release(permit, { tokens: 0, outcome: { outage: 'refused', item } });
  async function failing(lane: string): Promise<LaneBudget[]> {
    const fleet = [budgetOf(lane, { max_concurrency: 5 }), budgetOf(lane, { max_concurrency: 5 })];
    for (let n = 0; n < 10; n++) {
      const permit = await fleet[n % 2]!.acquire(1, never);
      expect(await fail(fleet[n % 2]!, permit, `item ${n % 5}`)).toBe(n === 9);
    }
    return fleet;
  }

  it('opens after ten failures in a row of five items, for the whole fleet, and lets one probe through at a time', async () => {
    const [one, two] = await failing('outage') as [LaneBudget, LaneBudget];
    const state = () => readLaneState(made[0]!.redis, 'outage');
    expect(await state()).toMatchObject({ outage: { error: 'refused' }, inFlight: 0 });
    const granted: [LaneBudget, Permit][] = [];
    for (const budget of [one, two, one, two]) void budget.acquire(1, never).then((permit) => granted.push([budget, permit]));
    await until(() => granted.length === 1);
    await fail(...granted[0]!, 'item 1');
    const { since, nextProbeAt } = (await state()).outage!;
    expect(nextProbeAt - since).toBeGreaterThan(2000); // the time between probes doubles
    await until(() => granted.length === 2);
    await granted[1]![0].release(granted[1]![1], { tokens: 1, outcome: 'answer' });
    await until(() => granted.length === 4);
    expect((await state()).outage).toBeUndefined();
  });

  it('stays closed when one item fails again and again, and when answers come between', async () => {
    const budget = budgetOf('closed', { max_concurrency: 5 });
    for (let n = 0; n < 30; n++) expect(await fail(budget, await budget.acquire(1, never), 'item 1')).toBe(false);
    for (let n = 0; n < 30; n++) {
      const permit = await budget.acquire(1, never);
      if (n % 9 === 0) await budget.release(permit, { tokens: 1, outcome: 'answer' });
      else expect(await fail(budget, permit, `item ${n}`)).toBe(false);
    }
  });

  it('offers the probe again when the one that had it was given up', async () => {
    const [one] = await failing('given up') as [LaneBudget];
    await one.release(await one.acquire(1, never), { tokens: 0 });
    const permit = await one.acquire(1, never);
    expect(await one.release(permit, { tokens: 1, outcome: 'answer' })).toBe(false);
  });
});

it('a lane whose provider says that nothing is left waits until it is refilled', async () => {
  const [one, two] = [budgetOf('remaining', {}), budgetOf('remaining', {})];
  const started = performance.now();
  await one.release(await one.acquire(1, never), { tokens: 1, outcome: 'answer', refilledInMs: 400 });
  await two.acquire(1, never);
  expect(performance.now() - started).toBeGreaterThan(350);
});

it('a paused lane makes no request until it goes on', async () => {
  const budget = budgetOf('paused', { paused_at: new Date() });
  const granted: Permit[] = [];
  void budget.acquire(1, never).then((permit) => granted.push(permit));
  await until(() => budget.waitReason === 'paused');
  expect(granted).toEqual([]);
  budget.limits = { ...budget.limits, paused_at: null };
  await until(() => granted.length === 1);
});
