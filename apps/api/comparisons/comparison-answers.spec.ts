import { setImmediate as isTaken } from 'node:timers/promises';
import { ProblemError } from '#lib/contracts/input/problem';
import type { JsonAnswer } from '#lib/comparison/threads/comparison-tasks';
import { runWithTurn } from '#lib/runtime/held-turn';
import { ThreadLimitExceeded, TooManyTasks } from '#lib/runtime/threads/thread-pool';
import { ComparisonAnswers } from './comparison-answers.js';

type Ended = { text: string; keep: boolean } | Error;
const jsonOf = (text: string): JsonAnswer['json'] => new TextEncoder().encode(text);
const textOf = (json?: Uint8Array): string | undefined => json && new TextDecoder().decode(json);

/** Answers that resolve only when the test says so. */
function answersOf({ unaskedMs }: { unaskedMs?: number } = {}) {
  const made: ((ended: Ended) => void)[] = [];
  const signals: AbortSignal[] = [];
  const run = (_task: unknown, signal?: AbortSignal): Promise<any> => {
    signals.push(signal!);
    return new Promise((resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
      made.push((ended) =>
        ended instanceof Error ? reject(ended) : resolve({ json: jsonOf(ended.text), keep: ended.keep }),
      );
    });
  };
  const answers = new ComparisonAnswers({ run }, unaskedMs);
  const ask = async (runId: string, waitMs = 60_000, left = stays): Promise<string | undefined> =>
    textOf(await answers.get({ what: 'rank', teamId: 't', runId }, { waitMs, left }));
  return { answers, made, signals, ask };
}
const stays = new AbortController().signal;

it('an answer is computed once for concurrent callers, and kept', async () => {
  const { made, ask } = answersOf();
  const asked = [ask('k'), ask('k')];
  made[0]!({ text: '"first"', keep: true });
  expect(await Promise.all(asked)).toEqual(['"first"', '"first"']);
  expect(await ask('k')).toBe('"first"');
  expect(made).toHaveLength(1);
});

it('a caller that waits for an answer gives its turn back, and a caller that does not wait keeps it', async () => {
  const { made, ask } = answersOf();
  const left: string[] = [];
  const asked = runWithTurn(
    () => left.push('waits'),
    () => ask('k'),
  );
  expect(left).toEqual(['waits']);
  made[0]!({ text: '"made"', keep: true });
  expect(await asked).toBe('"made"');
  await runWithTurn(
    () => left.push('reads'),
    () => ask('k'),
  );
  expect(left).toEqual(['waits']);
});

it('an answer that must not be kept, or that failed, is computed again', async () => {
  const { made, ask } = answersOf();
  const first = ask('k');
  made[0]!({ text: '"running"', keep: false });
  expect(await first).toBe('"running"');
  const second = ask('k');
  made[1]!(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  const third = ask('k');
  made[2]!({ text: '"done"', keep: true });
  expect(await third).toBe('"done"');
});

it('a computation that outlasts its caller continues, and the next caller gets its answer, once', async () => {
  const { made, ask } = answersOf();
  expect(await ask('k', 0)).toBeUndefined();
  expect(await ask('k', 0)).toBeUndefined();
  expect(made).toHaveLength(1);
  made[0]!({ text: '"of a running run"', keep: false });
  await isTaken();
  expect(await ask('k')).toBe('"of a running run"');
  expect(made).toHaveLength(1);
  void ask('k').catch(() => {});
  expect(made).toHaveLength(2);
});

it('a failure without a caller is reported to the next caller instead of failing again', async () => {
  const { made, ask } = answersOf();
  expect(await ask('k', 0)).toBeUndefined();
  made[0]!(new ThreadLimitExceeded('It took more than 60 s of CPU time.'));
  await isTaken();
  await expect(ask('k')).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/60 s .* Compare fewer/),
  });
  expect(made).toHaveLength(1);
  const again = ask('k');
  made[1]!({ text: '"done"', keep: true });
  expect(await again).toBe('"done"');
});

it('a computation continues after its last client has left, and stops when nobody returns for a while', async () => {
  const { made, signals, ask } = answersOf({ unaskedMs: 20 });
  const one = new AbortController();
  const asked = ask('k', 60_000, one.signal);
  one.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
  const again = ask('k');
  expect(await ask('other', 0)).toBeUndefined();
  await new Promise((resolve) => signals[1]!.addEventListener('abort', resolve));
  expect(signals[0]!.aborted).toBe(false);
  made[0]!({ text: '"done"', keep: false });
  expect(await again).toBe('"done"');
  expect(made).toHaveLength(2);
  // A later request does not join work that was stopped.
  const later = ask('other');
  made[2]!({ text: '"new"', keep: false });
  expect(await later).toBe('"new"');
});

it('nothing is computed for a client that has already left', async () => {
  const { made, ask } = answersOf();
  await expect(ask('k', 1000, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  expect(made).toEqual([]);
});

it('answers are kept up to a number of bytes, and the least recently requested leave first', async () => {
  const { made, ask } = answersOf();
  const large = async (key: string): Promise<void> => {
    const [before, asked] = [made.length, ask(key)];
    if (made.length > before) made.at(-1)!({ text: 'x'.repeat(15 * 2 ** 20), keep: true });
    await asked;
  };
  for (const key of ['a', 'b', 'c', 'd', 'a', 'e']) await large(key);
  const before = made.length;
  await ask('a');
  await ask('c');
  expect(made).toHaveLength(before);
  void ask('b').catch(() => {});
  expect(made).toHaveLength(before + 1);
});

it.each([
  ['an answer of 33 MiB', { text: 'x'.repeat(33 * 2 ** 20), keep: true }, 422, /is 33 MiB; the limit is 32\. Compare/],
  ['too much work', new ThreadLimitExceeded('It took more than 110 s.'), 422, /110 s\. Compare fewer runs or pairs/],
  ['a team with too much waiting', new TooManyTasks(), 429, /comparisons of this team are queued/],
  ['a slow database', Object.assign(new Error('canceling'), { code: '57014' }), 503, /Postgres takes too long.*later/],
  ['a run that is gone', new ProblemError(404, 'No run with this id.'), 404, /No run/],
])('%s is refused with a way out', async (_what, ended, status, message) => {
  const { made, ask } = answersOf();
  const asked = ask('k');
  made[0]!(ended as Ended);
  await expect(asked).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
});

it('callers that wait when the API stops are asked to try again', async () => {
  const { answers, ask } = answersOf();
  const asked = ask('k');
  answers.close();
  await expect(asked).rejects.toMatchObject({ status: 503 });
});
