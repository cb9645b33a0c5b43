import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '#lib/runtime/logger';
import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { Permit } from '#lib/queue/budget/permits';
import { until } from '../../../test/until.js';
import { Quarantine } from './quarantine.js';
import type { Place } from './run-item.js';
import type { LaneMeter } from '../health/worker-metrics.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-quarantine-'));
afterAll(() => rmSync(folder, { recursive: true }));

const logger = createLogger('worker', 'silent');
/** Processes of suspects that do this, with `tell` to speak to the worker and `told` to hear it. */
function quarantine(script: string, longestMs = 60_000): Quarantine {
  const file = join(folder, `${Math.random()}.mjs`);
  writeFileSync(
    file,
    `
    const tell = (message) => new Promise((told) => process.send(message, told));
    const told = () => new Promise((hear) => process.once('message', hear));
    process.on('disconnect', () => process.exit());
    const first = await told();
    ${script}`,
  );
  return new Quarantine(logger, { entry: pathToFileURL(file), longestMs });
}
const DIES = `process.kill(process.pid, 'SIGKILL');`;
const WAITS = '';
/** Waits for the item in the first place, and dies of the others. */
const WAITS_FIRST = `if (first.play.item !== 0) { ${DIES} }`;

const place = (item = 0): Place => ({
  delivery: { runId: '01890000-0000-7000-8000-000000000000', target: 0, item, token: 9 + item },
  casePosition: item,
  sample: 0,
  category: null,
});

/** A lane that gives its permits, or waits until it is told to; and what became of them. */
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
    attempted: (failure: string | undefined) => void attempts.push(failure),
  } as unknown as LaneMeter;
  return {
    lane: { meter, budget },
    attempts,
    given: () => ids(given),
    released: () => ids(released),
    give: () => waiting.shift()!(aPermit()),
  };
}

function playing() {
  const worked: boolean[] = [];
  const stop = new AbortController();
  return {
    worked,
    stop: () => stop.abort(new Error('stopped')),
    with: {
      signal: stop.signal,
      generation: 1,
      permits: () => {
        throw new Error('these are the own ones of a process');
      },
      works: async (works: boolean) => void worked.push(works),
    },
  };
}
const claim = { token: 9, lost: 2, crashes: 2, generation: 1, queuedForS: 0 };
const CRASHED = {
  outcome: 'errored',
  error: { kind: 'crashed', message: expect.stringMatching(/died or froze 3 times/) },
};

describe('an item that processes died of', () => {
  it('and whose own process dies too, has crashed once more, and its permit is given back', async () => {
    const { lane, given, released } = aLane();
    const { with: how, worked } = playing();
    const played = await quarantine(DIES).play(lane, place(), claim, how);
    expect(played?.settlement).toMatchObject({ ...place(), attempts: 0, result: CRASHED });
    expect(worked).toEqual([true]);
    expect([given(), released()]).toEqual([['permit 0'], ['permit 0']]);
  });

  it('and that takes longer than others should wait, is errored, and its permit is given back', async () => {
    const { lane, released } = aLane();
    const played = await quarantine(WAITS, 100).play(lane, place(), claim, playing().with);
    expect(played?.settlement).toMatchObject({
      ...place(),
      result: {
        outcome: 'errored',
        error: { kind: 'timeout', message: expect.stringMatching(/in one of its own.* 0\.1 s/) },
      },
    });
    expect(released()).toEqual(['permit 0']);
  });

  it('and whose run is stopped, is given up, and the next one is played', async () => {
    const { lane, given, released } = aLane();
    const apart = quarantine(WAITS_FIRST);
    const first = playing();
    const stopped = apart.play(lane, place(), claim, first.with);
    await until(() => first.worked.length);
    first.stop();
    await expect(stopped).rejects.toThrow('stopped');
    expect((await apart.play(lane, place(1), claim, playing().with))?.settlement.result).toMatchObject(CRASHED);
    expect(released()).toEqual(given());
  });

  it('waits for its permit before it takes the place of all: a lane that gives none keeps no other waiting', async () => {
    const apart = quarantine(DIES);
    const [throttled, free] = [aLane({ gives: false }), aLane()];
    const waits = playing();
    const later = apart.play(throttled.lane, place(), claim, waits.with);
    expect((await apart.play(free.lane, place(1), claim, playing().with))?.settlement.result).toMatchObject(CRASHED);
    expect(waits.worked).toEqual([]); // what only waits is charged with nothing
    throttled.give();
    expect((await later)?.settlement.result).toMatchObject(CRASHED);
  });

  it('is played while no other is', async () => {
    const { lane, given } = aLane();
    const apart = quarantine(WAITS_FIRST);
    const [first, second] = [playing(), playing()];
    const one = apart.play(lane, place(), claim, first.with);
    await until(() => first.worked.length);
    const other = apart.play(lane, place(1), claim, second.with);
    await until(() => given().length === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(second.worked).toEqual([]);
    first.stop();
    await expect(one).rejects.toThrow('stopped');
    expect((await other)?.settlement).toMatchObject({ casePosition: 1, result: CRASHED });
  });

  it('begins with the permit that it waited for, gets others from its lane, and gives back what its process did not', async () => {
    const { lane, given, released, attempts } = aLane();
    const settlement = { ...place(), attempts: 2, exchange: Buffer.from('what was said').toString('base64') };
    const played = await quarantine(`
      if (first.play.item !== 0 || first.generation !== 1) process.exit();
      await tell({ ask: 0, acquire: 5 });
      const { permit } = await told();
      await tell({ attempted: { failure: 'timeout', seconds: 1 } });
      await tell({ ask: 1, release: permit, spent: { tokens: 7 } });
      if ((await told()).open !== false) process.exit();
      await tell({ ask: 2, acquire: 5 });
      if ((await told()).permit.id === permit.id) process.exit();
      await tell({ played: ${JSON.stringify(JSON.stringify(settlement))} });`).play(
      lane,
      place(),
      claim,
      playing().with,
    );
    expect(played?.settlement).toEqual({ ...settlement, exchange: Buffer.from('what was said') });
    expect([given(), released()]).toEqual([
      ['permit 0', 'permit 1'],
      ['permit 0', 'permit 1'],
    ]);
    expect(attempts).toEqual(['timeout']);
  });

  it('of which something is thrown in its process, throws it here', async () => {
    const { lane, released } = aLane();
    await expect(
      quarantine(`await tell({ failed: { message: 'unforeseen', stack: 'there' } });`).play(
        lane,
        place(),
        claim,
        playing().with,
      ),
    ).rejects.toMatchObject({ message: 'unforeseen', stack: 'there' });
    expect(released()).toEqual(['permit 0']);
  });

  it('and whose run is gone, is settled as nothing', async () => {
    expect(
      await quarantine('await tell({ played: undefined });').play(aLane().lane, place(), claim, playing().with),
    ).toBeUndefined();
  });
});
