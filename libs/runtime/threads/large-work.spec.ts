import { LARGE_CHARACTERS, runSerially } from './large-work.js';

test('small work runs immediately, while large work waits', async () => {
  const done: string[] = [];
  const large = runSerially(() => done.push('large'), LARGE_CHARACTERS);
  expect(runSerially(() => done.push('small'), LARGE_CHARACTERS - 1)).toBe(1);
  await large;
  expect(done).toEqual(['small', 'large']);
});

test('large tasks run one after another, and other work gets a turn in between', async () => {
  const done: string[] = [];
  const ticking = setInterval(() => done.at(-1) !== 'other' && done.push('other'), 0);
  const spin = (name: string) => () => {
    for (const until = performance.now() + 5; performance.now() < until;);
    done.push(name);
  };
  await Promise.all(['a', 'b', 'c'].map(async (name) => runSerially(spin(name), LARGE_CHARACTERS)));
  clearInterval(ticking);
  expect(done.filter((name) => name !== 'other')).toEqual(['a', 'b', 'c']);
  expect(done.slice(done.indexOf('a'), done.indexOf('c'))).toEqual(['a', 'other', 'b', 'other']);
});

test('a large task that throws fails alone', async () => {
  const failing = runSerially(() => {
    throw new Error('no JSON');
  }, LARGE_CHARACTERS);
  const next = runSerially(() => 1, LARGE_CHARACTERS);
  await expect(failing).rejects.toThrow('no JSON');
  expect(await next).toBe(1);
});
