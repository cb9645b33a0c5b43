import { parseJson, type Json } from '#lib/contracts/json/json';
import { readExpected, withMatch, writeExpected } from './expected-value.js';

describe('an expected argument in a form', () => {
  it.each([
    ['5.0', 'equal'],
    ['12345678901234567890', 'equal'],
    ['""', 'equal'],
    ['null', 'equal'],
    ['{"a":{"$any":true}}', 'equal'],
    ['{"$one_of":["a",2.50]}', 'one_of'],
    ['{"$contains":"x"}', 'contains'],
    ['{"$regex":"^a"}', 'regex'],
    ['{"$approx":3.10}', 'approx'],
    ['{"$approx":3,"$epsilon":0.50}', 'approx'],
    ['{"$any":true}', 'any'],
    ['{"$absent":true}', 'absent'],
    ['{"$literal":{"$gt":1}}', 'literal'],
    ['{"$optional":{"$one_of":[1]}}', 'one_of'],
    ['{"$optional":"a"}', 'equal'],
    // No field shows these; they stay unchanged.
    ['{"$optional":{"$optional":1}}', 'json'],
    ['{"$one_of":5}', 'json'],
    ['{"$regex":1}', 'json'],
    ['{"$later":1}', 'json'],
    ['{"$contains":"x","$regex":"y"}', 'json'],
    ['{"$epsilon":1,"$approx":1}', 'json'],
  ])('%s is read as %s, and written to the letter', (text, match) => {
    const expected = readExpected(parseJson(text));
    expect(expected.match).toBe(match);
    expect(JSON.stringify(writeExpected(expected))).toBe(text);
  });

  it('that is not checked is left out', () => {
    expect(writeExpected(readExpected(undefined))).toBeUndefined();
  });

  it.each<[Json, Parameters<typeof withMatch>[1], Json | undefined]>([
    ['a', 'one_of', { $one_of: ['a'] }],
    ['a', 'contains', { $contains: 'a' }],
    [{ $one_of: ['a', 'b'] }, 'equal', 'a'],
    [{ $optional: 'a' }, 'regex', { $optional: { $regex: 'a' } }],
    [5, 'contains', undefined],
    ['a', 'absent', { $absent: true }],
    [{ $any: true }, 'equal', undefined],
    [{ $contains: 'a' }, 'json', { $contains: 'a' }],
  ])('%j becomes %s and keeps what both can have', (before, match, after) => {
    expect(writeExpected(withMatch(readExpected(before), match))).toEqual(after);
  });
});
