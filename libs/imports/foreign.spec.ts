import type { ImportFormat } from '#lib/contracts/import';
import { importSuite } from './import-suite.js';

const read = (format: ImportFormat, body: unknown) => importSuite(format, body, undefined);
const tool = (name: string, properties: object = {}) => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object', properties } },
});
const calling = (...calls: [string, string][]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([name, args], index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: args },
  })),
});
const user = (content: string) => ({ role: 'user', content });
const lines = (...values: object[]) => values.map((value) => JSON.stringify(value)).join('\n');

describe('chat logs', () => {
  it(
    'become a case for each assistant turn with calls: the messages before it are the prompt, ' +
      'and its calls are expected',
    async () => {
      const messages = [
        { role: 'system', content: 'S' },
        user('Weather?'),
        calling(['f', '{"n": 5.0}']),
        { role: 'tool', tool_call_id: 'c0', content: '7' },
        calling(['g', '{}'], ['f', '']),
        { role: 'assistant', content: 'Done' },
      ];
      const { suite, warnings } = await read(
        'chat-logs',
        lines(
          { id: 'chat-1', messages, tools: [tool('f', { n: {} }), tool('g')] },
          { messages: [user('Hi'), calling(['f', '{}'])], tools: [tool('f', { n: {} }), tool('g')] },
        ),
      );
      expect(warnings).toEqual([]);
      expect(suite.tools.map((one) => one.function.name)).toEqual(['f', 'g']);
      expect(suite.test_cases).toEqual([
        {
          name: 'chat-1 turn 1',
          messages: messages.slice(0, 2),
          expected_tool: 'f',
          expected_params: expect.anything(),
        },
        {
          name: 'chat-1 turn 2',
          messages: messages.slice(0, 4),
          expected_calls: [
            { tool: 'g', params: {} },
            { tool: 'f', params: {} },
          ],
          call_order: 'any',
        },
        { name: 'line 2', prompt: 'Hi', expected_tool: 'f', expected_params: {} },
      ]);
      expect(JSON.stringify(suite.test_cases[0]!.expected_params)).toBe('{"n":5.0}');
    },
  );

  it('with different tools keep them per case, and an undescribed tool ' + 'is inferred from its calls', async () => {
    const { suite, warnings } = await read(
      'chat-logs',
      lines(
        { messages: [user('a'), calling(['f', '{}'])], tools: [tool('f')] },
        { messages: [user('b'), calling(['h', '{"x": 1}'])], tools: [tool('g')] },
      ),
    );
    expect(suite.test_cases.map((input) => input.tools!.map((one: any) => one.function.name))).toEqual([
      ['f'],
      ['g', 'h'],
    ]);
    expect(suite.test_cases[1]!.tools![1]).toMatchObject({
      function: { parameters: { properties: { x: { type: 'integer' } }, required: ['x'] } },
    });
    expect(warnings).toEqual([expect.stringMatching(/^Line 2: "h" was called/)]);
  });

  it('of legacy requests, and of requests with their responses, are read too', async () => {
    const old = {
      messages: [
        user('a'),
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', function_call: { name: 'f', arguments: '{"again": true}' }, weight: 1 },
      ],
      functions: [tool('f').function],
    };
    const pair = {
      custom_id: 'r1',
      body: { messages: [user('b')], tools: [tool('f')] },
      response: { choices: [{ message: calling(['f', '{}']) }] },
    };
    const { suite } = await read('chat-logs', lines(old, pair));
    expect(suite.test_cases).toMatchObject([
      { prompt: 'a' },
      {
        messages: [{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }],
        expected_params: { again: true },
      },
      { name: 'r1', prompt: 'b', expected_tool: 'f' },
    ]);
  });

  it('expect recorded values with "$" keys literally, and allow arguments with such names', async () => {
    const { suite, warnings } = await read(
      'chat-logs',
      lines({
        messages: [user('c'), calling(['f', '{"filter": {"$regex": "x"}, "$top": 5, "n": [{"a": {"$any": 1}}]}'])],
      }),
    );
    expect(suite.test_cases).toMatchObject([
      {
        expected_params: {
          filter: { $literal: { $regex: 'x' } },
          $top: 5,
          n: { $literal: [{ a: { $any: 1 } }] },
        },
      },
    ]);
    expect(suite.tools[0]!.function.parameters).toMatchObject({
      properties: { filter: { type: 'object' }, $top: { type: 'integer' }, n: { type: 'array' } },
    });
    expect(warnings.filter((warning) => warning.includes('$'))).toEqual([]);
  });

  it('name the lines that are left out, and import nothing from a file that is not a log', async () => {
    const { suite, warnings } = await read(
      'chat-logs',
      lines(
        { messages: [user('a'), { role: 'assistant', content: 'no call' }] },
        { messages: [user('b'), calling(['f', '{broken'])] },
        { messages: [user('d'), calling(['f', '{}'])] },
      ),
    );
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Line 1: no assistant message/),
        expect.stringMatching(/^Line 2: message 2 .*cannot be read/),
      ]),
    );
    await expect(
      read('chat-logs', lines({ messages: [user('a'), calling(['f', '{}'])] }, { text: 'x' })),
    ).rejects.toThrow(/^Line 2 has no "messages"/);
    await expect(read('chat-logs', lines({ messages: [user('a')] }))).rejects.toThrow(
      /Nothing in the file can be imported. Line 1/,
    );
  });
});

const config = `
description: Weather checks
prompts:
  - 'Answer: {{question}}'
  - file://other.txt
providers:
  - id: openai:gpt-x
    config:
      tools:
        - type: function
          function: {name: get_weather, description: d, parameters: {type: object, properties: {city: {type: string}}}}
        - {name: search, description: s, input_schema: {type: object}}
defaultTest:
  assert:
    - type: is-valid-openai-tools-call
tests:
  - description: by name
    vars: {question: [Paris?, Rome?]}
    assert:
      - type: tool-call-f1
        value: get_weather, search
  - vars: {question: Code}
    assert:
      - type: javascript
        value: output[0].function.name === 'get_weather' && JSON.parse(output[0].function.arguments).city === 'Paris'
      - type: latency
        threshold: 100

  - vars: {question: Spans}
    assert:
      - {type: 'trajectory:tool-sequence', value: {steps: [search, get_weather]}}
      - {type: 'trajectory:tool-args-match', value: {name: get_weather, args: {n: 5.0}}}
  - vars: {question: Any}
  - vars: {other: x}
    assert: [{type: not-is-valid-openai-tools-call}]
`;

describe('a promptfoo configuration', () => {
  it('becomes a case for each test, prompt and value of a variable', async () => {
    const { suite, warnings } = await read('promptfoo', config);
    expect(suite).toMatchObject({
      name: 'Weather checks',
      tools: [{ function: { name: 'get_weather' } }, { function: { name: 'search', parameters: { type: 'object' } } }],
    });
    expect(suite.test_cases).toEqual([
      {
        name: 'by name',
        prompt: 'Answer: Paris?',
        expected_calls: [{ tool: 'get_weather' }, { tool: 'search' }],
        call_order: 'any',
      },
      {
        name: 'by name',
        prompt: 'Answer: Rome?',
        expected_calls: [{ tool: 'get_weather' }, { tool: 'search' }],
        call_order: 'any',
      },
      { prompt: 'Answer: Code', expected_tool: 'get_weather', expected_params: { city: 'Paris' } },
      {
        prompt: 'Answer: Spans',
        expected_calls: [{ tool: 'search' }, { tool: 'get_weather', params: expect.anything() }],
        call_order: 'strict',
      },
      { prompt: 'Answer: Any', expected_tool: ['get_weather', 'search'] },
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/"file:\/\/other.txt" is elsewhere/),
      expect.stringMatching(/^Line 22: the assertion "latency" is not converted/),
      expect.stringMatching(/^Line 34: test 5 asserts calls and the absence of calls at once/),
      expect.stringMatching(/^tool-call-f1 fails a reply/),
      'Line 29, /expected_calls/1/params/n: "get_weather" has no parameter "n". Its parameters: city.',
    ]);
    expect(JSON.stringify(suite.test_cases[3])).toContain('{"n":5.0}');
  });

  it('that asserts arguments with keys that begin with "$" expects them literally', async () => {
    const value = { name: 'f', args: { filter: { $gt: 1 }, city: 'Rome' } };
    const { suite } = await read('promptfoo', {
      prompts: ['{{q}}'],
      tests: [{ vars: { q: 'x' }, assert: [{ type: 'trajectory:tool-args-match', value }] }],
    });
    expect(suite.test_cases).toMatchObject([
      { expected_tool: 'f', expected_params: { filter: { $literal: { $gt: 1 } }, city: 'Rome' } },
    ]);
  });

  it('in JSON is read too, and the contents of other files are requested', async () => {
    const { suite } = await read('promptfoo', {
      prompts: ['{{q}}'],
      tests: [
        { vars: { q: 'x' }, assert: [{ type: 'not-is-valid-openai-tools-call' }] },
        { vars: { q: 'y' }, assert: [{ type: 'tool-call-f1', value: ['f'] }] },
      ],
    });
    expect(suite.test_cases).toEqual([
      { prompt: 'x', expected_tool: null },
      { prompt: 'y', expected_tool: 'f' },
    ]);
    await expect(read('promptfoo', 'prompts: [a]\ntests: file://tests.csv')).rejects.toThrow(
      /"file:\/\/tests.csv" names a file/,
    );
    await expect(read('promptfoo', 'prompts: file://a.txt\ntests: []')).rejects.toThrow(/no prompts of its own/);
  });
});

describe('a hostile promptfoo configuration', () => {
  const asserting = (assert: object[]) => ({ vars: { q: 'x' }, assert });
  const called = { type: 'tool-call-f1', value: ['f'] };
  const pattern = "JSON.parse(output[0].function.arguments)['";

  it(
    'is read in linear time: blanks after braces, braces after braces, and assertions ' + 'that restart repeatedly',
    async () => {
      const blanks = `{{${' '.repeat(200_000)}`;
      const braces = '{{'.repeat(100_000);
      const code = { type: 'javascript', value: pattern.repeat(20_000) };
      const { suite, warnings } = await read('promptfoo', {
        prompts: [blanks.slice(0, 40_000), braces.slice(0, 40_000), `${blanks}}}`, 'Ask {{q}}'],
        tests: [asserting([called, code])],
      });
      expect(suite.test_cases.map(({ prompt }) => prompt)).toEqual([
        blanks.slice(0, 40_000),
        braces.slice(0, 40_000),
        'Ask x',
      ]);
      expect(warnings).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/assertion "javascript" is not converted/),
          expect.stringMatching(/uses more of Nunjucks/),
        ]),
      );
    },
  );

  it('fills in variables, with dashes and filters, and leaves out a prompt that ' + 'grows without bound', async () => {
    const prompts = ['{{- q -}}|{{q|trim}}|{{ n | dump }}|{{o.a}}', '{{ q', '{{q}}'.repeat(100)];
    const { suite, warnings } = await read('promptfoo', {
      prompts,
      tests: [{ vars: { q: 'Q'.repeat(20_000), n: 5, o: { a: 'deep' } }, assert: [called] }],
    });
    const [first, second, ...others] = suite.test_cases.map(({ prompt }) => prompt);
    expect(first).toBe(`${'Q'.repeat(20_000)}|${'Q'.repeat(20_000)}|5|deep`);
    expect([second, ...others]).toEqual(['{{ q']);
    expect(warnings).toEqual([
      expect.stringMatching(/more than 1000000 characters with its variables/),
      ...Array.from({ length: 3 }, () => expect.anything()),
    ]);
  });
});

describe('the native format', () => {
  it('names the wrong field and its case before anything is created', async () => {
    await expect(
      read('native', {
        name: 'n',
        tools: [tool('f')],
        test_cases: [
          { prompt: 'p', expected_tool: 'f' },
          { prompt: 'p', expected_tool: 'g' },
        ],
      }),
    ).rejects.toMatchObject({ status: 422, errors: [{ path: '/test_cases/1/expected_tool' }] });
    await expect(read('native', '[1')).rejects.toMatchObject({ status: 400 });
    await expect(read('native', { test_cases: 5 })).rejects.toMatchObject({ status: 400 });
  });
});
