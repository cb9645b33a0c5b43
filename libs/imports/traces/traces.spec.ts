import { importSuite } from '../import-suite.js';
import type { ImportFormat } from '#lib/contracts/import';

const read = (format: ImportFormat, body: unknown) => importSuite(format, body, undefined);
const lines = (...values: object[]) => values.map((value) => JSON.stringify(value)).join('\n');

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const system = { role: 'system', content: 'Be brief.' };
const question = { role: 'user', content: 'Weather in Paris?' };
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
};
const answered = { role: 'tool', tool_call_id: 'call_1', content: '{"c":21}' };
const tool = (parameters: object | undefined = weather) => ({
  type: 'function',
  function: { name: 'get_weather', description: 'Weather now', ...(parameters && { parameters }) },
});

/** A value in OTLP/JSON. */
const any = (value: unknown): object =>
  typeof value === 'string'
    ? { stringValue: value }
    : typeof value === 'number'
      ? { intValue: String(value) }
      : Array.isArray(value)
        ? { arrayValue: { values: value.map(any) } }
        : { kvlistValue: { values: pairs(value as object) } };
const pairs = (attributes: object) => Object.entries(attributes).map(([key, value]) => ({ key, value: any(value) }));
let spanNumber = 0;
const span = (attributes: object, events: { name: string; attributes: object }[] = []) => ({
  traceId: TRACE,
  spanId: `00f067aa0ba9${String(++spanNumber).padStart(4, '0')}`,
  name: 'chat gpt-4o',
  kind: 3,
  startTimeUnixNano: '1727698800000000000',
  attributes: pairs(attributes),
  events: events.map((event) => ({
    timeUnixNano: '1727698800000000000',
    name: event.name,
    attributes: pairs(event.attributes),
  })),
});
const otlp = (...spans: object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: pairs({ 'service.name': 'agent', 'deployment.secret': 'sk-secret' }) },
      scopeSpans: [{ scope: { name: 'otel' }, spans }],
    },
  ],
});
const draftOf = (first: object, n = spanNumber) => ({
  ...first,
  source: `otlp trace ${TRACE} span 00f067aa0ba9${String(n).padStart(4, '0')}`,
  draft: true,
});
beforeEach(() => void (spanNumber = 0));

/** From the examples of OpenTelemetry's GenAI conventions 1.37 and later ("Tool calls", content on attributes). */
const current = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'server.address': 'sk-secret.example',
  'gen_ai.usage.input_tokens': 52,
  'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be brief.' }]),
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] }]),
  'gen_ai.output.messages': JSON.stringify([
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Paris' } }],
      finish_reason: 'tool_calls',
    },
  ]),
  'gen_ai.tool.definitions': JSON.stringify([
    { type: 'function', name: 'get_weather', description: 'Weather now', parameters: weather },
  ]),
};
const expected = { expected_tool: 'get_weather', expected_params: { city: 'Paris' } };

describe('spans of OpenTelemetry', () => {
  it(
    'become drafts with the messages before a reply as the prompt and its calls as the proposal, ' +
      'each with its source',
    async () => {
      const answer = {
        ...current,
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] },
          {
            role: 'assistant',
            parts: [
              { type: 'reasoning', content: 'Hm.' },
              { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Paris' } },
            ],
          },
          { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { c: 21 } }] },
        ]),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: '21 degrees' }], finish_reason: 'stop' },
        ]),
      };
      const { suite, warnings } = await read(
        'otlp',
        JSON.stringify(
          otlp(
            span(current),
            span({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' }),
            span(answer),
            span({ ...current, 'gen_ai.operation.name': 'invoke_agent' }),
            span({ 'http.method': 'GET' }),
          ),
          null,
          2,
        ),
      );
      expect(suite.tools).toEqual([tool()]);
      expect(suite.test_cases).toEqual([
        draftOf({ name: 'Weather in Paris?', messages: [system, question], ...expected }, 1),
        draftOf(
          { name: 'Weather in Paris?, turn 2', messages: [system, question, called, answered], expected_tool: null },
          3,
        ),
      ]);
      expect(warnings).toEqual([
        'Spans that are not model calls, skipped: 3.',
        expect.stringMatching(/^All cases are drafts/),
      ]);
      expect(JSON.stringify(suite)).not.toContain('secret');
    },
  );

  it.each([
    ['one object', (spans: object[]) => otlp(...spans)],
    ['a list', (spans: object[]) => spans.map((one) => otlp(one))],
    [
      'a line for each export, as the collector writes them',
      (spans: object[]) => lines(...spans.map((one) => otlp(one))),
    ],
  ])('are read from %s', async (_what, file) => {
    const { suite } = await read(
      'otlp',
      file([span(current), span({ ...current, 'gen_ai.system_instructions': '[]' })]),
    );
    expect(suite.test_cases.map(({ messages, prompt }) => messages?.length ?? prompt)).toEqual([
      2,
      'Weather in Paris?',
    ]);
  });

  it(
    'with messages as structures rather than strings are read too, and those of ' + 'an SDK that serialises them',
    async () => {
      const structured = Object.fromEntries(
        Object.entries(current).map(([key, value]) => [
          key,
          typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : value,
        ]),
      );
      // The output of opentelemetry-sdk's ConsoleSpanExporter.
      const printed = {
        name: 'chat',
        context: { trace_id: '0xaa', span_id: '0xbb', trace_state: '[]' },
        kind: 'SpanKind.CLIENT',
        attributes: { ...current, 'gen_ai.system_instructions': '[]' },
        events: [],
      };
      const { suite } = await read('otlp', lines(otlp(span(structured)), printed));
      expect(suite.test_cases).toEqual([
        draftOf({ name: 'Weather in Paris?', messages: [system, question], ...expected }),
        {
          name: 'Weather in Paris?',
          prompt: 'Weather in Paris?',
          ...expected,
          source: 'otlp trace 0xaa span 0xbb',
          draft: true,
        },
      ]);
    },
  );

  // Conventions up to 1.36: azure-ai-inference puts events on the span, opentelemetry-instrumentation-openai-v2 into
  // logs.
  it('with messages in events of the span or in logs are read', async () => {
    const content = (value: object) => ({
      'gen_ai.system': 'az.ai.inference',
      'gen_ai.event.content': JSON.stringify(value),
    });
    const bare = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };
    const onSpan = span(bare, [
      { name: 'gen_ai.system.message', attributes: content({ role: 'system', content: 'Be brief.' }) },
      { name: 'gen_ai.user.message', attributes: content({ role: 'user', content: 'Weather in Paris?' }) },
      {
        name: 'gen_ai.choice',
        attributes: content({ message: { tool_calls: called.tool_calls }, finish_reason: 'tool_calls', index: 0 }),
      },
    ]);
    // Strands Agents writes Bedrock's blocks.
    const blocks = span(bare, [
      { name: 'gen_ai.user.message', attributes: { content: JSON.stringify([{ text: 'Weather in Rome?' }]) } },
      {
        name: 'gen_ai.choice',
        attributes: {
          finish_reason: 'tool_use',
          message: JSON.stringify([{ toolUse: { toolUseId: 't1', name: 'get_weather', input: { city: 'Rome' } } }]),
        },
      },
    ]);
    // Conventions 1.27.
    const oldest = span(bare, [
      {
        name: 'gen_ai.content.prompt',
        attributes: { 'gen_ai.prompt': JSON.stringify([{ role: 'user', content: 'Weather in Oslo?' }]) },
      },
      {
        name: 'gen_ai.content.completion',
        attributes: { 'gen_ai.completion': JSON.stringify([{ role: 'assistant', tool_calls: called.tool_calls }]) },
      },
    ]);
    const inLogs = span(bare);
    const record = (eventName: string, body: object) => ({
      timeUnixNano: '1',
      eventName,
      body: any(body),
      attributes: pairs({ 'gen_ai.system': 'openai' }),
      traceId: inLogs.traceId,
      spanId: inLogs.spanId,
    });
    const logs = {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                record('gen_ai.user.message', { content: 'Weather in Bonn?' }),
                record('gen_ai.choice', {
                  index: 0,
                  finish_reason: 'tool_calls',
                  message: { role: 'assistant', tool_calls: called.tool_calls },
                }),
              ],
            },
          ],
        },
      ],
    };
    const { suite, warnings } = await read(
      'otlp',
      lines(otlp(onSpan, blocks, oldest), logs, otlp(inLogs), otlp(onSpan)),
    );
    expect(suite.test_cases).toEqual([
      draftOf({ name: 'Weather in Paris?', messages: [system, question], ...expected }, 1),
      draftOf(
        {
          name: 'Weather in Rome?',
          prompt: 'Weather in Rome?',
          expected_tool: 'get_weather',
          expected_params: { city: 'Rome' },
        },
        2,
      ),
      draftOf({ name: 'Weather in Oslo?', prompt: 'Weather in Oslo?', ...expected }, 3),
      draftOf({ name: 'Weather in Bonn?', prompt: 'Weather in Bonn?', ...expected }, 4),
    ]);
    expect(warnings[0]).toMatch(/does not describe its tools: 1 is made of the calls in it.*guess/);
  });

  // From traceloop's openllmetry: opentelemetry-instrumentation-openai and -google-generativeai.
  it('of OpenLLMetry have an attribute for each field of a message', async () => {
    const attributes = {
      'llm.request.type': 'chat',
      'gen_ai.system': 'OpenAI',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be brief.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': '[{"type":"text","text":"Weather in Paris?"}]',
      'gen_ai.prompt.2.role': 'assistant',
      'gen_ai.prompt.2.tool_calls.0.id': 'call_1',
      'gen_ai.prompt.2.tool_calls.0.name': 'get_weather',
      'gen_ai.prompt.2.tool_calls.0.arguments': '{"city":"Paris"}',
      'gen_ai.prompt.3.role': 'tool',
      'gen_ai.prompt.3.tool_call_id': 'call_1',
      'gen_ai.prompt.3.content': '{"c":21}',
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [
          [`gen_ai.prompt.${n + 4}.role`, 'user'],
          [`gen_ai.prompt.${n + 4}.content`, `Number ${n}`],
        ]).flat(),
      ),
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.finish_reason': 'tool_calls',
      'gen_ai.completion.0.tool_calls.0.id': 'call_2',
      'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"city": "Rome", "days": 1.0}',
      'gen_ai.completion.0.tool_calls.1.name': 'get_weather',
      'gen_ai.completion.0.tool_calls.1.arguments': '{"city": "Oslo"}',
      'llm.request.functions.0.name': 'get_weather',
      'llm.request.functions.0.description': 'Weather now',
      'llm.request.functions.0.parameters': JSON.stringify(weather),
    };
    const { suite } = await read('otlp', otlp(span(attributes)));
    expect(suite.test_cases).toEqual([
      draftOf({
        name: 'Number 7',
        messages: [
          system,
          question,
          called,
          answered,
          ...Array.from({ length: 8 }, (_, n) => ({ role: 'user', content: `Number ${n}` })),
        ],
        expected_calls: [
          { tool: 'get_weather', params: { city: 'Rome', days: expect.anything() } },
          { tool: 'get_weather', params: { city: 'Oslo' } },
        ],
        call_order: 'any',
      }),
    ]);
    expect(JSON.stringify(suite.test_cases[0])).toContain('"days":1.0');
    expect(suite.tools).toEqual([tool()]);
  });

  // vercel/ai with experimental_telemetry puts the call into an inner span.
  it('of the AI SDK are read from the inner call', async () => {
    const around = {
      'ai.operationId': 'ai.generateText',
      'ai.prompt': '{"prompt":"Weather in Paris?"}',
      'ai.response.toolCalls': '[]',
    };
    const call = {
      'ai.operationId': 'ai.generateText.doGenerate',
      'gen_ai.request.model': 'gpt-4o',
      'ai.prompt.messages': JSON.stringify([
        system,
        { role: 'user', content: [{ type: 'text', text: 'Weather in Paris?' }] },
      ]),
      'ai.prompt.tools': [
        JSON.stringify({ type: 'function', name: 'get_weather', description: 'Weather now', inputSchema: weather }),
      ],
      'ai.response.toolCalls': JSON.stringify([
        { toolCallType: 'function', toolCallId: 'x', toolName: 'get_weather', input: '{"city":"Paris"}' },
      ]),
    };
    const { suite, warnings } = await read(
      'otlp',
      otlp(span(call), span(around), span({ 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'get_weather' })),
    );
    expect(suite).toMatchObject({
      tools: [tool()],
      test_cases: [draftOf({ name: 'Weather in Paris?', messages: [system, question], ...expected }, 1)],
    });
    expect(warnings[0]).toBe('Spans that are not model calls, skipped: 2.');
  });

  it('without content do not become a case, and the message names the setting that records it', async () => {
    const bare = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };
    // azure-ai-inference without content recording.
    const emptied = [
      {
        name: 'gen_ai.choice',
        attributes: {
          'gen_ai.event.content':
            '{"finish_reason": "tool_calls", "index": 0, "message": {"tool_calls": [{"id": "call_1", ' +
            '"type": "function"}]}}',
        },
      },
    ];
    await expect(read('otlp', otlp(span(bare), span(bare, emptied)))).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(
        /^No case can be made .*: 2\. .*OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true/,
      ),
    });
    const { suite, warnings } = await read('otlp', otlp(span(bare), span(current)));
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/without their messages.*: 1\. .*TRACELOOP_TRACE_CONTENT=true/),
      expect.stringMatching(/drafts/),
    ]);
    await expect(read('otlp', { spans: [] })).rejects.toThrow(/holds no spans/);
  });

  it('with tools without recorded parameters have them inferred from the calls, with a warning', async () => {
    // By default, the conventions advise recording only the type and name of a tool.
    const named = {
      ...current,
      'gen_ai.tool.definitions': '[{"type":"function","name":"get_weather"},{"type":"function","name":"search"}]',
    };
    const { suite, warnings } = await read('otlp', otlp(span(named)));
    expect(suite.tools).toEqual([
      { type: 'function', function: { name: 'get_weather', parameters: weather } },
      { type: 'function', function: { name: 'search' } },
    ]);
    expect(warnings[0]).toMatch(/^Tools are recorded without their parameters: get_weather, search\./);
    const given = await read('otlp', { text: JSON.stringify(otlp(span(named))), tools: [tool()] });
    expect(given.suite.tools[0]).toEqual(tool());
    expect(given.warnings[0]).toMatch(/without their parameters: search\./);
  });

  it(
    'of the same conversation become one case, whatever the ids of its calls, and the ' +
      'warning counts them and their different answers',
    async () => {
      const asking = (id: string, city: string) => ({
        ...current,
        'gen_ai.input.messages': JSON.stringify([
          question,
          { ...called, tool_calls: [{ ...called.tool_calls[0], id }] },
          { ...answered, tool_call_id: id },
        ]),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'tool_call', id: `${id}b`, name: 'get_weather', arguments: { city } }] },
        ]),
      });
      const twice = span(asking('c', 'Rome'));
      const { suite, warnings } = await read(
        'otlp',
        otlp(span(asking('a', 'Rome')), span(asking('b', 'Oslo')), twice, twice),
      );
      expect(suite.test_cases).toMatchObject([
        { expected_params: { city: 'Rome' }, source: expect.stringMatching(/0002$/) },
      ]);
      expect(warnings[0]).toBe(
        'Model calls with the same conversation as an earlier one, folded into its case: 2 (1 of ' +
          'them were answered otherwise; the first answer is proposed).',
      );
    },
  );

  it('that cannot become a case are left out with their span and the reason', async () => {
    const replying = (parts: object[]) => ({
      ...current,
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
    });
    const { suite, warnings } = await read(
      'otlp',
      otlp(
        span(current),
        span({ ...current, 'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"blob","content":"AAAA"}]}]' }),
        span(replying([{ type: 'tool_call', name: 'get_weather', arguments: '{"city": ' }])),
        span({ ...replying([{ type: 'text', content: 'Hello' }]), 'gen_ai.tool.definitions': '[]' }),
        span({ ...current, 'gen_ai.output.messages': '[]' }),
        span(replying([{ type: 'tool_call', name: 'get_weather' }])),
      ),
    );
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Line 1: otlp trace .* span .*0002: left out, because a message has a part of the type "blob"/,
      ),
      expect.stringMatching(/span .*0003: left out, because the arguments of a call are not a JSON object/),
      expect.stringMatching(/^Model calls without their messages, .*: 1\./),
      expect.stringMatching(/answered with text and without a list of tools, left out: 1\.$/),
      'Model calls without a reply, left out: 1.',
      expect.stringMatching(/drafts/),
    ]);
  });
});

/** From arize's openinference-instrumentation-openai. */
const openInference = {
  'llm.input_messages.0.message.role': 'system',
  'llm.input_messages.0.message.content': 'Be brief.',
  'llm.input_messages.1.message.role': 'user',
  'llm.input_messages.1.message.contents.0.message_content.type': 'text',
  'llm.input_messages.1.message.contents.0.message_content.text': 'Weather in Paris?',
  'llm.output_messages.0.message.role': 'assistant',
  'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'call_1',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"city":"Paris"}',
  'llm.tools.0.tool.json_schema': JSON.stringify(tool()),
  'llm.model_name': 'gpt-4o',
  'input.value': 'sk-secret',
  'llm.token_count.total': 3,
};

describe('spans of OpenInference', () => {
  const made = (source: string) => ({
    name: 'Weather in Paris?',
    messages: [system, question],
    ...expected,
    source,
    draft: true,
  });

  it('are read from OTLP', async () => {
    const { suite, warnings } = await read(
      'otlp',
      otlp(
        span({ 'openinference.span.kind': 'LLM', ...openInference }),
        span({ 'openinference.span.kind': 'AGENT', ...openInference }),
      ),
    );
    expect(suite.test_cases).toEqual([made(`otlp trace ${TRACE} span 00f067aa0ba90001`)]);
    expect(suite.tools).toEqual([tool()]);
    expect(warnings[0]).toBe('Spans that are not model calls, skipped: 1.');
  });

  // Rows of phoenix.Client().get_spans_dataframe() hold lists of objects with dotted keys.
  const row = {
    name: 'ChatCompletion',
    span_kind: 'LLM',
    parent_id: null,
    'context.span_id': 'b',
    'context.trace_id': 'a',
    'attributes.input.value': 'sk-secret',
    'attributes.llm.prompts': null,
    'attributes.llm.input_messages': [
      { 'message.role': 'system', 'message.content': 'Be brief.' },
      {
        'message.role': 'user',
        'message.contents': [{ 'message_content.type': 'text', 'message_content.text': 'Weather in Paris?' }],
      },
    ],
    'attributes.llm.output_messages': [
      {
        'message.role': 'assistant',
        'message.tool_calls': [
          {
            'tool_call.id': 'call_1',
            'tool_call.function.name': 'get_weather',
            'tool_call.function.arguments': '{"city":"Paris"}',
          },
        ],
      },
    ],
    // Anthropic's schema alone, with its name in a separate field.
    'attributes.llm.tools': [
      { 'tool.name': 'get_weather', 'tool.description': 'Weather now', 'tool.json_schema': JSON.stringify(weather) },
    ],
  };
  const nested = {
    llm: {
      input_messages: [
        { message: { role: 'system', content: 'Be brief.' } },
        { message: { role: 'user', content: 'Weather in Paris?' } },
      ],
      output_messages: [
        {
          message: {
            role: 'assistant',
            tool_calls: [
              { tool_call: { id: 'call_1', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } } },
            ],
          },
        },
      ],
      tools: [
        {
          tool: {
            json_schema: JSON.stringify({ name: 'get_weather', description: 'Weather now', input_schema: weather }),
          },
        },
      ],
    },
  };
  const traced = { context: { trace_id: 'a', span_id: 'b' }, name: 'ChatCompletion', span_kind: 'LLM', events: [] };
  it.each([
    ['a data frame of records, one per line', lines(row, { ...row, span_kind: 'TOOL', 'context.span_id': 'c' })],
    [
      'a data frame by columns, as pandas writes it by default',
      JSON.stringify(
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [
            key,
            key === 'span_kind' ? { b: value, c: 'TOOL' } : { b: value, c: null },
          ]),
        ),
      ),
    ],
    [
      'a page of the API, its attributes by dotted names',
      JSON.stringify(
        {
          data: [
            { ...traced, attributes: openInference },
            { ...traced, span_kind: 'TOOL', attributes: {} },
          ],
          next_cursor: null,
        },
        null,
        1,
      ),
    ],
    [
      'a trace of the command line, its attributes nested',
      JSON.stringify([
        {
          traceId: 'a',
          spans: [
            { ...traced, attributes: nested },
            { ...traced, span_kind: 'TOOL', attributes: {} },
          ],
        },
      ]),
    ],
  ])('are read from Phoenix: %s', async (_what, file) => {
    const { suite, warnings } = await read('phoenix', file);
    expect(suite.test_cases).toEqual([made('phoenix trace a span b')]);
    expect(suite.tools).toEqual([tool()]);
    expect(warnings).toEqual(['Spans that are not model calls, skipped: 1.', expect.stringMatching(/drafts/)]);
    expect(JSON.stringify(suite)).not.toContain('secret');
  });

  it('with hidden texts do not become a case, and the message names the settings', async () => {
    const hidden = {
      ...traced,
      attributes: { ...openInference, 'llm.input_messages.1.message.contents.0.message_content.text': '__REDACTED__' },
    };
    await expect(read('phoenix', { data: [hidden] })).rejects.toThrow(/OPENINFERENCE_HIDE_INPUTS/);
    await expect(read('phoenix', '{"spans": []}')).rejects.toThrow(/holds no spans/);
  });
});

describe('observations of Langfuse', () => {
  const generation = {
    id: 'obs-1',
    traceId: 'trace-1',
    type: 'GENERATION',
    name: 'OpenAI-generation',
    metadata: { user: 'sk-secret' },
  };
  const made = {
    name: 'Weather in Paris?',
    messages: [system, question],
    ...expected,
    source: 'langfuse trace trace-1 observation obs-1',
    draft: true,
  };
  const input = { messages: [system, question], tools: [tool()] };

  it.each([
    // langfuse.openai: the request's messages and tools, and the reply's message.
    [
      'a page of the API',
      {
        data: [
          { ...generation, input, output: called },
          { id: 's', type: 'SPAN', input: 'x' },
        ],
        meta: { page: 1 },
      },
    ],
    [
      'a trace with its observations',
      {
        id: 'trace-1',
        name: 'agent',
        input: 'x',
        output: 'y',
        observations: [
          { ...generation, input, output: { choices: [{ message: called }] } },
          { id: 's', type: 'TOOL' },
        ],
      },
    ],
    // The columns of a blob export: snake case, JSON as text, definitions by tool name.
    [
      'the lines of a blob export',
      lines(
        {
          id: 'obs-1',
          trace_id: 'trace-1',
          type: 'GENERATION',
          input: JSON.stringify(input.messages),
          output: JSON.stringify(called),
          tool_definitions: {
            get_weather: JSON.stringify({ description: 'Weather now', parameters: JSON.stringify(weather) }),
          },
        },
        { id: 's', trace_id: 'trace-1', type: 'SPAN' },
      ),
    ],
    // langfuse.langchain: the tools are among the messages, and arguments are "args".
    [
      'what its handler for LangChain records',
      [
        {
          ...generation,
          input: [system, question, { role: 'tool', content: tool() }],
          output: {
            role: 'assistant',
            content: '',
            tool_calls: [{ name: 'get_weather', args: { city: 'Paris' }, id: 'call_1', type: 'tool_call' }],
            additional_kwargs: { refusal: null },
          },
        },
        { id: 's', type: 'CHAIN' },
      ],
    ],
  ])('are read from %s', async (_what, file) => {
    const { suite, warnings } = await read('langfuse', file);
    expect(suite.test_cases).toEqual([made]);
    expect(suite.tools).toEqual([tool()]);
    expect(warnings).toEqual([
      'Observations and traces that are not model calls, skipped: 1.',
      expect.stringMatching(/drafts/),
    ]);
    expect(JSON.stringify(suite)).not.toContain('secret');
  });

  it('of Anthropic and of the AI SDK are read with their parts', async () => {
    const anthropic = {
      ...generation,
      output: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't2', name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      input: {
        system: 'Be brief.',
        messages: [
          { role: 'user', content: 'Weather in Paris?' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } }],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: '{"c":21}' }] },
              { type: 'text', text: 'And Rome?' },
            ],
          },
        ],
        tools: [{ name: 'get_weather', description: 'Weather now', input_schema: weather }],
      },
    };
    const sdk = {
      ...generation,
      id: 'obs-2',
      output: {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'get_weather', input: { city: 'Bonn' } }],
      },
      input: [{ role: 'user', content: [{ type: 'text', text: 'Weather in Bonn?' }] }],
    };
    const { suite } = await read('langfuse', [anthropic, sdk]);
    expect(suite.test_cases).toMatchObject([
      {
        name: 'And Rome?',
        messages: [system, question, called, answered, { role: 'user', content: 'And Rome?' }],
        expected_params: { city: 'Rome' },
        tools: [tool()],
      },
      { prompt: 'Weather in Bonn?', expected_params: { city: 'Bonn' } },
    ]);
  });

  it('with calls without ids, as from Gemini, get generated ids', async () => {
    const input = [
      { role: 'user', content: 'Weather in Paris?' },
      { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: { city: 'Paris' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { c: 21 } } }] },
    ];
    const { suite } = await read('langfuse', [
      { ...generation, input: { messages: input, tools: [tool()] }, output: 'It has 21 degrees.' },
    ]);
    expect(suite.test_cases[0]).toMatchObject({ messages: [question, called, answered], expected_tool: null });
    const unasked = await read('langfuse', [
      { ...generation, input, output: called },
      { ...generation, input: input.slice(2), output: called },
    ]);
    expect(unasked.warnings[0]).toMatch(/^Line 2: .*left out, because a tool answers, but no call of it is recorded/);
  });

  it('without input do not become a case, and the message says how to export it', async () => {
    await expect(read('langfuse', [{ id: 'a', type: 'GENERATION' }])).rejects.toThrow(/: 1\. .*"fields=core,basic,io"/);
    await expect(read('langfuse', [{ id: 't', name: 'trace', input: [question], output: 'Sunny' }])).rejects.toThrow(
      /No case can be made .*not model calls, skipped: 1\./,
    );
    await expect(read('langfuse', '[]')).rejects.toThrow(/holds no observations/);
  });
});
