import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import fc from '../../../test/fast-check.js';
import { startRedis, watchCommands, type PrivateRedis } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { LaneBudget } from './lane-budget.js';
import { readLaneState } from './lane-state.js';
import type { BudgetLimits } from './limits.js';
import type { Permit } from './permits.js';

let server: PrivateRedis;
const made: { redis: Redis; budget: LaneBudget }[] = [];
beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => {
  for (const { redis, budget } of made.splice(0)) (budget.close(), redis.disconnect());
  for (const watching of watches.splice(0)) watching.disconnect();
});
afterAll(() => server.stop());

/** The budget of a worker process; two of them share only Redis. */
function budgetOf(lane: string, limits: Partial<BudgetLimits>, inUse = false): LaneBudget {
  const redis = new Redis(server.url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  const budget = new LaneBudget(
    redis,
    lane,
    { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 100, ...limits },
    async () => inUse,
  );
  made.push({ redis, budget });
  return budget;
}
const never = new AbortController().signal;

interface Grant {
  id: string;
  atMs: number;
  /** Requests in flight, including this one. */
  inFlight: number;
  /** Total tokens reserved by requests before it and not used. */
  givenBack: number;
}
const watches: Redis[] = [];
/**
 * Grants of Redis and the times of requests for them, by the clock of its scripts and in their order, so that a stall
 * of this machine does not distort them.
 */
async function observe(lane: string) {
  const watching = await watchCommands(server.url);
  watches.push(watching);
  const [grants, inFlight, askedMs] = [new Map<string, Grant>(), new Set<string>(), [] as number[]];
  let [givenBack, isUpToDate] = [0, false];
  watching.on('monitor', (_time: string, [command, key, ...args]: string[]) => {
    if (command === 'HSET' && key === `toolmark:{budget-${lane}}:state` && args.length === 4 && args[2] === 'factor_at')
      askedMs.push(Number(args[3]));
    if (command === 'HINCRBYFLOAT' && key === `toolmark:{budget-${lane}}:state`) givenBack += Number(args[1]);
    if (command === 'echo' && key === lane) isUpToDate = true;
    if (key !== `toolmark:{budget-${lane}}:permits`) return;
    const [expiresMs, id] = args as [string, string];
    if (command === 'ZADD' && !grants.has(id)) {
      // A permit is renewed under its own id.
      inFlight.add(id);
      grants.set(id, { id, atMs: Number(expiresMs) - 10_000, inFlight: inFlight.size, givenBack });
    }
    if (command === 'ZREM') inFlight.delete(args[0]!);
  });
  return {
    grants,
    askedMs,
    async stop(): Promise<Grant[]> {
      await made[0]!.redis.echo(lane);
      await until(() => isUpToDate && inFlight.size === 0, { what: 'all permits to be given back' });
      watching.disconnect();
      return [...grants.values()];
    },
  };
}

/** Maximum granted in a window of any length. */
const bound = (perMinute: number, seconds: number, burst: number): number => (perMinute / 60) * seconds + burst;
/** @param tokens reserved for each request */
function expectWithin(
  grants: Grant[],
  { requests_per_minute: rpm, tokens_per_minute: tpm, max_concurrency }: BudgetLimits,
  tokens: number,
): void {
  for (const seconds of [0.1, 1, 60]) {
    for (const { atMs } of grants) {
      const inWindow = grants.filter((grant) => grant.atMs >= atMs && grant.atMs < atMs + seconds * 1000);
      if (rpm !== null) expect(inWindow.length).toBeLessThanOrEqual(bound(rpm, seconds, 1 + rpm / 600));
      const reserved = inWindow.length * tokens - (inWindow.at(-1)!.givenBack - inWindow[0]!.givenBack);
      if (tpm !== null) expect(reserved).toBeLessThanOrEqual(bound(tpm, seconds, tpm / 300 + tokens));
    }
  }
  for (const { inFlight } of grants) expect(inFlight).toBeLessThanOrEqual(max_concurrency);
}

it('the fleet never has more requests in flight than allowed', async () => {
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

it('requests never exceed the limit and its burst in any second', async () => {
  const limits = { requests_per_minute: 3000, tokens_per_minute: null, max_concurrency: 100 };
  const fleet = [budgetOf('rate', limits), budgetOf('rate', limits)];
  const watched = await observe('rate');
  await Promise.all(
    Array.from({ length: 120 }, async (_, n) => {
      const permit = await fleet[n % 2]!.acquire(1, never);
      void fleet[n % 2]!.release(permit, { tokens: 1 });
    }),
  );
  const grants = await watched.stop();
  expect(grants).toHaveLength(120);
  expectWithin(grants, limits, 1);
});

it('a 429 in one worker makes all wait as long as the provider asked, and names the provider', async () => {
  const [one, two] = [budgetOf('throttled', {}), budgetOf('throttled', {})];
  const watched = await observe('throttled');
  const blockReason = 'mine::a asked for a pause: slow down';
  await one.release(await one.acquire(1, never), { tokens: 1, retryAfterMs: 400, blockReason });
  const [blockedUntil, toldAt] = (
    await made[0]!.redis.hmget('toolmark:{budget-throttled}:state', 'blocked_until', 'lowered_at')
  ).map(Number) as [number, number];
  expect(blockedUntil - toldAt).toBe(400);
  expect((await readLaneState(made[0]!.redis, 'throttled')).blockReason).toBe(blockReason);
  const { id } = await two.acquire(1, never);
  expect((await until(() => watched.grants.get(id))).atMs).toBeGreaterThanOrEqual(blockedUntil);
});

it('an aborted waiter takes no permit', async () => {
  const budget = budgetOf('aborted', { max_concurrency: 1 });
  const held = await budget.acquire(1, never);
  const abort = new AbortController();
  const waiting = budget.acquire(1, abort.signal);
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  void budget.release(held, { tokens: 1 });
  expect(await budget.acquire(1, never)).toHaveProperty('id');
});

it('requests in flight still count after Redis loses its data', async () => {
  const [one, two] = [
    budgetOf('flushed', { max_concurrency: 3 }, true),
    budgetOf('flushed', { max_concurrency: 3 }, true),
  ];
  const held = await Promise.all([1, 2, 3].map(() => one.acquire(1, never)));
  await server.flushAll();
  const granted: Permit[] = [];
  void two.acquire(1, never).then((permit) => granted.push(permit));
  await until(async () => (await made[0]!.redis.zcard('toolmark:{budget-flushed}:permits')) === 3);
  expect(granted).toEqual([]);
  void one.release(held[0]!, { tokens: 1 });
  await until(() => granted.length === 1);
});

it('a process with a recent permit notices that Redis lost the lane', async () => {
  const [one, two] = [budgetOf('forgotten', { max_concurrency: 1 }), budgetOf('forgotten', { max_concurrency: 1 })];
  await two.release(await two.acquire(1, never), { tokens: 1 });
  const held = await one.acquire(1, never);
  await server.flushAll();
  const granted: Permit[] = [];
  void two.acquire(1, never).then((permit) => granted.push(permit));
  await until(async () => (await made[0]!.redis.zcard('toolmark:{budget-forgotten}:permits')) === 1);
  expect(granted).toEqual([]);
  void one.release(held, { tokens: 1 });
  await until(() => granted.length === 1);
});

it('requests in flight still count after a failover to a replica that lacks the last writes', async () => {
  const [one, two] = [budgetOf('promoted', { max_concurrency: 1 }), budgetOf('promoted', { max_concurrency: 1 })];
  await one.release(await one.acquire(1, never), { tokens: 1 });
  const [{ redis }] = made as [(typeof made)[0]];
  const held = await one.acquire(1, never);
  // What such a replica has: state that another server wrote, without the newest permit.
  const [state, permits] = ['toolmark:{budget-promoted}:state', 'toolmark:{budget-promoted}:permits'];
  await redis.multi().hset(state, 'server', 'f'.repeat(40)).del(permits).exec();
  const granted: Permit[] = [];
  void two.acquire(1, never).then((permit) => granted.push(permit));
  await until(async () => (await redis.zcard(permits)) === 1);
  expect(granted).toEqual([]);
  void one.release(held, { tokens: 1 });
  await until(() => granted.length === 1);
});

describe('the breaker', () => {
  const fail = (budget: LaneBudget, permit: Permit, item: string) =>
    budget.release(permit, { tokens: 0, outcome: { outage: 'refused', item } });
  async function failing(lane: string): Promise<LaneBudget[]> {
    const fleet = [budgetOf(lane, { max_concurrency: 5 }), budgetOf(lane, { max_concurrency: 5 })];
    for (let n = 0; n < 10; n++) {
      const permit = await fleet[n % 2]!.acquire(1, never);
      expect(await fail(fleet[n % 2]!, permit, `item ${n % 5}`)).toBe(n === 9);
    }
    return fleet;
  }

  it('opens for the fleet after ten failures in a row of five items, and then grants one probe at a time', async () => {
    const [one, two] = (await failing('outage')) as [LaneBudget, LaneBudget];
    const state = () => readLaneState(made[0]!.redis, 'outage');
    expect(await state()).toMatchObject({ outage: { error: 'refused' }, inFlight: 0 });
    const granted: [LaneBudget, Permit][] = [];
    for (const budget of [one, two, one, two])
      void budget.acquire(1, never).then((permit) => granted.push([budget, permit]));
    await until(() => granted.length === 1);
    await fail(...granted[0]!, 'item 1');
    const { since, nextProbeAt } = (await state()).outage!;
    expect(nextProbeAt - since).toBeGreaterThan(2000); // the time between probes doubles
    await until(() => granted.length === 2);
    await granted[1]![0].release(granted[1]![1], { tokens: 1, outcome: 'reply' });
    await until(() => granted.length === 4);
    expect((await state()).outage).toBeUndefined();
  });

  it('stays closed if one item fails repeatedly, or if replies arrive in between', async () => {
    const budget = budgetOf('closed', { max_concurrency: 5 });
    for (let n = 0; n < 30; n++) expect(await fail(budget, await budget.acquire(1, never), 'item 1')).toBe(false);
    for (let n = 0; n < 30; n++) {
      const permit = await budget.acquire(1, never);
      if (n % 9 === 0) await budget.release(permit, { tokens: 1, outcome: 'reply' });
      else expect(await fail(budget, permit, `item ${n}`)).toBe(false);
    }
  });

  it('grants another probe if its request was abandoned', async () => {
    const [one] = (await failing('given up')) as [LaneBudget];
    await one.release(await one.acquire(1, never), { tokens: 0 });
    const permit = await one.acquire(1, never);
    expect(await one.release(permit, { tokens: 1, outcome: 'reply' })).toBe(false);
  });
});

it('a lane waits for the refill if the provider reports that nothing remains', async () => {
  const [one, two] = [budgetOf('remaining', {}), budgetOf('remaining', {})];
  const watched = await observe('remaining');
  const permit = await one.acquire(1, never);
  const { atMs } = await until(() => watched.grants.get(permit.id));
  await one.release(permit, { tokens: 1, outcome: 'reply', refilledInMs: 400 });
  const blockedUntil = Number(await made[0]!.redis.hget('toolmark:{budget-remaining}:state', 'blocked_until'));
  expect(blockedUntil).toBeGreaterThanOrEqual(atMs + 400);
  const { id } = await two.acquire(1, never);
  expect((await until(() => watched.grants.get(id))).atMs).toBeGreaterThanOrEqual(blockedUntil);
});

it('a paused lane grants nothing until it is resumed', async () => {
  const budget = budgetOf('paused', { paused_at: new Date() });
  const granted: Permit[] = [];
  void budget.acquire(1, never).then((permit) => granted.push(permit));
  await until(() => budget.waitReason === 'paused');
  expect(granted).toEqual([]);
  budget.limits = { ...budget.limits, paused_at: null };
  await until(() => granted.length === 1);
});

describe('for any limits, number of processes and load', () => {
  /** Acquires as fast as it is allowed to, in any number of slots, until stopped. */
  function load(budgets: LaneBudget[], { slots, heldMs, tokens }: { slots: number; heldMs: number; tokens: number }) {
    const stop = new AbortController();
    const slot = async (n: number): Promise<void> => {
      const budget = budgets[n % budgets.length]!;
      while (!stop.signal.aborted) {
        const permit = await budget.acquire(tokens, stop.signal).catch(() => undefined);
        if (!permit) return;
        await delay(heldMs * Math.random());
        void budget.release(permit, { tokens: tokens * (0.5 + Math.random() / 2) });
      }
    };
    const ended = Promise.all(Array.from({ length: slots }, (_, n) => slot(n)));
    return async (): Promise<void> => (stop.abort(new Error('enough')), void (await ended));
  }
  const limits = fc.record({
    requests_per_minute: fc.option(fc.integer({ min: 60, max: 12_000 })),
    tokens_per_minute: fc.option(fc.integer({ min: 20_000, max: 2_000_000 })),
    max_concurrency: fc.integer({ min: 1, max: 30 }),
  });
  let lanes = 0;

  it('no window exceeds its limit and burst, also when Redis is emptied and when limits change', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        limits,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 300 }),
        async (first, second, processes, heldMs) => {
          const lane = `property ${lanes++}`;
          const budgets = Array.from({ length: processes }, () => budgetOf(lane, first, true));
          const watched = await observe(lane);
          const stop = load(budgets, { slots: 40, heldMs, tokens: 300 });
          await delay(700);
          await server.flushAll();
          const now = async (): Promise<number[]> =>
            (await Promise.all(made.map(({ redis }) => redis.time()))).map(
              ([s, us]) => Number(s) * 1000 + Number(us) / 1000,
            );
          const flushedMs = Math.max(...(await now()));
          await until(() => [...watched.grants.values()].some(({ atMs }) => atMs > flushedMs + 1));
          await delay(700);
          for (const budget of budgets) budget.limits = second;
          const changedMs = await now();
          await delay(1200);
          await stop();
          const grants = await watched.stop();
          // In between, some processes have the new limits and some the old ones.
          expectWithin(
            grants.filter(({ atMs }) => atMs < Math.min(...changedMs) - 1),
            first,
            300,
          );
          // Requests under way when a limit was lowered end in their own time; nothing new starts before.
          expectWithin(
            grants.filter(({ atMs }) => atMs > Math.max(...changedMs)),
            second,
            300,
          );
          for (const { budget, redis } of made.splice(0)) (budget.close(), redis.disconnect());
        },
      ),
      { numRuns: 4, endOnFailure: true },
    );
  }, 120_000);

  it.each([
    ['requests', 3, { requests_per_minute: 1500 }, 1],
    ['few requests', 1, { requests_per_minute: 630 }, 1],
    ['tokens', 1, { tokens_per_minute: 240_000 }, 300],
  ])(
    'a limit of %s in %i processes is used to within 3 %% and one request while there is work',
    async (_limit, processes, limited, tokens) => {
      const lane = `used ${lanes++}`;
      const limits = { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 50, ...limited };
      const budgets = Array.from({ length: processes }, () => budgetOf(lane, limits));
      const watched = await observe(lane);
      const stop = load(budgets, { slots: 60, heldMs: 5, tokens });
      await until(() => watched.grants.size >= 80, { what: '80 grants', timeoutMs: 100_000 });
      await stop();
      const grants = await watched.stop();
      expectWithin(grants, limits, tokens);
      // A bucket holds a tenth of a second of the rate: longer intervals without a request mean that this machine was
      // busy with other things.
      const askedMs = watched.askedMs.filter((atMs) => atMs <= grants.at(-1)!.atMs);
      const workedMs = askedMs.reduce((sum, atMs, n) => sum + Math.min(100, atMs - (askedMs[n - 1] ?? atMs)), 0);
      const used = grants.length * tokens - grants.at(-1)!.givenBack;
      expect(used).toBeGreaterThan((0.97 * Object.values(limited)[0]! * workedMs) / 60_000 - tokens);
    },
  );
});
