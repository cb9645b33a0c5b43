import { importSuite } from '../import-suite.js';

const args = { order_id: '7' };
const text = JSON.stringify(args);
const parameters = { type: 'object', properties: { order_id: { type: 'string' } } };
const tool = { type: 'function', function: { name: 'find_order', description: 'Find an order', parameters } };
const call = { id: 'c', type: 'function', function: { name: 'find_order', arguments: text } };
const question = (content: string) => ({ role: 'user', content });

const read = (...lines: object[]) =>
  importSuite('chat-logs', lines.map((line) => JSON.stringify(line)).join('\n'), undefined);
const request = (custom_id: string, asked = custom_id) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'm', messages: [question(asked)], tools: [tool] },
});
const answer = (body: object, status_code = 200) => ({ status_code, request_id: 'q', body });
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const output = (custom_id: string, message: object = calling) => ({
  id: `batch_${custom_id}`,
  custom_id,
  response: answer({ choices: [{ index: 0, message, finish_reason: message === calling ? 'tool_calls' : 'stop' }] }),
  error: null,
});

describe('the files of a batch', () => {
  const cases = [
    { name: 'a', prompt: 'a', expected_tool: 'find_order', expected_params: args },
    { name: 'b', prompt: 'b', expected_tool: 'find_order', expected_params: args },
  ];
  test.each<[how: string, lines: object[]]>([
    ['the requests first', [request('a'), request('b'), output('b'), output('a')]],
    ['the replies first', [output('b'), output('a'), request('a'), request('b')]],
    [
      'in one line each',
      [
        { ...request('a'), ...output('a') },
        { ...request('b'), ...output('b') },
      ],
    ],
    ['with duplicate lines', [request('a'), output('a'), request('a'), output('a'), request('b'), output('b')]],
  ])('are joined by id: %s', async (_how, lines) => {
    const { suite, warnings } = await read(...lines);
    expect(suite.test_cases).toEqual(cases);
    expect(suite.tools).toEqual([tool]);
    expect(warnings).toEqual([]);
  });

  const responses = {
    custom_id: 'r',
    method: 'POST',
    url: '/v1/responses',
    body: {
      instructions: 'Be brief.',
      input: 'Where?',
      tools: [{ type: 'function', name: 'find_order', description: 'Find an order', parameters }],
    },
  };
  const ofResponses = answer({
    object: 'response',
    status: 'completed',
    output: [{ type: 'function_call', call_id: 'c', name: 'find_order', arguments: text }],
  });
  const asked = { system: 'Be brief.', messages: [question('Where?')] };
  const ofAnthropic = {
    custom_id: 'r',
    params: { ...asked, tools: [{ name: 'find_order', description: 'Find an order', input_schema: parameters }] },
  };
  const toolUse = { type: 'tool_use', id: 't', name: 'find_order', input: args };
  const message = { type: 'message', role: 'assistant', content: [toolUse], stop_reason: 'tool_use' };
  const ofGoogle = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Where?' }] }],
    tools: [{ functionDeclarations: [{ name: 'find_order', description: 'Find an order', parameters }] }],
  };
  const candidates = [{ content: { parts: [{ functionCall: { name: 'find_order', args } }] }, finishReason: 'STOP' }];
  test.each<[whose: string, name: string, lines: object[]]>([
    ['Responses', 'r', [responses, { custom_id: 'r', response: ofResponses, error: null }]],
    ['Anthropic', 'r', [ofAnthropic, { custom_id: 'r', result: { type: 'succeeded', message } }]],
    [
      'Gemini',
      'r',
      [
        { key: 'r', request: ofGoogle },
        { key: 'r', response: { candidates } },
      ],
    ],
    ['Vertex', 'line 1', [{ status: '', request: ofGoogle, response: { candidates } }]],
    [
      'Responses, as text',
      '7',
      [{ custom_id: 7, body: JSON.stringify(responses.body), response: { ...ofResponses, status_code: '200' } }],
    ],
    ['a proxy', 'line 1', [{ request: ofAnthropic.params, response: message }]],
  ])('of %s are read', async (_whose, name, lines) => {
    const { suite } = await read(...lines);
    const messages = [{ role: 'system', content: 'Be brief.' }, question('Where?')];
    expect(suite.test_cases).toEqual([{ name, messages, expected_tool: 'find_order', expected_params: args }]);
    expect(suite.tools).toEqual([tool]);
  });

  const failed = 'left out, because its request failed: ';
  test.each<[what: string, lines: object[], warning: string]>([
    [
      'failed',
      [{ custom_id: 'x', response: null, error: { code: 'batch_expired', message: 'Too late' } }],
      `${failed}Too late`,
    ],
    [
      'was refused',
      [{ custom_id: 'x', response: answer({ error: { message: 'No' } }, 400), error: null }],
      `${failed}No`,
    ],
    [
      'has only a status',
      [{ custom_id: 'x', response: { status_code: 500 } }],
      `${failed}The request ended with the status 500`,
    ],
    ['is canceled', [{ custom_id: 'x', result: { type: 'canceled' } }], `${failed}The request is "canceled"`],
    [
      'errored',
      [{ custom_id: 'x', result: { type: 'errored', error: { type: 'error', error: { message: 'Bad' } } } }],
      `${failed}Bad`,
    ],
    [
      'is cut off',
      [{ custom_id: 'x', response: answer({ choices: [{ message: { content: 'I' }, finish_reason: 'length' }] }) }],
      'left out, because its reply was cut off',
    ],
    ['is missing', [], "no reply to it is in the file (add the lines of the batch's input file to"],
    [
      'occurs twice',
      [output('x'), output('x', { content: 'Hi' })],
      'left out, because several lines with this id say different things',
    ],
  ])('whose reply %s are left out with id and reason', async (_what, lines, warning) => {
    const { suite, warnings } = await read(request('a'), output('a'), request('x'), ...lines);
    expect(suite.test_cases).toMatchObject([{ name: 'a' }]);
    expect(warnings.join('\n')).toContain(warning);
    expect(warnings.join('\n')).toMatch(/^Line 3: /);
  });

  it('without the requests name the missing file', async () => {
    const { suite, warnings } = await read(request('a'), output('a'), output('b'));
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings).toEqual([
      `Line 3: "b": left out, because its request is not in the file: add the lines of the batch's input file to ` +
        'those of its output file',
    ]);
    await expect(read(output('a'), output('b'))).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('replies of a batch without their requests: add the lines of'),
    });
  });

  it('answered with text do not become a case, but earlier turns with calls do', async () => {
    const said = { role: 'assistant', content: 'Done' };
    const earlier = {
      ...request('a'),
      body: {
        messages: [
          question('Where?'),
          { ...said, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: '1' },
        ],
      },
    };
    const { suite, warnings } = await read(earlier, output('a', said), request('b'), output('b', said));
    expect(suite.test_cases).toMatchObject([{ name: 'a', prompt: 'Where?', expected_tool: 'find_order' }]);
    expect(warnings).toContain('Line 3: no assistant message with tool calls, left out');
  });
});

it("a conversation in Anthropic's format is read like one of chat completions", async () => {
  const { suite } = await read({
    system: 'Be brief.',
    messages: [
      question('Where?'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'find_order', input: args }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'There' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'There.' }] },
    ],
    tools: [{ name: 'find_order', description: 'Find an order', input_schema: parameters }],
  });
  const messages = [{ role: 'system', content: 'Be brief.' }, question('Where?')];
  expect(suite.test_cases).toEqual([{ name: 'line 1', messages, expected_tool: 'find_order', expected_params: args }]);
});
