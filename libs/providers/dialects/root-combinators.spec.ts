import { anthropic } from '../formats/anthropic/dialect.js';
import { google } from '../formats/google/dialect.js';
import { mergeRootCombinators } from './root-combinators.js';

const text = { type: 'string' };
const x = { type: 'object', properties: { x: text }, required: ['x', 'id'], additionalProperties: false };
const y = { type: 'object', properties: { y: text, id: text }, required: ['id'], additionalProperties: false };

test.each<[string, object, object]>([
  [
    'that only combines arguments is left out',
    { type: 'object', properties: { x: text, y: text }, anyOf: [{ required: ['x'] }, { required: ['y'] }] },
    { type: 'object', properties: { x: text, y: text } },
  ],
  [
    'of objects declares all their arguments, and requires the common ones',
    { oneOf: [x, y], description: 'either' },
    {
      description: 'either',
      properties: { x: text, y: text, id: text },
      required: ['id'],
      additionalProperties: false,
    },
  ],
  [
    'of objects that differ in an argument allows both forms',
    {
      anyOf: [
        { properties: { kind: { const: 'a' }, same: text } },
        { properties: { kind: { const: 'b' }, same: text } },
      ],
    },
    { properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, same: text } },
  ],
  [
    '"allOf" requires everything',
    { type: 'object', properties: { a: text }, required: ['a'], allOf: [{ properties: { b: text }, required: ['b'] }] },
    { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] },
  ],
  [
    'of references is resolved',
    {
      anyOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/both' }],
      $defs: { x, both: { allOf: [{ $ref: '#/$defs/x' }] } },
    },
    {
      $defs: { x, both: { allOf: [{ $ref: '#/$defs/x' }] } },
      properties: { x: text },
      required: ['x', 'id'],
    },
  ],
  [
    'with an unreadable branch requires nothing of the others',
    { anyOf: [x, { $ref: 'https://example.com/y' }] },
    { properties: { x: text } },
  ],
  [
    'that refers to itself terminates',
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: Array(40).fill({ $ref: '#/$defs/a' }) } } },
    { $defs: { a: { anyOf: Array(40).fill({ $ref: '#/$defs/a' }) } }, properties: {} },
  ],
])('a combinator at the root of a schema %s', (_what, schema, merged) => {
  expect(mergeRootCombinators(schema as never)).toEqual(merged);
});

const wireOf = (body: object) => anthropic.toWire({ model: 'm', messages: [], ...body } as never);

test('Anthropic gets the merged schema, and the run notes it once', () => {
  const parameters = { anyOf: [x, y] };
  const tool = { type: 'function', function: { name: 'f', parameters } };
  const { wire, notes } = wireOf({ tools: [tool, { type: 'function', function: { name: 'g', parameters } }] });
  expect(wire.tools).toMatchObject([
    { name: 'f', input_schema: { type: 'object', required: ['id'] } },
    { name: 'g', input_schema: { type: 'object' } },
  ]);
  expect(JSON.stringify(wire.tools)).not.toContain('anyOf');
  expect(notes.filter(({ what }) => what === 'combinators')).toHaveLength(1);
});

test('Gemini gets the arguments of the branches at the root, and the rest as written', () => {
  const wireOfGoogle = (parameters: object) =>
    google.toWire({ model: 'm', messages: [], tools: [{ function: { name: 'f', parameters } }] } as never);
  const bare = wireOfGoogle({ anyOf: [x, y] });
  expect(bare.notes).toMatchObject([{ what: 'combinators' }]);
  expect(bare.wire.config).toMatchObject({
    tools: [{ functionDeclarations: [{ parametersJsonSchema: { type: 'object', required: ['id'] } }] }],
  });
  const declared = { type: 'object', properties: { x: text }, anyOf: [{ required: ['x'] }] };
  expect(wireOfGoogle(declared)).toMatchObject({
    notes: [],
    wire: { config: { tools: [{ functionDeclarations: [{ parametersJsonSchema: declared }] }] } },
  });
});

const CALLED = [
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'rain' },
];

test.each([undefined, []])('Anthropic gets the tools of earlier calls if a case offers none: %j', (tools) => {
  const { wire, notes } = wireOf({ messages: CALLED, tools, tool_choice: 'auto' });
  expect(wire).toMatchObject({
    tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
    tool_choice: { type: 'none' },
  });
  expect(notes).toContainEqual({ what: 'tools', message: expect.stringContaining('tools of earlier calls') });
});

test('Anthropic gets all tools even if none may be called, and none if there are none', () => {
  const tools = [{ type: 'function', function: { name: 'get_weather' } }];
  expect(wireOf({ messages: CALLED, tools, tool_choice: 'none' }).wire).toMatchObject({
    tools: [{ name: 'get_weather' }],
    tool_choice: { type: 'none' },
  });
  expect(wireOf({ messages: CALLED.slice(0, 1), tools: [] }).wire).not.toHaveProperty('tools');
});
