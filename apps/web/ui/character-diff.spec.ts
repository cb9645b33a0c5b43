import fc from '../../../test/fast-check.js';
import { characterDiff, type Piece } from './character-diff.js';

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
