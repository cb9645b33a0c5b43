import { importSuite } from '../import-suite.js';

const tool = (name: string, properties: object = {}) => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object', properties } },
});
const providers = [
  {
    id: 'openai:chat:x',
    config: { tools: [tool('find', { id: { type: 'string' }, n: { type: 'number' } }), tool('pay')] },
  },
];
const read = (config: object) => importSuite('promptfoo', { prompts: ['{{q}}'], providers, ...config }, undefined);
const test = (...assert: object[]) => ({ vars: { q: 'Q' }, assert });
const used = (value: unknown) => ({ type: 'trajectory:tool-used', value });
const args = (name: string, given: object) => ({ type: 'trajectory:tool-args-match', value: { name, args: given } });
const sequence = (...steps: string[]) => ({ type: 'trajectory:tool-sequence', value: { steps } });
const casesOf = async (...tests: object[]) => (await read({ tests })).suite.test_cases;

describe('the assertions of a test', () => {
  it('mean the same in any order', async () => {
    const all = [args('pay', { to: 'A' }), sequence('find', 'pay'), used('find'), args('find', { id: '7' })];
    const [first, second] = await casesOf(test(...all), test(...all.toReversed()));
    expect(first).toEqual(second);
    expect(first).toMatchObject({
      expected_calls: [
        { tool: 'find', params: { id: '7' } },
        { tool: 'pay', params: { to: 'A' } },
      ],
      call_order: 'strict',
    });
  });

  it('expect one call for several assertions about a tool, and two calls if they contradict each other', async () => {
    expect(
      await casesOf(
        test(args('find', { id: '7' }), args('find', { n: 1 })),
        test(args('find', { id: '7' }), args('find', { id: '8' })),
        test(args('find', { id: '7' }), used({ name: 'find', min: 2 })),
      ),
    ).toMatchObject([
      { expected_tool: 'find', expected_params: { id: '7', n: 1 } },
      { expected_calls: [{ params: { id: '7' } }, { params: { id: '8' } }] },
      { expected_calls: [{ tool: 'find', params: { id: '7' } }, { tool: 'find' }] },
    ]);
  });

  it('expect one call for a pattern and a name that matches it, in either order', async () => {
    const [first, second] = await casesOf(test(used('*'), used('find')), test(used('find'), used('*')));
    expect(first).toEqual({ prompt: 'Q', expected_tool: 'find' });
    expect(second).toEqual(first);
  });

  it('give a lone variable its own type, unless the tool takes a string there', async () => {
    const vars = { q: 'Q', seven: 7 };
    expect(
      await casesOf({ vars, assert: [args('find', { id: '{{seven}}', n: '{{ seven }}', other: '#{{seven}}' })] }),
    ).toMatchObject([{ expected_params: { id: '7', n: 7, other: '#7' } }]);
  });

  it.each([
    [
      'a tool that is used at most zero times, and at least once',
      [used({ name: 'pay', max: 0 })],
      /at least 1 and at most 0/,
    ],
    [
      'a call that another assertion forbids',
      [used('find'), { ...used('find'), type: 'not-trajectory:tool-used' }],
      /at once/,
    ],
    ['calls in addition to a sequence', [sequence('find', 'pay'), used({ name: 'pay', min: 2 })], /besides it/],
    ['a tool that must not be called while others may', [used({ name: 'pay', min: 0, max: 0 })], /must not be called/],
    ['an unknown tool', [used('fnid')], /not one of the tools/],
    ['a tool without a name', [used({ min: 1 })], /without the name of a tool/],
    ['a hundred thousand calls', [used({ name: 'find', min: 100_000 })], /more than the 100 calls/],
    ['calls and no call', [used('find'), { type: 'not-is-valid-openai-tools-call' }], /at once/],
  ])('that ask for %s leave out the test with a reason', async (_what, assert, why) => {
    const { suite, warnings } = await read({ tests: [test(...assert), test(used('find'))] });
    expect(suite.test_cases).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(why)]);
  });

  it('that fail once a variable is filled in leave out only the affected test', async () => {
    const tests = [{ vars: { q: ['Q', 'R'], t: ['find', 'none'] }, assert: [used('{{t}}')] }];
    const { suite, warnings } = await read({ tests });
    expect(suite.test_cases.map(({ prompt }) => prompt)).toEqual(['Q', 'R']);
    expect(warnings).toEqual([expect.stringMatching(/"none", which is not one of the tools/)]);
  });
});

describe('a configuration', () => {
  it('with variables in its tools gives each case its own tools', async () => {
    const config = { tools: [tool('{{name}}')] };
    const { suite } = await read({
      providers: [{ id: 'x', config }],
      tests: ['find', 'pay'].map((name) => ({ vars: { q: 'Q', name }, assert: [used('{{name}}')] })),
    });
    expect(suite.test_cases).toMatchObject([
      { expected_tool: 'find', tools: [tool('find')] },
      { expected_tool: 'pay', tools: [tool('pay')] },
    ]);
  });

  it.each([
    ['tests', { tests: 'file://tests.csv' }, /"tests" must be a list; "file:\/\/tests.csv" names a file/],
    ['defaults', { defaultTest: 'file://d.yaml', tests: [test(used('find'))] }, /"defaultTest" must be an object/],
    [
      'a reference to itself',
      { a: { $ref: '#/b' }, b: { $ref: '#/a' }, tests: [{ $ref: '#/a' }] },
      /leads back to itself/,
    ],
    ['a reference to nothing', { tests: [{ $ref: '#/constructor/name' }] }, /names nothing in the file/],
  ])('with %s elsewhere is refused, because it cannot be read', async (_what, config, why) => {
    await expect(read(config)).rejects.toThrow(why);
  });

  it('is never run: its templates can only read its variables', async () => {
    const reaching = [
      '{{ constructor }}',
      '{{ q.constructor.constructor }}',
      '{{ __proto__ }}',
      '{{ q.__proto__.x }}',
      '{{ range(9) }}',
      '{{ q.constructor("return process")() }}',
      '{% set x = 1 %}',
      '{{ env.PATH }}',
    ];
    const { suite, warnings } = await read({
      prompts: [...reaching.map((one) => `a${one}`), 'b'],
      tests: [test(used('find'))],
    });
    expect(suite.test_cases.map(({ prompt }) => prompt)).toEqual(['a', 'a', 'a', 'a', 'b']);
    expect(warnings.filter((warning) => warning.includes('left out'))).toHaveLength(4);
  });

  it('with variables that grow without bound leaves out their prompt', async () => {
    const growing = ['{{ q', ...Array.from({ length: 60 }, () => ' | replace("Q", "QQ")'), ' }}'].join('');
    const nested = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`v${n}`, `{{v${n + 1}}}`.repeat(2)]));
    const { suite, warnings } = await read({
      prompts: [growing, 'Ask'],
      tests: [{ vars: { ...nested, v40: 'x'.repeat(400_000), q: 'Q' }, assert: [used('find')] }, test(used('find'))],
    });
    expect(suite.test_cases.map(({ prompt }) => prompt)).toEqual(['Ask']);
    expect(warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/endlessly/), expect.stringMatching(/more than 1000000/)]),
    );
  });
});

describe('a configuration', () => {
  const find = [used('find')];
  const promptsOf = ({ suite }: Awaited<ReturnType<typeof read>>): unknown[] =>
    suite.test_cases.map(({ prompt, messages }) => messages ?? prompt);

  it('fills in JSON string by string, so that no variable breaks it', async () => {
    const vars = { q: 'Is "7"\\ there?\nNow {', other: 'Is "8"?' };
    const filled = JSON.stringify([{ role: 'user', content: '{{q}}' }]);
    const prompts = [filled, '[{"role": "user", "content": {{ other | dump }}}]'];
    const { suite, warnings } = await read({ prompts, tests: [{ vars, assert: find }] });
    expect(suite.test_cases.map(({ prompt }) => prompt)).toEqual([vars.q, vars.other]);
    expect(warnings).toEqual([]);
  });

  it('keeps the prefix of all tests if a test has an empty one, as promptfoo does', async () => {
    const tests = [{ ...test(...find), options: { prefix: '' } }];
    expect(promptsOf(await read({ defaultTest: { options: { prefix: 'Hey ' } }, tests }))).toEqual(['Hey Q']);
  });

  it('may have code that ends with a line break, and names in any script', async () => {
    const value = "output[0].function.name === 'find'\n";
    const tests = [{ vars: { имя: 'Q', naïve: 'R' }, assert: [{ type: 'javascript', value }] }];
    const { suite, warnings } = await read({ prompts: ['{{имя}} {{ naïve }}'], tests });
    expect(suite.test_cases).toEqual([{ prompt: 'Q R', expected_tool: 'find' }]);
    expect(warnings).toEqual([]);
  });

  it('reads the contents of Gemini as messages, and leaves out those with parts other than text', async () => {
    const parts = [{ text: '{{q}}' }];
    const system_instruction = { parts: [{ text: 'S' }] };
    const file = { role: 'user', parts: [{ inline_data: {} }] };
    const prompts = [{ system_instruction, contents: [{ role: 'model', parts }] }, [{ role: 'user', parts }], [file]];
    const read_ = await read({ prompts: prompts.map((one) => JSON.stringify(one)), tests: [test(...find)] });
    expect(promptsOf(read_)).toEqual([
      [
        { role: 'system', content: 'S' },
        { role: 'assistant', content: 'Q' },
      ],
      'Q',
    ]);
    expect(read_.warnings).toEqual([
      expect.stringContaining('in the shape of Gemini, with parts other than text, left out'),
    ]);
  });

  it('gives a test the tools of its provider', async () => {
    const provider = { id: 'openai:chat:y', config: { tools: [tool('other')] } };
    const { suite } = await read({ tests: [{ ...test(used('other')), provider }, test(...find)] });
    expect(suite.test_cases[0]).toMatchObject({ expected_tool: 'other', tools: [tool('other')] });
    expect(suite.test_cases[1]).not.toHaveProperty('tools');
  });

  it('with "repeat" warns that runs have "samples"', async () => {
    const { warnings } = await read({ evaluateOptions: { repeat: 3 }, tests: [test(used('find'))] });
    expect(warnings).toEqual([expect.stringContaining('a run asks each case as often as its "samples" say')]);
  });

  it('warns that code scores a test', async () => {
    const { warnings } = await read({ tests: [{ ...test(...find), assertScoringFunction: 'file://x.js' }] });
    expect(warnings).toEqual([expect.stringContaining('code that scores test 1 is not run')]);
  });

  it('leaves out tools that are not functions with a schema, and names the one of two tools that counts', async () => {
    const tools = [
      tool('find'),
      { name: 'FIND', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web' },
      { name: 'file', parameters: 'file://schema.json' },
      { name: 'cohere', parameter_definitions: { id: { type: 'str' } } },
    ];
    const { suite, warnings } = await read({ providers: [{ id: 'x', config: { tools } }], tests: [test(...find)] });
    expect(suite.tools).toEqual([tool('find')]);
    expect(warnings).toEqual([
      expect.stringContaining('Several tools are called "FIND"'),
      expect.stringContaining('of the type "web_search_20250305"'),
      expect.stringContaining('not a JSON Schema, but "file://schema.json"'),
      expect.stringContaining('write its "parameter_definitions"'),
    ]);
  });
});

describe('a hostile configuration', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `n${index}`);
  it.each([
    ['names of one assertion', [{ type: 'tool-call-f1', value: names.join(',') }]],
    ['names in a list', [used(names)]],
    ['steps', [sequence(...names)]],
    ['assertions', names.map(() => used('*'))],
  ])('is left out at once for too many %s', async (_what, assert) => {
    await expect(read({ tests: [test(...assert)] })).rejects.toThrow(/test 1 has .*left out/);
  });

  it('is refused at once for too many combinations, even if none becomes a case', async () => {
    const vars = { q: Array<string>(900).fill('x') };
    const tests = Array.from({ length: 1000 }, () => ({ vars, assert: [{ type: 'contains', value: 'x' }] }));
    await expect(read({ tests })).rejects.toThrow(/Divide the file/);
  });

  it('is read in linear time with many variables', async () => {
    const vars = Object.fromEntries([['q', 'Q'], ...Array.from({ length: 50_000 }, (_, index) => [`v${index}`, 'x'])]);
    const { suite } = await read({ tests: [{ vars, assert: [used('find')] }] });
    expect(suite.test_cases).toEqual([{ prompt: 'Q', expected_tool: 'find' }]);
  });
});
