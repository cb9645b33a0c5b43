import fc from '../../../test/fast-check.js';
import { characterDiff, commonEnds, type Piece } from './text-diff.js';

const marked = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');

describe('two texts that differ', () => {
  it.each([
    ['Tokyo', 'Tokio', 'Tok[y]o', 'Tok[i]o'],
    ['New York', 'new york', '[N]ew [Y]ork', '[n]ew [y]ork'],
    ['', 'a', '', '[a]'],
    ['same', 'same', 'same', 'same'],
    ['é🙂x', 'é🙃x', 'é[🙂]x', 'é[🙃]x'],
  ])('%j and %j are marked by character', (a, b, markedA, markedB) => {
    const diff = characterDiff(a, b);
    expect([marked(diff.a), marked(diff.b)]).toEqual([markedA, markedB]);
  });

  it('keep all characters, and unmarked parts are equal', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '🙂', ' '), maxLength: 20 });
    const all = (pieces: readonly Piece[]) => pieces.map((piece) => piece.text).join('');
    const same = (pieces: readonly Piece[]) => all(pieces.filter(({ differs }) => !differs));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const diff = characterDiff(a, b);
        return all(diff.a) === a && all(diff.b) === b && same(diff.a) === same(diff.b);
      }),
    );
  });

  it('are compared by common prefix and suffix when they are long', () => {
    const [a, b] = [`x${'ab'.repeat(50_000)}z`, `x${'ba'.repeat(50_000)}z`];
    expect(characterDiff(a, b).a.map(({ differs }) => differs)).toEqual([false, true, false]);
  });
});

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
