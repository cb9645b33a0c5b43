import { SuiteFile, SuiteInput } from '../suite.js';
import { CaseInput } from '../case.js';
import { conversionWarnings } from './tool-shapes.js';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const plain = { type: 'function', function: { name: 'f', description: 'd', parameters } };
const read = (tools: unknown) => SuiteInput.parse({ name: 's', tools }).tools;

describe('a tool is taken in the shape', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'of Anthropic',
      { name: 'f', description: 'd', input_schema: parameters },
      new RegExp(
        /^The tool \(f\) came in the shape of Anthropic \(input_schema\), /.source +
          /and is kept in that of OpenAI's chat completions\.$/.source,
      ),
    ],
    [
      'of Anthropic with what has no place here',
      { type: 'custom', name: 'f', description: 'd', input_schema: parameters, cache_control: { type: 'ephemeral' } },
      /of Anthropic \(input_schema\), without "cache_control", and/,
    ],
    ["of OpenAI's Responses", { type: 'function', name: 'f', description: 'd', parameters }, /of OpenAI's Responses/],
    ['of MCP', { name: 'f', description: 'd', inputSchema: parameters }, /of MCP/],
    ['of a function by itself', { name: 'f', description: 'd', parameters }, /of a function by itself/],
    [
      'of Gemini',
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
          },
        ],
      },
      /of Gemini/,
    ],
    [
      'of Gemini in snake case',
      { function_declarations: [{ name: 'f', description: 'd', parametersJsonSchema: parameters }] },
      /of Gemini/,
    ],
  ])('%s, with a warning', (_what, tool, said) => {
    const tools = read([tool]);
    expect(tools).toEqual([plain]);
    expect(conversionWarnings(tools)).toEqual([expect.stringMatching(said)]);
  });

  it("of OpenAI's chat completions, without a warning", () => {
    expect(conversionWarnings(read([plain]))).toEqual([]);
  });

  it('of Gemini, with its own forms of schemas', () => {
    const declared = {
      type: 'OBJECT',
      properties: {
        type: { type: 'STRING', nullable: true, enum: ['A'] },
        list: { type: 'ARRAY', minItems: '1', items: { anyOf: [{ type: 'INTEGER' }, { type: 'TYPE_UNSPECIFIED' }] } },
      },
    };
    expect(read({ functionDeclarations: [{ name: 'f', parameters: declared }, { name: 'g' }] })).toEqual([
      {
        type: 'function',
        function: {
          name: 'f',
          parameters: {
            type: 'object',
            properties: {
              type: { type: ['string', 'null'], enum: ['A', null] },
              list: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'integer' }, {}] } },
            },
          },
        },
      },
      { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('of MCP with its title and annotations, and of Responses with its strictness', () => {
    expect(
      read([
        { name: 'f', title: 'T', inputSchema: parameters, annotations: { readOnlyHint: true } },
        { type: 'function', name: 'g', strict: true },
      ]),
    ).toEqual([
      { type: 'function', function: { name: 'f', parameters }, annotations: { title: 'T', readOnlyHint: true } },
      { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} }, strict: true } },
    ]);
  });

  it('in a case and in a file, too, with one warning per shape', () => {
    const anthropic = ['f', 'g'].map((name) => ({ name, input_schema: parameters }));
    expect(
      conversionWarnings(CaseInput.parse({ prompt: 'p', expected_tool: 'f', tools: [...anthropic, 'h'] }).tools!),
    ).toEqual([expect.stringMatching(/^2 tools \(f, g\) came in the shape of Anthropic/)]);
    expect(SuiteFile.parse({ name: 's', tools: anthropic }).tools.map((tool) => tool.function.parameters)).toEqual([
      parameters,
      parameters,
    ]);
  });
});

describe('a tool is refused that', () => {
  it.each<[string, unknown]>([
    ['a provider runs itself', { type: 'web_search_20250305', name: 'web_search', parameters: {} }],
    ['Gemini has next to its declarations', { functionDeclarations: [{ name: 'f' }], googleSearch: {} }],
    ['has no schema by any name', { name: 'f', description: 'd' }],
    ['is a list', [plain]],
  ])('%s', (_what, tool) => {
    expect(SuiteInput.safeParse({ name: 's', tools: [tool] }).success).toBe(false);
  });
});
