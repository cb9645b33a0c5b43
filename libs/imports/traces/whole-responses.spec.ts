import { args, call, importGeneration, message, parameters, question, text, tools } from './testing/one-order.js';

const lcMessage = { type: 'ai', content: '', tool_calls: [{ name: 'find_order', args, id: 'c' }] };
const item = { type: 'function_call', call_id: 'c', name: 'find_order', arguments: text };
const candidate = { content: { role: 'model', parts: [{ functionCall: { name: 'find_order', args } }] } };
const toolUse = { type: 'tool_use', id: 't', name: 'find_order', input: args };
const sdkCall = { type: 'tool-call', toolCallId: 'c', toolName: 'find_order', input: text };
const stopped = (content: unknown, finish_reason = 'stop') => ({
  choices: [{ message: { role: 'assistant', content }, finish_reason }],
});
const dumped = (kwargs: object, kind = 'AIMessage') => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'schema', 'messages', kind],
  kwargs,
});

const leftOut = (reason: string) =>
  expect.stringContaining(`langfuse trace t observation one: left out, because ${reason}`);

describe('a recorded output that is more than a message', () => {
  test.each<[what: string, output: unknown]>([
    ['an answer of Gemini', { candidates: [{ ...candidate, finishReason: 'STOP' }] }],
    ['its text', JSON.stringify({ candidates: [candidate] })],
    ['its text, encoded twice', JSON.stringify(JSON.stringify({ candidates: [candidate] }))],
    ['an LLMResult', { generations: [[{ text: '', message: lcMessage }]] }],
    [
      'an LLMResult of dumped messages',
      { generations: [[{ text: '', message: dumped({ content: '', additional_kwargs: { tool_calls: [call] } }) }]] },
    ],
    ['a dumped message', dumped({ content: '', tool_calls: lcMessage.tool_calls })],
    ['a message under "data"', { type: 'ai', data: { content: '', tool_calls: lcMessage.tool_calls } }],
    ['a response', { object: 'response', status: 'completed', output: [{ type: 'reasoning', summary: [] }, item] }],
    ['the items of a response', [{ type: 'reasoning', summary: [] }, item]],
    ['one item', item],
    ['a choice', { index: 0, message, finish_reason: 'tool_calls' }],
    ['a list of choices', [{ index: 0, message, finish_reason: 'tool_calls' }]],
    ['the first of two choices', { choices: [{ message }, { message: { tool_calls: [call, call] } }] }],
    ['a text in one choice, the call in another', { choices: [{ message: { content: 'I look.' } }, { message }] }],
    ['a message of Anthropic', { type: 'message', role: 'assistant', content: [toolUse], stop_reason: 'tool_use' }],
    ['its blocks alone', [{ type: 'text', text: 'I look.' }, toolUse]],
    [
      'an answer of Bedrock',
      {
        output: { message: { role: 'assistant', content: [{ toolUse: { name: 'find_order', input: args } }] } },
        stopReason: 'tool_use',
      },
    ],
    ['a block of Bedrock', [{ toolUse: { toolUseId: 't', name: 'find_order', input: args } }]],
    [
      'an answer of Ollama',
      { message: { content: '', tool_calls: [{ function: { name: 'find_order', arguments: args } }] }, done: true },
    ],
    ['an answer of Cohere', { finish_reason: 'TOOL_CALL', message: { tool_plan: 'I look.', tool_calls: [call] } }],
    [
      'one of its first API',
      { text: 'I look.', generation_id: 'g', tool_calls: [{ name: 'find_order', parameters: args }] },
    ],
    ['a result of the AI SDK', { text: '', toolCalls: [sdkCall], finishReason: 'tool-calls' }],
    ['one with parts', { content: [sdkCall], finishReason: { unified: 'tool-calls', raw: 'tool_calls' } }],
    [
      'a message of PydanticAI',
      { kind: 'response', parts: [{ part_kind: 'tool-call', tool_name: 'find_order', args, tool_call_id: 'c' }] },
    ],
    ['an event of an ADK', { content: { role: 'model', parts: [{ function_call: { name: 'find_order', args } }] } }],
    ['calls alone', [call]],
    ...['response', 'output', 'message', 'result', 'data', 'completion'].map((key): [string, unknown] => [
      `a message under "${key}"`,
      { [key]: message },
    ]),
    ['a message in three wrappers', { data: { result: { output: JSON.stringify(message) } } }],
    ['a response of HTTP', { status_code: 200, body: JSON.stringify({ choices: [{ message }] }) }],
    ['a line of a batch', { custom_id: 'r', response: { status_code: 200, body: { choices: [{ message }] } } }],
    ['a list in a list', [[message]]],
    ['a state with the question', { messages: [question, message] }],
    ['a call in the text, as hosts leave it there', `<tool_call>{"name":"find_order","arguments":${text}}</tool_call>`],
    ['a call as JSON', JSON.stringify({ name: 'find_order', arguments: args })],
    ['calls on lines of their own', `I look.\n${JSON.stringify(item)}`],
  ])('%s is read', async (_what, output) => {
    const { made, warnings } = await importGeneration({ output });
    expect(warnings).not.toContain('left out');
    expect(made).toMatchObject({ expected_tool: 'find_order', expected_params: args, draft: true });
  });

  const chunk = (delta: object, finish_reason: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'c', function: { name: 'find_order', arguments: '{"ord' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: 'er_id":"7"}' } }] }),
    chunk({}, 'tool_calls'),
  ];
  const ofAnthropic = [
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: { ...toolUse, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"order_id"' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ':"7"}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ];
  const ofResponses = [
    { type: 'response.created', response: { status: 'in_progress' } },
    { type: 'response.completed', response: { object: 'response', status: 'completed', output: [item] } },
  ];
  const ofGemini = [
    { candidates: [{ content: { parts: [{ text: 'I' }] } }] },
    { candidates: [{ ...candidate, finishReason: 'STOP' }] },
  ];
  const ofOllama = [
    { message: { content: '', tool_calls: [{ function: { name: 'find_order', arguments: args } }] }, done: false },
    { message: { content: '' }, done: true, done_reason: 'stop' },
  ];
  test.each<[string, object[]]>([
    ['chat completions', chunks],
    ['Anthropic', ofAnthropic],
    ['Responses', ofResponses],
    ['Gemini', ofGemini],
    ['Ollama', ofOllama],
  ])('the chunks of a stream of %s are joined if its end is recorded', async (_whose, parts) => {
    const streamed = `${parts.map((part) => `data: ${JSON.stringify(part)}`).join('\n\n')}\n\ndata: [DONE]\n`;
    for (const output of [parts, streamed])
      expect((await importGeneration({ output })).made).toMatchObject({
        expected_tool: 'find_order',
        expected_params: args,
      });
    const begun = await importGeneration({ output: parts.length > 2 ? parts.slice(0, -1) : [parts[0], parts[0]] });
    expect(begun.made).toBeUndefined();
    expect(begun.warnings).toEqual(leftOut('its reply is a part of a streamed answer'));
  });

  test.each<[what: string, output: unknown]>([
    ['a text', 'Order 7 is on its way.'],
    ['a text that begins with a bracket', '[INST] hi'],
    ['a placeholder', '{name} is a placeholder'],
    ['a link', '[order 7](https://example.com)'],
    ['JSON and more', '{"a": 1} is an object.'],
    ['an answer in JSON', { city: 'Paris' }],
    ['its text', '{"city": "Paris"}'],
    ['one with a type', { type: 'refund', amount: 5 }],
    ['one with a name', { name: 'Bob', age: 3 }],
    ['one with choices that are texts', { choices: ['a', 'b'] }],
    ['one with a message that is a text', { message: 'Hello', status: 'ok' }],
    ['one with no calls', { answer: 'Hello', tool_calls: [] }],
    ['a list of JSON', [{ city: 'Paris' }, { city: 'Rome' }]],
    ['a completion under its name', { completion: 'Order 7 is on its way.' }],
    ['a call in thoughts alone', `<think>{"name":"find_order","arguments":${text}}</think>Hello`],
    [
      'a tool that the provider ran',
      {
        type: 'message',
        content: [
          { type: 'server_tool_use', name: 'web_search', input: {} },
          { type: 'text', text: 'Found.' },
        ],
      },
    ],
  ])('%s expects no call', async (_what, output) => {
    const { made, warnings } = await importGeneration({ output });
    expect(warnings).not.toContain('left out');
    expect(made).toMatchObject({ expected_tool: null });
  });

  test.each<[what: string, output: unknown, reason: string]>([
    ['broke off', stopped('Hel', 'error'), 'its reply failed or cannot be read: The host broke off'],
    ['was cut off', stopped('Hel', 'length'), 'its reply was cut off at its limit of tokens'],
    ['was cut off after a whole call', { choices: [{ message, finish_reason: 'length' }] }, 'its reply was cut off'],
    ['was cut off by Anthropic', { type: 'message', content: [], stop_reason: 'max_tokens' }, 'its reply was cut off'],
    ['is incomplete', { object: 'response', status: 'incomplete', output: [] }, 'its reply was cut off'],
    ['failed', { object: 'response', status: 'failed', output: [] }, 'its reply failed'],
    ['is an error', { error: { message: 'Slow down' } }, 'its reply failed or cannot be read: Slow down'],
    ['was filtered', stopped('', 'content_filter'), 'the model refused, or a filter took its reply'],
    ['is a refusal', { role: 'assistant', content: null, refusal: 'No.' }, 'the model refused'],
    ['was blocked', { promptFeedback: { blockReason: 'SAFETY' } }, 'its reply failed'],
    [
      'its host could not read',
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      'its host could not read',
    ],
    ['ended with calls that are not there', stopped('Hm', 'tool_calls'), 'its reply holds what looks like a call'],
    ['has no choice', { choices: [] }, 'its reply failed or cannot be read: "choices" is empty'],
    [
      'has calls that are a text',
      { choices: [{ message: { tool_calls: 'x' } }] },
      'its reply failed or cannot be read',
    ],
    [
      'has a call in a custom form',
      { output: [{ type: 'custom_tool_call', name: 'f', input: 'x' }] },
      'its reply has an unknown shape',
    ],
    [
      'has a call that LangChain could not read',
      { ...lcMessage, tool_calls: [], invalid_tool_calls: lcMessage.tool_calls },
      'its reply holds what looks like a call ("invalid_tool_calls")',
    ],
    [
      'has a misspelt call',
      { role: 'assistant', content: 'Hi', toolcalls: [call] },
      'its reply holds what looks like a call ("toolcalls")',
    ],
    ['is in an unknown wrapper', { mine: message }, 'its reply has an unknown shape ("mine"'],
    ['is in an unknown wrapper, as text', { mine: JSON.stringify(message) }, 'its reply has an unknown shape ("mine"'],
    ['is a run of an assistant', { object: 'thread.run', required_action: {} }, 'its reply has an unknown shape'],
    ['holds several steps', { text: '', toolCalls: [], steps: [{ toolCalls: [sdkCall] }, {}] }, 'its reply'],
    [
      'holds several generations',
      { generations: [[{ text: 'a' }], [{ text: 'b' }]] },
      'its reply failed or cannot be read: "generations" holds 2',
    ],
    [
      'is a conversation',
      [message, { role: 'tool', tool_call_id: 'c', content: '1' }, { role: 'assistant', content: 'Done' }],
      'its reply is a conversation of several turns',
    ],
    [
      'calls a tool that was not offered',
      '{"name":"other","arguments":{"a":1}}',
      'its reply is a call in its text of a tool',
    ],
    ['has half a call in its text', '<tool_call>{"name":"find_ord', 'the arguments of a call are not a JSON object'],
    ['only mentions a call marker in its text', 'I use <tool_call> now.', 'its reply has a call in its text'],
    [
      'is a whole answer in a message',
      { role: 'assistant', content: JSON.stringify({ candidates: [candidate] }) },
      'the text of its reply holds what looks like a call or an answer around one ("candidates")',
    ],
    [
      'has half a call in a message',
      { role: 'assistant', content: '{"tool_calls":[{"id' },
      'the text of its reply begins',
    ],
    [
      'has a call of an agent in its text',
      'Action: find_order\nAction Input: {}',
      'its reply has a call in its text ("Action',
    ],
    [
      'has calls in the XML of older Claudes',
      'I look.\n<function_calls>\n<invoke>\n<tool_name>find_order</tool_name>\n</invoke>\n</function_calls>',
      'its reply has a call in its text ("<function_calls>")',
    ],
    [
      'is a response with words before it',
      `Response: ${JSON.stringify({ choices: [{ message: { tool_calls: [sdkCall] } }] })}`,
      'the text of its reply holds what looks like a call or an answer around one ("choices")',
    ],
    [
      'was paused by Anthropic',
      {
        type: 'message',
        role: 'assistant',
        stop_reason: 'pause_turn',
        content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }],
      },
      'its reply failed or cannot be read: Its turn was paused',
    ],
    [
      'was cut off, in camel case',
      { choices: [{ message: { content: 'I' }, finishReason: 'length' }] },
      'its reply was cut',
    ],
    [
      'has calls of the page',
      { role: 'assistant', content: 'I', toolInvocations: [sdkCall] },
      'its reply holds what looks',
    ],
    [
      'is a part of one of an ADK',
      { content: { parts: [{ text: 'I' }] }, partial: true },
      'its reply failed or cannot be',
    ],
    ['is cut off', '{"tool_calls":[{"id":"c","func', 'its reply begins as JSON and breaks off after 30 characters'],
    ['is cut off in a text', '"{\\"tool_calls\\":[{\\"id\\"', 'its reply is JSON encoded twice, and breaks off'],
    ['is marked as truncated', 'The order is ...[truncated]', 'its reply is marked as truncated'],
    ['was too large for Langfuse', '<truncated due to size exceeding limit>', 'its reply is marked as truncated'],
    ['is a printed object', "ChatCompletion(id='x', choices=[Choice(...)])", 'its reply is a printed Python object'],
    ['is a printed dictionary', "{'role': 'assistant', 'tool_calls': []}", 'its reply is a printed Python object'],
    [
      'is a failed line of a batch',
      { custom_id: 'r', response: { status_code: 429, body: { error: { message: 'Slow' } } } },
      'its reply failed or cannot be read: Slow',
    ],
  ])('a reply that %s is left out with the reason', async (_what, output, reason) => {
    const { made, warnings } = await importGeneration({ output });
    expect(made).toBeUndefined();
    expect(warnings).toEqual(leftOut(reason));
  });

  it('of a failed call is left out with the message in Langfuse, and an empty one is counted', async () => {
    const failed = await importGeneration({ output: 'Half an ans', level: 'ERROR', statusMessage: 'Timeout' });
    expect(failed).toEqual({ made: undefined, warnings: leftOut('the call failed: Timeout') });
    for (const output of [null, '', [], {}, { role: 'assistant', content: null, tool_calls: null }]) {
      const empty = await importGeneration({ output });
      expect(empty.made).toBeUndefined();
      expect(empty.warnings).toContain('Model calls without a reply, left out: 1.');
    }
  });
});

describe('a recorded input that is a whole request', () => {
  const system = { role: 'system', content: 'Be brief.' };
  const declaration = {
    name: 'find_order',
    description: 'Find an order',
    parameters: { ...parameters, type: 'OBJECT', properties: { order_id: { type: 'STRING' } } },
  };
  test.each<[what: string, input: unknown]>([
    ['chat completions as text', JSON.stringify(JSON.stringify({ messages: [system, question], tools }))],
    [
      'Gemini',
      {
        contents: [{ parts: [{ text: question.content }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [declaration] }],
      },
    ],
    [
      "Gemini's SDK",
      {
        contents: question.content,
        config: { system_instruction: 'Be brief.', tools: [{ function_declarations: [declaration] }] },
      },
    ],
    [
      'Anthropic',
      {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [question],
        tools: [{ name: 'find_order', description: 'Find an order', input_schema: parameters }],
      },
    ],
    [
      'Responses',
      {
        instructions: 'Be brief.',
        input: [{ role: 'user', content: [{ type: 'input_text', text: question.content }] }],
        tools: [{ type: 'function', ...declaration, parameters }],
      },
    ],
    [
      'Bedrock',
      {
        system: [{ text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ text: question.content }] }],
        toolConfig: {
          tools: [{ toolSpec: { ...declaration, parameters: undefined, inputSchema: { json: parameters } } }],
        },
      },
    ],
    [
      'LangChain',
      {
        messages: [
          [dumped({ content: 'Be brief.' }, 'SystemMessage'), dumped({ content: question.content }, 'HumanMessage')],
        ],
        tools,
      },
    ],
    ['a decorated function', { args: [], kwargs: { messages: [system, question], tools } }],
    [
      'the AI SDK',
      { prompt: { system: 'Be brief.', messages: [question] }, tools: { find_order: { ...declaration, parameters } } },
    ],
  ])('of %s is read with its system prompt and its tools', async (_whose, input) => {
    const { made } = await importGeneration({ input, output: message });
    expect(made).toMatchObject({ messages: [system, question], expected_tool: 'find_order' });
    expect(made!.tools ?? tools).toEqual(tools);
  });

  it('of Responses has parallel calls in one message', async () => {
    const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: call_id });
    const input = [question, { ...item, call_id: 'a' }, { ...item, call_id: 'b' }, output('a'), output('b')];
    const { made } = await importGeneration({ input: { input }, output: 'Done' });
    expect(made).toBeUndefined();
    const again = await importGeneration({ input: { input, tools }, output: 'Done' });
    expect(again.made!.messages).toMatchObject([
      {},
      { tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool' },
      { role: 'tool' },
    ]);
  });

  test.each<[what: string, input: unknown, reason: string]>([
    ['is cut off', '[{"role":"user","content":"Where', 'the request begins as JSON and breaks off after 32'],
    ['is cut off within its body', '{"messages":[{"role":"us', 'the request begins as JSON and breaks off'],
    ['is a printed list', "[{'role': 'user', 'content': 'x'}]", 'the request is a printed Python object'],
    ['is a list of printed messages', "[HumanMessage(content='x')]", 'the request is a printed Python object'],
    ['was too large', '<truncated due to size exceeding limit>', 'the request is marked as truncated'],
    [
      'has a message that was',
      [{ role: 'user', content: 'Order ...[truncated]' }],
      'a message of the role "user" is marked',
    ],
    ['is any other object', { question: 'x' }, 'the request has an unknown shape (fields: "question")'],
    ['is one as text', '{"question":"x"}', 'the request has an unknown shape (fields: "question")'],
    [
      'continues a response that is elsewhere',
      { input: 'x', previous_response_id: 'r' },
      'a part of the request is not recorded ("previous_response_id")',
    ],
    ['refers to a cache', { contents: 'x', cachedContent: 'c' }, 'a part of the request is not recorded'],
    ['has two prompts', { messages: [question], input: 'x' }, 'the request is in several fields ("messages", "input")'],
    ['asks two conversations', [[question], [question]], 'it asks 2 conversations at once'],
    [
      'has tools that are cut off',
      { messages: [question], tools: '[{"type":"fun' },
      'the description of its tools begins',
    ],
    [
      'has a tool that is cut off',
      { messages: [question], tools: ['{"type":"fun'] },
      'the description of its tools begins',
    ],
    ['has content that is an object', [{ role: 'user', content: { a: 1 } }], 'a message has a part of the type'],
  ])('that %s is left out with the reason', async (_what, input, reason) => {
    const { made, warnings } = await importGeneration({ input, output: message });
    expect(made).toBeUndefined();
    expect(warnings).toEqual(leftOut(reason));
  });

  test.each([
    '[INST] hi [/INST]',
    '{name} is a placeholder',
    '[a link](https://x) is what?',
    '{"a": 1} as YAML',
    '{{x}}',
  ])('that is the text %j is the prompt', async (input) => {
    expect((await importGeneration({ input, output: message })).made).toMatchObject({ prompt: input });
  });
});
