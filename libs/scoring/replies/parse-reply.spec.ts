import { parseJson, type Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import fc from '../../../test/fast-check.js';
import { parseReply } from './parse-reply.js';

const TOOLS: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer' },
          exact: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['city'],
      },
    },
  },
  { type: 'function', function: { name: 'list_items', parameters: { type: 'object', properties: {} } } },
];
const read = (content: Json, more: object = {}) => parseReply({ role: 'assistant', content, ...more }, TOOLS);
const called = (content: Json, more: object = {}) =>
  read(content, more).calls.map((call) => [call.name, call.arguments]);

const ARGS = { city: 'Paris', days: 2 };
const JSON_ARGS = JSON.stringify(ARGS);
const OPENAI = JSON.stringify({ name: 'get_weather', arguments: ARGS });

/** The same call in the syntax of each model family. */
const WRITTEN: [syntax: string, text: string][] = [
  ['json', OPENAI],
  ['json', `I look.\n\`\`\`json\n${OPENAI}\n\`\`\``],
  ['json', `[${OPENAI}]`],
  [
    'json',
    JSON.stringify({ tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: JSON_ARGS } }] }),
  ],
  ['json', JSON.stringify({ type: 'function_call', name: 'get_weather', arguments: JSON_ARGS })],
  ['json', JSON.stringify({ tool: 'get_weather', arguments: ARGS })],
  ['json', JSON.stringify({ tool_name: 'get_weather', parameters: ARGS })],
  ['json', JSON.stringify({ function: 'get_weather', args: ARGS })],
  ['json', `functools[${OPENAI}]`],
  ['hermes', `<tool_call>\n${OPENAI}\n</tool_call>`],
  ['hermes', `I look.<tool_call>${OPENAI}`],
  ['hermes', `<functioncall> ${OPENAI} </functioncall>`],
  [
    'qwen',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n' +
      '</function>\n</tool_call>',
  ],
  ['qwen', '<function=get_weather><parameter=city>Paris</parameter><parameter=days>2</parameter></function>'],
  ['llama', `<function=get_weather>${JSON_ARGS}</function>`],
  ['llama', `<function=get_weather${JSON_ARGS}</function>`],
  ['llama', `<|python_tag|>{"name": "get_weather", "parameters": ${JSON_ARGS}}<|eom_id|>`],
  ['llama', `<|python_start|>[get_weather(city="Paris", days=2)]<|python_end|>`],
  ['pythonic', '[get_weather(city="Paris", days=2)]'],
  ['pythonic', "Sure: [get_weather(city='Paris', days=2)] It is."],
  ['pythonic', 'get_weather(city="Paris", days=2)'],
  ['pythonic', '```tool_code\nprint(default_api.get_weather(city="Paris", days=2))\n```'],
  ['mistral', `[TOOL_CALLS][${OPENAI}]`],
  ['mistral', `[TOOL_CALLS] [${OPENAI}]</s>`],
  ['mistral', `[TOOL_CALLS]get_weather[ARGS]${JSON_ARGS}`],
  ['mistral', `[TOOL_CALLS]get_weather[CALL_ID]abc123[ARGS]${JSON_ARGS}`],
  ['mistral', `[TOOL_CALLS]get_weather${JSON_ARGS}`],
  [
    'deepseek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n' +
      `\`\`\`json\n${JSON_ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  ['deepseek', `<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${JSON_ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`],
  [
    'invoke',
    '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather">' +
      '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>' +
      '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
  ],
  [
    'invoke',
    '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Paris</parameter>' +
      '<parameter name="days">2</parameter></invoke></minimax:tool_call>',
  ],
  [
    'kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
      `${JSON_ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'glm',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n' +
      '<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  ],
  ['glm', `get_weather\n${JSON_ARGS}`],
  [
    'harmony',
    `<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${JSON_ARGS}<|call|>`,
  ],
  [
    'harmony',
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.get_weather<|channel|>commentary json' +
      `<|message|>${JSON_ARGS}<|call|>`,
  ],
  ['harmony', `analysisHm.assistantcommentary to=functions.get_weather json${JSON_ARGS}`],
  ['gemma', '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>'],
  ['granite', `<|tool_call|>[${OPENAI}]`],
  [
    'cohere',
    `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${JSON_ARGS}}]<|END_ACTION|>`,
  ],
];

describe('a call that a host left in the text', () => {
  test.each(WRITTEN)('in the syntax %s is read as repaired: %s', (syntax, text) => {
    expect(read(text)).toMatchObject({
      syntax,
      format_compliance: 'repaired',
      calls: [{ name: 'get_weather', arguments: ARGS }],
    });
    expect(called([{ type: 'text', text }])).toEqual([['get_weather', ARGS]]);
  });

  const unmarked = WRITTEN.filter(([, text]) => !text.includes('analysis'));
  test.each(unmarked)('does not count within thoughts: %s %s', (_syntax, text) => {
    for (const thought of [
      `<think>${text}</think>Hello!`,
      `${text}</think>Hello!`,
      `[THINK]${text}[/THINK]`,
      `<thinking>${text}`,
    ]) {
      expect(read(thought)).toMatchObject({ calls: [], syntax: 'thoughts' });
    }
    expect(read('Hello!', { reasoning_content: text })).toMatchObject({ calls: [], syntax: 'thoughts' });
    expect(
      read([
        { type: 'thinking', thinking: text },
        { type: 'text', text: 'Hello!' },
      ]).calls,
    ).toEqual([]);
  });

  test.each(unmarked)('counts after thoughts: %s %s', (syntax, text) => {
    expect(read(`<think>Rome? No.</think>\n\n${text}`)).toMatchObject({ syntax, calls: [{ arguments: ARGS }] });
    expect(read(`Rome? No.</think>${text}`)).toMatchObject({ calls: [{ arguments: ARGS }] });
  });

  it('is one of several', () => {
    const rome = { city: 'Rome' };
    for (const text of [
      `<tool_call>${OPENAI}</tool_call><tool_call>{"name":"get_weather","arguments":{"city":"Rome"}}</tool_call>`,
      '[get_weather(city="Paris", days=2), get_weather(city="Rome")]',
      `[TOOL_CALLS]get_weather[ARGS]${JSON_ARGS}[TOOL_CALLS]get_weather[ARGS]{"city":"Rome"}`,
      `${OPENAI}; {"name":"get_weather","arguments":{"city":"Rome"}}`,
      `<function=get_weather>${JSON_ARGS}</function><function=get_weather><parameter=city>Rome</parameter></function>`,
    ])
      expect(called(text)).toEqual([
        ['get_weather', ARGS],
        ['get_weather', rome],
      ]);
  });

  it('has values of the declared types, and text for strings', () => {
    const text = (city: string, more = '') =>
      `<function=get_weather><parameter=city>${city}</parameter>${more}</function>`;
    expect(called(text('75001'))).toEqual([['get_weather', { city: '75001' }]]);
    expect(called(text('\nNew\nYork\n', '<parameter=exact>True</parameter><parameter=tags>["a"]</parameter>'))).toEqual(
      [['get_weather', { city: 'New\nYork', exact: true, tags: ['a'] }]],
    );
    expect(called(text('Paris', '<parameter=days>soon</parameter>'))).toEqual([
      ['get_weather', { city: 'Paris', days: 'soon' }],
    ]);
    expect(called('[get_weather(city="Pa\\"ris", days=-2.50, tags=["a", \'b\'], exact=None)]')).toEqual([
      ['get_weather', { city: 'Pa"ris', days: parseJson('-2.50'), tags: ['a', 'b'], exact: null }],
    ]);
  });

  it('may call a tool without arguments', () => {
    for (const text of [
      '<tool_call>{"name":"list_items"}</tool_call>',
      '{"name":"list_items"}',
      '<function=list_items></function>',
      '<tool_call>list_items</tool_call>',
      'list_items()',
      '[TOOL_CALLS]list_items[ARGS]{}',
      '<|tool_call>call:list_items{}<tool_call|>',
    ])
      expect(called(text)).toEqual([['list_items', {}]]);
  });

  it('is malformed if its markers show a call that cannot be parsed', () => {
    for (const text of [
      '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"</tool_call>',
      '[TOOL_CALLS]get_weather[ARGS]{"city": "Pa',
      '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": <|tool_call_end|>',
      '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city"<｜tool▁call▁end｜>',
      '<|channel|>commentary to=functions.get_weather<|message|>{"city": "Pa',
      '<function=get_weather>{"city": "Pa</function>',
    ])
      expect(read(text)).toMatchObject({
        format_compliance: 'malformed',
        calls: [{ name: 'get_weather', arguments: null }],
      });
  });

  it('may use the tool name sent to the model', () => {
    const names = { get_weather_b8affd: 'get_weather' };
    for (const text of [
      '[get_weather_b8affd(city="Paris", days=2)]',
      OPENAI.replace('get_weather', 'get_weather_b8affd'),
    ])
      expect(parseReply({ content: text }, TOOLS, { names }).calls).toMatchObject([
        { name: 'get_weather', arguments: ARGS },
      ]);
  });

  it('to a tool that was not offered counts only between markers', () => {
    const unknown = '{"name": "open_door", "arguments": {}}';
    expect(called(unknown)).toEqual([]);
    expect(called('open_door(a=1)')).toEqual([]);
    expect(called(`<tool_call>${unknown}</tool_call>`)).toEqual([['open_door', {}]]);
  });
});

describe('this is not a call:', () => {
  const definition = TOOLS[0]!.function;
  test.each<[string, string]>([
    ['a definition', JSON.stringify(definition)],
    ['a definition in a wrapper', JSON.stringify(TOOLS[0])],
    ['a list of tools', JSON.stringify(TOOLS)],
    [
      'names and descriptions',
      '[{"name": "get_weather", "description": "x"}, {"name": "list_items", "description": "y"}]',
    ],
    ['a list of names', '[{"name": "get_weather"}, {"name": "list_items"}]'],
    ['a tool of MCP', '{"name": "list_items", "description": "x", "inputSchema": {"type": "object"}}'],
    ['a tool of Anthropic', '{"name": "list_items", "input_schema": {"type": "object", "properties": {}}}'],
    [
      'a tool whose parameters are a schema',
      '{"name": "list_items", "parameters": {"type": "object", "properties": {}}}',
    ],
    ['tools between markers', `<tools>${JSON.stringify(definition)}</tools> Which one?`],
    ['a tool with the schemas of its arguments', '{"name": "get_weather", "parameters": {"city": {"type": "string"}}}'],
    ['a tool with the types of its arguments', '{"name": "get_weather", "parameters": {"city": "string"}}'],
    ['a tool with the names of its arguments', '{"name": "get_weather", "parameters": ["city"]}'],
    ['a status', '{"name": "list_items", "status": "ok", "data": []}'],
    ['a name without required arguments', 'I have {"name": "get_weather"}.'],
    ['an invented result', '{"name": "get_weather", "content": "Sunny"}'],
    ['a result with its call', '{"tool": "get_weather", "arguments": {"city": "Paris"}, "result": "Sunny"}'],
    ['a message of a tool', '{"role": "tool", "name": "list_items", "arguments": {}}'],
    ['a result between markers', `<tool_response>${OPENAI}</tool_response>`],
    ['a result of Mistral', `[TOOL_RESULTS]${OPENAI}[/TOOL_RESULTS]`],
    ['a mention of markers', 'Write <tool_call> and </tool_call>, or <function=name>, or [TOOL_CALLS].'],
    ['a call in prose', 'You can use get_weather(city) or [get_weather(city)] for it.'],
  ])('%s', (_what, text) => {
    expect(read(text)).toEqual({ calls: [], format_compliance: 'none' });
  });
});

describe('thoughts', () => {
  test.each([
    ['of gpt-oss', `<|channel|>analysis<|message|>${OPENAI}<|end|><|start|>assistant<|channel|>final<|message|>Hello!`],
    ['of gpt-oss, cut off', `<|channel|>analysis<|message|>${OPENAI}`],
    ['of gpt-oss without its tokens', `analysis${OPENAI}assistantfinalHello!`],
    ['of Kimi', `◁think▷${OPENAI}◁/think▷Hello!`],
    ['of Gemma', `<|channel>thought\n${OPENAI}<channel|>Hello!`],
    ['of Command A', `<|START_THINKING|>${OPENAI}<|END_THINKING|>Hello!`],
    ['without an end', `<think>${OPENAI} and then`],
    ['in capitals', `<THINK>${OPENAI}</THINK>`],
    ['of Granite', `Here is my thought process: ${OPENAI} Here is my response: Hello!`],
    ['of Apriel', `Here are my reasoning steps:\n${OPENAI}\n[BEGIN FINAL RESPONSE]\nHello!`],
  ])('%s hold no call', (_what, text) => {
    expect(read(text).calls).toEqual([]);
  });

  it('end at their end marker: the text after it is the reply', () => {
    expect(called(`<think>a</think>${OPENAI}</think>`)).toEqual([['get_weather', ARGS]]);
    expect(called(`<think>a</think>b<think>c</think>${OPENAI}`)).toEqual([['get_weather', ARGS]]);
  });

  it('are not read from an argument', () => {
    const args = { city: '<think>Paris</think>' };
    expect(called(JSON.stringify({ name: 'get_weather', arguments: args }))).toEqual([['get_weather', args]]);
  });

  test.each([
    [{ reasoning: OPENAI }],
    [{ thinking: OPENAI }],
    [{ reasoning_details: [{ type: 'reasoning.text', text: OPENAI }] }],
    [{ content_blocks: [{ type: 'thinking', thinking: OPENAI }] }],
    [{ output_items: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: OPENAI }] }] }],
    [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: OPENAI }] }] }],
    [{ content: [{ type: 'reasoning', text: OPENAI }] }],
  ])('in a field of the message are noted: %j', (more) => {
    expect(parseReply({ content: 'Hello!', ...more }, TOOLS)).toMatchObject({ calls: [], syntax: 'thoughts' });
  });
});

const PIECES = [
  ...new Set([
    ...WRITTEN.map(([, text]) => text),
    ...WRITTEN.flatMap(([, text]) => text.match(/<[^<>]*>|\[[A-Z_/]+\]|[{}"[\]()]/g) ?? []),
    '<think>',
    '</think>',
    '<|channel|>analysis<|message|>',
    '[get_weather(',
    'city="',
    "'",
    '\\',
    '\n',
    'Paris',
    '<tool_response>',
  ]),
];

test('parsing any text does not throw, and is deterministic', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const once = read(text);
      expect(read(text)).toEqual(once);
      expect(once.calls.every((call) => call.arguments !== null || call.raw !== undefined)).toBe(true);
    }),
  );
});

test.each(PIECES.filter((piece) => piece.length < 40))(
  'a long repetition of %j is parsed, or exceeds a bound',
  (piece) => {
    const text = piece.repeat(Math.floor(2 ** 17 / new TextEncoder().encode(piece).length));
    const reply = parseReply({ content: text }, TOOLS);
    expect(reply.calls.length).toBeLessThanOrEqual(1001);
  },
);
