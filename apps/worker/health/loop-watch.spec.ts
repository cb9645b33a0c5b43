import { LoopWatch } from './loop-watch.js';

/** The events of a watch whose checks run at these times after its start, in milliseconds. */
function watched(checks: readonly number[]): string[] {
  const done: string[] = [];
  const watch = new LoopWatch({
    pause: () => done.push('pause'),
    resume: () => done.push('resume'),
    logger: { warn: ({ pauseMs }: { pauseMs: number }) => done.push(`${Math.round(pauseMs / 100) / 10} s`) } as never,
  });
  const start = performance.now();
  for (const at of checks) watch.check(start + at);
  return done;
}
const every200 = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) / 200 }, (_, n) => from + (n + 1) * 200);

it('a worker with a responsive event loop takes items', () => {
  expect(watched([200, 500, 1600])).toEqual([]);
});

it('a worker whose event loop was blocked takes no new items for as long as it was blocked, and logs that once', () => {
  expect(watched([200, 3400, ...every200(3400, 6200)])).toEqual(['3 s', 'pause']);
  expect(watched([200, 3400, ...every200(3400, 6400)])).toEqual(['3 s', 'pause', 'resume']);
});

it('a worker takes no new items for at most ten seconds', () => {
  expect(watched([60_200, ...every200(60_200, 70_200)])).toEqual(['10 s', 'pause', 'resume']);
});

it('a worker waits longer when its event loop is blocked again meanwhile', () => {
  expect(watched([3200, 7400, ...every200(7400, 11_200)])).toEqual(['3 s', 'pause']);
  expect(watched([3200, 7400, ...every200(7400, 11_400)])).toEqual(['3 s', 'pause', 'resume']);
});
