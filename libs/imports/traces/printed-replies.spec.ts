import { readRecorded } from '#lib/recorded/read-recorded';
import { importSuite } from '../import-suite.js';
import { args, importGeneration, message, question, text, tools } from './testing/one-order.js';

const importOne = (output: unknown, messages: object[] = [question]) =>
  importGeneration({ input: { messages, tools }, output });

/** Imports a chat span with attributes, along with another that can always be read. */
async function importSpan(attributes: object) {
  const asked = JSON.stringify([question]);
  const span = (spanId: string, given: object) => ({
    context: { trace_id: 't', span_id: spanId },
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.definitions': JSON.stringify(tools), ...given },
  });
  const spans = [
    span('beside', { 'gen_ai.input.messages': 'Beside', 'gen_ai.completion': JSON.stringify(message) }),
    span('one', { 'gen_ai.input.messages': asked, ...attributes }),
  ];
  const { suite, warnings } = await importSuite('otlp', spans.map((one) => JSON.stringify(one)).join('\n'), undefined);
  const made = suite.test_cases.find(({ source }) => source === 'otlp trace t span one');
  return { made, warnings: warnings.join('\n') };
}

const PRINTED: [language: string, text: string][] = [
  ['Pydantic', "id='x' choices=[Choice(finish_reason='tool_calls', message=Message(tool_calls=[]))]"],
  ['LangChain', "generations=[[ChatGeneration(text='', message=AIMessage(content=''))]] response_metadata={}"],
  ['protobuf', 'candidates {\n  content {\n    parts {\n      function_call {\n        name: "find_order"\n'],
  ['Gemini', 'response:\nGenerateContentResponse(\n  result=protos.GenerateContentResponse({"candidates": [{}]}))'],
  ['a stream', '<openai.Stream object at 0x7f12aa>'],
  ['a coroutine', '<coroutine object acompletion at 0x7f12aa>'],
  ['String() of JavaScript', '[object Object]'],
  ['console.log', "{\n  role: 'assistant',\n  content: null,\n  tool_calls: [ [Object] ]\n}"],
  ['a list of console.log', "[ { type: 'tool-call', toolName: 'find_order', args: [Object] } ]"],
  ['Ruby', '{:role=>"assistant", :content=>nil, :tool_calls=>[{:id=>"c"}]}'],
  ['Go', '&{ID:x Choices:[{Message:{Role:assistant ToolCalls:[{ID:c}]}}]}'],
  ['Rust', 'Response { choices: [Choice { message: Message { tool_calls: Some([]) } }] }'],
  ['Java', 'ChatResponse [generations=[AssistantMessage [toolCalls=[ToolCall[id=c, name=find_order]]]]]'],
  ['an object of Java', 'com.openai.models.ChatCompletion@1a2b3c'],
  ['C#', 'OpenAI.Chat.ChatCompletion'],
  ['a tuple', "('Let me look', [ToolCall(name='find_order')])"],
  ['LlamaIndex', 'assistant: None'],
];

describe('a reply that a program printed', () => {
  test.each(PRINTED)('of %s is left out in imports and refused in scoring', async (_language, printed) => {
    for (const output of [printed, { role: 'assistant', content: printed }, { output: printed }]) {
      const { made, warnings } = await importOne(output);
      expect(made).toBeUndefined();
      expect(warnings).toMatch(/observation one: left out, because .*(?:a printed object|a printed Python object)/);
    }
    expect(() => readRecorded(printed)).toThrow('It is a printed reply object: send its JSON');
  });

  test.each([
    "openai.RateLimitError: Error code: 429 - {'error': {'message': 'x'}}",
    'Traceback (most recent call last):\n  File "x", line 1',
    { statusCode: 500, message: 'Internal server error' },
    'Error: 429 You exceeded your current quota',
    'HTTP Error 429: Too Many Requests',
    '503 Server Error: Service Unavailable for url: https://api.example/v1',
    '429 Too Many Requests',
    '502 Bad Gateway',
    '500 Internal Server Error',
  ])('of a failure (%j) is left out', async (output) => {
    const { made, warnings } = await importOne(output);
    expect(made).toBeUndefined();
    expect(warnings).toContain('observation one: left out, because its reply failed or cannot be read');
  });

  test.each(['[object Object]', "[HumanMessage(content='x')]"])(
    'of a question (%s) is not a prompt',
    async (content) => {
      const { made, warnings } = await importOne(message, [{ role: 'user', content }]);
      expect(made).toBeUndefined();
      expect(warnings).toContain('a message of the role "user" is a printed object');
    },
  );

  test.each(['None', 'null', '[REDACTED]', '<redacted>', '***'])('as %s is not recorded', async (printed) => {
    const { made, warnings } = await importOne(printed);
    expect(made).toBeUndefined();
    expect(warnings).toMatch(/without their content, left out: 1\./);
  });

  test.each([
    'Set `tool_calls` to a list: `tool_calls=[...]`.',
    "status='shipped' eta='2024-01-01'",
    'Person(name="Ann", age=3)',
    '{ role: "admin" }',
    '.a { color: red }',
    '[Order 7](https://x) is shipped.',
    '[object Object] is what JavaScript prints.',
    'None of these orders are shipped.',
    'Error 7 means that the lid is open.',
    '404 Not Found means that no page is there.',
    '429',
    '500 Market Street',
    'Send {"name": "Ann", "age": 3} as the body.',
    '```js\nconst { role, content } = message;\n```',
    '{"answer":"It is shipped","tools_used":["find_order"]}',
    '{"action":"Final Answer","action_input":"It is shipped"}',
  ])('is not the answer %j', async (said) => {
    expect((await importOne({ role: 'assistant', content: said })).made).toMatchObject({ expected_tool: null });
    expect(readRecorded(said).rounds).toEqual([{ role: 'assistant', content: said }]);
  });
});

describe('a reply in the words of a library', () => {
  const functionCall = { name: 'find_order', args };
  const found = (finish_reason: unknown) => [
    { content: { role: 'model', parts: [{ text: null, function_call: functionCall, thought: null }] }, finish_reason },
  ];
  test.each<[what: string, output: unknown]>([
    ['calls of the AI SDK alone', [{ toolCallType: 'function', toolCallId: 'c', toolName: 'find_order', args: text }]],
    ['an answer as the Python SDK of Google dumps it', { candidates: found('FinishReason.STOP') }],
    ['one with numbers for reasons', { candidates: found(1) }],
    ['its content', found(1)[0]!.content],
  ])('that is %s is read', async (_what, output) => {
    expect((await importOne(output)).made).toMatchObject({ expected_tool: 'find_order', expected_params: args });
  });

  it('has no thoughts of the model in the conversation', async () => {
    const thinking = { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'Which one?' }] };
    const { made } = await importOne(message, [question, thinking, question]);
    expect(made?.messages).toEqual([question, { role: 'assistant', content: 'Which one?' }, question]);
  });

  const cut = (finish_reason: unknown) => ({
    candidates: [{ content: { parts: [{ text: 'It is' }] }, finish_reason }],
  });
  test.each<[what: string, output: unknown]>([
    ['calls that were already answered', { answer: 'It is shipped', tools_used: ['find_order'] }],
    ['runs of tools', { content: 'It is shipped', tools: [{ tool_call_id: 'c', tool_name: 'find_order' }] }],
    ['results of tools', { text: 'x', toolCalls: [], toolResults: [{ toolName: 'find_order' }], finishReason: 'stop' }],
    ['a call of LangChain4j', { type: 'AI', text: 'I look', toolExecutionRequests: [{ name: 'find_order' }] }],
    ['an action', { action: 'find_order', action_input: args }],
    ['an action in a fence', 'Thought: x\n```json\n{"action": "find_order", "action_input": "7"}\n```'],
    ['a step of DSPy', '[[ ## next_thought ## ]]\nx\n\n[[ ## next_tool_name ## ]]\nfind_order'],
    ['a part of a call', [{ type: 'function_call', status: 'in_progress', name: 'find_order', arguments: '' }]],
    ['a number of calls', { role: 'assistant', content: 'I look', tool_calls: 2 }],
    ['objects nested too deeply to print', { choices: ['[Object]'] }],
    ['a response in a fence', `\`\`\`json\n${JSON.stringify({ choices: [{ message }] })}\n\`\`\``],
    ['the reason of a call in an enum', { role: 'assistant', content: 'I', finish_reason: 'FinishReason.TOOL_CALLS' }],
    ['an end at its limit in an enum', cut('FinishReason.MAX_TOKENS')],
    ['an end at its limit as a number', cut(2)],
  ])('with %s is not read as a reply without calls', async (_what, output) => {
    const { made, warnings } = await importOne(output);
    expect(made).toBeUndefined();
    expect(warnings).toContain('langfuse trace t observation one: left out, because');
  });
});

describe('a span that records its reply', () => {
  const said = { 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': 'I look' };
  const whole = JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] });
  it('twice is read from the copy with calls', async () => {
    expect((await importSpan({ ...said, 'output.value': whole })).made).toMatchObject({ expected_params: args });
    const older = 'llm.output_messages.0.message';
    const name = { [`${older}.role`]: 'assistant', [`${older}.function_call_name`]: 'find_order' };
    const attributes = { ...said, ...name, [`${older}.function_call_arguments_json`]: text };
    expect((await importSpan(attributes)).made).toMatchObject({ expected_params: args });
  });

  it('next to the thoughts of the model is read without them', async () => {
    const thoughts = { 'gen_ai.completion.0.role': 'thinking', 'gen_ai.completion.0.content': 'Hm.' };
    const second = { 'gen_ai.completion.1.role': 'assistant', 'gen_ai.completion.1.content': 'Shipped' };
    expect((await importSpan({ ...thoughts, ...second })).made).toMatchObject({ expected_tool: null });
  });

  test.each([
    ['gen_ai.response.finish_reasons', ['FinishReason.TOOL_CALLS']],
    ['gen_ai.response.finish_reasons', "['tool_calls']"],
    ['gen_ai.response.finish_reasons', ['FinishReason.MAX_TOKENS']],
    ['gen_ai.response.finish_reason', 'tool_calls'],
    ['llm.response.finish_reason', 'length'],
    ['llm.response.stop_reason', 'tool_use'],
  ])('without the content of %s (%j) is left out', async (key, reason) => {
    expect((await importSpan({ ...said, 'gen_ai.completion.0.finish_reason': 'stop' })).made).toBeDefined();
    const { made, warnings } = await importSpan({
      ...said,
      'gen_ai.completion.0.finish_reason': 'stop',
      [key]: reason,
    });
    expect(made).toBeUndefined();
    expect(warnings).toContain('otlp trace t span one: left out, because its reply');
  });
});
