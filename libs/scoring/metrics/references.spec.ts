import { parseJson } from '#lib/contracts/json/json';
import { scoreMetric } from '../metrics.js';

// Cases that the vectors do not cover, taken from the sources of the references.

const promptfoo = (output: unknown) => scoreMetric('promptfoo_tool_call_f1', {}, { output, expected: ['a', 'b'] });
const json = (name: string): string => `[{"name":"${name}"}]`;

test.each<[string, string, string[]]>([
  ['on a line of its own', `Calling:\n  ${json('a')}  \nand\n${json('b')}`, ['a', 'b']],
  ['not next to prose', `Calling ${json('a')}\n${json('b')} now`, []],
  ['not inside a code fence', `\`\`\`json\n${json('a')}\n\`\`\`\n${json('b')}`, ['b']],
  ['not inside a fence that is never closed', `~~~\n${json('a')}\n\`\`\`\n${json('b')}`, []],
  ['after a fence inside of a list ends with the list', `- item\n  \`\`\`\n  ${json('a')}\n${json('b')}`, ['b']],
  ['not in a fence that begins as an item of a list', `1. ~~~\n   ${json('a')}\n   ~~~\n${json('b')}`, ['b']],
  ['after what only looks like a fence, four columns in', `\t\`\`\`\n${json('a')}`, ['a']],
  ['over several lines', '[\n  {"name":\n    "a"}\n]', ['a']],
  ['next to a bracket that is never closed', `{ oops\n${json('a')}`, ['a']],
  ['after an unmatched closing bracket', `]\n${json('a')}`, ['a']],
  ['inside of text that is not JSON', `{"calls":\n${json('a')}\n, oops}`, ['a']],
  ['not inside of JSON that is not a call', `{"calls":\n${json('a')}\n}`, []],
  [
    'with brackets in strings',
    '[{"name":"a","x":"}] \\"{"}]\nThen: "a string { that ends with its line\n[{"name":"b"}]',
    ['a', 'b'],
  ],
  ['with brackets that do not match', `[ }\n${json('b')}`, ['b']],
])('promptfoo reads JSON in a text %s', (_where, text, called) => {
  expect(promptfoo(text).called).toEqual(called);
});

test('promptfoo gives up on a text of brackets, at once', () => {
  expect(promptfoo('{'.repeat(70_000))).toMatchObject({ score: 0, pass: false });
  expect(promptfoo(`${'{x'.repeat(30_000)}${'}'.repeat(30_000)}`)).toMatchObject({ score: 0, pass: false });
});

test('promptfoo reads no name from a wrapper that is not an object', () => {
  expect(promptfoo({ functionCall: 'a', toolCall: { functionCalls: [{ name: 'b' }] } }).called).toEqual(['b']);
});

test.each<[string, unknown, string[]]>([
  ['a number', [1, 2.5], ['1', '2.5']],
  ['a number as it was written', parseJson('[1.0, 1e2]'), ['1', '100']],
  ['a list', [['a', 'b'], []], ['a,b']],
  ['null and true', [null, true], ['null', 'true']],
  ['an object', [{ name: 'a' }], ['[object Object]']],
  ['a text with a comma', ['a, b'], ['a, b']],
])("promptfoo takes JavaScript's text of %s in a list for the expected name", (_what, expected, names) => {
  const score = (output: string[]) =>
    scoreMetric('promptfoo_tool_call_f1', {}, { output: output.map((name) => ({ name })), expected }).score;
  expect([score(names), score(['x'])]).toEqual([1, 0]);
});

test('promptfoo reads a called name only from a string, and does not take a number for a wrapper', () => {
  expect(promptfoo([1, null, 'a', [{ name: 'a' }], { name: 1 }, { function: 'a' }, { name: 'b' }]).called).toEqual([
    'b',
  ]);
  expect(promptfoo(parseJson('[{"functionCall": 1.0, "name": "a"}, {"function": 1.0, "name": "b"}]')).called).toEqual([
    'a',
    'b',
  ]);
  expect(
    promptfoo(parseJson('{"functionCall": 1.0, "toolCall": {"functionCalls": [{"name": "b"}, 1.0]}}')).called,
  ).toEqual(['b']);
});

describe('BFCL names the error of an object', () => {
  const functions = [
    {
      name: 'f',
      parameters: {
        type: 'dict',
        properties: {
          d: { type: 'dict' },
          l: { type: 'array', items: { type: 'dict' } },
          t: { type: 'array', items: { type: 'string' } },
        },
        required: [],
      },
    },
  ];
  const check = (param: string, value: unknown, accepted: unknown) =>
    scoreMetric(
      'bfcl_ast',
      {},
      {
        category: 'simple',
        functions,
        model_output: [{ f: { [param]: value } }],
        possible_answer: [{ f: { [param]: accepted } }],
      },
    );
  test.each<[string, unknown, unknown[], string | undefined]>([
    ['whose value is wrong', { a: 9, b: 2 }, [{ a: [1], b: [2] }], 'value_error:dict_value'],
    ['that lacks a key, also where a value is wrong', { a: 9 }, [{ a: [1], b: [2] }], 'value_error:dict_key'],
    [
      'that lacks a key which may be left out, and has a wrong value',
      { a: 9 },
      [{ a: [1], b: [2, ''] }],
      'value_error:dict_value',
    ],
    ['that has another key, before a wrong value', { c: 1, a: 9 }, [{ a: [1] }], 'value_error:dict_key'],
    ['by the last acceptable one', { a: 9 }, [{ a: [1], b: [2] }, { a: [3] }], 'value_error:dict_value'],
    ['by the last that is not ""', { a: 9 }, [{ a: [1], b: [2] }, ''], 'value_error:dict_key'],
    ['where "" alone is acceptable', { a: 9 }, [''], 'dict_checker:unclear'],
    ['never, where one fits', { a: 3 }, [{ a: [1], b: [2] }, { a: [3] }], undefined],
  ])('%s', (_what, value, accepted, error_type) => {
    expect(check('d', value, accepted).error_type).toBe(error_type);
  });
  test.each<[string, unknown[], unknown[], string | undefined]>([
    ['the first wrong object', [{ a: 9 }, { x: 1 }], [[{ a: [1] }, { a: [1] }]], 'value_error:dict_value'],
    ['a missing key of it', [{ a: 9 }], [[{ a: [1], b: [2] }]], 'value_error:dict_key'],
    [
      'a count, where the last acceptable list has another one',
      [{ a: 9 }],
      [[{ a: [1] }], [{ a: [1] }, { a: [1] }]],
      'value_error:list_dict_count',
    ],
    [
      'the object, where the last list has as many',
      [{ a: 9 }],
      [[{ a: [1] }, { a: [1] }], [{ a: [1] }]],
      'value_error:dict_value',
    ],
    ['nothing, where the empty list meets ""', [], ['', [{ a: [1] }]], undefined],
  ])('in a list: %s', (_what, value, accepted, error_type) => {
    expect(check('l', value, accepted).error_type).toBe(error_type);
  });
  test('and reports unusable input where BFCL would crash', () => {
    expect(() => check('d', { a: 1 }, [{ a: [2] }, 'x'])).toThrow('BFCL expects an object, not "x".');
    expect(() => check('d', { a: 1 }, [{ a: 2 }])).toThrow('BFCL expects a list of acceptable values, not 2.');
    expect(() => check('d', { a: 1 }, { a: 1 })).toThrow('BFCL expects a list of acceptable values, not {"a":1}.');
    // It stops at the first wrong object of a list, but looks at all acceptable lists of plain values.
    expect(check('l', [{ a: 9 }, 'x'], [[{ a: [1] }, 5], ['x']]).error_type).toBe('value_error:list_dict_count');
    expect(check('l', [{ a: 9 }, { a: 1 }], [[{ a: [1] }, 5]]).error_type).toBe('value_error:dict_value');
    expect(() => check('t', ['a'], [['a'], 5])).toThrow('BFCL expects a list');
  });
});

test('agentevals matches calls to references in strict mode, and references to calls in the other modes', () => {
  const trajectory = (...args: object[]) => [
    { role: 'assistant', tool_calls: args.map((one) => ({ function: { name: 'f', arguments: JSON.stringify(one) } })) },
  ];
  const match = (mode: string, outputs: object[], references: object[]) =>
    scoreMetric(
      'agentevals_trajectory_match',
      { trajectory_match_mode: mode, tool_args_match_mode: 'superset' },
      { outputs: trajectory(...outputs), reference_outputs: trajectory(...references) },
    ).match;
  // The first call may match either reference, the second only the empty one.
  expect(match('strict', [{ x: 1 }, {}], [{}, { x: 1 }])).toBe(false);
  expect(match('superset', [{}, { x: 1 }], [{}, { x: 1 }])).toBe(true);
  expect(match('strict', [{}, { x: 1 }], [{ x: 1 }, {}])).toBe(true);
});

test('Axion explains its findings, in ordered mode too', () => {
  const explain = (options: object, called: string[], expected: string[]) =>
    scoreMetric('axion_tool_correctness', options, {
      called: called.map((name) => ({ name, arguments: { x: "it's" } })),
      expected: expected.map((name) => ({ name })),
    }).explanation;
  expect(explain({}, ['a', "it's"], ['a', 'b'])).toBe(
    "Correctly called: ['a']; Missing tools: ['b']; Unexpected tools: [\"it's\"]",
  );
  expect(explain({ strict_order: true }, ['b', 'a'], ['a', 'b'])).toBe(
    "At position 0 'a' was expected, and 'b' called.",
  );
  expect(explain({ strict_order: true, check_parameters: true }, ['a'], ['a'])).toBe(
    "At position 0 'a' was expected, and 'a' called with {'x': \"it's\"}.",
  );
  expect(explain({ strict_order: true }, ['a'], ['a', 'b'])).toBe('2 tools were expected, 1 were called.');
  expect(explain({}, ['a'], [])).toBe('No tools were expected, but 1 were called.');
});

test('DeepEval cannot compare a call without parameters, whatever its output', () => {
  const score = () =>
    scoreMetric(
      'deepeval_tool_correctness',
      { evaluation_params: ['INPUT_PARAMETERS', 'OUTPUT'] },
      {
        called: [{ name: 'f', input_parameters: { a: 1 }, output: 1 }],
        expected: [{ name: 'f', output: 2 }],
      },
    );
  expect(score).toThrow('DeepEval cannot compare');
});

test.each([
  ['{"b":1,"2":1,"1":1}', '{"b":1,"2":1,"1":1}', 1],
  ['{"2":1,"1":1}', '{"1":1,"2":1}', 0],
  ['{"1":0,"b":1,"1":1}', '{"1":1,"b":1}', 1],
  ['[{"\\"7\\":":1,"x":[],"10":{"3":1,"2":2.0}}]', '[{"\\"7\\":":1,"x":[],"10":{"3":1,"2":2.0}}]', 1],
  ['[0,{"10":{"3":1,"2":2}}]', '[0,{"10":{"2":2,"3":1}}]', 0],
])('Ragas accuracy compares objects in key order: %s with %s scores %d', (a, b, wanted) => {
  const input = parseJson(
    `{"called": [{"name": "f", "arguments": {"x": ${a}}}], "expected": [{"name": "f", "arguments": {"x": ${b}}}]}`,
  );
  expect(scoreMetric('ragas_tool_call_accuracy', {}, input).score).toBe(wanted);
});
