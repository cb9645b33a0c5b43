import { existsSync, readFileSync } from 'node:fs';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { SuiteFile } from '#lib/contracts/suite';
import { scoreMetrics } from '#lib/scoring/metrics';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { toPossibleAnswer, fromPossibleAnswer } from '#lib/scoring/metrics/bfcl-possible-answer';
import type { BfclPart } from './export-bfcl.js';
import { exportToText } from '../testing/export-to-text.js';
import { importBfcl } from './import-bfcl.js';
import { importSuite } from '../import-suite.js';
import { Warnings } from '../source/warnings.js';

const importText = async (text: Json, answers?: Json) => {
  const warnings = new Warnings();
  const { suite } = await importBfcl({ text, answers, settings: {} }, warnings);
  return { suite: SuiteFile.parse(suite), warnings: warnings.list() };
};
const whole = (text: string) => importSuite('bfcl', text, undefined);
const linesOf = async (suite: SuiteFile, part: BfclPart): Promise<string[]> =>
  (await exportToText(suite, 'bfcl', part)).trimEnd().split('\n');
const jsonLines = (...values: object[]): string => values.map((value) => JSON.stringify(value)).join('\n');

const area = {
  name: 'geometry.area',
  description: 'Area of a shape.',
  parameters: {
    type: 'dict',
    properties: {
      side: { type: 'float' },
      unit: { type: 'string' },
      box: { type: 'dict', properties: { w: { type: 'integer' } } },
      pair: { type: 'tuple', items: { type: 'integer' } },
      note: { type: 'any' },
    },
    required: ['side'],
  },
};
const question = (id: string, content = 'How large?') => ({
  id,
  question: [[{ role: 'user', content }]],
  function: [area],
});
const truth = (id: string, ...ground_truth: object[]) => ({ id, ground_truth });

describe('BFCL entries', () => {
  it('become cases with their own tools, all acceptable values and all ' + 'optional parameters', async () => {
    const { suite, warnings } = await importText(
      jsonLines(
        question('simple_python_0'),
        truth('simple_python_0', {
          'geometry.area': { side: [2, 2.5], unit: ['cm', ''], box: [{ w: [1, 2], h: [''] }, ''], pair: [[1, 2]] },
        }),
      ),
    );
    expect(warnings).toEqual([]);
    expect(suite.test_cases).toMatchObject([
      {
        name: 'simple_python_0',
        category: 'simple_python',
        prompt: 'How large?',
        expected_tool: 'geometry.area',
        allow_extra_calls: false,
        expected_params: {
          side: { $one_of: [2, 2.5] },
          unit: { $optional: 'cm' },
          box: { $optional: { w: { $one_of: [1, 2] }, h: { $optional: '' } } },
          pair: [1, 2],
        },
      },
    ]);
    expect(suite.test_cases[0]!.tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'geometry.area',
          description: 'Area of a shape.',
          parameters: {
            type: 'object',
            required: ['side'],
            properties: {
              side: { type: 'number' },
              unit: { type: 'string' },
              box: { type: 'object', properties: { w: { type: 'integer' } } },
              pair: { type: 'array', items: { type: 'integer' } },
              note: {},
            },
          },
        },
        // JSON Schema cannot express this. It is kept for the export but not sent to models.
        annotations: { bfcl: area },
      },
    ]);
  });

  it('of parallel categories expect several calls, of irrelevance none, and of relevance any', async () => {
    const { suite } = await importText(
      jsonLines(question('parallel_1'), question('irrelevance_3'), question('live_relevance_0-0-0')),
      jsonLines(truth('parallel_1', { 'geometry.area': { side: [1] } }, { 'geometry.area': { side: [2] } })),
    );
    expect(suite.test_cases).toMatchObject([
      {
        expected_calls: [
          { tool: 'geometry.area', params: { side: 1 } },
          { tool: 'geometry.area', params: { side: 2 } },
        ],
        call_order: 'any',
      },
      { expected_tool: null, category: 'irrelevance' },
      { expected_tool: ['geometry.area'], category: 'live_relevance' },
    ]);
  });

  it(
    'of several turns, of Java, or without an answer are refused as a whole, and the ' + 'message names the line',
    async () => {
      const turns = {
        ...question('x'),
        id: 'multi_turn_base_0',
        question: [[{ role: 'user', content: 'a' }], [{ role: 'user', content: 'b' }]],
      };
      await expect(importText(jsonLines(question('irrelevance_0'), turns))).rejects.toThrow(
        /^Line 2 \("multi_turn_base_0"\).*several turns/,
      );
      await expect(importText(jsonLines(question('simple_java_0')))).rejects.toThrow(/Java/);
      await expect(importText(jsonLines(question('simple_0')))).rejects.toThrow(
        /Line 1 \("simple_0"\) has no possible answer/,
      );
      await expect(importText(`${JSON.stringify(question('irrelevance_0'))}\n{"id": `)).rejects.toThrow(
        /^Line 2 is not JSON/,
      );
      await expect(importText(jsonLines(question('irrelevance_0'), question('irrelevance_0')))).rejects.toThrow(
        /Line 2 is a second question.*line 1/,
      );
    },
  );

  it('of a category that cannot be imported are refused with its name and the importable ones', async () => {
    const refused: [string, string][] = [
      ['multi_turn_miss_func_3', 'multi_turn_miss_func'],
      ['simple_java_1', 'simple_java'],
      ['javascript_2', 'javascript'],
      ['exec_parallel_multiple_0', 'exec_parallel_multiple'],
      ['rest_1', 'rest'],
      ['memory_0-customer-0', 'memory'],
      ['memory_kv_7-student-7', 'memory_kv'],
      ['web_search_base_3', 'web_search_base'],
      ['format_sensitivity_4', 'format_sensitivity'],
      ['format_sensitivity_4:ret_fmt=python&tool_call_tag=True:parallel_2', 'format_sensitivity'],
      ['sql_9', 'sql'],
      ['chatable_10', 'chatable'],
    ];
    for (const [id, category] of refused) {
      await expect(importText(jsonLines(question(id)))).rejects.toThrow(
        new RegExp(
          `^Line 1 \\("${id}"\\): the category "${category}" cannot be imported: .* Categories that ` +
            'can be: simple, .*live_relevance\\. Nothing',
        ),
      );
    }
    await expect(importText(jsonLines(question('format_sensitivity_4')))).rejects.toThrow(
      /its entries ask those of other categories again, .*; import those categories\. Categories/,
    );
    const turns = {
      ...question('multiple_1'),
      question: [[{ role: 'user', content: 'a' }], [{ role: 'user', content: 'b' }]],
    };
    await expect(importText(jsonLines(turns))).rejects.toThrow(
      new RegExp(
        /^Line 1 \("multiple_1"\): an entry of several turns \(category "multiple"\) cannot be imported: /.source +
          /.*Categories that can be: simple/.source,
      ),
    );
    // A custom name is not a category, whatever words it contains.
    const { suite } = await importText(
      jsonLines(
        question('trips to java_1'),
        question('memory games'),
        truth('trips to java_1', { 'geometry.area': { side: [1] } }),
        truth('memory games', { 'geometry.area': { side: [1] } }),
      ),
    );
    expect(suite.test_cases).toHaveLength(2);
  });

  it(
    'that a reply can satisfy are not reported as lost: an empty text passes if "" ' +
      'is acceptable, and one call if only one is checked',
    async () => {
      const label = {
        name: 'label',
        parameters: {
          type: 'dict',
          properties: {
            text: { type: 'string' },
            list: { type: 'array', items: { type: 'string' } },
            number: { type: 'integer' },
          },
          required: ['text'],
        },
      };
      const entry = (id: string, required: string[], answer: object) => [
        { ...question(id), function: [{ ...label, parameters: { ...label.parameters, required } }] },
        truth(id, { label: answer }),
      ];
      const { suite, warnings } = await importText(
        jsonLines(
          ...entry('simple_0', ['text'], { text: [''] }),
          ...entry('multiple_1', ['text', 'list'], { text: ['', 'a'], list: [''] }),
          ...entry('parallel_2', ['list'], { list: [[1], ['a']] }),
          ...entry('simple_3', ['number'], { number: [''] }),
          question('live_irrelevance_4-0-0'),
          truth('live_irrelevance_4-0-0', { 'geometry.area': { side: [1] } }),
          question('simple_5'),
          truth('simple_5', { 'geometry.area': { side: [1] } }, { 'geometry.area': { side: [2] } }),
          // With this many values, no search for an accepted one takes place: the last one of these is accepted.
          ...entry('multiple_6', ['list'], { list: [...Array(30).fill([1, 'a', true]), ['a']] }),
        ),
      );
      expect(warnings).toEqual([
        "Line 7: simple_3: no reply can satisfy it by BFCL's own check (type_error:simple); the house score can be won",
        expect.stringMatching(
          new RegExp(
            /^Line 9: live_irrelevance_4-0-0: has a possible answer, /.source +
              /which BFCL does not look at in the category "live_irrelevance"/.source,
          ),
        ),
        expect.stringMatching(
          /^Line 11: simple_5: has 2 possible answers, of which BFCL looks at the first alone in the category "simple"/,
        ),
      ]);
      expect(suite.test_cases[4]).toMatchObject({ expected_tool: null });
      expect(suite.test_cases[5]).toMatchObject({ expected_tool: 'geometry.area', expected_params: { side: 1 } });
      const message = {
        role: 'assistant',
        tool_calls: [{ type: 'function', function: { name: 'label', arguments: '{"text": ""}' } }],
      };
      const [won] = suite.test_cases;
      const tools = won!.tools as SuiteFile['tools'];
      const reply = parseReply(message, tools);
      expect([
        prepareCase(won!, tools, 1).score(reply).passed,
        scoreMetrics([{ id: 'bfcl_ast', options: {} }], { case: won!, tools, rounds: [{ message, reply }] }).bfcl_ast!
          .score,
      ]).toEqual([true, 1]);
    },
  );

  it('whose answer is not a list of acceptable values are read literally, with a warning', async () => {
    const { suite, warnings } = await importText(
      jsonLines(
        question('simple_0'),
        truth('simple_0', { 'geometry.area': { side: 2, unit: 'cm', box: { w: [1] } } }),
        question('simple_1'),
        truth('simple_1', { 'geometry.area': { side: [2], box: [{ w: 1, h: ['', 2] }] } }),
        question('simple_2'),
        { id: 'simple_2', ground_truth: { 'geometry.area': { side: [2] } } },
        { ...question('simple_3'), function: [area, 'area', { description: 'nameless' }] },
        truth('simple_3', { 'geometry.area': { side: [2] } }),
      ),
    );
    expect(suite.test_cases.map((test) => test.expected_params)).toEqual([
      { side: 2, unit: 'cm', box: { w: 1 } },
      { side: 2, box: { w: 1, h: { $optional: 2 } } },
      { side: 2 },
      { side: 2 },
    ]);
    const only = (line: string, what: string, value: string): string =>
      `${line}: the answer for ${what} of "geometry.area" is not a list of acceptable values but ` +
      `${value}, which is read as the only one`;
    expect(warnings).toEqual([
      only('Line 1: simple_0', '"side"', '2'),
      only('Line 1: simple_0', '"unit"', '"cm"'),
      only('Line 1: simple_0', '"box"', '{"w":[1]}'),
      only('Line 3: simple_1', '"w" in "box"', '1'),
      'Line 5: simple_2: its "ground_truth" is not a list; it is read as a list of one',
      'Line 7: simple_3: 2 of its functions are left out, because they have no name',
    ]);
  });

  it('are not reported as imported if they are left out, nor as lost if any value is allowed', async () => {
    const typed = { ...area, parameters: { ...area.parameters, properties: { side: { type: 'number' } } } };
    const odd = { ...area, parameters: { ...area.parameters, properties: { side: { type: 'metre' } } } };
    const bare = { name: 'bare', description: 'No parameters.' };
    const { warnings } = await whole(
      jsonLines(
        question('simple_0'),
        truth('simple_0', { perimeter: { side: [] } }),
        question('simple_1'),
        truth('simple_1', { 'geometry.area': { side: [1] } }),
        { ...question('multiple_2'), function: [odd] },
        truth('multiple_2', { 'geometry.area': { side: [1] } }),
        { ...question('simple_3'), function: [typed] },
        truth('simple_3', { 'geometry.area': { side: [1] } }),
        { ...question('simple_4'), function: [bare] },
        truth('simple_4', { bare: {} }),
        question('multiple_5'),
        truth('multiple_5'),
      ),
    );
    const house = "by BFCL's own check";
    expect(warnings.slice(0, -1)).toEqual([
      'Line 5: multiple_2: the type "metre" in "geometry.area" is unknown; any value is allowed there',
      expect.stringMatching(
        `^Line 5: multiple_2: no reply can satisfy it ${house} \\(BFCL knows no type "metre".*\\); ` +
          'the house score can be won$',
      ),
      expect.stringMatching(`^Line 7: simple_3: no reply can satisfy it ${house} \\(BFCL knows no type "number"`),
      expect.stringMatching(
        `^Line 9: simple_4: no reply can satisfy it ${house} \\(BFCL expects "parameters" with ` +
          '"properties" of the function "bare"',
      ),
      expect.stringMatching(
        `^Line 11: multiple_5: no reply can satisfy it ${house} \\(BFCL expects possible answers, and there are none`,
      ),
      expect.stringMatching(/^Line 1: simple_0: left out, because .*No tool "perimeter"/),
    ]);
  });

  it('that no reply can satisfy are imported and reported', async () => {
    const { suite, warnings } = await importText(
      jsonLines(question('simple_0'), question('simple_1'), question('simple_2')),
      jsonLines(
        truth('simple_0', { 'geometry.area': { side: [] } }),
        truth('simple_1', { 'geometry.area': { side: [1], colour: ['red'] } }),
        truth('simple_2', { 'geometry.area': { side: [1], colour: ['red', ''] } }),
      ),
    );
    expect(suite.test_cases).toHaveLength(3);
    expect(warnings).toEqual([
      'Line 1: simple_0: no reply can satisfy it (simple_function_checker:missing_required); it is ' +
        'imported, and will fail for every model',
      "Line 2: simple_1: no reply can satisfy it by BFCL's own check " +
        '(simple_function_checker:unexpected_param); the house score can be won',
    ]);
  });

  it('that cannot become a case are left out with their line and the reason', async () => {
    const { suite, warnings } = await importText(
      jsonLines(
        question('irrelevance_0'),
        { ...question('irrelevance_1'), function: [] },
        { ...question('irrelevance_2'), function: [{ ...area, name: 'über area' }, area, area] },
      ),
    );
    expect(suite.test_cases).toHaveLength(2);
    expect(warnings).toEqual([
      expect.stringMatching(/^Line 2: irrelevance_1: left out, because it offers no function/),
      expect.stringMatching(/^Line 3: .*"über area" is named "_ber_area"/),
      expect.stringMatching(/^Line 3: .*describes "geometry.area" twice/),
    ]);
  });

  it('expect objects with "$" keys literally, and are left out if these have several values', async () => {
    const { suite, warnings } = await importText(
      jsonLines(question('simple_0'), question('simple_1')),
      jsonLines(
        truth('simple_0', {
          'geometry.area': { side: [1], note: [{ $gt: [1] }, { any: [{ $lt: 2 }] }], pair: [[{ $n: ['x'] }]] },
        }),
        truth('simple_1', { 'geometry.area': { side: [1], note: [{ $gt: [1, 2] }] } }),
      ),
    );
    expect(warnings).toContainEqual(expect.stringMatching(/^Line 2: simple_1: left out, because .* "\$"/));
    const params = {
      side: 1,
      note: { $one_of: [{ $literal: { $gt: 1 } }, { any: { $literal: { $lt: 2 } } }] },
      pair: [{ $literal: { $n: 'x' } }],
    };
    expect(suite.test_cases).toMatchObject([{ name: 'simple_0', expected_params: params }]);
    expect(JSON.parse((await linesOf(suite, 'answers'))[0]!)).toMatchObject({
      ground_truth: [
        { 'geometry.area': { side: [1], note: [{ $gt: [1] }, { any: [{ $lt: 2 }] }], pair: [[{ $n: ['x'] }]] } },
      ],
    });
  });

  it('keep the text of their numbers', async () => {
    const { suite } = await importText(
      `${JSON.stringify(question('simple_0'))}\n{"id":"simple_0","ground_truth":[{"geometry.area":{"side":[5.0, ` +
        '12345678901234567890]}}]}',
    );
    expect(JSON.stringify(suite.test_cases[0]!.expected_params)).toBe(
      '{"side":{"$one_of":[5.0,12345678901234567890]}}',
    );
  });
});

describe('a suite exported to BFCL', () => {
  it('has its original questions, functions and answers', async () => {
    const nested = {
      ...area,
      name: 'über area',
      parameters: {
        ...area.parameters,
        properties: {
          points: { type: 'array', items: { type: 'tuple', items: { type: 'float' } } },
          any: { description: 'no type' },
          n: { type: 'int', default: 1.0 },
        },
      },
    };
    const entries = [
      { ...question('simple_python_1'), function: [nested] },
      truth('simple_python_1', { 'über area': { points: [[[1, 2]]] } }),
      question('simple_python_0'),
      truth('simple_python_0', {
        'geometry.area': {
          side: [2, 2.5],
          unit: ['cm', ''],
          box: [{ w: [1, 2] }, ''],
          pair: [
            [1, 2],
            [2, 1],
          ],
        },
      }),
      question('irrelevance_9'),
    ];
    const { suite } = await importText(jsonLines(...entries));
    const exported = (await linesOf(suite, 'all')).map((line) => JSON.parse(line));
    expect(exported).toEqual(entries);
    expect(await linesOf(suite, 'answers')).toHaveLength(2);
    expect((await importText(await exportToText(suite, 'bfcl'))).suite).toEqual(suite);
  });

  it('has the current description of a tool that was changed', async () => {
    const { suite } = await importText(jsonLines(question('irrelevance_0')));
    const [tool] = suite.test_cases[0]!.tools as SuiteFile['tools'];
    expect(tool!.annotations).toEqual({ bfcl: area });
    const changed = { ...tool!, function: { ...tool!.function, description: 'Changed.' } };
    const [line] = (
      await linesOf({ ...suite, test_cases: [{ ...suite.test_cases[0]!, tools: [changed] }] }, 'all')
    ).map((text) => JSON.parse(text));
    expect(line.function[0]).toMatchObject({
      name: 'geometry.area',
      description: 'Changed.',
      parameters: { type: 'dict', properties: { pair: { type: 'array' }, side: { type: 'float' } } },
    });
  });

  it('names many cases with the same name in linear time', async () => {
    const tool = { type: 'function' as const, function: { name: 'f' } };
    const cases = Array.from({ length: 10_000 }, () => ({ name: 'same', prompt: 'p', expected_tool: null }));
    const ids = (
      await linesOf(
        { ...SuiteFile.parse({ name: 's', tools: [tool] }), test_cases: [...cases, { ...cases[0]!, name: 'same#2' }] },
        'questions',
      )
    ).map((line) => JSON.parse(line).id);
    expect([ids[0], ids[1], ids.at(-2), ids.at(-1)]).toEqual(['same', 'same#2', 'same#10000', 'same#2#2']);
  });

  it('can be imported again, whatever the names of its cases', async () => {
    const tool = {
      type: 'function' as const,
      function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
    };
    const cases = [
      { expected_tool: null, name: 'say nothing' },
      { expected_tool: null },
      { expected_tool: 'f', expected_params: {}, name: 'trip 1' },
      { expected_tool: ['f'], name: 'any' },
      { expected_tool: 'f' },
      { expected_tool: null, name: 'relevance_7' },
      { expected_tool: 'f', name: 'irrelevance_8' },
    ];
    const suite = SuiteFile.parse({
      name: 's',
      tools: [tool],
      test_cases: cases.map((one) => ({ prompt: 'p', ...one })),
    });
    const again = await importText(await exportToText(suite, 'bfcl'));
    expect(again.suite.test_cases.map(({ name, expected_tool }) => [name, expected_tool])).toEqual([
      ['say nothing', null],
      ['irrelevance_1', null],
      ['trip 1', 'f'],
      ['relevance_4', ['f']],
    ]);
    expect(again.warnings).toEqual(
      ['any', 'relevance_7', 'irrelevance_8'].map((name) => expect.stringContaining(`${name}: left out by the export`)),
    );
  });

  it('lists the cases that BFCL cannot express', async () => {
    const tool = { type: 'function' as const, function: { name: 'f' } };
    const suite = SuiteFile.parse({
      name: 's',
      tools: [tool, { ...tool, function: { name: 'g' } }],
      test_cases: [
        { prompt: 'p', expected_tool: 'f', expected_params: { a: { $contains: 'x' } } },
        { prompt: 'p', expected_tool: 'f' },
      ],
    });
    expect((await linesOf(suite, 'all')).map((line) => JSON.parse(line))).toEqual([
      { id: 'multiple_0', left_out: expect.stringMatching(/"a".*matcher/) },
      { id: 'relevance_1', left_out: expect.stringMatching(/arguments/) },
    ]);
  });
});

describe('acceptable values', () => {
  const lists: [string, Json[], boolean?][] = [
    ['one value', ['a']],
    ['several', [1, 2]],
    ['optional', ['a', '']],
    ['nothing but optional', ['']],
    ['none at all', []],
    ['a required empty text', ['', 'a'], true],
    ['lists', [[1, 2], [3]]],
    ['an empty list', [[]]],
    ['null', [null]],
    ['objects in a list', [[{ a: [1, ''] }, { a: [2] }]]],
    ['nested objects', [{ a: [{ b: ['c'] }] }]],
  ];
  it.each(lists)('convert to an expected value and back: %s', (_name, accepted, required = false) => {
    expect(toPossibleAnswer(fromPossibleAnswer(accepted, required))).toEqual(accepted);
  });
});

/** Lines recorded from the reference. Its data is not part of this project. */
const VECTORS = new URL('../../../../shared/vectors/bfcl-ast.jsonl', import.meta.url);
const recorded = existsSync(VECTORS)
  ? readFileSync(VECTORS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => parseJson(line) as JsonObject & { id: string; input: JsonObject; expected: JsonObject })
  : [];

/** The position of "" among acceptable values does not matter. */
const optionalLast = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...value.filter((one) => one !== ''), ...value.filter((one) => one === '')].map(optionalLast)
    : typeof value === 'object' && value !== null && !('rawJSON' in value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, optionalLast(inner)]))
      : value;

describe('an imported suite', () => {
  it('is scored by bfcl_ast as the reference scores the entry', async () => {
    const differences: unknown[] = [];
    for (const { id, input, expected } of recorded) {
      if (!/: [a-z_]+_\d+(-\d+)*: /.test(id) || input.underscore_to_dot === true || !Array.isArray(input.model_output))
        continue;
      const name = /: ([a-z_]+_\d+(?:-\d+)*): /.exec(id)![1]!;
      const { suite } = await importText(
        [{ id: name, question: [[{ role: 'user', content: 'q' }]], function: input.functions! }],
        input.possible_answer && (input.possible_answer as Json[]).length > 0
          ? [{ id: name, ground_truth: input.possible_answer }]
          : undefined,
      );
      const [test] = suite.test_cases;
      const calls = (input.model_output as JsonObject[]).flatMap((call) =>
        Object.keys(call).length === 1 ? Object.entries(call) : [],
      );
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(([tool, args]) => ({
          type: 'function',
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      };
      const tools = test!.tools as SuiteFile['tools'];
      const scores = scoreMetrics([{ id: 'bfcl_ast', options: {} }], {
        case: test!,
        tools,
        rounds: [{ message, reply: parseReply(message, tools) }],
      });
      if (scores.bfcl_ast!.valid !== expected.valid)
        differences.push({
          id,
          got: scores.bfcl_ast,
          expected,
          test: JSON.stringify(test!.expected_params ?? test!.expected_calls),
        });
    }
    expect(differences.slice(0, 10)).toEqual([]);
  });

  it('is exported with the functions and answers of the reference', async () => {
    let entries = 0;
    for (const { id, input } of recorded) {
      const name = /: ([a-z_]+_\d+(?:-\d+)*): /.exec(id)?.[1];
      if (
        !name ||
        !Array.isArray(input.functions) ||
        !Array.isArray(input.possible_answer) ||
        input.possible_answer.length === 0
      )
        continue;
      const asked = { id: name, question: [[{ role: 'user', content: 'q' }]], function: input.functions };
      const truths = { id: name, ground_truth: input.possible_answer };
      const { suite } = await importText([asked], [truths]);
      const back = (await linesOf(suite, 'all')).map((line) => parseJson(line));
      expect({ id, back }).toEqual({ id, back: [asked, optionalLast(truths)] });
      entries++;
    }
    expect(entries > 0).toBe(recorded.length > 0);
  });

  it('also passes in the house score when every parameter has its first acceptable value', async () => {
    const { suite } = await importText(
      jsonLines(question('simple_0')),
      jsonLines(truth('simple_0', { 'geometry.area': { side: [2, 3], unit: ['cm', ''] } })),
    );
    const [test] = suite.test_cases;
    const reply = (args: object) =>
      parseReply(
        {
          role: 'assistant',
          tool_calls: [{ type: 'function', function: { name: 'geometry.area', arguments: JSON.stringify(args) } }],
        },
        suite.tools,
      );
    const scorer = prepareCase(test!, suite.tools, 1);
    expect([{ side: 3 }, { side: 2, unit: 'CM' }, { side: 4 }].map((args) => scorer.score(reply(args)).passed)).toEqual(
      [true, true, false],
    );
  });
});
