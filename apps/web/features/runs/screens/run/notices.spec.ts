import { noticesOf } from './notices.js';

const warning = (code: string) => ({ code, message: code, at: null });

it('the warnings of a run are a few words for each kind', () => {
  const codes = ['abstention:auto', 'unsupported:sim::a:top_p', 'unsupported:sim::b:top_p', 'new:1', 'newer:2'];
  expect(noticesOf(codes.map(warning)).map(({ words, warnings }) => [words, warnings.length])).toEqual([
    ['auto for no-call cases', 1],
    ['settings left out', 2],
    ['2 notes', 2],
  ]);
  expect(noticesOf([warning('new:1')])[0]!.words).toBe('1 note');
  expect(noticesOf([])).toEqual([]);
});
