import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '#lib/runtime/logger';
import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { Permit } from '#lib/queue/budget/permits';
import { until } from '../../../test/until.js';
import type { LaneMeter } from '../health/worker-metrics.js';
import { Quarantine } from './quarantine.js';
import type { ItemIdentity } from './error-settlements.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-quarantine-'));
afterAll(() => rmSync(folder, { recursive: true }));

const logger = createLogger('worker', 'silent');
/** A quarantine whose processes run this script, with `send` and `receive` to talk to the worker. */
function quarantine(script: string, maxRunMs = 60_000): Quarantine {
  const file = join(folder, `${Math.random()}.mjs`);
  writeFileSync(
    file,
    `
    const send = (message) => new Promise((sent) => process.send(message, sent));
    const receive = () => new Promise((received) => process.once('message', received));
    process.on('disconnect', () => process.exit());
    const first = await receive();
    ${script}`,
  );
  return new Quarantine(logger, { entry: pathToFileURL(file), maxRunMs });
}
const DIES = `process.kill(process.pid, 'SIGKILL');`;
const WAITS = '';
/** Waits on item 0, and dies on any other. */
const WAITS_FIRST = `if (first.run.item !== 0) { ${DIES} }`;

const identity = (item = 0): ItemIdentity => ({
  delivery: { runId: '01890000-0000-7000-8000-000000000000', target: 0, item, token: 9 + item },
  casePosition: item,
  sample: 0,
  category: null,
});

/** A lane that grants permits immediately, or when `give` is called, and records their use. */
function aLane({ gives = true } = {}) {
  const given: Permit[] = [];
  const released: Permit[] = [];
  const waiting: ((permit: Permit) => void)[] = [];
  const aPermit = (): Permit => (given.push({ id: `permit ${given.length}` } as Permit), given.at(-1)!);
  const budget = {
    acquire: () => (gives ? Promise.resolve(aPermit()) : new Promise<Permit>((resolve) => waiting.push(resolve))),
    release: async (permit: Permit) => (released.push(permit), false),
  } as unknown as LaneBudget;
  const ids = (permits: Permit[]): string[] => permits.map(({ id }) => id).sort();
  const attempts: (string | undefined)[] = [];
  const meter = {
    id: 'lane',
    recordAttempt: (failure: string | undefined) => void attempts.push(failure),
  } as unknown as LaneMeter;
  return {
    lane: { meter, budget },
    attempts,
    given: () => ids(given),
    released: () => ids(released),
    give: () => waiting.shift()!(aPermit()),
  };
}

function aContext() {
  const activity: boolean[] = [];
  const stop = new AbortController();
  return {
    activity,
    stop: () => stop.abort(new Error('stopped')),
    context: {
      signal: stop.signal,
      generation: 1,
      permits: () => {
        throw new Error('only the process itself takes these');
      },
      setActive: async (isActive: boolean) => void activity.push(isActive),
    },
  };
}
const claim = { token: 9, lost: 2, crashes: 2, generation: 1, queuedForS: 0 };
const CRASHED = {
  outcome: 'errored',
  error: { kind: 'crashed', message: expect.stringMatching(/died or froze 3 times/) },
};

describe('an item that crashed its processes', () => {
  it('counts one more crash when its own process dies too, and its permit is released', async () => {
    const { lane, given, released } = aLane();
    const { context, activity } = aContext();
    const finished = await quarantine(DIES).run(lane, identity(), claim, context);
    expect(finished?.settlement).toMatchObject({ ...identity(), attempts: 0, result: CRASHED });
    expect(activity).toEqual([true]);
    expect([given(), released()]).toEqual([['permit 0'], ['permit 0']]);
  });

  it('is errored when it exceeds its time limit, and its permit is released', async () => {
    const { lane, released } = aLane();
    const finished = await quarantine(WAITS, 100).run(lane, identity(), claim, aContext().context);
    expect(finished?.settlement).toMatchObject({
      ...identity(),
      result: {
        outcome: 'errored',
        error: { kind: 'timeout', message: expect.stringMatching(/in a process of its own.* 0\.1 s/) },
      },
    });
    expect(released()).toEqual(['permit 0']);
  });

  it('is released when its run is stopped, and the next one runs', async () => {
    const { lane, given, released } = aLane();
    const shared = quarantine(WAITS_FIRST);
    const first = aContext();
    const stopped = shared.run(lane, identity(), claim, first.context);
    await until(() => first.activity.length);
    first.stop();
    await expect(stopped).rejects.toThrow('stopped');
    expect((await shared.run(lane, identity(1), claim, aContext().context))?.settlement.result).toMatchObject(CRASHED);
    expect(released()).toEqual(given());
  });

  it('waits for its permit before it waits for its turn, so that a throttled lane delays no other lane', async () => {
    const shared = quarantine(DIES);
    const [throttled, free] = [aLane({ gives: false }), aLane()];
    const waits = aContext();
    const later = shared.run(throttled.lane, identity(), claim, waits.context);
    expect((await shared.run(free.lane, identity(1), claim, aContext().context))?.settlement.result).toMatchObject(
      CRASHED,
    );
    expect(waits.activity).toEqual([]); // an item that only waits is not charged
    throttled.give();
    expect((await later)?.settlement.result).toMatchObject(CRASHED);
  });

  it('runs alone', async () => {
    const { lane, given } = aLane();
    const shared = quarantine(WAITS_FIRST);
    const [first, second] = [aContext(), aContext()];
    const one = shared.run(lane, identity(), claim, first.context);
    await until(() => first.activity.length);
    const other = shared.run(lane, identity(1), claim, second.context);
    await until(() => given().length === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(second.activity).toEqual([]);
    first.stop();
    await expect(one).rejects.toThrow('stopped');
    expect((await other)?.settlement).toMatchObject({ casePosition: 1, result: CRASHED });
  });

  it('starts with the permit that it waited for, gets others from its lane, and releases unused permits', async () => {
    const { lane, given, released, attempts } = aLane();
    const settlement = { ...identity(), attempts: 2, exchange: Buffer.from('what was said').toString('base64') };
    const finished = await quarantine(`
      if (first.run.item !== 0 || first.generation !== 1) process.exit();
      await send({ id: 0, acquire: 5 });
      const { permit } = await receive();
      await send({ attempted: { failure: 'timeout', seconds: 1 } });
      await send({ id: 1, release: permit, spent: { tokens: 7 } });
      if ((await receive()).isBreakerOpen !== false) process.exit();
      await send({ id: 2, acquire: 5 });
      if ((await receive()).permit.id === permit.id) process.exit();
      await send({ finished: ${JSON.stringify(JSON.stringify(settlement))} });`).run(
      lane,
      identity(),
      claim,
      aContext().context,
    );
    expect(finished?.settlement).toEqual({ ...settlement, exchange: Buffer.from('what was said') });
    expect([given(), released()]).toEqual([
      ['permit 0', 'permit 1'],
      ['permit 0', 'permit 1'],
    ]);
    expect(attempts).toEqual(['timeout']);
  });

  it('throws the error of its process in this one', async () => {
    const { lane, released } = aLane();
    await expect(
      quarantine(`await send({ failed: { message: 'unforeseen', stack: 'there' } });`).run(
        lane,
        identity(),
        claim,
        aContext().context,
      ),
    ).rejects.toMatchObject({ message: 'unforeseen', stack: 'there' });
    expect(released()).toEqual(['permit 0']);
  });

  it('has no settlement when its run is gone', async () => {
    expect(
      await quarantine('await send({ finished: undefined });').run(aLane().lane, identity(), claim, aContext().context),
    ).toBeUndefined();
  });
});
