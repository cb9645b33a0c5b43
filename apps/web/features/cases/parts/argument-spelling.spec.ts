import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { SPELLINGS } from './argument-spelling.js';

type Kind = keyof typeof SPELLINGS;

describe('an expected value that is typed', () => {
  it.each<[Kind, string, string]>([
    ['number', '5.0', '5.0'],
    ['number', '12345678901234567890', '12345678901234567890'],
    ['number', '-0', '-0'],
    ['numbers', '1.50\n2', '[1.50,2]'],
    ['texts', ' Rome \n\nParis', '["Rome","Paris"]'],
    ['json', '{"b": 1.0, "2": [null]}', '{"b":1.0,"2":[null]}'],
    ['free', 'Rome', '"Rome"'],
    ['free', '"5"', '"5"'],
    ['free', '5.0', '5.0'],
    ['free', 'null', 'null'],
    ['free', 'true story', '"true story"'],
  ])('as %s: %s is %s, to the letter', (kind, typed, stored) => {
    const value = SPELLINGS[kind].read(typed)!;
    expect(stringifyInSourceOrder(value)).toBe(stored);
    // What is shown is read as the same value.
    expect(stringifyInSourceOrder(SPELLINGS[kind].read(SPELLINGS[kind].write(value)))).toBe(stored);
  });

  it.each<[Kind, string]>([
    ['number', 'five'],
    ['numbers', '1\nfive'],
    ['json', '{"a": '],
  ])('as %s: %s is not a value yet', (kind, typed) => {
    expect(SPELLINGS[kind].read(typed)).toBeUndefined();
  });

  it('as free text keeps a text apart from what looks like something else', () => {
    for (const text of ['null', '5', ' padded ', '', '{"a":1}'])
      expect(SPELLINGS.free.read(SPELLINGS.free.write(text))).toBe(text);
  });
});
