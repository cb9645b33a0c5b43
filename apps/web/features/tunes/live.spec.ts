import type { WatchEvent } from '#lib/client/job-watch';
import { armKey, LiveTune } from './live.js';

const measured = (seq: number, arm: number, cases: number) =>
  ({ name: 'tune_combo_result', event: { job_id: 'j', seq, at: '', data: { arm, target: 'p::m', cases } } }) as unknown;
const started = { name: 'tune_start', event: { job_id: 'j', seq: 1, at: '', data: {} } } as unknown;

it('keeps the newest figures of each arm, and leaves rendered state unchanged', async () => {
  const frames: (() => void)[] = [];
  const events = [[started, measured(2, 0, 4), measured(3, 1, 4)], [measured(4, 1, 12)]] as WatchEvent[][];
  const second = Promise.withResolvers<void>();
  const live = new LiveTune(
    'j',
    async function* () {
      yield* events[0]!;
      await second.promise;
      yield* events[1]!;
    },
    () => false,
    (render) => void frames.push(render),
  );
  const drawFrame = async (): Promise<void> => {
    while (frames.length === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    frames.splice(0).forEach((render) => render());
  };
  live.subscribe(() => {});
  await drawFrame();
  const first = live.state();
  expect(first).toMatchObject({ received: 2, changes: 1 });
  second.resolve();
  while (!live.state().hasEnded) await drawFrame();
  expect([...first.arms].map(([key, { cases }]) => [key, cases])).toEqual([
    [armKey({ target: 'p::m', arm: 0 }), 4],
    [armKey({ target: 'p::m', arm: 1 }), 4],
  ]);
  expect(live.state().arms.get(armKey({ target: 'p::m', arm: 1 }))?.cases).toBe(12);
  expect(live.state()).toMatchObject({ received: 3, changes: 2 });
});
