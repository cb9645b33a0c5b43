import fc from '../../test/fast-check.js';
import { parseJson } from '#lib/contracts/json/json';
import { SuiteFile } from '#lib/contracts/suite';
import type { ImportFormat } from '#lib/contracts/import';
import { importSuite } from './import-suite.js';
import { TextStream } from './source/text-stream.js';
import { readYaml } from './files/read-yaml.js';
import { exportToText } from './testing/export-to-text.js';

const read = (format: ImportFormat, body: unknown, name?: string) => importSuite(format, body, name);
const failure = (format: ImportFormat, body: unknown): Promise<any> =>
  read(format, body).then(
    () => ({ message: 'nothing' }),
    (error) => ({ message: error.message, errors: error.errors }),
  );

/** Every field of a case, with values that files easily lose. */
const everything = SuiteFile.parse({
  name: 'Everything, "quoted"',
  description: 'Two\nlines; é, 漢, 😀\u0085',
  system_prompt: '- no list',
  pass_threshold: 0.5,
  tools: [
    {
      type: 'function',
      function: {
        name: 'null',
        description: 'd',
        strict: true,
        parameters: parseJson('{"type":"object","properties":{"n":{"type":"number","default":1.50}}}'),
      },
    },
    { type: 'function', function: { name: 'g', annotations: { readOnlyHint: true } } },
  ],
  conversation: { state: parseJson('{"orders":{"17":{"total":25.0}}}'), tools: { g: [{ respond: { $state: '' } }] } },
  test_cases: [
    {
      name: '=SUM(A1)',
      category: "'quoted",
      tags: ['a', 'b;c', ' d'],
      prompt: '\\N',
      expected_tool: 'null',
      expected_params: parseJson('{"n":5.0,"big":12345678901234567890,"t":"1e5","o":{"$optional":-0.0}}'),
    },
    {
      name: null,
      category: '',
      tags: ['x', 'y'],
      prompt: 'with "quotes",\r\nlines\tand: # signs',
      expected_tool: ['null', 'g'],
      expected_params: null,
      param_scoring: 'fuzzy',
      scoring_config: { mode: 'numeric_tolerance', epsilon: 0.1, params: { n: { threshold: 0.5 } } },
    },
    {
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      ],
      expected_tool: null,
      should_call_tool: false,
      tags: [],
    },
    {
      prompt: 'true',
      expected_calls: [{ tool: 'g', params: { a: [1, { b: null }] } }, { tool: ['g', 'null'] }],
      call_order: 'strict',
      allow_extra_calls: false,
      distractors: { count: 1, seed: 3 },
      draft: true,
      source: 'otlp trace 4bf9, "span" 00f0',
    },
    {
      prompt: '-1',
      expected_tool: 'g',
      multi_turn: true,
      max_rounds: 3,
      optimal_hops: 2,
      valid_prerequisites: ['null'],
      mock_responses: { g: [{ when: { a: 1 }, respond: 'ok' }] },
      tools: ['g', { type: 'function', function: { name: 'null' } }],
      source: null,
    },
    {
      prompt: 'Cancel it.',
      conversation: {
        state_patch: [{ op: 'add', path: '/orders/a~1b', value: parseJson('{"total":1.50}') }],
        tools: { g: [{ when: { call: 1 }, error: 'Not yet.' }, { effects: [{ op: 'remove', path: '/orders/17' }] }] },
        user: { turns: ['=1', 'No.'] },
        goal: { state: { '/orders/17': { $absent: true } }, answer: [{ contains: ['gone', 'done'] }] },
      },
    },
  ],
});

describe.each(['csv', 'jsonl', 'yaml'] as const)('a suite exported as %s', (format) => {
  it('comes back with every field unchanged, numbers as written', async () => {
    const { suite } = await read(format, await exportToText(everything, format));
    expect(Object.fromEntries(suite.test_cases.map((input, index) => [index, input]))).toEqual(
      Object.fromEntries(everything.test_cases.map((input, index) => [index, input])),
    );
    expect(suite).toEqual(everything);
    expect(JSON.stringify(suite.test_cases[0]!.expected_params)).toContain('"n":5.0,"big":12345678901234567890');
    expect(JSON.stringify(suite.tools)).toContain('1.50');
  });

  it('also comes back without cases', async () => {
    const empty = { ...everything, test_cases: [] };
    expect((await read(format, await exportToText(empty, format))).suite).toEqual(empty);
  });
});

/** Nested lists. Each entry wraps the previous one in three levels. */
const levels = (entries: number): string =>
  Array.from({ length: entries }, (_, n) => `- &a${n} [[[${n ? `*a${n - 1}` : ''}]]]\n`).join('');

/** A text that arrives in chunks, split at these offsets. */
async function* cut(text: string, places: readonly number[]): AsyncGenerator<string> {
  let from = 0;
  for (const place of [...places.map((one) => one % (text.length + 1)), text.length].sort((a, b) => a - b)) {
    yield text.slice(from, place);
    from = place;
  }
}

describe.each(['csv', 'jsonl', 'yaml'] as const)('a file of %s that arrives in chunks', (format) => {
  let text: string;
  beforeAll(async () => {
    text = `\ufeff${await exportToText(everything, format)}`;
  });

  it('is the same suite for any split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(fc.nat(), { maxLength: 60 }),
          fc.nat(4).map((step) => Array.from({ length: text.length / (step + 1) }, (_, n) => n * (step + 1))),
        ),
        async (places) => {
          expect((await read(format, new TextStream(cut(text, places)))).suite).toEqual(everything);
        },
      ),
      { numRuns: 40 },
    );
  });
});

it.each([
  ['jsonl', '{"suite": {"name": "n"}}\n\n{"prompt": "p"}\n{"prompt": ', /^Line 4 is not JSON/],
  ['jsonl', ' \n [{"prompt": "p"}, 5]', /^Line 2 of the file is not a JSON object/],
  ['csv', 'prompt,expected_params\r\n"a\r\nb",{}\r\np,{x\r\n', /Line 4: the cell "expected_params" is not JSON/],
  ['csv', 'prompt\n"p\n\n', /Line 2: .*never ends/],
  ['csv', 'prompt\n"p"x\n', /Line 2: something follows/],
  ['yaml', `name: |\n  ${'x'.repeat(2 ** 21)}`, /up to 2 MiB/],
] as const)('an error in %s names the same line when it arrives in chunks', async (format, text, message) => {
  for (const places of [[], [1, 2, 3], Array.from({ length: Math.min(100, text.length) }, (_, n) => n)]) {
    expect((await failure(format, new TextStream(cut(text, places)))).message).toMatch(message);
  }
});

describe('CSV', () => {
  it(
    'from a spreadsheet, with semicolons and without tools, becomes a suite with ' + 'tools inferred from its calls',
    async () => {
      const { suite, warnings } = await read(
        'csv',
        '\ufeffPrompt;Expected_Tool;Expected_Params;Tags\r\nWeather in Paris?;get_weather;"{""city"": ' +
          '""Paris""}";a, b\r\n\r\nThanks;null;;\r\n',
        'Mine',
      );
      expect(suite).toMatchObject({
        name: 'Mine',
        tools: [
          {
            function: {
              name: 'get_weather',
              parameters: { properties: { city: { type: 'string' } }, required: ['city'] },
            },
          },
        ],
        test_cases: [
          {
            prompt: 'Weather in Paris?',
            expected_tool: 'get_weather',
            expected_params: { city: 'Paris' },
            tags: ['a, b'],
          },
          { prompt: 'Thanks', expected_tool: null },
        ],
      });
      expect(warnings[0]).toMatch(/does not describe its tools: 1 is made of the calls/);
    },
  );

  it('has the exact text of a case, and its source', async () => {
    expect((await exportToText(everything, 'csv')).split('\r\n')[0]).toMatch(/,draft,source$/);
    expect(await exportToText(everything, 'csv')).toContain(',"otlp trace 4bf9, ""span"" 00f0"\r\n');
  });

  it('accepts tools sent with it', async () => {
    const { suite } = await read('csv', {
      text: 'prompt,expected_tool\np,f\n',
      name: 'N',
      tools: [{ type: 'function', function: { name: 'f', description: 'd' } }],
    });
    expect(suite).toMatchObject({
      name: 'N',
      tools: [{ function: { name: 'f', description: 'd' } }],
      test_cases: [{ prompt: 'p', expected_tool: 'f' }],
    });
  });

  it.each([
    ['an unknown column', 'prompt,colour\np,red\n', /"colour" is not one of them/],
    [
      'a cell that is not JSON',
      'prompt,expected_tool,expected_params\np,f,{}\n"a\nb",f,{x\n',
      /Line 3: the cell "expected_params" is not JSON/,
    ],
    ['too many cells', 'prompt,expected_tool\np,f,x\n', /Line 2 has 3 cells/],
    ['a quotation mark that is never closed', 'prompt\n"p\n', /Line 2: .*never ends/],
    [
      'a case that does not fit',
      'prompt,expected_tool,should_call_tool\np,f,true\nq,f,false\n',
      /should_call_tool.*\(line 3\)/,
    ],
  ])('with %s is refused, and the message names the position', async (_what, text, message) => {
    expect((await failure('csv', text)).message).toMatch(message);
  });
});

describe('YAML', () => {
  it('by hand, with anchors and merged keys, becomes a suite', async () => {
    const { suite } = await read(
      'yaml',
      'name: Y\ntools:\n  - function: {name: f, description: d}\ntest_cases:\n  - &one\n    prompt: ' +
        '|\n      two\n      lines\n    expected_tool: f\n    expected_params: {n: 5.0, on: true, ' +
        'none: ~}\n  - <<: *one\n    prompt: other\n',
    );
    expect(suite.test_cases).toMatchObject([{ prompt: 'two\nlines\n' }, { prompt: 'other', expected_tool: 'f' }]);
    expect(JSON.stringify(suite.test_cases[1]!.expected_params)).toBe('{"n":5.0,"on":true,"none":null}');
  });

  it(
    'is YAML 1.2: words of 1.1, dates and octal numbers have no special meaning, and ' + 'numbers keep their text',
    async () => {
      const valueOf = (text: string) => JSON.stringify(readYaml(text).value);
      expect(valueOf('[yes, no, on, off, y, True, FALSE, Null, ~, 2024-01-01, 12:30:45, =]')).toBe(
        '["yes","no","on","off","y",true,false,null,null,"2024-01-01","12:30:45","="]',
      );
      expect(valueOf('%YAML 1.1\n---\n[yes, 010, 0b11, 1_000]')).toBe('["yes",10,"0b11","1_000"]');
      expect(valueOf('[5.0, 5e0, -0, 1e400, 0.10, 12345678901234567890, 0o14, 0x1F, +5, .5, 007, .inf, .NaN]')).toBe(
        '[5.0,5e0,-0,1e400,0.10,12345678901234567890,12,31,5,0.5,7,".inf",".NaN"]',
      );
      expect(valueOf('!!str 5')).toBe('"5"');
      expect(valueOf('{1: a, 5.0: b, ~: c, true: d}')).toBe('{"1":"a","5.0":"b","null":"c","true":"d"}');
      expect(valueOf('a: |\r\n  x\r\n  y\r\nb: "c\r  d"')).toBe('{"a":"x\\ny\\n","b":"c d"}');
    },
  );

  it('merges by the rules: an object\'s own keys win, and a quoted "<<" is an ordinary key', async () => {
    const valueOf = (text: string) => JSON.stringify(readYaml(text).value);
    expect(valueOf('{a: 1, <<: {a: 2, c: 3}}')).toBe('{"a":1,"c":3}');
    expect(valueOf('{<<: [{a: 1}, {a: 2, b: 3}]}')).toBe('{"a":1,"b":3}');
    expect(valueOf('{"<<": {a: 1}}')).toBe('{"<<":{"a":1}}');
    expect(valueOf('&k a: *k')).toBe('{"a":"a"}');
    expect(valueOf('{__proto__: {x: 1}, <<: {"__proto__": 2}}')).toBe('{"__proto__":{"x":1}}');
  });

  it.each([
    ['a duplicate key', 'a: 1\n"a": 2', /line 2, column 1: the key "a" appears twice/],
    ['a tag', 'a: !!binary aGk=', /line 1, column 4: Unresolved tag/],
    ['a tag of its own', 'a: !x y', /line 1, column 4: Unresolved tag/],
    ['a list for a key', '? [a]\n: b', /line 1, column 3: a key must be a string/],
    ['a text to merge', 'a:\n  <<: b', /line 2, column 3: "<<" merges an object/],
    ['an alias without its anchor', 'a: *b', /line 1, column 4: no anchor "b"/],
    ['an alias of what it is part of', '&a [*a]', /line 1, column 5: no anchor "a"/],
    ['a character that is not printable', 'a: \u0007', /line 1, column 4: a character here is not printable/],
    ['nothing', '# nothing', /holds no YAML document/],
    ['thousands of levels', '['.repeat(100_000), /line 1, column 1001: .*deeper than 1000 levels/],
    ['hundreds of levels', '['.repeat(300) + ']'.repeat(300), /deeper than 200 levels/],
    ['levels that aliases add', levels(80), /deeper than 200 levels/],
    ['an absurd number of aliases', `- &a 1\n${'- *a\n'.repeat(10_001)}`, /line 10002, .*more than 10000 aliases/],
    ['more parts than fit into memory', `[${'1,'.repeat(600_000)}]`, /Send it as JSON/],
  ])('with %s is refused', async (_what, text, message) => {
    expect((await failure('yaml', text)).message).toMatch(message);
  });

  it('with thousands of keys, or of anchors and aliases, is read in linear time', () => {
    const keys = Array.from({ length: 30_000 }, (_, n) => `k${n}: 1\n`).join('');
    expect(Object.keys(readYaml(keys).value as object)).toHaveLength(30_000);
    const aliases = Array.from({ length: 5000 }, (_, n) => `- &a${n} x\n- *a${n}\n`).join('');
    expect(readYaml(aliases).value).toHaveLength(10_000);
  });

  it('that is wrong, ambiguous or a bomb is refused with the line', async () => {
    expect((await failure('yaml', 'name: Y\ntools: [\n')).message).toMatch(/not YAML at line/);
    expect((await failure('yaml', 'a: 1\n---\nb: 2\n')).message).toMatch(/2 YAML documents/);
    expect(
      (
        await failure(
          'yaml',
          'name: Y\ntools:\n  - function: {name: f}\ntest_cases:\n  - prompt: p\n    expected_tool: ' +
            'f\n\n  - prompt: q\n    expected_tool: g\n',
        )
      ).message,
    ).toMatch(/\(line 8\)/);
    const bomb = [
      'a0: &a0 [1,1,1,1,1,1,1,1,1,1]',
      ...Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(',')}]`),
    ].join('\n');
    expect((await failure('yaml', bomb)).message).toMatch(/more than 1000000 values/);
  });
});

it('warns of characters that another tool replaced, and names their lines', async () => {
  const { warnings } = await importSuite('csv', 'prompt,expected_tool\nZürich?,f\nZ\ufffdrich?,f\n', undefined);
  expect(warnings.filter((one) => one.includes('U+FFFD'))).toEqual([expect.stringMatching(/^Line 3 holds U\+FFFD/)]);
  const lost = Array.from({ length: 30 }, (_, n) => ({ prompt: `\ufffd ${n}`, expected_tool: 'f' }));
  const { warnings: many } = await importSuite('jsonl', lost.map((one) => JSON.stringify(one)).join('\n'), undefined);
  expect(many.filter((one) => one.includes('U+FFFD'))).toHaveLength(20);
  expect(many).toContain('And 10 more.');
});
