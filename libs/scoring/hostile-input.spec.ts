import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import { checkArguments, checkTools } from './checks/check-tools.js';
import { explain } from './house/explain.js';
import { findJsonSpans } from './replies/json-in-text.js';
import { scoreMetric } from './metrics.js';
import { parseReply } from './replies/parse-reply.js';
import { prepareCase } from './house/score-case.js';
import { scoreChain } from './house/score-chain.js';
import { seededRandom } from './statistics/seeded-random.js';

const tool = (parameters: object): Tool => ({
  type: 'function',
  function: { name: 'f', parameters: parameters as never },
});

test('a schema that names an older draft is accepted', () => {
  expect(checkTools([tool({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })])).toEqual([]);
});

test('a pattern that would backtrack for hours is matched at once, and one that RE2 lacks is not checked', () => {
  const slow = tool({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'string', pattern: '^(?=x)' } },
  });
  expect(checkArguments(slow, { a: `${'a'.repeat(100_000)}!`, b: 'y' }, 0)).toMatchObject([
    { path: '/a', problem: 'other' },
  ]);
});

test('an $async schema answers like any other', () => {
  expect(checkArguments(tool({ $async: true, type: 'object', required: ['z'] }), {}, 0)).toMatchObject([
    { problem: 'missing_required' },
  ]);
});

const reading = (message: object) => parseReply(message, [tool({ type: 'object' })]);
const calls = (count: number, args = '{"a":1}') =>
  Array.from({ length: count }, () => ({ function: { name: 'f', arguments: args } }));
const score = (input: CaseInput, message: object) =>
  prepareCase(input, [tool({ type: 'object' })], 1).score(reading(message));

test.each([
  ['60,000 calls', { tool_calls: calls(60_000) }, { what: 'calls', limit: 1000, found: 60_000 }],
  ['1,001 calls in its text', { content: '{"name":"f","arguments":{}}'.repeat(1001) }, { what: 'calls', limit: 1000 }],
  [
    'more than a MiB of text to search',
    { content: `"name" ${'{'.repeat(2 ** 20)}` },
    { what: 'text', limit: 2 ** 20, found: 2 ** 20 + 7 },
  ],
  [
    'a call of a MiB in a name',
    { tool_calls: [{ function: { name: `{"name":"f${' '.repeat(2 ** 20)}"}` } }] },
    { what: 'text', limit: 2 ** 20, found: 2 ** 20 + 12 },
  ],
  [
    'arguments nested 20,000 levels deep',
    { tool_calls: calls(1, '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)) },
    { what: 'depth', limit: 64 },
  ],
  [
    'such arguments with a number that keeps its text',
    { tool_calls: calls(1, '{"a":'.repeat(20_000) + '1.0' + '}'.repeat(20_000)) },
    { what: 'depth', limit: 64 },
  ],
  [
    'such arguments in its text',
    { content: `{"name":"f","arguments":${'{"a":'.repeat(65)}1${'}'.repeat(65)}}` },
    { what: 'depth', limit: 64 },
  ],
])('a reply with %s is wrong, and the verdict says what is too large', (_what, message, bound) => {
  for (const input of [
    { expected_tool: 'f', expected_params: { a: 1 } },
    { expected_tool: null },
    { expected_calls: [{ tool: 'f' }] },
  ]) {
    const verdict = score(input, message);
    expect(verdict).toMatchObject({
      overall: 0,
      tool_score: 0,
      passed: false,
      error_type: 'oversized_reply',
      evidence: { pairs: [], bound },
    });
    expect(JSON.stringify(verdict).length).toBeLessThan(30_000);
    expect(explain(verdict, input)[0]).toMatch(/more than 1,|deeper than 64/);
  }
});

test('a reply exactly at its bounds is scored', () => {
  const deep = `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`;
  expect(score({ expected_tool: 'f' }, { tool_calls: calls(1000, deep) })).toMatchObject({ overall: 1, passed: true });
  const content = `${'{"name":"f","arguments":{}}'.padEnd(2 ** 20, 'ä')}`.slice(0, 2 ** 19);
  expect(score({ expected_tool: 'f' }, { content })).toMatchObject({ overall: 1, passed: true });
});

test('a long text without a call is not a call', () => {
  expect(score({ expected_tool: null }, { content: '{'.repeat(2 ** 22) })).toMatchObject({ overall: 1, passed: true });
  expect(
    score({ expected_tool: 'f' }, { tool_calls: calls(1), content: `"name" ${'{'.repeat(2 ** 22)}` }),
  ).toMatchObject({ overall: 1 });
});

test('of an oversized reply the first calls are kept, shortened', () => {
  const { called } = score(
    { expected_tool: 'f' },
    { tool_calls: [...calls(1, JSON.stringify({ a: 'x'.repeat(100_000) })), ...calls(2000)] },
  );
  expect(called).toHaveLength(10);
  expect(called[0]).toMatchObject({ arguments: null, raw: expect.stringMatching(/^\{"a":"x{1990,1996}\.\.\.$/) });
  expect(called[1]).toEqual({ name: 'f', arguments: { a: 1 } });
});

test('the bounds of a chain apply to all its rounds together', () => {
  const chain: CaseInput = { multi_turn: true, expected_tool: 'g' };
  const round = (count: number) => reading({ tool_calls: calls(count) });
  expect(scoreChain(chain, [tool({})], 1, [round(600), round(401)])).toMatchObject({
    overall: 0,
    completion: 0,
    error_type: 'oversized_reply',
    evidence: { bound: { what: 'calls', limit: 1000, found: 1001 } },
  });
  expect(scoreChain(chain, [tool({})], 1, [round(600), round(400)]).error_type).toBe('incomplete_chain');
});

test('rounds of a chain after the expected call are not read, however large', () => {
  const chain: CaseInput = { multi_turn: true, expected_tool: 'f' };
  const round = (count: number) => reading({ tool_calls: calls(count) });
  expect(scoreChain(chain, [tool({})], 1, [round(1), round(2000)])).toMatchObject({ hops: 1, error_type: 'none' });
});

/** The former algorithm, quadratic in the length of the text: it tries each bracket on its own. */
function jsonBySearching(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    const end = Array.from({ length: text.length - at }, (_, n) => at + n + 1).find((stop) =>
      isJson(text.slice(at, stop)),
    );
    if (end === undefined) continue;
    found.push(text.slice(at, end));
    at = end - 1;
  }
  return found;
}
const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};

test('JSON is found anywhere in a text, as if each bracket were tried', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    ' ',
    '"a"',
    '"a":',
    '{}',
    '[]',
    '1',
    '-0.5e3',
    '01',
    'true',
    'x',
    '\n',
    '{"a":1}',
    '\\u00e9',
    '\\"',
  ];
  const random = seededRandom(7);
  for (let round = 0; round < 4000; round++) {
    const text = Array.from({ length: 12 }, () => parts[Math.floor(random() * parts.length)]).join('');
    expect([text, [...findJsonSpans(text)].map(([start, end]) => text.slice(start, end))]).toEqual([
      text,
      jsonBySearching(text),
    ]);
  }
});

test('an absurd number of trials is refused, not computed for hours', () => {
  expect(() => scoreMetric('pass_hat_k', {}, { trials: 1e15, successes: 1e15 - 1, k: 1e14 })).toThrow();
});

test('a thousand calls against a hundred expected ones are paired', () => {
  const tools = [tool({ type: 'object' })];
  const reply = parseReply(
    { tool_calls: Array.from({ length: 1000 }, (_, n) => ({ function: { name: 'f', arguments: `{"a":${n}}` } })) },
    tools,
  );
  const expected_calls = Array.from({ length: 100 }, (_, n) => ({ tool: 'f', params: { a: 999 - n } }));
  expect(prepareCase({ expected_calls }, tools, 1).score(reply)).toMatchObject({
    overall: 1,
    tool_score: 1,
    passed: true,
  });
});

describe('the schema of a tool', () => {
  const endless = { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, properties: { city: { $ref: '#/$defs/a' } } };

  test.each([
    [endless, '#/$defs/a -> #/$defs/a'],
    [{ $ref: '#' }, '# -> #'],
    [
      { $defs: { a: { anyOf: [{ $ref: '#b' }] }, b: { $anchor: 'b', not: { $ref: '#/$defs/a' } } } },
      '#/$defs/a -> #b -> #/$defs/a',
    ],
    [{ $defs: { 'a/b': { $ref: '#/$defs/a~1b' } } }, '#/$defs/a~1b -> #/$defs/a~1b'],
  ])('with a circular reference is refused, and the circle is named: %j', (parameters, circle) => {
    expect(checkTools([tool(parameters)])).toEqual([
      { path: '/0/function/parameters', message: expect.stringContaining(circle) },
    ]);
  });

  test.each([
    { properties: { child: { $ref: '#' } } },
    {
      $defs: { node: { properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } } },
      properties: { list: { $ref: '#/$defs/node' } },
    },
    { properties: { $ref: { type: 'string' }, allOf: { type: 'array' } }, default: { $ref: '#' } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
  ])('may refer to itself if each reference descends: %j', (parameters) => {
    expect(checkTools([tool(parameters)])).toEqual([]);
  });

  test('that refers to its root validates nested values', () => {
    const tree = tool({ type: 'object', properties: { child: { $ref: '#' }, n: { type: 'integer' } } });
    expect(checkArguments(tree, { child: { child: { n: 'x' } } }, 0)).toMatchObject([
      { path: '/child/child/n', problem: 'wrong_type' },
    ]);
  });

  test('with a circular reference, stored by an earlier release, reports nothing and does not throw', () => {
    expect(checkArguments(tool(endless), { city: 'Paris' }, 0)).toEqual([]);
  });

  test('may ask for unique items, which is not checked', () => {
    const unique = tool({
      properties: { list: { type: 'array', uniqueItems: true }, uniqueItems: { type: 'integer' } },
      required: ['uniqueItems'],
    });
    expect(checkTools([unique])).toEqual([]);
    expect(checkArguments(unique, { list: [1, 1], uniqueItems: 'x' }, 0)).toMatchObject([
      { path: '/uniqueItems', problem: 'wrong_type' },
    ]);
  });

  test.each([
    [{ enum: [] }, 'schema is invalid'],
    [{ type: 'strin' }, 'schema is invalid'],
    [{ minLength: -1 }, 'schema is invalid'],
    [{ items: [7] }, 'schema is invalid'],
    [{ items: { $ref: '#/nowhere' } }, "can't resolve reference"],
    [{ additionalProperties: { pattern: '(' } }, 'Invalid regular expression'],
    [{ anyOf: [{}, { properties: { b: { $ref: 'https://a.example/none' } } }] }, "can't resolve reference"],
    [{ properties: { b: 7 } }, 'schema is invalid'],
    [{ oneOf: [] }, 'schema is invalid'],
  ])('that cannot be compiled is refused each time: %j', (a, why) => {
    const wrong = tool({
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { good: { type: ['string', 'null'], default: 'x' }, a },
    });
    for (const _time of [1, 2])
      expect(checkTools([wrong])).toEqual([
        { path: '/0/function/parameters', message: expect.stringContaining(`is not a valid JSON Schema: ${why}`) },
      ]);
    expect(checkArguments(wrong, { a: 1 }, 0)).toEqual([]);
  });

  test('does not reveal its ids to other teams', () => {
    const first = tool({ properties: { a: { $id: 'https://a.example/secret', type: 'string' } } });
    expect(checkTools([first])).toEqual([]);
    expect(checkTools([first])).toEqual([]);
    const second = tool({ properties: { a: { $ref: 'https://a.example/secret' } } });
    expect(checkTools([second])).toMatchObject([{ message: expect.stringContaining('is not a valid JSON Schema') }]);
    expect(checkTools([tool({ properties: { a: { $id: 'https://a.example/secret', type: 'integer' } } })])).toEqual([]);
  });

  test.each([
    [{ properties: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`p${n}`, {}])) }, 'may have 500'],
    [{ properties: { a: { description: 'x'.repeat(70_000) } } }, 'may have 65536'],
  ])('has a size limit', (parameters, message) => {
    expect(checkTools([tool(parameters)])).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  test('is not diagnosed for arguments of a hundred thousand values', () => {
    const strings = tool({ properties: { list: { items: { type: 'string' } } } });
    expect(checkArguments(strings, { list: Array.from({ length: 100_000 }, () => 1) }, 0)).toEqual([]);
    expect(checkArguments(strings, { list: [1] }, 0)).toMatchObject([{ path: '/list/0' }]);
  });
});

test('the tools of a suite have a size limit together', () => {
  const large = Array.from({ length: 20 }, (_, n): Tool => ({
    type: 'function',
    function: { name: `f${n}`, parameters: { description: 'x'.repeat(60_000) } },
  }));
  expect(checkTools(large)).toMatchObject([{ path: '', message: expect.stringContaining('may have 1048576') }]);
});
