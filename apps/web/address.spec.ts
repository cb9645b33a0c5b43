import { flag, id, oneOf, searchOf, severalOf, text, wholeNumber } from './address.js';

const read = searchOf({
  suite: id,
  word: oneOf(['a', 'b']),
  name: text(5),
  version: wholeNumber(1),
  passed: flag,
  models: severalOf(text(10)),
});

describe('the search parameters of an address', () => {
  it('are read by known keys, and other keys are ignored', () => {
    const suite = '019aa8a2-5c1e-7000-8000-000000000011';
    const search = { suite, word: 'b', name: 'x', version: '2', passed: false, models: ['m', 7], other: 1 };
    expect(read(search)).toEqual({ suite, word: 'b', name: 'x', version: 2, passed: false, models: ['m', '7'] });
    expect(read({ models: 'm' })).toEqual({ models: ['m'] });
  });

  it('are shown without invalid values', () => {
    const faults = { suite: 'x', word: 'c', name: 'too long', version: 0, passed: 'no', models: [] };
    expect(read(faults)).toEqual({});
    expect(read({ name: 3, version: 1.5, models: ['far too long', 'm'] })).toEqual({});
    expect(read({ version: { toString: 1 }, models: ['m', { toString: 1 }] })).toEqual({});
    const given = { word: { a: 1 } };
    expect({ ...given, ...read(given) }).toEqual({}); // As the router merges them.
  });
});
