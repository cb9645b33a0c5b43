import type { WatchEvent } from '#lib/client/job-watch';
import { LiveRun, NEWEST, type LiveRunState } from './live.js';

const result = (seq: number) =>
  ({
    name: 'tool_eval_result',
    event: { job_id: 'j', seq, at: '', data: { id: `0-${seq}-0`, target: 'p::m', case_position: seq } },
  }) as unknown as WatchEvent;
const progress = (current: number, seq: number): WatchEvent => ({
  name: 'tool_eval_progress',
  progress: { job_id: 'j', seq, current, total: 5000, targets: [] },
});

async function drawnFrames(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}

/** Plays what each watch yields or throws, in turn, and notes where each began. */
async function play(watches: (WatchEvent | Error)[][]) {
  const begun: unknown[] = [];
  const frames: (() => void)[] = [];
  const live = new LiveRun(
    'j',
    async function* (_job, { from }) {
      begun.push(from);
      for (const event of watches[begun.length - 1]!) {
        if (!(event instanceof Error)) yield event;
        else await drawnFrames(2).then(() => Promise.reject(event));
      }
    },
    (error) => (error as Error).message === 'unavailable',
    (render) => void frames.push(render),
  );
  const shown: LiveRunState[] = [];
  const drawn = Promise.withResolvers<void>();
  live.subscribe(() => {
    shown.push(live.state());
    if (live.state().hasEnded || live.state().connection === 'refused') drawn.resolve();
  });
  while (!live.state().hasEnded && live.state().connection !== 'refused') {
    await new Promise(setImmediate);
    frames.splice(0).forEach((render) => render());
  }
  await drawn.promise;
  return { state: live.state(), shown, begun };
}

describe('live results of a run', () => {
  it('are rendered once per frame, and the newest are kept in order', async () => {
    const { state, shown } = await play([
      [progress(0, 0), ...Array.from({ length: 5000 }, (_, n) => result(n + 1)), progress(5000, 5000)],
    ]);
    expect(shown.length).toBeLessThan(100);
    expect(state.received).toBe(5000);
    expect(state.progress?.current).toBe(5000);
    expect(state.newest.map(({ seq }) => seq)).toEqual(Array.from({ length: NEWEST }, (_, n) => 5000 - NEWEST + 1 + n));
  });

  it('resume where they stopped after a lost connection, and report the loss', async () => {
    const { state, shown, begun } = await play([
      [progress(3, 7), result(8), result(9), new Error('unavailable')],
      [new Error('unavailable')],
      [progress(6, 9), result(10)],
    ]);
    expect(begun).toEqual(['now', 9, 9]);
    expect(shown.map(({ connection }) => connection)).toContain('lost');
    expect(state.newest.map(({ seq }) => seq)).toEqual([8, 9, 10]);
    expect(state).toMatchObject({ connection: 'live', received: 3, hasEnded: true });
  });

  it('end when watching the job is refused', async () => {
    const { state, begun } = await play([[new Error('No job')]]);
    expect(begun).toEqual(['now']);
    expect(state).toMatchObject({ connection: 'refused', hasEnded: false });
  });
});
