import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json';
import type { Tool } from '#lib/contracts/tool';
import { checkCase } from './check-case.js';
import { explain } from './explain.js';
import { readReply } from './read-reply.js';
import { prepareCase } from './score-case.js';

const tools: Tool[] = ['get_weather', 'search', 'f', 'g'].map((name) => ({
  type: 'function', function: { name, parameters: { type: 'object', properties: { lang: { type: 'string', default: 'en' } } } as never },
}));
const call = (name: string, args: string) => ({ type: 'function', function: { name, arguments: args } });
const reply = (...calls: ReturnType<typeof call>[]): JsonObject => ({ role: 'assistant', content: null, tool_calls: calls as never });
const caseOf = (text: string): CaseInput => ({ prompt: 'p', ...(parseJson(text) as object) }) as CaseInput;
const score = (input: string, message: unknown, threshold = 1) => prepareCase(caseOf(input), tools, threshold).score(readReply(message, tools));

describe('the examples that decide', () => {
  it.each([
    ['{"expected_tool":"get_weather","expected_params":{"city":"Paris"}}', reply(call('GET_WEATHER', '{"city":"paris","units":"c"}')), 1, 1, 1, true, 'none'],
    ['{"expected_tool":"get_weather","expected_params":{"city":"Tokyo","units":"fahrenheit"}}', reply(call('get_weather', '{"city":"Tokyo"}')), 1, 0.5, 0.8, false, 'missing_argument'],
    ['{"expected_tool":"get_weather","expected_params":{"city":"Paris"}}', reply(call('search', '{"city":"Paris"}')), 0, 0, 0, false, 'wrong_tool'],
    ['{"expected_tool":"get_weather","expected_params":{}}', reply(), 0, 0, 0, false, 'no_call'],
    ['{"expected_tool":"get_weather","expected_params":null}', reply(call('get_weather', '{"city": ')), 1, null, 1, false, 'malformed_arguments'],
    ['{"expected_tool":"get_weather"}', reply(call('get_weather', '{}'), call('search', '{}')), 1, null, 1, true, 'none'],
    ['{"expected_tool":"get_weather","allow_extra_calls":false}', reply(call('get_weather', '{}'), call('search', '{}')), 1, null, 1, false, 'extra_call'],
    ['{"expected_tool":null}', reply(), 1, null, 1, true, 'none'],
    ['{"expected_tool":null}', reply(call('search', '{}')), 0, null, 0, false, 'unexpected_call'],
    ['{"expected_tool":"f","expected_params":{"a":1,"b":{"$optional":2}}}', reply(call('f', '{"a":9}')), 1, 0, 0.6, false, 'wrong_argument'],
    ['{"expected_tool":"f","expected_params":{"n":5}}', reply(call('f', '{"n":"5"}')), 1, 0, 0.6, false, 'wrong_argument'],
    ['{"expected_tool":"f","expected_params":{"n":5}}', reply(call('f', '{"n":5.0}')), 1, 1, 1, true, 'none'],
    ['{"expected_tool":"f","expected_params":{"on":true}}', reply(call('f', '{"on":1}')), 1, 0, 0.6, false, 'wrong_argument'],
    ['{"expected_tool":"f","expected_params":{"o":{"x":"A"}}}', reply(call('f', '{"o":{"x":"a"}}')), 1, 1, 1, true, 'none'],
    ['{"expected_tool":"f","expected_params":{"o":{"x":1}}}', reply(call('f', '{"o":{"x":1,"y":2}}')), 1, 0, 0.6, false, 'wrong_argument'],
    ['{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"f","params":{"a":2}}]}', reply(call('f', '{"a":2}'), call('f', '{"a":1}')), 1, 1, 1, true, 'none'],
    ['{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"f","params":{"a":2}}],"call_order":"strict"}', reply(call('f', '{"a":2}'), call('f', '{"a":1}')), 1, 0, 0.6, false, 'wrong_argument'],
    ['{"expected_calls":[{"tool":"f","params":{"a":1}},{"tool":"g","params":{}}],"call_order":"strict"}', reply(call('g', '{}'), call('f', '{"a":1}')), 0.5, 0.5, 0.5, false, 'incomplete_chain'],
  ] as const)('%s against %j', (input, message, tool_score, param_score, overall, passed, error_type) => {
    expect(score(input, message)).toMatchObject({ tool_score, param_score, overall, passed, error_type });
  });
});

describe('an argument is compared', () => {
  const param = (rule: string, expected: string, actual: string) =>
    score(`{"expected_tool":"f","expected_params":{"v":${expected}},${rule}}`, reply(call('f', `{"v":${actual}}`))).param_score;
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
    expect(score('{"expected_tool":"f","expected_params":{"lang":"en"},"scoring_config":{"defaults":"strict"}}', missing).param_score).toBe(0);
    expect(score('{"expected_tool":"f","expected_params":{"lang":{"$absent":true}}}', reply(call('f', '{"lang":"en"}'))).param_score).toBe(1);
  });

  it('in linear time by a pattern that would take a backtracking engine for ever', () => {
    expect(param('"param_scoring":"regex"', '"^(a+)+$"', `"${'a'.repeat(100_000)}b"`)).toBe(0);
  });
});

describe('a reply is read', () => {
  const read = (message: unknown) => readReply(message, tools);
  it.each([
    ['native', reply(call('f', '{"a":1}')), { name: 'f', arguments: { a: 1 } }],
    ['native', { function_call: { name: 'f', arguments: '' } }, { name: 'f', arguments: {} }],
    ['native', reply(call('f', { a: 1 } as never)), { name: 'f', arguments: { a: 1 } }],
    ['repaired', reply(call('f', '"{\\"a\\":1}"')), { name: 'f', arguments: { a: 1 } }],
    ['repaired', reply(call('{"name":"f","parameters":"{\\"a\\":1}"}', '')), { name: 'f', arguments: { a: 1 } }],
    ['repaired', { content: 'Sure:\n```json\n{"name":"f","arguments":{"a":1}}\n```' }, { name: 'f', arguments: { a: 1 } }],
    ['malformed', reply(call('f', '[1]')), { name: 'f', arguments: null, raw: '[1]' }],
  ])('as %s: %j', (compliance, message, wanted) => {
    expect(read(message)).toMatchObject({ format_compliance: compliance, calls: [wanted] });
  });
  it('with the own names of tools for those that its model was told, in its text and stuffed into a name', () => {
    const names = { f_1: 'f', constructor_1: 'g' };
    const called = (message: unknown) => readReply(message, tools, { names }).calls.map((one) => one.name);
    expect(called({ content: '{"name":"f_1","arguments":{"a":"f_1"}} {"name":"f","arguments":{}} {"name":"constructor","arguments":{}}' })).toEqual(['f', 'f']);
    expect(called(reply(call('{"name":"constructor_1","parameters":{}}', '')))).toEqual(['g']);
    expect(readReply({ content: '{"name":"f_1","arguments":{"a":"f_1"}}' }, tools, { names }).calls[0]!.arguments).toEqual({ a: 'f_1' });
    expect(called(reply(call('f_1', '{}')))).toEqual(['f_1']);
    expect(readReply({ content: '{"name":"f_1","arguments":{}}' }, tools).calls).toEqual([]);
  });
  it('as no call when its prose holds JSON that names no tool of the suite', () => {
    expect(read({ content: 'An example: {"name":"Ada","arguments":{}}' })).toEqual({ calls: [], format_compliance: 'none' });
    expect(read({ content: null })).toEqual({ calls: [], format_compliance: 'none' });
  });
});

describe('a case is refused', () => {
  it.each([
    ['{"expected_tool":"weather"}', '/expected_tool', /No tool "weather" in the suite. Nearest of its tools, 4 in all: get_weather,/],
    ['{}', '/expected_tool', /missing/],
    ['{"expected_tool":[]}', '/expected_tool', /empty/],
    ['{"expected_tool":null,"should_call_tool":true}', '/should_call_tool', /null/],
    ['{"expected_tool":"f","should_call_tool":false}', '/should_call_tool', /false/],
    ['{"expected_tool":"f","expected_params":{"a":"("},"param_scoring":"regex"}', '/expected_params/a', /RE2/],
    ['{"expected_tool":"f","expected_params":{"a":{"$regex":"(?=x)"}}}', '/expected_params/a/$regex', /RE2/],
    ['{"expected_tool":"f","expected_params":{"a":{"$like":"x"}}}', '/expected_params/a/$like', /matcher/],
    ['{"expected_tool":"f","expected_params":{"a":[{"$optional":1}]}}', '/expected_params/a/0/$optional', /value of a key/],
  ])('%s', (input, path, message) => {
    expect(checkCase(caseOf(input), tools)).toEqual([{ path, message: expect.stringMatching(message) as string }]);
  });
});

it('a verdict is explained in plain sentences', () => {
  const input = caseOf('{"expected_tool":"get_weather","expected_params":{"city":"Tokyo","units":"fahrenheit"}}');
  const verdict = prepareCase(input, tools, 1).score(readReply(reply(call('get_weather', '{"city":"Kyoto"}')), tools));
  expect(explain(verdict, input)).toEqual([
    'The right tool was called: "get_weather".',
    'The argument city is "Kyoto", expected "Tokyo" (exact). The argument units is missing (expected "fahrenheit").',
  ]);
});
