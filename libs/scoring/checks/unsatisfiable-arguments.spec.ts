import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { findUnsatisfiableArguments } from './unsatisfiable-arguments.js';

const tool = (properties: object, more: object = {}, name = 'f'): Tool => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, ...more } as JsonObject },
});
const city = { type: 'string' };
const f = tool(
  {
    city,
    unit: { type: 'string', enum: ['Celsius', 'Fahrenheit'] },
    n: { type: 'integer', maximum: 5 },
    price: { type: 'number', minimum: 10 },
    code: { type: 'string', pattern: '^[A-Z]{3}$', maxLength: 3 },
    mixed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    words: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    filter: { type: 'object', properties: { from: { type: 'integer' }, to: { type: 'integer' } }, required: ['from'] },
    shape: {
      oneOf: [
        { type: 'object', properties: { r: { type: 'number' } }, required: ['r'], additionalProperties: false },
        { type: 'string', enum: ['none'] },
      ],
    },
    level: { type: 'string', enum: ['high'], default: 'low' },
    free: {},
  },
  { required: ['city', 'n'] },
);
const slips = (expected_params: object, more: Partial<CaseInput> = {}, tools: Tool[] = [f]) =>
  findUnsatisfiableArguments(
    {
      prompt: 'p',
      expected_tool: tools.map((one) => one.function.name),
      expected_params: parseJson(JSON.stringify(expected_params)) as JsonObject,
      ...more,
    },
    tools,
  ).map(({ path, describe: say }) => `${path}: ${say()}`);

describe('an expected call that breaks its tool is reported with the mistake when', () => {
  it.each<[string, object, Partial<CaseInput>, string]>([
    [
      'a parameter is misspelt',
      { ctiy: 'a' },
      {},
      '/expected_params/ctiy: "f" has no parameter "ctiy"; is "city" meant?',
    ],
    [
      'no parameter has a similar name',
      { location: 'a' },
      {},
      '/expected_params/location: "f" has no parameter "location". Nearest of its parameters, 11 in all: ',
    ],
    [
      'an optional parameter is misspelt',
      { ctiy: { $optional: 'a' } },
      {},
      '/expected_params/ctiy: "f" has no parameter "ctiy"; is "city" meant?',
    ],
    [
      'an enum value does not exist',
      { unit: 'Kelvin' },
      {},
      '/expected_params/unit: "Kelvin" breaks the schema of "f": must be one of "Celsius", "Fahrenheit".',
    ],
    [
      'an enum value is misspelt',
      { unit: 'celsuis' },
      {},
      '/expected_params/unit: "celsuis" breaks the schema of "f": must be one of "Celsius", ' +
        '"Fahrenheit"; is "Celsius" meant?',
    ],
    [
      'a value has another type',
      { n: 'five' },
      {},
      '/expected_params/n: "five" breaks the schema of "f": must be of type integer.',
    ],
    [
      'a number in a string is compared exactly',
      { n: '5' },
      {},
      '/expected_params/n: "5" breaks the schema of "f": must be of type integer.',
    ],
    ['a value is too large', { n: 9 }, {}, '/expected_params/n: 9 breaks the schema of "f": must be <= 5.'],
    [
      'the nearest accepted number is too large',
      { n: 9 },
      { scoring_config: { mode: 'numeric_tolerance', epsilon: 3 } },
      '/expected_params/n: 9 breaks the schema of "f": must be <= 5.',
    ],
    [
      'the nearest accepted number is too small',
      { price: { $approx: 5 } },
      {},
      '/expected_params/price: {"$approx":5} breaks the schema of "f": must be >= 10.',
    ],
    [
      'a text breaks a pattern in upper and lower case',
      { code: 'ab1' },
      {},
      '/expected_params/code: "ab1" breaks the schema of "f": must match pattern "^[A-Z]{3}$".',
    ],
    [
      '$contains expects a text where the type is another',
      { n: 'x' },
      { param_scoring: 'contains' },
      '/expected_params/n: "x" breaks the schema of "f": must be of type integer.',
    ],
    [
      'no enum value contains the part',
      { unit: { $contains: 'kel' } },
      {},
      '/expected_params/unit: {"$contains":"kel"} breaks the schema of "f": must be one of "Celsius", "Fahrenheit".',
    ],
    [
      'no enum value matches the pattern',
      { unit: { $regex: '^K' } },
      {},
      '/expected_params/unit: {"$regex":"^K"} breaks the schema of "f": must be one of "Celsius", "Fahrenheit".',
    ],
    [
      'no enum value is similar',
      { unit: 'Kelvin' },
      { param_scoring: 'fuzzy' },
      '/expected_params/unit: "Kelvin" breaks the schema of "f": must be one of "Celsius", "Fahrenheit".',
    ],
    [
      'no acceptable value fits the schema',
      { n: { $one_of: ['five', 9] } },
      {},
      '/expected_params/n: "five" breaks the schema of "f": must be of type integer.',
    ],
    [
      'no type of several fits',
      { mixed: 'x' },
      {},
      '/expected_params/mixed: "x" breaks the schema of "f": must be of type integer or null.',
    ],
    [
      'no shape of several fits',
      { shape: { radius: 1 } },
      {},
      '/expected_params/shape: {"radius":1} breaks the schema of "f": must be of type string.',
    ],
    [
      'an entry of a list is wrong',
      { words: ['a', 'c'] },
      {},
      '/expected_params/words/1: "c" breaks the schema of "f": must be one of "a", "b".',
    ],
    [
      'a fraction has no integer near it',
      { n: { $approx: 2.5 } },
      {},
      '/expected_params/n: {"$approx":2.5} breaks the schema of "f": must be of type integer.',
    ],
    [
      'a list is too long',
      { words: ['a', 'b', 'a'] },
      {},
      '/expected_params/words: ["a","b","a"] breaks the schema of "f": must NOT have more than 2 items.',
    ],
    [
      'an object lacks a required key',
      { filter: { to: 1 } },
      {},
      '/expected_params/filter: {"to":1} breaks the schema of "f": must have required property \'from\'.',
    ],
    [
      'an object has a key that its schema does not declare',
      { filter: { from: 1, too: 2 } },
      {},
      '/expected_params/filter/too: the schema of "f" does not declare "too"; is "to" meant?',
    ],
    [
      'a required argument is expected to be absent',
      { n: { $absent: true } },
      {},
      '/expected_params/n: "f" requires "n", which is expected to be absent.',
    ],
    [
      'the default is not a valid value',
      { level: 'low' },
      { scoring_config: { defaults: 'strict' } },
      '/expected_params/level: "low" breaks the schema of "f": must be one of "high".',
    ],
  ])('%s', (_what, params, more, message) => {
    const found = slips(params, more);
    expect(found).toHaveLength(1);
    expect(found[0]!.slice(0, message.length)).toBe(message);
  });

  it('one of several expected calls has it, with the position of the call', () => {
    expect(
      slips(
        {},
        {
          expected_tool: undefined,
          expected_params: undefined,
          expected_calls: [
            { tool: 'f', params: { city: 'a' } },
            { tool: 'F', params: { ctiy: 'a' } },
          ],
        },
      ),
    ).toEqual([expect.stringMatching(/^\/expected_calls\/1\/params\/ctiy: /)]);
  });

  it('the tool takes no arguments, or only those that it declares', () => {
    expect(slips({ a: 1 }, {}, [{ type: 'function', function: { name: 'f' } }])).toEqual([
      '/expected_params/a: "f" has no parameter "a". It has none.',
    ]);
    expect(slips({ a: 1 }, {}, [tool({}, { additionalProperties: false })])).toHaveLength(1);
    expect(
      slips({ a: 1, b: 1 }, {}, [tool({ a: {} }, { additionalProperties: false, anyOf: [{ required: ['a'] }] })]),
    ).toEqual(['/expected_params/b: the schema of "f" allows no "b" here.']);
  });

  it('no acceptable tool takes it, as reported for the closest one', () => {
    const g = tool({ city, m: { type: 'integer' } }, {}, 'g');
    expect(slips({ ctiy: 'a', m: 1 }, {}, [f, g])).toEqual([
      expect.stringMatching(/^\/expected_params\/ctiy: "g" has no parameter/),
    ]);
    expect(slips({ city: 'a', m: 1 }, {}, [f, g])).toEqual([]);
  });
});

describe('an expectation that can be met is not reported:', () => {
  it.each<[string, object, Partial<CaseInput>?]>([
    ['some of the arguments', { city: 'a' }],
    ['an enum value in another case', { unit: 'celsius' }],
    ['a text that fits its pattern in another case', { code: 'abc' }],
    ['an integer written as a decimal', { n: 5 }],
    ['any value at all', { n: { $any: true }, unit: { $any: true } }],
    ['nothing', { mixed: { $absent: true } }],
    ['a pattern for a number', { n: { $regex: '^[1-3]$' } }],
    ['a pattern for a number, by mode', { n: '^[1-3]$' }, { param_scoring: 'regex' }],
    ['a part of an enum value', { unit: 'cels' }, { param_scoring: 'contains' }],
    ['a text similar to an enum value', { unit: 'celsiuz' }, { param_scoring: 'fuzzy' }],
    ['a text that means the same as an enum value', { unit: 'centigrade' }, { param_scoring: 'semantic' }],
    ['a part of a text with a pattern', { code: 'x1' }, { param_scoring: 'contains' }],
    ['a number in a string', { n: '5', price: '10' }, { param_scoring: 'numeric_tolerance' }],
    ['a number near one that fits', { n: 7 }, { scoring_config: { mode: 'numeric_tolerance', epsilon: 2 } }],
    ['a fraction near an integer', { n: { $approx: 2.6, $epsilon: 0.5 } }],
    ['one acceptable value that fits', { n: { $one_of: ['five', 9, 3] } }],
    ['one acceptable value in a list', { words: [{ $one_of: ['c', 'b'] }, 'a'] }],
    ['the default, which may be left out', { level: 'low' }],
    ['null where null is an allowed type', { mixed: null }],
    ['the other shape', { shape: { r: 1.5 } }],
    ['one of several shapes in another case', { shape: 'None' }],
    ['an object with its optional key', { filter: { from: 1, to: { $optional: 2 } } }],
    ['an argument without a schema', { free: { a: [1] } }],
  ])('%s', (_what, params, more = {}) => {
    expect(slips(params, more)).toEqual([]);
  });

  it('a schema that allows more keys, or declares them elsewhere', () => {
    for (const more of [
      { additionalProperties: true },
      { additionalProperties: { type: 'integer' } },
      { patternProperties: { '^a': {} } },
      { allOf: [{ properties: { a: { type: 'integer' } } }] },
      {
        oneOf: [
          { properties: { a: { const: 2 } }, required: ['a'] },
          { properties: { a: { const: 1 } }, required: ['a'] },
        ],
      },
    ]) {
      expect(slips({ a: 1 }, {}, [tool({}, more)])).toEqual([]);
    }
    expect(
      slips({ a: 1 }, {}, [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]),
    ).toEqual([]);
    expect(
      slips({ a: 1 }, {}, [
        tool(
          { a: {} },
          { oneOf: [{ properties: { a: { const: 2 } } }, { properties: { a: { const: 1 } }, required: ['b'] }] },
        ),
      ]),
    ).toEqual([]);
  });

  it('no call, no arguments, an unknown tool', () => {
    expect(findUnsatisfiableArguments({ prompt: 'p', expected_tool: null }, [f])).toEqual([]);
    expect(findUnsatisfiableArguments({ prompt: 'p', expected_tool: 'f' }, [f])).toEqual([]);
    expect(findUnsatisfiableArguments({ prompt: 'p', expected_tool: 'g', expected_params: { a: 1 } }, [f])).toEqual([]);
  });
});

test('long lists and large enums are checked in linear time', () => {
  const wide = tool({ words: { type: 'array', items: { type: 'integer' } } });
  expect(slips({ words: Array(4000).fill({ $one_of: [1, 2] }) }, {}, [wide])).toEqual([]);
  expect(slips({ words: Array(100_000).fill('x') }, {}, [wide])).toEqual([]);
  expect(slips({ words: Array(1000).fill({ $one_of: ['x', 'y'] }) }, {}, [wide])).toHaveLength(1);
});
