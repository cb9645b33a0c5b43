import { parseJson } from './json.js';
import { mayBeUnstorable, findUnstorable } from './storable.js';

const found = (json: string) => (mayBeUnstorable(json) ? findUnstorable(parseJson(json)) : undefined);

it.each([
  ['{"a":["x",{"b~/c":"\\u0000"}]}', ['a', 1, 'b~/c'], /U\+0000/],
  ['{"a":{"x\\u0000":1}}', ['a', 'x\u0000'], /a name that holds the character U\+0000/],
  ['{"tags":["\\ud800"]}', ['tags', 0], /surrogate/],
  ['["\\uDE00\\uD83D"]', [0], /surrogate/],
  ['{"\\udfff":1}', ['\udfff'], /a name that .*surrogate/],
  ['{"n":1e999999}', ['n'], /131072 digits/],
  ['[0,-1E-20000]', [1], /16383 after it/],
  [`[${'9'.repeat(131_073)}]`, [0], /131072/],
])('%.40s cannot be stored, with the place', (json, path, why) => {
  expect(found(json)).toEqual({ path, why: expect.stringMatching(why) });
});

it.each([
  '"\\\\u0000"',
  '"\\ud83d\\ude00 😀"',
  '[1e308,1e999,1E-999,5.0,123456789012345678901234567890]',
  `[${'9'.repeat(131_072)}]`,
  '{"rawJSON":"1e999999"}',
])('%.40s can be stored', (json) => expect(found(json)).toBeUndefined());

it('ten megabytes of digits, escapes or blanks are searched quickly', () => {
  const bodies = [
    `"${'\\u00e9'.repeat(1_700_000)}"`,
    `[${`${'9'.repeat(14_999)},`.repeat(690)}1]`,
    ' '.repeat(10_000_000),
    '1e100,'.repeat(1_700_000),
  ];
  for (const body of bodies) expect(mayBeUnstorable(body)).toBe(false);
});
