import fc from '../../../test/fast-check.js';
import { isDeeperThan, isNumber, numberSource, parseJson, unwrapNumbers } from './json.js';

describe('JSON that keeps numbers as written', () => {
  it.each([
    '5.0',
    '5e0',
    '-0',
    '-0.0',
    '12345678901234567890',
    '0.10',
    '1E400',
    '1e-400',
    '0.1',
    '3.141592653589793238',
    '9007199254740993',
    '100',
    '1.5',
  ])('prints %s as it was read', (text) => {
    expect(JSON.stringify(parseJson(`{"n":[${text}]}`))).toBe(`{"n":[${text}]}`);
    const value = parseJson(text);
    expect(isNumber(value) && numberSource(value)).toBe(text);
  });

  it('keeps the text of any JSON number', () => {
    const digits = (min: number, max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits(1, 22),
        fc.option(digits(1, 22)),
        fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e-', 'E+'), digits(1, 3))),
      )
      .map(([sign, whole, fraction, exponent]) =>
        [sign, whole.replace(/^0+(?=\d)/, ''), fraction === null ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
      );
    fc.assert(
      fc.property(number, (text) => JSON.stringify(parseJson(text)) === text),
      { numRuns: 2000 },
    );
  });

  it('reads a setting as a number and leaves the numbers of a user alone', () => {
    const body = unwrapNumbers(
      parseJson(
        '{"temperature":0.0,"expected_params":{"n":5.0},' +
          '"scoring_config":{"epsilon":0.10,"params":{"n":{"epsilon":1.0}}}}',
      ),
    );
    expect(JSON.stringify(body)).toBe(
      '{"temperature":0,"expected_params":{"n":5.0},"scoring_config":{"epsilon":0.1,"params":{"n":{"epsilon":1}}}}',
    );
  });

  it.each<[string, unknown]>([
    ['lists', [[[]]]],
    ['objects', { a: { b: {} } }],
    ['both', [{ a: [] }]],
  ])('counts the levels of %s, not the values in the last one', (_what, value) => {
    expect([0, 1, 2, 3].map((levels) => isDeeperThan(value, levels))).toEqual([true, true, true, false]);
    expect(isDeeperThan('[[[[', 0)).toBe(false);
  });

  it('reads a key named __proto__ as data', () => {
    expect(JSON.stringify(parseJson('{"__proto__":{"n":5.0}}'))).toBe('{"__proto__":{"n":5.0}}');
  });
});
