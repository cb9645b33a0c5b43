import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { checkCase } from '../checks/check-case.js';
import { explain } from './explain.js';
import { parseReply } from '../replies/parse-reply.js';
import { prepareCase } from './score-case.js';

const tools: Tool[] = ['get_weather', 'search', 'f', 'g'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { lang: { type: 'string', default: 'en' } } } as never },
}));
const call = (name: string, args: string) => ({ type: 'function', function: { name, arguments: args } });
const reply = (...calls: ReturnType<typeof call>[]): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: calls as never,
});
const caseOf = (text: string): CaseInput => ({ prompt: 'p', ...(parseJson(text) as object) }) as CaseInput;
const score = (input: string, message: unknown, threshold = 1) =>
  prepareCase(caseOf(input), tools, threshold).score(parseReply(message, tools));

describe('the reference examples', () => {
  it.each([
    [
      '{"expected_tool":"get_weather","expected_params":{"city":"Paris"}}',
      reply(call('GET_WEATHER', '{"city":"paris","units":"c"}')),
      1,
      1,
      1,
      true,
      'none',
    ],
    [
      '{"expected_tool":"get_weather","expected_params":{"city":"Tokyo","units":"fahrenheit"}}',
      reply(call('get_weather', '{"city":"Tokyo"}')),
      1,
      0.5,
      0.8,
      false,
      'missing_argument',
    ],
    [
      '{"expected_tool":"get_weather","expected_params":{"city":"Paris"}}',
      reply(call('search', '{"city":"Paris"}')),
      0,
      0,
      0,
      false,
      'wrong_tool',
    ],
    ['{"expected_tool":"get_weather","expected_params":{}}', reply(), 0, 0, 0, false, 'no_call'],
    [
      '{"expected_tool":"get_weather","expected_params":null}',
      reply(call('get_weather', '{"city": ')),
      1,
      null,
      1,
      false,
      'malformed_arguments',
    ],
    [
      '{"expected_tool":"get_weather"}',
      reply(call('get_weather', '{}'), call('search', '{}')),
      1,
      null,
      1,
      true,
      'none',
    ],
    [
      '{"expected_tool":"get_weather","allow_extra_calls":false}',
      reply(call('get_weather', '{}'), call('search', '{}')),
      1,
      null,
      1,
      false,
      'extra_call',
    ],
    ['{"expected_tool":null}', reply(), 1, null, 1, true, 'none'],
    ['{"expected_tool":null}', reply(call('search', '{}')), 0, null, 0, false, 'unexpected_call'],
    [
      '{"expected_tool":"f","expected_params":{"a":1,"b":{"$optional":2}}}',
      reply(call('f', '{"a":9}')),
      1,
      0,
      0.6,
      false,
      'wrong_argument',
    ],
    [
      '{"expected_tool":"f","expected_params":{"n":5}}',
      reply(call('f', '{"n":"5"}')),
      1,
      0,
      0.6,
      false,
      'wrong_argument',
    ],
    ['{"expected_tool":"f","expected_params":{"n":5}}', reply(call('f', '{"n":5.0}')), 1, 1, 1, true, 'none'],
    [
      '{"expected_tool":"f","expected_params":{"on":true}}',
      reply(call('f', '{"on":1}')),
      1,
      0,
      0.6,
      false,
      'wrong_argument',
    ],
    [
      '{"expected_tool":"f","expected_params":{"o":{"x":"A"}}}',
      reply(call('f', '{"o":{"x":"a"}}')),
      1,
      1,
      1,
      true,
      'none',
    ],
    [
      '{"expected_tool":"f","expected_params":{"o":{"x":1}}}',
      reply(call('f', '{"o":{"x":1,"y":2}}')),
      1,
      0,
      0.6,
      false,
      'wrong_argument',
    ],
    [
      '{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"f","params":{"a":2}}]}',
      reply(call('f', '{"a":2}'), call('f', '{"a":1}')),
      1,
      1,
      1,
      true,
      'none',
    ],
    [
      '{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"f","params":{"a":2}}],"call_order":"strict"}',
      reply(call('f', '{"a":2}'), call('f', '{"a":1}')),
      1,
      0,
      0.6,
      false,
      'wrong_argument',
    ],
    [
      '{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"g","params":{}}],"call_order":"strict"}',
      reply(call('g', '{}'), call('f', '{"a":1}')),
      0.5,
      0.5,
      0.5,
      false,
      'incomplete_chain',
    ],
  ] as const)('%s against %j', (input, message, tool_score, param_score, overall, passed, error_type) => {
    expect(score(input, message)).toMatchObject({ tool_score, param_score, overall, passed, error_type });
  });
});

describe('an argument is compared', () => {
  const param = (rule: string, expected: string, actual: string) =>
    score(`{"expected_tool":"f","expected_params":{"v":${expected}},${rule}}`, reply(call('f', `{"v":${actual}}`)))
      .param_score;
  it.each([
    ['"param_scoring":"exact"', '12345678901234567890', '12345678901234567891', 0],
    ['"param_scoring":"exact"', '12345678901234567890', '12345678901234567890.0', 1],
    ['"param_scoring":"exact"', '-0', '0', 1],
    ['"param_scoring":"exact"', '" Paris"', '"Paris"', 0],
    ['"param_scoring":"contains"', '"Paris"', '"paris, France"', 1],
    ['"param_scoring":"contains"', '""', '"x"', 0],
    ['"param_scoring":"numeric_tolerance"', '1', '1.01', 1],
    ['"param_scoring":"numeric_tolerance"', '1', '"1.011"', 0],
    ['"param_scoring":"numeric_tolerance"', '"1e1"', '10.001', 1],
    ['"scoring_config":{"mode":"numeric_tolerance","epsilon":0.5}', '[1,2]', '[1.5,2.4]', 1],
    ['"param_scoring":"regex"', '"^20[0-9]{2}$"', '"2026"', 1],
    ['"param_scoring":"regex"', '"^20[0-9]{2}$"', '2026', 1],
    ['"param_scoring":"fuzzy"', '"what is machine learning"', '"What is machine learning?"', 1],
    ['"param_scoring":"exact","scoring_config":{"params":{"v":{"mode":"contains"}}}', '"a"', '"ab"', 1],
    ['"param_scoring":"exact"', '{"$one_of":["a",2]}', '2', 1],
    ['"param_scoring":"exact"', '{"$approx":3.14,"$epsilon":0.01}', '3.15', 1],
    ['"param_scoring":"exact"', '{"$contains":"ab"}', '"a"', 0],
    ['"param_scoring":"exact"', '{"$any":true}', 'null', 1],
    ['"param_scoring":"exact"', '{"$absent":true}', '1', 0],
    ['"param_scoring":"exact"', '{"x":{"$optional":1}}', '{}', 1],
  ])('with %s: %s against %s scores %d', (rule, expected, actual, wanted) => {
    expect(param(rule, expected, actual)).toBe(wanted);
  });

  it('with the declared default when the call leaves it out, unless the case is strict', () => {
    const missing = reply(call('f', '{}'));
    expect(score('{"expected_tool":"f","expected_params":{"lang":"EN"}}', missing).param_score).toBe(1);
    expect(
      score('{"expected_tool":"f","expected_params":{"lang":"en"},"scoring_config":{"defaults":"strict"}}', missing)
        .param_score,
    ).toBe(0);
    expect(
      score('{"expected_tool":"f","expected_params":{"lang":{"$absent":true}}}', reply(call('f', '{"lang":"en"}')))
        .param_score,
    ).toBe(1);
  });

  it('in linear time with a pattern that would hang a backtracking engine', () => {
    expect(param('"param_scoring":"regex"', '"^(a+)+$"', `"${'a'.repeat(100_000)}b"`)).toBe(0);
  });
});

describe('a reply is read', () => {
  const read = (message: unknown) => parseReply(message, tools);
  it.each([
    ['native', reply(call('f', '{"a":1}')), { name: 'f', arguments: { a: 1 } }],
    ['native', { function_call: { name: 'f', arguments: '' } }, { name: 'f', arguments: {} }],
    ['native', reply(call('f', { a: 1 } as never)), { name: 'f', arguments: { a: 1 } }],
    ['repaired', reply(call('f', '"{\\"a\\":1}"')), { name: 'f', arguments: { a: 1 } }],
    ['repaired', reply(call('{"name":"f","parameters":"{\\"a\\":1}"}', '')), { name: 'f', arguments: { a: 1 } }],
    [
      'repaired',
      { content: 'Sure:\n```json\n{"name":"f","arguments":{"a":1}}\n```' },
      { name: 'f', arguments: { a: 1 } },
    ],
    ['malformed', reply(call('f', '[1]')), { name: 'f', arguments: null, raw: '[1]' }],
  ])('as %s: %j', (compliance, message, wanted) => {
    expect(read(message)).toMatchObject({ format_compliance: compliance, calls: [wanted] });
  });
  it("with the suite's tool names in place of those sent to the model, in text and in a malformed name", () => {
    const names = { f_1: 'f', constructor_1: 'g' };
    const called = (message: unknown) => parseReply(message, tools, { names }).calls.map((one) => one.name);
    expect(
      called({
        content:
          '{"name":"f_1","arguments":{"a":"f_1"}} {"name":"f","arguments":{}} {"name":"constructor","arguments":{}}',
      }),
    ).toEqual(['f', 'f']);
    expect(called(reply(call('{"name":"constructor_1","parameters":{}}', '')))).toEqual(['g']);
    expect(
      parseReply({ content: '{"name":"f_1","arguments":{"a":"f_1"}}' }, tools, { names }).calls[0]!.arguments,
    ).toEqual({ a: 'f_1' });
    expect(called(reply(call('f_1', '{}')))).toEqual(['f_1']);
    expect(parseReply({ content: '{"name":"f_1","arguments":{}}' }, tools).calls).toEqual([]);
  });
  it('as no call when the JSON in its prose does not name a tool of the suite', () => {
    expect(read({ content: 'An example: {"name":"Ada","arguments":{}}' })).toEqual({
      calls: [],
      format_compliance: 'none',
    });
    expect(read({ content: null })).toEqual({ calls: [], format_compliance: 'none' });
  });
});

describe('a case is refused', () => {
  it.each([
    [
      '{"expected_tool":"weather"}',
      '/expected_tool',
      /No tool "weather" in the suite. Nearest of its tools, 4 in all: get_weather,/,
    ],
    ['{}', '/expected_tool', /missing/],
    ['{"expected_tool":[]}', '/expected_tool', /empty/],
    ['{"expected_tool":null,"should_call_tool":true}', '/should_call_tool', /null/],
    ['{"expected_tool":"f","should_call_tool":false}', '/should_call_tool', /false/],
    ['{"expected_tool":"f","expected_params":{"a":"("},"param_scoring":"regex"}', '/expected_params/a', /RE2/],
    ['{"expected_tool":"f","expected_params":{"a":{"$regex":"(?=x)"}}}', '/expected_params/a/$regex', /RE2/],
    ['{"expected_tool":"f","expected_params":{"a":{"$like":"x"}}}', '/expected_params/a/$like', /matcher/],
    [
      '{"expected_tool":"f","expected_params":{"a":[{"$optional":1}]}}',
      '/expected_params/a/0/$optional',
      /value of a key/,
    ],
  ])('%s', (input, path, message) => {
    expect(checkCase(caseOf(input), tools)).toEqual([{ path, message: expect.stringMatching(message) as string }]);
  });
});

describe('a comparison by similarity reports the similarity and the threshold', () => {
  const checked = (config: string, expected: string, actual: string, similarity = 0.5) => {
    const input = caseOf(`{"expected_tool":"f","expected_params":{"v":${expected}},"scoring_config":${config}}`);
    const verdict = prepareCase(input, tools, 1).score(parseReply(reply(call('f', `{"v":${actual}}`)), tools), {
      similarities: () => similarity,
    });
    return { check: verdict.evidence.pairs[0]!.arguments[0]!, told: explain(verdict, input)[1] };
  };
  it.each([
    [
      '{"mode":"fuzzy"}',
      '"cart"',
      '"cats"',
      { verdict: 'mismatch', similarity: 0.75, threshold: 0.8 },
      '(fuzzy: 0.75 similar, 0.8 needed).',
    ],
    [
      '{"mode":"fuzzy","threshold":0.7}',
      '"cart"',
      '"cats"',
      { verdict: 'match', similarity: 0.75, threshold: 0.7 },
      'All expected arguments match.',
    ],
    [
      '{"mode":"fuzzy"}',
      '"abcdefghijkl"',
      '"abcdefghij"',
      { verdict: 'match', similarity: 20 / 22, threshold: 0.8 },
      'All',
    ],
    [
      '{"mode":"semantic"}',
      '"cat"',
      '"dog"',
      { verdict: 'mismatch', similarity: 0.5, threshold: 0.85 },
      '(semantic: 0.5 similar, 0.85 needed).',
    ],
    ['{"mode":"semantic"}', '"cat"', '"CAT"', { verdict: 'match', similarity: 1, threshold: 0.85 }, 'All'],
    [
      '{"mode":"numeric_tolerance"}',
      '1',
      '"1.011"',
      { verdict: 'mismatch', distance: 0.011, epsilon: 0.01 },
      '(numeric_tolerance: 0.011 apart, 0.01 allowed).',
    ],
    [
      '{"mode":"numeric_tolerance","epsilon":0.5}',
      '[1,2]',
      '[1.5,2.4]',
      { verdict: 'match', distance: 0.5, epsilon: 0.5 },
      'All',
    ],
    [
      '{"mode":"numeric_tolerance","epsilon":0.1}',
      '1',
      '1.3',
      { verdict: 'mismatch', distance: 0.3, epsilon: 0.1 },
      '0.3 apart',
    ],
    [
      '{}',
      '{"$approx":3.14}',
      '3.2',
      { rule: '$approx', verdict: 'mismatch', distance: 0.06, epsilon: 0.01 },
      '($approx: 0.06 apart, 0.01 allowed).',
    ],
  ] as const)('%s: %s against %s', (config, expected, actual, check, told) => {
    const found = checked(config, expected, actual);
    expect(found.check).toMatchObject(check);
    expect(found.told).toContain(told);
  });

  it('the lowest of several values, the highest of alternatives, and for a mismatch its own', () => {
    expect(checked('{"mode":"fuzzy"}', '["abcde","abcdefghij"]', '["abcde","abcdefghix"]').check).toMatchObject({
      verdict: 'match',
      similarity: 0.9,
    });
    expect(checked('{"mode":"fuzzy"}', '["abcdefghij","cart"]', '["abcdefghix","cats"]').check).toMatchObject({
      path: '/v/1',
      similarity: 0.75,
    });
    expect(checked('{"mode":"fuzzy"}', '{"$one_of":["dog","cart","zebra",3]}', '"cats"').check).toMatchObject({
      verdict: 'mismatch',
      similarity: 0.75,
    });
    expect(checked('{"mode":"fuzzy"}', '{"$one_of":["dog","abcdefghij"]}', '"abcdefghix"').check).toMatchObject({
      verdict: 'match',
      similarity: 0.9,
    });
    expect(
      checked('{"mode":"fuzzy"}', '{"$one_of":[["abcdefghij","dog"],["abcdefghix","cat"]]}', '["abcdefghix","cat"]')
        .check,
    ).toMatchObject({ verdict: 'match', similarity: 1 });
  });

  it('nothing when something else decided', () => {
    for (const [expected, actual] of [
      ['["abcdefghij"]', '[]'],
      ['["abcdefghij",1]', '["abcdefghix",2]'],
      ['"1"', '1'],
    ] as const) {
      expect(checked('{"mode":"fuzzy"}', expected, actual).check).not.toHaveProperty('similarity');
    }
    expect(checked('{"mode":"exact"}', '"cart"', '"cats"').check).not.toHaveProperty('threshold');
    expect(checked('{"mode":"numeric_tolerance"}', '1', '1e400').check).not.toHaveProperty('distance');
  });

  it('rounded so that a value below the threshold never reads as equal to it', () => {
    expect(checked('{"mode":"semantic"}', '"cat"', '"dog"', 0.8499).told).toContain('0.849 similar, 0.85 needed');
  });
});

describe('several calls are explained', () => {
  const told = (made: string[], more = '') => {
    const input = caseOf(
      `{"expected_calls":[{"tool":"f","params":{"n":1}},{"tool":"f","params":{"n":2}},{"tool":"g"}]${more}}`,
    );
    return explain(
      score(
        JSON.stringify(input),
        reply(
          ...made.map((one) => call(one.startsWith('g') ? 'g' : one.startsWith('s') ? 'search' : 'f', one.slice(1))),
        ),
      ),
      input,
    );
  };
  it('by their pairs if they are out of order', () => {
    expect(told(['f{"n":2}', 's{}', 'f{"n":1}', 'g{}'])).toEqual([
      'The right tools were called: "f", "f", "g".',
      'The 3rd call answers the 1st expected one, the 1st call the 2nd, the 4th call the 3rd.',
      'All expected arguments match.',
    ]);
    expect(told(['f{"n":2}', 'f{"n":1}'])).toContain(
      'The 2nd call answers the 1st expected one, the 1st call the 2nd.',
    );
  });
  it('without pairs if they are in order', () => {
    expect(told(['s{}', 'f{"n":1}', 'f{"n":2}', 'g{}'])).toEqual([
      'The right tools were called: "f", "f", "g".',
      'All expected arguments match.',
    ]);
  });
  it('by ten pairs and the number of the others', () => {
    const expected_calls = Array.from({ length: 23 }, (_, n) => ({ tool: 'f', params: { n } }));
    const input = caseOf(JSON.stringify({ expected_calls }));
    const [, order] = explain(
      score(
        JSON.stringify(input),
        reply(...expected_calls.toReversed().map(({ params }) => call('f', JSON.stringify(params)))),
      ),
      input,
    );
    expect(order).toMatch(
      new RegExp(
        '^The 23rd call answers the 1st expected one, the 22nd call the 2nd, the 21st call the 3rd, ' +
          '.*, the 14th call the 10th, and 13 more\\.$',
      ),
    );
  });
});

it('a verdict is explained in plain sentences', () => {
  const input = caseOf('{"expected_tool":"get_weather","expected_params":{"city":"Tokyo","units":"fahrenheit"}}');
  const verdict = prepareCase(input, tools, 1).score(parseReply(reply(call('get_weather', '{"city":"Kyoto"}')), tools));
  expect(explain(verdict, input)).toEqual([
    'The right tool was called: "get_weather".',
    'The argument city is "Kyoto", expected "Tokyo" (exact). The argument units is missing (expected "fahrenheit").',
  ]);
});
