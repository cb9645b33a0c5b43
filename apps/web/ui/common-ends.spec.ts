import fc from '../../../test/fast-check.js';
import { commonEnds } from './common-ends.js';

it.each([
  ['the same', 'same', 'same', { start: 'same', a: '', b: '', end: '' }],
  ['a word between', 'say it now', 'say that now', { start: 'say ', a: 'i', b: 'tha', end: 't now' }],
  ['nothing alike', 'a', 'b', { start: '', a: 'a', b: 'b', end: '' }],
  ['one within the other', 'aa', 'aaa', { start: 'aa', a: '', b: 'a', end: '' }],
  ['characters of two halves', '\u{1f600}', '\u{1f601}', { start: '', a: '\u{1f600}', b: '\u{1f601}', end: '' }],
])('finds %s', (_what, a, b, expected) => {
  expect(commonEnds(a, b)).toEqual(expected);
});

it('loses no text and splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const { start, end, ...middle } = commonEnds(a, b);
      expect([start + middle.a + end, start + middle.b + end]).toEqual([a, b]);
      for (const part of [start, end, middle.a, middle.b]) expect(part.isWellFormed()).toBe(true);
    }),
  );
});
