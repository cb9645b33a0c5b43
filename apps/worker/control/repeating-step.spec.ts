import { until } from '../../../test/until.js';
import { RepeatingStep } from './repeating-step.js';

const FOREVER_MS = 2 ** 30;
const failures: string[] = [];
const steps: RepeatingStep[] = [];
afterEach(() => Promise.all(steps.splice(0).map((step) => step.stop())));

function aStep(
  turn: (signal: AbortSignal, isWoken: boolean) => Promise<void>,
  { idleMs = FOREVER_MS, gapMs = 0 } = {},
): RepeatingStep {
  const step = new RepeatingStep(turn, { idleMs: () => idleMs, gapMs: () => gapMs }, (error) =>
    failures.push(error.message),
  );
  steps.push(step);
  step.start();
  return step;
}

/** A turn that lasts until it is released, and a count of started turns. */
function slowTurn() {
  const releases: (() => void)[] = [];
  let begun = 0;
  return {
    begun: () => begun,
    run: (): Promise<void> => (begun++, new Promise((resolve) => releases.push(resolve))),
    release: () => releases.shift()!(),
  };
}

it('a step runs immediately, and again after each idle period', async () => {
  let turns = 0;
  aStep(async () => void turns++, { idleMs: 1 });
  expect(turns).toBe(1);
  await until(() => turns > 3);
});

it('a wake starts the next turn while the step is idle', async () => {
  let turns = 0;
  const step = aStep(async () => void turns++);
  for (const expected of [2, 3]) {
    step.wake();
    await until(() => turns === expected);
  }
});

it('a wake during a turn is not lost, and several wakes start one turn', async () => {
  const turn = slowTurn();
  const step = aStep(turn.run);
  step.wake();
  step.wake();
  turn.release();
  await until(() => turn.begun() === 2);
  turn.release();
  await step.stop();
  expect(turn.begun()).toBe(2);
});

it('a wake does not shorten the gap between two turns', async () => {
  let turns = 0;
  const step = aStep(async () => void turns++, { gapMs: FOREVER_MS });
  step.wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns).toBe(1);
});

it('a turn that throws is reported and repeated', async () => {
  let turns = 0;
  const step = aStep(async () => {
    if (turns++ === 0) throw new Error('Postgres is away');
  });
  await until(() => failures.includes('Postgres is away'));
  step.wake();
  await until(() => turns === 2);
});

it('stopping aborts the current turn, waits for it, and starts no other turn', async () => {
  const turn = slowTurn();
  let signal: AbortSignal | undefined;
  const step = aStep((of) => ((signal = of), turn.run()), { idleMs: 1 });
  let isStopped = false;
  const stopped = step.stop().then(() => (isStopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([signal!.aborted, isStopped]).toEqual([true, false]);
  turn.release();
  await stopped;
  step.wake();
  expect(turn.begun()).toBe(1);
});

it('stopping ends the gap and the idle time', async () => {
  for (const timing of [{ gapMs: FOREVER_MS }, { idleMs: FOREVER_MS }]) await aStep(async () => {}, timing).stop();
});

it('a step knows whether it was woken or its idle time was over', async () => {
  const woken: boolean[] = [];
  const step = aStep(async (_signal, isWoken) => void woken.push(isWoken));
  step.wake();
  await until(() => woken.length === 2);
  expect(woken).toEqual([false, true]);
});
