import fc from '../../../test/fast-check.js';
import { findJsonFault } from './json-fault.js';

describe('where a text stops being JSON', () => {
  it.each([
    ['{"a": 1,}', 1, 9],
    ['{"a": x}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": "b', 1, 9],
    ['[1, 2', 1, 6],
    ['{"a": "b\\q"}', 1, 9],
    ['{"a": "b\nc"}', 1, 9],
    ['{} {}', 1, 4],
    ['[01]', 1, 3],
    ['{"a" 1}', 1, 6],
    ["{'a': 1}", 1, 2],
    ['', 1, 1],
    ['[1}', 1, 3],
    ['nul', 1, 1],
    ['[]' + ' '.repeat(20_000) + 'x', 1, 20_003],
  ])('%j: line %i, column %i', (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column });
  });

  it('is nowhere in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.constantFrom(0, 2),
        (text, indent) => findJsonFault(JSON.stringify(JSON.parse(text), null, indent)) === undefined,
      ),
    );
  });

  it('is somewhere exactly when JSON.parse refuses', () => {
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const soup = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '1',
        '-',
        '0',
        '.5',
        'e3',
        'true',
        'null',
        ' ',
        '\n',
        '\\',
        'x',
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(soup, (parts) => (findJsonFault(parts.join('')) === undefined) === parses(parts.join(''))),
      { numRuns: 5000 },
    );
  });
});
