import { importSuite } from '../import-suite.js';

const text = '{"order_id":"7"}';
const parameters = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
const tool = { type: 'function', function: { name: 'find_order', description: 'Find an order', parameters } };
const asked = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Where is order 7?' }] }]);
const calling = { type: 'tool_call', id: 'c', name: 'find_order', arguments: { order_id: '7' } };
const replied = (parts: object[], finish_reason?: string) =>
  JSON.stringify([{ role: 'assistant', parts, finish_reason }]);
const message = { role: 'assistant', tool_calls: [{ function: { name: 'find_order', arguments: text } }] };

/** In OpenTelemetry's conventions. */
const current: Record<string, unknown> = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.input.messages': asked,
  'gen_ai.output.messages': replied([calling], 'tool_call'),
  'gen_ai.tool.definitions': JSON.stringify([tool]),
};
const [input, output] = ['llm.input_messages', 'llm.output_messages'];
const made = `${output}.0.message.tool_calls.0.tool_call.function`;
/** In OpenInference's conventions, with an attribute for each field. */
const fields: Record<string, unknown> = {
  'openinference.span.kind': 'LLM',
  [`${input}.0.message.role`]: 'user',
  [`${input}.0.message.content`]: 'Where is order 7?',
  [`${output}.0.message.role`]: 'assistant',
  [`${made}.name`]: 'find_order',
  [`${made}.arguments`]: text,
  'llm.tools.0.tool.json_schema': JSON.stringify(tool),
};
const without = (attributes: Record<string, unknown>, ...prefixes: string[]) =>
  Object.fromEntries(Object.entries(attributes).filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix))));
const sdk = {
  'ai.operationId': 'ai.generateText.doGenerate',
  'ai.prompt.messages': '[{"role":"user","content":"Where is order 7?"}]',
  'ai.prompt.tools': [JSON.stringify({ type: 'function', name: 'find_order', inputSchema: parameters })],
};

const any = (value: unknown): object =>
  Array.isArray(value) ? { arrayValue: { values: value.map(any) } } : { stringValue: value };
const pairs = (attributes: object) => Object.entries(attributes).map(([key, value]) => ({ key, value: any(value) }));
type Event = [name: string, attributes: object];

/** Imports one span along with another that can always be read. */
async function importSpan(attributes: object, more: object = {}, events: Event[] = []) {
  const spans = [
    { traceId: 't', spanId: 'beside', attributes: pairs({ ...current, 'gen_ai.input.messages': 'Beside' }) },
    {
      traceId: 't',
      spanId: 'one',
      attributes: pairs(attributes),
      events: events.map(([name, inner]) => ({ name, attributes: pairs(inner) })),
      ...more,
    },
  ];
  const file = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const { suite, warnings } = await importSuite('otlp', file, undefined);
  return {
    made: suite.test_cases.find(({ source }) => source === 'otlp trace t span one'),
    warnings: warnings.join('\n'),
  };
}

async function expectLeftOut(reason: string, ...span: Parameters<typeof importSpan>) {
  const read = await importSpan(...span);
  expect(read.made).toBeUndefined();
  expect(read.warnings).toContain(`otlp trace t span one: left out, because ${reason}`);
}

describe('a span whose attributes a limit cut', () => {
  test.each([1, 2, 3, 20, 60])('after %i characters is left out with the attribute and the setting', async (length) => {
    for (const key of ['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.tool.definitions']) {
      const cut = { ...current, [key]: (current[key] as string).slice(0, length) };
      await expectLeftOut(`"${key}" begins as JSON and breaks off after ${length} characters. If a limit cut it,`, cut);
    }
    const { warnings } = await importSpan({ ...current, 'gen_ai.input.messages': asked.slice(0, length) });
    expect(warnings).toContain('raise OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT or OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT');
  });

  test.each<[what: string, attributes: object, place: string]>([
    [
      'a system prompt',
      { ...current, 'gen_ai.system_instructions': '[{"type":"text","con' },
      'gen_ai.system_instructions',
    ],
    [
      'with a mark at its end',
      { ...current, 'gen_ai.output.messages': '[{"role":"a...[truncated]' },
      'gen_ai.output.messages',
    ],
    [
      'a text in parts',
      { ...fields, [`${input}.0.message.content`]: '[{"type":"text","text":"Wh' },
      `${input}.0.message.content`,
    ],
    ['arguments', { ...fields, [`${made}.arguments`]: '{"order_' }, `${made}.arguments`],
    [
      'the schema of a tool',
      { ...fields, 'llm.tools.0.tool.json_schema': '{"type":"function","func' },
      'llm.tools.0.tool.json_schema',
    ],
    ['calls of the AI SDK', { ...sdk, 'ai.response.toolCalls': '[{"toolCallId":"c","toolN' }, 'ai.response.toolCalls'],
    [
      'a tool of the AI SDK',
      { ...sdk, 'ai.response.text': 'Hi', 'ai.prompt.tools': ['{"type":"fun'] },
      'ai.prompt.tools.0',
    ],
    ['a whole answer', { ...without(fields, output), 'output.value': '{"choices":[{"mess' }, 'output.value'],
    ['a whole request', { ...without(fields, input), 'input.value': '{"messages":[{"ro' }, 'input.value'],
  ])('in %s is left out', (_what, attributes, place) => expectLeftOut(`"${place}" `, attributes));

  it('in plain text is left out if others of exactly that length show the limit', async () => {
    const content = `${input}.0.message.content`;
    const plain = { ...fields, [content]: 'Where is order 7? '.repeat(6).slice(0, 100) };
    expect((await importSpan(plain)).made).toBeDefined();
    const whole = JSON.stringify({ messages: [{ role: 'user', content: 'Where is order 7? '.repeat(9) }] });
    await expectLeftOut(`"${content}" is as long as others that are cut off, 100 characters.`, {
      ...plain,
      'input.value': whole.slice(0, 100),
    });
    await expectLeftOut(`"${content}" is as long as others`, {
      ...plain,
      [`${input}.1.message.role`]: 'user',
      [`${input}.1.message.content`]: 'And where is order 8? '.repeat(6).slice(0, 100),
    });
  });

  it('in an event is left out', async () => {
    const asking: Event = ['gen_ai.user.message', { content: 'Where is order 7?' }];
    const choice: Event = ['gen_ai.choice', { message: JSON.stringify(message) }];
    const bare = { 'gen_ai.operation.name': 'chat' };
    expect((await importSpan(bare, {}, [asking, choice])).made).toMatchObject({ expected_tool: 'find_order' });
    const cut = 'an event of the span begins as JSON and breaks off after';
    await expectLeftOut(cut, bare, {}, [['gen_ai.user.message', { 'gen_ai.event.content': '{"content":"Wh' }], choice]);
    await expectLeftOut(cut, bare, {}, [asking, ['gen_ai.choice', { message: '{"role":"assistant","to' }]]);
    await expectLeftOut('1 events of its span were dropped', bare, { droppedEventsCount: 1 }, [asking, choice]);
  });

  it('in their number is left out', async () => {
    const raise = ': raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT';
    await expectLeftOut(`3 attributes of its span were dropped${raise}`, current, { droppedAttributesCount: 3 });
    expect((await importSpan(current, { droppedAttributesCount: 0 })).made).toBeDefined();
    const third = { [`${input}.2.message.role`]: 'user', [`${input}.2.message.content`]: 'x' };
    await expectLeftOut(`"${input}.1" is missing, and others after it are there${raise}`, { ...fields, ...third });
    await expectLeftOut(`"${input}.0" is missing`, { ...without(fields, input), ...third });
    await expectLeftOut('a call has no name', without(fields, `${made}.name`));
    for (const lost of [`${made}.arguments`, `${output}.0.message.tool_calls`]) {
      const { made: none, warnings } = await importSpan(without(fields, lost));
      expect(none).toBeUndefined();
      expect(warnings).toMatch(/without their content, left out: 1\./);
    }
  });

  test.each(['[INST] Where? [/INST]', '{name} is a placeholder', '[a link](https://x)', '{"a": 1} as YAML'])(
    'is not one with the text %j',
    async (said) => {
      const attributes = { ...fields, [`${input}.0.message.content`]: said };
      expect((await importSpan(attributes)).made).toMatchObject({ prompt: said, expected_tool: 'find_order' });
      expect((await importSpan({ ...current, 'gen_ai.input.messages': said })).made).toMatchObject({ prompt: said });
    },
  );
});

describe('a span with an incomplete reply', () => {
  const said = [{ type: 'text', content: 'I am' }];
  test.each<[how: string, attributes: object, more: object, reason: string]>([
    ['failed', current, { status: { code: 2, message: 'boom' } }, 'the call failed: boom'],
    ['failed with a message', current, { status: { code: 'STATUS_CODE_ERROR' } }, 'the call failed'],
    ['was cut off', { ...current, 'gen_ai.output.messages': replied(said, 'length') }, {}, 'its reply was cut off'],
    [
      'was cut off, as another attribute says',
      { ...current, 'gen_ai.output.messages': replied(said), 'gen_ai.response.finish_reasons': ['length'] },
      {},
      'its reply was cut off',
    ],
    [
      'was paused, as another attribute says',
      { ...current, 'gen_ai.output.messages': replied(said), 'gen_ai.response.finish_reasons': ['pause_turn'] },
      {},
      'its turn was paused',
    ],
    [
      'ended with calls that are missing',
      { ...current, 'gen_ai.output.messages': replied(said), 'gen_ai.response.finish_reasons': '["tool_calls"]' },
      {},
      'its reply ended with calls, and none is recorded',
    ],
    ['broke off', { ...current, 'gen_ai.output.messages': replied(said, 'error') }, {}, 'its reply failed'],
    [
      'of the AI SDK was cut off',
      { ...sdk, 'ai.response.text': 'I', 'ai.response.finishReason': 'length' },
      {},
      'its reply was cut off',
    ],
    [
      'of OpenLLMetry has calls that are missing',
      {
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'Hi',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.finish_reason': 'tool_calls',
        'gen_ai.completion.0.content': '',
        'llm.request.functions.0.name': 'find_order',
      },
      {},
      'its reply holds what looks like a call',
    ],
  ])('because it %s is left out', (_how, attributes, more, reason) => expectLeftOut(reason, attributes, more));

  it('is read from whole answers, from the first choice or the one with calls', async () => {
    const whole = { choices: [{ message, finish_reason: 'tool_calls' }] };
    const other = JSON.parse(replied([{ ...calling, arguments: { order_id: '8' } }]));
    const spans = [
      { ...without(fields, output), 'output.value': JSON.stringify(whole) },
      {
        ...without(fields, input, 'llm.tools'),
        'input.value': JSON.stringify({ messages: [{ role: 'user', content: 'x' }] }),
      },
      { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt': asked, 'gen_ai.completion': JSON.stringify(whole) },
      { ...current, 'gen_ai.output.messages': JSON.stringify([...JSON.parse(replied([calling])), ...other]) },
      {
        ...current,
        'gen_ai.output.messages': JSON.stringify([...JSON.parse(replied(said)), ...JSON.parse(replied([calling]))]),
      },
    ];
    for (const attributes of spans)
      expect((await importSpan(attributes)).made).toMatchObject({ expected_params: { order_id: '7' } });
    const spanOfChain = { 'openinference.span.kind': 'CHAIN', 'input.value': asked, 'output.value': 'x' };
    expect((await importSpan(spanOfChain)).warnings).toContain('not model calls, skipped: 1.');
  });

  it('of Phoenix is left out as well', async () => {
    const row = (id: string, attributes: object, more: object = {}) => ({
      span_kind: 'LLM',
      context: { trace_id: 't', span_id: id },
      attributes,
      ...more,
    });
    const cut = { ...fields, [`${made}.arguments`]: '{"order_' };
    const { suite, warnings } = await importSuite(
      'phoenix',
      JSON.stringify({
        spans: [row('a', fields), row('b', fields, { status_code: 'ERROR', status_message: 'boom' }), row('c', cut)],
      }),
      undefined,
    );
    expect(suite.test_cases).toMatchObject([{ source: 'phoenix trace t span a' }]);
    expect(warnings.slice(0, 2)).toEqual([
      'Line 1: phoenix trace t span b: left out, because the call failed: boom',
      expect.stringMatching(
        /^Line 1: phoenix trace t span c: left out, because ".*arguments" begins as JSON and breaks off/,
      ),
    ]);
  });
});
