import { PassThrough, Readable, Writable } from 'node:stream';
import { scoreLines } from './score-lines.js';
import { scoreProgress } from './score-progress.js';

const line = (id: unknown, more = {}): string =>
  JSON.stringify({ id, metric: 'difflib_ratio', input: { a: 'a', b: 'a' }, ...more });

const ratio = { metric: 'difflib_ratio', version: '3.11', options: {}, outcome: 'scored', score: 1 };

async function scored(chunks: (string | Buffer)[], longestLine?: number) {
  const output = new PassThrough({ highWaterMark: 2 ** 24 });
  const count = await scoreLines(
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
    output,
    undefined,
    longestLine,
  );
  const text = ((output.read() as Buffer | null) ?? '').toString();
  return {
    ...count,
    text,
    answers: text
      .split('\n')
      .filter(Boolean)
      .map((answer) => JSON.parse(answer) as Record<string, unknown>),
  };
}

test('lines are scored in order with their numbers, wherever the chunks of the file end', async () => {
  const text = Buffer.from([line('ä'), '', line('\u2028', { unknown_field: 1 }), `${line('last')}\r`].join('\n'));
  const bytes = Array.from(text, (byte) => Buffer.from([byte]));
  for (const chunks of [[text], bytes]) {
    expect((await scored(chunks)).answers).toEqual([
      { id: 'ä', line: 1, ...ratio },
      { id: '\u2028', line: 3, ...ratio },
      { id: 'last', line: 4, ...ratio },
    ]);
  }
});

test('a line that cannot be scored gets its number and the reason, and the other lines are scored', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const { answers, lines, failed } = await scored([
    [
      '{"id": 1, "metr',
      '[]',
      '{"id": 3}',
      line(4, { metric: 'nope' }),
      line(5, { input: { a: 1 } }),
      `{"id": ${deep}, "metric": "difflib_ratio"}`,
      line(7),
      line(8, {
        metric: 'bfcl_ast',
        input: { category: 'java', functions: [], model_output: [], possible_answer: [] },
      }),
    ].join('\n'),
  ]);
  expect({ lines, failed }).toEqual({ lines: 8, failed: 7 });
  expect(answers.map((answer) => [answer.line, answer.outcome, answer.error])).toEqual([
    [1, 'error', expect.stringContaining('JSON')],
    [2, 'error', 'The line is not a JSON object.'],
    [3, 'error', '"metric" is missing: name the metric.'],
    [4, 'error', expect.stringMatching(/No metric "nope"\. Nearest of the metrics, \d+ in all: /)],
    [
      5,
      'error',
      expect.stringMatching(
        /^\/input\/a must be of type string; \/input\/b is missing\. The input of difflib_ratio, for example: \{/,
      ),
    ],
    [6, 'error', expect.any(String)],
    [7, 'scored', undefined],
    [8, 'error', expect.stringContaining('only the Python categories')],
  ]);
});

const one = async (asked: object) => (await scored([JSON.stringify(asked)])).answers[0]!;
const f = (a: number) => ({ name: 'f', args: { a } });

test('an answer has the metric, version and options with defaults; an error has those that are known', async () => {
  const by = { metric: 'promptfoo_tool_call_f1', version: '0.123', options: { threshold: 0.5, inverse: false } };
  const asked = { metric: by.metric, options: { threshold: 0.5, inverse: null } };
  expect(await one({ ...asked, input: { output: [], expected: ['a'] } })).toEqual({
    id: null,
    line: 1,
    ...by,
    outcome: 'scored',
    score: 0,
    pass: false,
    called: [],
  });
  expect(await one({ ...asked, input: {} })).toMatchObject({ ...by, outcome: 'error', score: null });
  expect(await one({ ...asked, options: { treshold: 1 } })).toEqual({
    id: null,
    line: 1,
    metric: by.metric,
    version: by.version,
    outcome: 'error',
    score: null,
    error: expect.stringContaining('has no option "treshold"'),
  });
  expect(await one({ metric: 'ragas' })).toEqual({
    id: null,
    line: 1,
    metric: 'ragas',
    outcome: 'error',
    score: null,
    error: expect.stringContaining(' in all: ragas_tool_call_f1, ragas_tool_call_accuracy'),
  });
});

test('the field names of the references are accepted as well as our own', async () => {
  const axion = {
    metric: 'axion_tool_correctness',
    input: { tools_called: [{ name: 'search', args: {} }], expected_tools: [{ name: 'calculate', args: {} }] },
  };
  expect(await one(axion)).toMatchObject({
    outcome: 'scored',
    score: 0,
    explanation: "Missing tools: ['calculate']; Unexpected tools: ['search']",
  });
  expect(await one({ metric: 'ragas_tool_call_f1', input: { called: [f(1)], expected: [f(2)] } })).toMatchObject({
    score: 0,
    tp: 0,
    fp: 1,
    fn: 1,
  });
  expect(
    await one({ metric: 'ragas_tool_call_f1', input: { tools_called: [f(1)], reference_tool_calls: [f(1)] } }),
  ).toMatchObject({ score: 1 });
});

const weather = { type: 'function', function: { name: 'weather' } };
const paris = {
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
};
const house = (reply: unknown) => ({
  metric: 'toolmark.single_turn',
  input: { case: { expected_tool: 'weather', expected_params: { city: 'Paris' } }, tools: [weather], reply },
});

test('a whole completion is recognised, and the answer names the format', async () => {
  expect(await one(house({ choices: [{ message: paris }] }))).toMatchObject({
    read_as: 'openai.chat',
    outcome: 'scored',
    score: 1,
  });
  expect(await one(house(paris))).not.toHaveProperty('read_as');
});

test.each<[string, object, string]>([
  [
    'an input that is missing',
    { metric: 'ragas_tool_call_f1' },
    '"input" is missing. The input of ragas_tool_call_f1, for example: {"called":[{',
  ],
  [
    'an empty one',
    { metric: 'axion_tool_correctness', input: {} },
    '/input/expected is missing: the calls that were expected, or [].',
  ],
  [
    'one side alone',
    { metric: 'axion_tool_correctness', input: { expected_tools: [] } },
    '/input/called is missing: the calls that were made, or [].',
  ],
  [
    'a name of neither side',
    { metric: 'axion_tool_correctness', input: { caled: [], expected: [] } },
    '"caled" is not a field of it. Nearest of its fields',
  ],
  [
    'an additional field',
    { metric: 'ragas_tool_call_f1', input: { called: [], expected: [], strict: true } },
    '"strict" is not a field of the input',
  ],
  [
    'two names of one field',
    { metric: 'axion_tool_correctness', input: { called: [], tools_called: [], expected: [] } },
    '"called" and "tools_called", which are one field',
  ],
  [
    'an unknown field of a call',
    { metric: 'ragas_tool_call_f1', input: { called: [{ name: 'f', argments: {} }], expected: [] } },
    '"argments" is not a field of /input/called[0]. Nearest of its fields, 20 in all: arguments',
  ],
  [
    'arguments under two names',
    { metric: 'ragas_tool_call_f1', input: { called: [{ name: 'f', args: {}, arguments: {} }], expected: [] } },
    'holds its arguments twice',
  ],
  [
    'expected arguments that are not JSON',
    { metric: 'ragas_tool_call_f1', input: { called: [], expected: [{ function: { name: 'f', arguments: '{' } }] } },
    'the arguments of "f" are not JSON',
  ],
  [
    'no trials',
    { metric: 'pass_hat_k', input: {} },
    '/input/trials is missing; /input/successes is missing; /input/k is missing. The input of ' +
      'pass_hat_k, for example: {"trials":4',
  ],
  [
    'no output of a model',
    { metric: 'bfcl_ast', input: { category: 'simple', functions: [], possible_answer: [] } },
    '/input/model_output is missing',
  ],
  [
    'no functions',
    { metric: 'bfcl_ast', input: { category: 'simple', model_output: [], possible_answer: [] } },
    '/input/functions is missing',
  ],
  [
    'no answer',
    { metric: 'bfcl_ast', input: { category: 'simple', model_output: [], functions: [] } },
    '/input/possible_answer is missing',
  ],
  [
    'no reference',
    { metric: 'agentevals_trajectory_match', input: { outputs: [] } },
    '/input/reference_outputs is missing',
  ],
  [
    'no reply',
    { metric: 'toolmark.single_turn', input: { case: { expected_tool: null }, tools: [] } },
    '/input/reply is missing',
  ],
  [
    'no round',
    {
      metric: 'toolmark.multi_turn',
      input: { case: { expected_tool: null, multi_turn: true }, tools: [], rounds: [] },
    },
    '/input/rounds must not be empty',
  ],
  [
    'no tools',
    { metric: 'toolmark.single_turn', input: { case: { expected_tool: null }, reply: { content: '' } } },
    '/input/tools is missing',
  ],
  [
    'a misspelt field of the case',
    { ...house(paris), input: { case: { expected_tol: 'f' }, tools: [], reply: paris } },
    '/input/case/expected_tol is not a field of this object. Did you mean "expected_tool"?',
  ],
  [
    'an error of the provider',
    house({ error: { message: 'Quota' } }),
    '/input/reply: It is an error, not a reply: Quota',
  ],
  [
    'a reply of no known shape',
    house({ text: 'x' }),
    '/input/reply: It has the fields "text", and matches none of the supported shapes: a chat message',
  ],
  [
    'an option that does not exist',
    { metric: 'axion_tool_correctness', options: { check_params: true }, input: { called: [], expected: [] } },
    '"axion_tool_correctness" has no option "check_params". Its options: check_parameters,',
  ],
  [
    'a misspelt "input"',
    { metric: 'ragas_tool_call_f1', inputs: {} },
    'A line has no field "inputs". Did you mean "input"?',
  ],
  [
    'a misspelt "options"',
    { metric: 'difflib_ratio', option: {}, input: { a: '', b: '' } },
    'A line has no field "option". Did you mean "options"?',
  ],
  [
    'a misspelt "metric"',
    { metrics: 'difflib_ratio', input: {} },
    'A line has no field "metrics". Did you mean "metric"?',
  ],
])('%s is an error with a suggestion', async (_what, asked, error) => {
  const answer = await one(asked);
  expect(answer).toMatchObject({ outcome: 'error', score: null });
  expect(answer.error).toContain(error);
});

test('an id keeps its text, and a metric that does not apply is not an error', async () => {
  expect((await scored([line(0).replace('"id":0', '"id":12345678901234567890.0')])).text).toContain(
    '"id":12345678901234567890.0,',
  );
});

test('an endless line is refused before it fills the memory, and the next one is scored', async () => {
  const { answers } = await scored([line(1), '\n', 'x'.repeat(300), 'x'.repeat(300), 'xx\n', line(3)], 500);
  expect(answers.map((answer) => [answer.line, answer.outcome])).toEqual([
    [1, 'scored'],
    [2, 'error'],
    [3, 'scored'],
  ]);
  expect(answers[1]!.error).toBe('The line is longer than 500 bytes.');
});

test('reading is no faster than writing', async () => {
  let read = 0;
  const input = Readable.from(
    (function* () {
      for (; read < 1000; read++) yield Buffer.from(`${line(read)}\n`.repeat(100));
    })(),
    { highWaterMark: 1 },
  );
  let readAtFirstWrite = 0;
  let goOn = (): void => {};
  const output = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      readAtFirstWrite ||= read;
      goOn = done;
    },
  });
  const finished = scoreLines(input, output);
  // A turn of the event loop for each chunk that a reader without backpressure would have taken.
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
  expect(read).toBeLessThanOrEqual(readAtFirstWrite + 3);
  expect(read).toBeLessThan(50);
  const drain = setInterval(() => goOn(), 0);
  expect(await finished).toEqual({ lines: 100_000, failed: 0 });
  clearInterval(drain);
}, 60_000);

test('a bar shows the share that was read, and at the end the number of lines', () => {
  let drawn = '';
  const progress = scoreProgress({ write: (text) => (drawn += text) }, 4_000_000);
  for (const bytes of [65_536, 131_072, 2_000_000, 4_000_000]) progress.at(bytes);
  progress.end(12, 1);
  expect(drawn.split('\r\u001b[2K').slice(1)).toEqual([
    `[${'.'.repeat(30)}] 2 %`,
    `[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %`,
    `[${'#'.repeat(30)}] 100 %`,
    '12 lines, 1 of them could not be scored\n',
  ]);
});

test('tools of other APIs are recognised, and the answer names the format', async () => {
  const declared = [
    { functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } }] },
    { name: 'g', input_schema: { type: 'object' } },
  ];
  const of = (tools: unknown) =>
    line('tools', { metric: 'toolmark.single_turn', input: { case: { expected_tool: 'g' }, tools, reply: 'g' } });
  const {
    answers: [converted, own],
  } = await scored([`${of(declared)}\n${of([{ type: 'function', function: { name: 'g' } }])}`]);
  expect(converted!.warnings).toEqual([
    expect.stringMatching(/^The tool \(f\) came in the shape of Gemini/),
    expect.stringMatching(/^The tool \(g\) came in the shape of Anthropic/),
  ]);
  expect(own).not.toHaveProperty('warnings');
});

test('a line that is not UTF-8 has no score, and its neighbours are scored', async () => {
  const text = Buffer.concat([
    Buffer.from(`${line('ä')}\n`),
    Buffer.from(`${line('ä')}\n`, 'latin1'),
    Buffer.from(`${line('ö')}\n${line('\ufffd')}\n`),
    Buffer.from(line('ä'), 'latin1'),
  ]);
  for (const chunks of [[text], Array.from(text, (byte) => Buffer.from([byte]))]) {
    const { answers, lines, failed } = await scored(chunks);
    expect({ lines, failed }).toEqual({ lines: 5, failed: 2 });
    expect(answers.map((answer) => [answer.line, answer.id, answer.error])).toEqual([
      [1, 'ä', undefined],
      [2, null, 'The line is not UTF-8. Save the file as UTF-8.'],
      [3, 'ö', undefined],
      [4, '\ufffd', undefined],
      [5, null, 'The line is not UTF-8. Save the file as UTF-8.'],
    ]);
  }
});
