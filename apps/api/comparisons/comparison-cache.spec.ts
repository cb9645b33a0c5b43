import { ComparisonCache, type MadeAnswer } from './comparison-cache.js';

/** An answer that is made when the test says so. */
function answers() {
  const made: ((answer: MadeAnswer | Error) => void)[] = [];
  const signals: AbortSignal[] = [];
  const make = (signal: AbortSignal): Promise<MadeAnswer> => {
    signals.push(signal);
    return new Promise((resolve, reject) =>
      made.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    );
  };
  return { made, signals, make };
}
const stays = new AbortController().signal;

it('makes an answer once for all who ask for it at the same time, and keeps it', async () => {
  const cache = new ComparisonCache();
  const { made, make } = answers();
  const asked = [cache.getOrMake('k', stays, make), cache.getOrMake('k', stays, make)];
  made[0]!({ json: '"first"', keep: true });
  expect(await Promise.all(asked)).toEqual(['"first"', '"first"']);
  expect(await cache.getOrMake('k', stays, make)).toBe('"first"');
  expect(made).toHaveLength(1);
});

it('makes an answer anew that is not to be kept, or that failed', async () => {
  const cache = new ComparisonCache();
  const { made, make } = answers();
  const first = cache.getOrMake('k', stays, make);
  made[0]!({ json: '"running"', keep: false });
  expect(await first).toBe('"running"');
  const second = cache.getOrMake('k', stays, make);
  made[1]!(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  const third = cache.getOrMake('k', stays, make);
  made[2]!({ json: '"done"', keep: true });
  expect(await third).toBe('"done"');
});

it('goes on while one client is left, and stops when the last one has left', async () => {
  const cache = new ComparisonCache();
  const { made, signals, make } = answers();
  const [one, other] = [new AbortController(), new AbortController()];
  const asked = [one, other].map(({ signal }) => cache.getOrMake('k', signal, make));
  one.abort(new Error('left'));
  await expect(asked[0]).rejects.toThrow('left');
  expect(signals[0]!.aborted).toBe(false);
  other.abort(new Error('left, too'));
  await expect(asked[1]).rejects.toThrow('left, too');
  expect(signals[0]!.aborted).toBe(true);
  // What is being stopped answers nobody who asks later, though it may still end well.
  const later = cache.getOrMake('k', stays, make);
  made[0]!({ json: '"stopped"', keep: false });
  made[1]!({ json: '"new"', keep: false });
  expect(await later).toBe('"new"');
});

it('begins nothing for a client that has left already', async () => {
  const { made, make } = answers();
  const left = AbortSignal.abort(new Error('left'));
  await expect(new ComparisonCache().getOrMake('k', left, make)).rejects.toThrow('left');
  expect(made).toEqual([]);
});

it('holds as much as its bytes allow, and drops what was not asked for the longest', async () => {
  const cache = new ComparisonCache();
  const large = async (key: string): Promise<string> =>
    cache.getOrMake(key, stays, () => Promise.resolve({ json: 'ü'.repeat(15 * 2 ** 20), keep: true }));
  for (const key of ['a', 'b', 'a', 'c']) await large(key);
  const { made, make } = answers();
  await cache.getOrMake('a', stays, make);
  await cache.getOrMake('c', stays, make);
  expect(made).toEqual([]);
  void cache.getOrMake('b', stays, make);
  expect(made).toHaveLength(1);
});
