import fc from '../fast-check.js';
import { IMPORT_FORMATS, SUITE_EXPORT_FORMATS } from '#lib/contracts/values/suites';
import type { ImportFormat } from '#lib/contracts/import';
import { ProblemError } from '#lib/contracts/input/problem';
import { parseJson } from '#lib/contracts/json/json';
import { importSuite } from '#lib/imports/import-suite';
import { readConfigurations } from '#lib/imports/promptfoo/testing/agreement';
import { exportToText } from '#lib/imports/testing/export-to-text';

const read = (format: ImportFormat, body: unknown) => importSuite(format, body, undefined);

/** Valid files of each format, from which the random changes below start. */
const call = { function: { name: 'f', arguments: '{"a":1}' } };
const good: Record<ImportFormat, unknown> = {
  native: {
    name: 'n',
    tools: [{ function: { name: 'f' } }],
    test_cases: [{ prompt: 'p', expected_tool: 'f', expected_params: { a: { $one_of: [1] } } }],
  },
  yaml: { name: 'n', tools: [{ function: { name: 'f' } }], test_cases: [{ prompt: 'p', expected_tool: 'f' }] },
  jsonl: [
    { suite: { name: 'n' } },
    { prompt: 'p', expected_tool: 'f', expected_params: { a: { $one_of: [1] } }, mock_responses: { f: 1 } },
  ],
  csv: [],
  bfcl: [
    {
      id: 'simple_0',
      question: [[{ role: 'user', content: 'q' }]],
      function: [
        {
          name: 'f',
          parameters: { type: 'dict', properties: { a: { type: 'array', items: { type: 'dict' } } }, required: ['a'] },
        },
      ],
    },
    { id: 'simple_0', ground_truth: [{ f: { a: [[{ b: [1, ''] }], ''] } }] },
  ],
  'chat-logs': [
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'assistant', function_call: call.function },
      ],
      tools: [{ function: { name: 'f', parameters: { type: 'object' } } }],
    },
  ],
  otlp: {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: 't',
                spanId: 's',
                attributes: [
                  {
                    key: 'gen_ai.input.messages',
                    value: { stringValue: '[{"role":"user","parts":[{"type":"text","content":"q"}]}]' },
                  },
                  {
                    key: 'gen_ai.output.messages',
                    value: {
                      arrayValue: {
                        values: [
                          {
                            kvlistValue: {
                              values: [
                                { key: 'role', value: { stringValue: 'assistant' } },
                                { key: 'tool_calls', value: { stringValue: '[{"name":"f","arguments":{"a":1}}]' } },
                              ],
                            },
                          },
                        ],
                      },
                    },
                  },
                ],
                events: [{ name: 'gen_ai.choice', attributes: [] }],
              },
            ],
          },
        ],
      },
    ],
  },
  langfuse: {
    data: [
      {
        id: 'o',
        traceId: 't',
        type: 'GENERATION',
        input: { messages: [{ role: 'user', content: 'q' }], tools: [call] },
        output: { content: [{ type: 'tool_use', name: 'f', input: { a: 1 } }], tool_calls: [call] },
        metadata: { tools: [] },
      },
    ],
  },
  phoenix: {
    spans: [
      {
        span_kind: 'LLM',
        context: { trace_id: 't', span_id: 's' },
        'attributes.llm.tools': [{ 'tool.json_schema': '{"name":"f"}' }],
        attributes: {
          'llm.input_messages.0.message.role': 'user',
          'llm.input_messages.0.message.content': 'q',
          llm: { output_messages: [{ message: { role: 'assistant', tool_calls: [{ tool_call: call }] } }] },
        },
      },
    ],
  },
  promptfoo: {
    prompts: ['{{q}}'],
    providers: [{ config: { tools: [call] } }],
    defaultTest: { vars: { q: ['x'] }, assert: [{ type: 'tool-call-f1', value: ['f'] }] },
    tests: [{ assert: [{ type: 'trajectory:tool-args-match', value: { name: 'f', args: { a: 1 } } }] }],
  },
};

/** Returns the value with one of its parts replaced or removed. */
function changed(value: unknown, path: number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null || Object.keys(value).length === 0) return by;
  const keys = Object.keys(value);
  const key = keys[first % keys.length]!;
  const inner = changed((value as Record<string, unknown>)[key], rest, by);
  return Array.isArray(value)
    ? value.map((one, index) => (String(index) === key ? inner : one))
    : { ...value, [key]: inner };
}

const stranger = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    undefined,
    '__proto__',
    { __proto__: null },
    { toString: 1 },
    [{ toString: 1 }],
    parseJson('2.0'),
    { $one_of: [] },
    { $optional: { $optional: 1 } },
    [[[]]],
    '',
    '\u0000',
    1e308,
    ['f', 'f'],
    { type: 'dict', properties: null },
  ),
);

/** Valid files to change, for formats whose files have few of the constructs each. */
const files = (format: ImportFormat): unknown[] =>
  format === 'promptfoo' ? [good.promptfoo, ...readConfigurations().map(({ config }) => config)] : [good[format]];

it.each(IMPORT_FORMATS.filter((format) => format !== 'csv'))(
  'any change to a file of %s makes a suite, or is refused with a reason; every suite made can be exported',
  async (format) => {
    const file = fc.constantFrom(...files(format));
    await fc.assert(
      fc.asyncProperty(file, fc.array(fc.nat(5), { maxLength: 12 }), stranger, async (whole, path, by) => {
        const value = changed(whole, path, by);
        const body = Array.isArray(value)
          ? value.map((one) => JSON.stringify(one) ?? '').join('\n')
          : format === 'yaml' || format === 'promptfoo'
            ? JSON.stringify(value)
            : value;
        try {
          const { suite } = await read(format, body);
          for (const to of SUITE_EXPORT_FORMATS) await exportToText(suite, to);
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error;
        }
      }),
      {
        numRuns: 300,
        ...(format === 'promptfoo' && {
          examples: [[good.promptfoo, [2, 1, 0, 1, 0], { toString: 1 }]],
        }),
      },
    );
  },
);

it('200.0 is a status of a batch; an object with its own "toString" is neither a status nor a message', async () => {
  const line = (custom_id: string, code: string, message: string): unknown[] => [
    { custom_id, body: { messages: [{ role: 'user', content: custom_id }], tools: [call] } },
    parseJson(`{"custom_id": "${custom_id}", "response": {"status_code": ${code}, "body": ${message}}, "error": null}`),
  ];
  const answer = JSON.stringify({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] });
  const lines = [
    ...line('good', '200.0', answer),
    ...line('odd', '{"toString": 1}', answer),
    ...line('worse', '500.0', '{"error": {"message": {"toString": 1}}}'),
  ];
  const { suite, warnings } = await read('chat-logs', lines.map((one) => JSON.stringify(one)).join('\n'));
  expect(suite.test_cases).toMatchObject([{ name: 'good', expected_tool: 'f' }]);
  expect(warnings.slice(0, 2)).toEqual([
    expect.stringMatching(/"odd": left out/),
    expect.stringMatching(/"worse": left out/),
  ]);
});

it('any text is a CSV file or is refused with a reason', async () => {
  const cell = fc.oneof(
    fc.constantFrom('prompt', 'expected_tool', 'suite', '{}', '"', '""', '"x\ny"', "'=1", '\\N', 'null', '[1', ''),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell), { maxLength: 4 }),
      fc.constantFrom(',', ';', '\t'),
      async (rows, delimiter) => {
        const text = [
          'prompt,expected_tool,expected_params,tags,suite'.replaceAll(',', delimiter),
          ...rows.map((row) => row.join(delimiter)),
        ].join('\r\n');
        await read('csv', text).catch((error) => {
          if (!(error instanceof ProblemError)) throw error;
        });
      },
    ),
    { numRuns: 300 },
  );
});

describe('a trace written to keep the reader busy', () => {
  const spanOf = (attributes: [string, object][]) => ({
    resourceSpans: [
      {
        scopeSpans: [
          { spans: [{ traceId: 't', spanId: 's', attributes: attributes.map(([key, value]) => ({ key, value })) }] },
        ],
      },
    ],
  });
  const asked: [string, object] = ['gen_ai.input.messages', { stringValue: '[{"role":"user","content":"q"}]' }];
  const called: [string, object] = [
    'gen_ai.output.messages',
    { stringValue: '[{"role":"assistant","tool_calls":[{"name":"f","arguments":{}}]}]' },
  ];
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  it('with 100,000 attributes, a million dots per name, huge indices and deep nesting is read once', async () => {
    const many = Array.from({ length: 100_000 }, (_, n): [string, object] => [
      `gen_ai.prompt.${n * 10_000}.x`,
      { stringValue: 'x' },
    ]);
    const dots: [string, object] = [`gen_ai.${'a.'.repeat(1_000_000)}b`, { stringValue: 'x' }];
    const { suite } = await read(
      'otlp',
      spanOf([
        asked,
        called,
        ...many,
        dots,
        ['gen_ai.tool.definitions', { stringValue: deep }],
        ['llm.__proto__.x', { stringValue: 'x' }],
        ['gen_ai.__proto__', { kvlistValue: { values: [] } }],
      ]),
    );
    expect(suite.test_cases).toMatchObject([{ prompt: 'q', expected_tool: 'f' }]);
    const nested = ['input', 'output'].map((side): [string, object] => [
      `gen_ai.${side}.messages`,
      { stringValue: deep },
    ]);
    await expect(read('otlp', spanOf(nested))).rejects.toBeInstanceOf(ProblemError);
    await expect(read('langfuse', [{ id: 'o', type: 'GENERATION', input: deep, output: deep }])).rejects.toBeInstanceOf(
      ProblemError,
    );
    await expect(
      read(
        'phoenix',
        JSON.stringify({ span_kind: 'LLM', attributes: JSON.parse(`${'{"llm":'.repeat(2000)}1${'}'.repeat(2000)}`) }),
      ),
    ).rejects.toThrow(/deeper than 200 levels/);
  });

  it('with ids and questions of any length keeps no more of them than a case can hold', async () => {
    const span = {
      traceId: 't'.repeat(10_000),
      spanId: 's'.repeat(10_000),
      attributes: [asked, called].map(([key, value]) => ({ key, value })),
    };
    const { suite } = await read('otlp', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    expect(suite.test_cases[0]!.source!.length).toBeLessThanOrEqual(500);
    const long = await read('langfuse', [
      { id: 'o'.repeat(10_000), type: 'GENERATION', input: `${'x '.repeat(20_000)}`, output: { tool_calls: [call] } },
    ]);
    expect(long.suite.test_cases[0]!.name!.length).toBeLessThan(200);
  });

  it('with tens of thousands of tools, or of parameters in calls, is read or refused within its memory', async () => {
    const calling = (n: number, calls: object[]) => ({
      id: `o${n}`,
      type: 'GENERATION',
      input: `question ${n}`,
      output: { tool_calls: calls },
    });
    const many = await read(
      'langfuse',
      Array.from({ length: 1000 }, (_, n) =>
        calling(
          n,
          Array.from({ length: 20 }, (_one, k) => ({ name: `f${n}_${k}`, arguments: {} })),
        ),
      ),
    );
    expect(many.suite.tools).toHaveLength(128);
    expect(many.warnings.slice(-4, -1)).toEqual([
      expect.stringMatching(/^And \d+ more/),
      expect.stringMatching(/describe its tools: 20000 are made/),
      expect.stringMatching(/drafts/),
    ]);
    const wide = Array.from({ length: 20 }, (_, n) =>
      calling(n, [
        { name: 'f', arguments: Object.fromEntries(Array.from({ length: 2000 }, (_one, k) => [`p${n}_${k}`, 1])) },
      ]),
    );
    await expect(read('langfuse', wide)).rejects.toThrow(
      /none of its tools can be used\. The tool "f" is left out: it has 501 properties/,
    );
  });

  const request = {
    messages: [{ role: 'user', content: 'q' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  const many = <Value>(count: number, value: (n: number) => Value): Value[] =>
    Array.from({ length: count }, (_, n) => value(n));
  it.each<[what: string, output: () => unknown, reason: RegExp]>([
    ['brackets without end', () => '['.repeat(9 * 2 ** 20), /nests deeper than 200 levels, or breaks off/],
    ['objects without end', () => '{"a":'.repeat(1_200_000), /nests deeper than 200 levels, or breaks off/],
    [
      'JSON in a text in a text, on and on',
      () => many(14, String).reduce((inner) => JSON.stringify(inner), '[1]'),
      /breaks off or is nested too deeply/,
    ],
    ['events of no stream', () => 'data: {"a":\n'.repeat(600_000), /a part of a streamed answer/],
    [
      'a hundred thousand events',
      () => many(100_000, (index) => ({ type: 'content_block_delta', index })),
      /a part of a stream/,
    ],
    ['texts that break off', () => ({ a: many(400_000, () => '{"tool":') }), /an unknown shape \("a\[1000\]"/],
    ['eighty thousand calls', () => ({ tool_calls: many(80_000, () => call) }), /80,000 calls; more than 1,000/],
  ])('with %s as a reply is left out within seconds', async (_what, output, reason) => {
    const good = { id: 'g', type: 'GENERATION', input: 'q', output: { tool_calls: [call] } };
    const { suite, warnings } = await read('langfuse', [good, { ...good, id: 'o', input: request, output: output() }]);
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings[0]).toMatch(reason);
  });

  it('with many calls or choices in its history or its events is read in linear time', async () => {
    const input = [
      ...request.messages,
      ...many(60_000, (n) => ({ type: 'function_call', call_id: `${n}`, name: 'f', arguments: '{}' })),
    ];
    const long = await read('langfuse', [{ id: 'o', type: 'GENERATION', input, output: { tool_calls: [call] } }]);
    expect(long.suite.test_cases).toHaveLength(1);
    const choice = (message: object) => ({
      name: 'gen_ai.choice',
      attributes: [{ key: 'message', value: { stringValue: JSON.stringify(message) } }],
    });
    const events = [choice({ a: many(100_000, () => ({})) }), ...many(20_000, () => choice({ content: 'x' }))];
    const spans = [{ traceId: 't', spanId: 's', attributes: [], events }];
    await expect(read('otlp', { resourceSpans: [{ scopeSpans: [{ spans }] }] })).rejects.toBeInstanceOf(ProblemError);
  });
});

it('a batch with only one distinct id is refused with the reason', async () => {
  const line = (n: number) => ({ custom_id: 'x', body: { messages: [{ role: 'user', content: `${n}` }] } });
  await expect(
    read(
      'chat-logs',
      Array.from({ length: 60_000 }, (_, n) => line(n)),
    ),
  ).rejects.toThrow(/"x": left out, because several lines with this id say different things/);
});
