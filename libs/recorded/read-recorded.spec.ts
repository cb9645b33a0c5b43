import { readAnthropicUsage, readOpenaiUsage } from '#lib/providers/replies/read-usage';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { readRecorded } from './read-recorded.js';

const args = { city: 'Paris', days: 2 };
const text = JSON.stringify(args);
const chatCall = { id: 'c', type: 'function', function: { name: 'weather', arguments: text } };
const chat = { role: 'assistant', content: null, tool_calls: [chatCall] };
const user = { role: 'user', content: 'Weather?' };
const human = { type: 'human', content: 'Weather?' };
const usage = { prompt_tokens: 7, completion_tokens: 3 };

/** The same call in the format of each tool. */
const SHAPES: [readAs: string, record: unknown, usage?: object][] = [
  ['toolmark.message', chat],
  ['toolmark.message', { tool_calls: [{ name: 'weather', arguments: args }] }],
  ['toolmark.message', { content: null, function_call: { name: 'weather', arguments: text } }],
  [
    'toolmark.message',
    { ...chat, refusal: null, annotations: [], audio: null, reasoning_content: 'Hm.', extra_content: {} },
  ],
  ['toolmark.message', `{"name": "weather", "arguments": ${text}}`],
  ['openai.messages', [user, chat]],
  ['openai.messages', { messages: [{ role: 'system', content: 's' }, user, chat] }],
  [
    'anthropic.messages',
    [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'weather', input: args }] }],
  ],
  [
    'langchain.messages',
    {
      messages: [
        human,
        {
          type: 'ai',
          content: '',
          tool_calls: [{ name: 'weather', args, id: 'c', type: 'tool_call' }],
          invalid_tool_calls: [],
          response_metadata: {},
        },
      ],
    },
  ],
  ['langchain.messages', [{ type: 'ai', data: { content: '', tool_calls: [{ name: 'weather', args, id: 'c' }] } }]],
  [
    'langchain.messages',
    [
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'messages', 'AIMessage'],
        kwargs: { content: '', additional_kwargs: { tool_calls: [chatCall] } },
      },
    ],
  ],
  [
    'langchain.messages',
    {
      type: 'ai',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c', name: 'weather', input: args },
      ],
    },
  ],
  [
    'openai.chat',
    {
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'tool_calls', message: chat }],
      usage: { ...usage, total_tokens: 10 },
    },
    usage,
  ],
  ['openai.chat', { choices: [{ message: { content: '', tool_calls: [{ name: 'weather', args }] } }] }],
  [
    'openai.responses',
    {
      object: 'response',
      status: 'completed',
      error: null,
      output: [
        { type: 'reasoning', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: text },
      ],
      usage: { input_tokens: 7, output_tokens: 3 },
    },
    usage,
  ],
  ['openai.responses', { output: [{ type: 'function_call', call_id: 'c', name: 'weather', arguments: text }] }],
  [
    'anthropic.messages',
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c', name: 'weather', input: args },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 7, output_tokens: 3 },
    },
    usage,
  ],
  [
    'anthropic.messages',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'weather', input: args }], model: 'm' },
  ],
  [
    'google.generate_content',
    {
      candidates: [
        { content: { role: 'model', parts: [{ functionCall: { name: 'weather', args } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
    },
    usage,
  ],
  [
    'inspect.sample',
    {
      id: 1,
      epoch: 1,
      input: 'Weather?',
      target: '',
      messages: [
        {
          role: 'assistant',
          content: 'Example.',
          source: 'input',
          tool_calls: [{ id: 'e', function: 'other', arguments: {} }],
        },
        user,
        {
          id: 'm',
          role: 'assistant',
          content: '',
          source: 'generate',
          model: 'm',
          tool_calls: [{ id: 'c', function: 'weather', arguments: args, type: 'function' }],
        },
      ],
      output: {
        model: 'm',
        choices: [{ message: { role: 'assistant', content: '' }, stop_reason: 'tool_calls' }],
        usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
      },
      scores: {},
      error: null,
    },
    usage,
  ],
  [
    'inspect.sample',
    {
      output: {
        choices: [
          {
            message: {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'c', function: 'weather', arguments: args }],
            },
          },
        ],
      },
    },
  ],
  [
    'deepeval.test_case',
    {
      name: 't',
      input: 'Weather?',
      actualOutput: 'Rain.',
      toolsCalled: [{ name: 'weather', type: 'FUNCTION', inputParameters: args, output: 'rain' }],
      expectedTools: [],
      success: true,
    },
  ],
  [
    'deepeval.test_case',
    {
      input: 'Weather?',
      actual_output: null,
      tools_called: [{ name: 'weather', input_parameters: args, description: null, reasoning: null, output: null }],
    },
  ],
  [
    'ragas.multi_turn_sample',
    {
      user_input: [human, { type: 'ai', content: '', tool_calls: [{ name: 'weather', args }] }],
      reference_tool_calls: [],
    },
  ],
  [
    'openai.chat',
    {
      id: 'b',
      custom_id: 'r',
      response: { status_code: 200, request_id: 'q', body: { choices: [{ message: chat }], usage } },
      error: null,
    },
    usage,
  ],
  [
    'openai.responses',
    {
      custom_id: 'r',
      response: {
        status_code: 200,
        body: JSON.stringify({ output: [{ type: 'function_call', name: 'weather', arguments: text }] }),
      },
    },
  ],
  [
    'anthropic.messages',
    {
      custom_id: 'r',
      result: {
        type: 'succeeded',
        message: { type: 'message', content: [{ type: 'tool_use', name: 'weather', input: args }] },
      },
    },
  ],
  [
    'google.generate_content',
    {
      key: 'r',
      response: { candidates: [{ content: { parts: [{ functionCall: { name: 'weather', args } }] } }] },
    },
  ],
  [
    'bedrock.converse',
    {
      output: { message: { role: 'assistant', content: [{ toolUse: { name: 'weather', input: args } }] } },
      stopReason: 'tool_use',
    },
  ],
  [
    'langchain.llm_result',
    { generations: [[{ text: '', message: { type: 'ai', content: '', tool_calls: [{ name: 'weather', args }] } }]] },
  ],
  [
    'ai_sdk.result',
    { text: '', toolCalls: [{ toolCallId: 'c', toolName: 'weather', input: args }], finishReason: 'tool-calls' },
  ],
  ['cohere.chat', { text: '', generation_id: 'g', tool_calls: [{ name: 'weather', parameters: args }] }],
  [
    'one_message',
    { message: { content: '', tool_calls: [{ function: { name: 'weather', arguments: args } }] }, done: true },
  ],
  ['agentevals.outputs', { outputs: [user, chat], reference_outputs: [] }],
  [
    'agentevals.outputs',
    { outputs: { messages: [human, { type: 'ai', content: '', tool_calls: [{ name: 'weather', args }] }] } },
  ],
];
const tools = [{ type: 'function' as const, function: { name: 'weather' } }];

test.each(SHAPES.map(([readAs, record, used]) => ({ readAs, record, used })))(
  '$readAs: $record has the same call',
  ({ readAs, record, used }) => {
    const read = readRecorded(parseJson(JSON.stringify(record)));
    expect(read.readAs).toBe(readAs);
    expect(read.usage).toEqual(used);
    expect(read.rounds.flatMap((round) => parseReply(round, tools).calls)).toMatchObject([
      { name: 'weather', arguments: args },
    ]);
  },
);

test('a conversation has a round for each assistant message', () => {
  const { rounds } = readRecorded([
    user,
    chat,
    { role: 'tool', content: 'rain' },
    { ...chat, content: 'again' },
    { role: 'user', content: 'Thanks' },
  ]);
  expect(rounds.map((round) => [round.content, round.role])).toEqual([
    [null, 'assistant'],
    ['again', 'assistant'],
  ]);
});

test('an empty reply, a refusal and other JSON are replies', () => {
  expect(readRecorded('{"choices": [{"city": "Paris"}], "output": []}').rounds).toHaveLength(1);
  expect(readRecorded({ content: null }).rounds).toEqual([{ content: null }]);
  expect(readRecorded({ choices: [{ message: { role: 'assistant' } }] }).rounds).toHaveLength(1);
  expect(readRecorded({ candidates: [{ finishReason: 'SAFETY' }] }).rounds).toEqual([
    { role: 'assistant', content: null, finish_reason: 'content_filter' },
  ]);
  expect(readRecorded({ object: 'response', status: 'incomplete', output: [] }).rounds).toHaveLength(1);
});

test('calls that another tool could not read stay malformed', () => {
  const inspect = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c', function: 'weather', arguments: {}, parse_error: 'Error parsing' }],
  };
  const langchain = {
    type: 'ai',
    content: '',
    tool_calls: [],
    invalid_tool_calls: [{ name: 'weather', args: '{"city": ', id: 'c', error: 'x', type: 'invalid_tool_call' }],
  };
  for (const message of [inspect, langchain]) {
    expect(parseReply(readRecorded([message]).rounds[0], tools)).toMatchObject({
      format_compliance: 'malformed',
      calls: [{ name: 'weather', arguments: null }],
    });
  }
});

test('numbers keep their text, and keys their order', () => {
  for (const record of [
    '{"type": "message", "content": [{"type": "tool_use", "name": "f", "input": {"b": 5.0, "2": ' +
      '12345678901234567890}}]}',
    '{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"b": 5.0, "2": ' +
      '12345678901234567890}}}]}}]}',
  ]) {
    const [call] = readRecorded(parseJson(record)).rounds[0]!.tool_calls as JsonObject[];
    expect((call!.function as JsonObject).arguments).toBe('{"b":5.0,"2":12345678901234567890}');
  }
});

test('any nesting is read, and left to scoring', () => {
  const deep = parseJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
  for (const record of [
    { type: 'message', content: [{ type: 'tool_use', name: 'f', input: deep }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: deep } }] } }] },
    { tool_calls: [{ name: 'f', args: deep }] },
  ]) {
    expect(parseReply(readRecorded(record).rounds[0], []).oversized).toMatchObject({ what: 'depth' });
  }
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'Nothing is recorded'],
  ['an empty object', {}, 'there is no reply'],
  ['an empty list', [], 'there is no reply'],
  ['a number', 5, 'none of the supported shapes: a chat message'],
  [
    'an unknown object',
    { foo: 1, bar: 2 },
    'It has the fields "foo", "bar", and matches none of the supported shapes: a chat message',
  ],
  ['an error', { error: { message: 'Rate limit', type: 'x' } }, 'It is an error, not a reply: Rate limit'],
  [
    'an error of Anthropic',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'not a reply: Overloaded',
  ],
  ['an error as text', { error: 'model not found' }, 'not a reply: model not found'],
  ['an error next to a reply', { choices: [{ message: chat }], error: { message: 'cut' } }, 'not a reply: cut'],
  [
    'an error in a choice',
    {
      choices: [
        { message: { role: 'assistant', content: '' }, finish_reason: 'error', error: { message: 'Upstream' } },
      ],
    },
    'failed while it answered: Upstream',
  ],
  [
    'a failed sample',
    { messages: [user], output: { choices: [] }, error: { message: 'Timeout', traceback: '...' } },
    'not a reply: Timeout',
  ],
  ['a completion without a choice', { choices: [] }, '"choices" is empty'],
  ['a completion with two', { choices: [{ message: chat }, { message: chat }] }, 'holds 2 replies'],
  ['a completion without a message', { choices: [{ text: 'x' }] }, 'holds no "message"'],
  ['calls that are not a list', { choices: [{ message: { tool_calls: 'weather' } }] }, 'must be a list of calls'],
  ['a prompt that was blocked', { promptFeedback: { blockReason: 'SAFETY' } }, 'The prompt was blocked: SAFETY'],
  ['a call that is not a string', { content: null, function_call: 'weather' }, 'function_call must be a call'],
  ...[
    { choices: [{ message: chat }] },
    { candidates: [{ content: {} }] },
    { object: 'response' },
    { type: 'message', content: [] },
  ].map((answer): [string, string, string] => [
    `the text ${JSON.stringify(answer).slice(0, 20)}`,
    JSON.stringify(answer),
    'send it as JSON',
  ]),
  ['invalid content', { content: { text: 'x' } }, 'content must be a string, a list of blocks, or null'],
  ['invalid content of a completion', { choices: [{ message: { content: {} } }] }, 'content must be a string'],
  ['a candidate without content', { candidates: [{ text: 'x' }] }, 'holds no "content"'],
  ['a message without a role', { messages: [{ content: 'x' }] }, 'messages[0] must be a message'],
  ['an assistant message without fields', [user, { role: 'assistant', text: 'x' }], 'holds neither "content" nor'],
  ['no candidates', { candidates: [] }, '"candidates" is empty'],
  ['a failed response', { object: 'response', status: 'failed', output: [] }, 'The response is "failed"'],
  ['an empty response', { output: [] }, '"output" is empty'],
  [
    'one item of a response',
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
    'Send the whole response',
  ],
  ['a chunk', { object: 'chat.completion.chunk', choices: [{ delta: {} }] }, 'chunk of a streamed answer'],
  ['chunks', [{ choices: [{ delta: { content: 'x' } }] }], 'chunk of a streamed answer'],
  ['an event of Anthropic', { type: 'content_block_delta' }, 'chunk of a streamed answer'],
  ['an event of OpenAI', { type: 'response.completed', response: {} }, 'chunk of a streamed answer'],
  ['the chunks of Gemini', [{ candidates: [] }], 'chunk of a streamed answer'],
  ['the text of a stream', 'data: {"choices": []}', 'chunk of a streamed answer'],
  ['a message of the user', user, 'of the role "user"'],
  ['a conversation without an answer', [user], 'It contains no assistant message'],
  ['a message without content', { role: 'assistant' }, 'neither "content" nor "tool_calls"'],
  ['an unknown field', { ...chat, finsh: 1 }, '"finsh" is not a field of a chat message. Nearest'],
  [
    'a misspelt field',
    { role: 'assistant', content: '', toolCalls: [] },
    '"toolCalls" is not a field of a chat message',
  ],
  [
    'a misspelt field in a conversation',
    [{ role: 'assistant', content: '', toolCalls: [] }],
    'its calls are its "tool_calls"',
  ],
  ['an invalid call', { tool_calls: ['weather'] }, 'tool_calls[0] must be an object'],
  ['a call without a name', { tool_calls: [{ arguments: {} }] }, 'tool_calls[0].name is missing'],
  [
    'an unknown field of a call',
    { tool_calls: [{ function: { name: 'f', argments: '{}' } }] },
    '"argments" is not a field of The message.tool_calls[0].function. Nearest of its fields',
  ],
  ['arguments twice', { tool_calls: [{ name: 'f', args: {}, arguments: {} }] }, 'arguments twice'],
  [
    'a call in an unsupported format',
    [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'f', input: {} }] }],
    'holds "toolName"',
  ],
  [
    'a type that is not a message',
    [{ type: 'constructor', kwargs: { type: 'toString', content: '' } }],
    'is of the type "toString"',
  ],
  ['an unknown role', [{ role: 'model', content: '' }], 'has the role "model"'],
  [
    'calls that DeepEval does not know',
    { input: 'x', tools_called: null },
    'must be a list of calls: nothing called is []',
  ],
  [
    'a failed line of a batch',
    { custom_id: 'r', response: { status_code: 429, body: { error: { message: 'Slow down' } } }, error: null },
    'failed while it answered: Slow down',
  ],
  [
    'an expired line of a batch',
    { custom_id: 'r', response: null, error: { code: 'batch_expired', message: 'Too late' } },
    'Too late',
  ],
  ['a canceled line of a batch', { custom_id: 'r', result: { type: 'canceled' } }, 'The request is "canceled"'],
  [
    'a request of a batch',
    { custom_id: 'r', method: 'POST', url: '/v1/chat/completions', body: { messages: [user] } },
    "its reply is in the batch's output file",
  ],
  ['a part of an answer of Ollama', { message: { content: 'I' }, done: false }, 'a part of a streamed answer'],
  ['several generations', { generations: [[{ text: 'a' }], [{ text: 'b' }]] }, 'holds 2 replies'],
  ['several steps', { text: '', toolCalls: [], steps: [{}, {}] }, 'holds 2 "steps"'],
  ['a whole log', { version: 2, samples: [] }, 'put each of its "samples" on a line'],
  ['a whole test run', { testCases: [] }, 'put each of its "testCases" on a line'],
])('%s is refused with the reason', (_what, record, reason) => {
  expect(() => readRecorded(record)).toThrow(reason);
});

it.each([
  [{ ...usage, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 } }],
  [{ input_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 3 }],
  [
    {
      input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 4 },
      output_tokens: 3,
    },
  ],
])('the cache and reasoning counts of a provider stay with a recorded reply: %j', (counted) => {
  const isAnthropic = 'input_tokens' in counted;
  const body = isAnthropic
    ? { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }
    : { choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] };
  const { usage: read } = readRecorded({ ...body, usage: counted } as never);
  expect(readOpenaiUsage(read as never)).toEqual(
    (isAnthropic ? readAnthropicUsage : readOpenaiUsage)(counted as never),
  );
});
