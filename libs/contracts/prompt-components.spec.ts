import { parseJson } from './json/json.js';
import { PromptComponents, ToolOverrides } from './prompt.js';
import { componentKey, componentsOf, describeTools, parseComponent, unknownComponents } from './prompt-components.js';
import type { Tool } from './tool.js';

const toolsOf = (text: string): Tool[] => parseJson(text) as unknown as Tool[];

const TOOLS = toolsOf(`[
  {"type": "function", "function": {"name": "book", "description": "Books.", "parameters": {
    "type": "object",
    "required": ["stay"],
    "properties": {
      "stay": {"type": "object", "description": "When.", "properties": {"from": {"type": "string"}}},
      "guests": {"type": "array", "items": {"type": "object", "properties": {
        "age": {"type": "integer", "minimum": 0.0}}}},
      "a/b~c": {"type": "string", "description": "Odd."},
      "kind": {"enum": [{"properties": {"x": {"description": "data"}}}], "default": {"description": "data"}},
      "note": {"anyOf": [{"type": "string", "description": "A text."}, {"type": "null"}]}
    }
  }}},
  {"type": "function", "function": {"name": "list.all"}}
]`);

describe('the components of a suite', () => {
  it('are its system prompt, its tools, and the places in their parameters', () => {
    expect([...componentsOf(null, TOOLS)]).toEqual([
      ['system_prompt', ''],
      ['tools/book/description', 'Books.'],
      ['tools/list.all/description', ''],
      ['tools/book/parameters/properties/stay/description', 'When.'],
      ['tools/book/parameters/properties/stay/properties/from/description', ''],
      ['tools/book/parameters/properties/guests/description', ''],
      ['tools/book/parameters/properties/guests/items/properties/age/description', ''],
      ['tools/book/parameters/properties/a~1b~0c/description', 'Odd.'],
      ['tools/book/parameters/properties/kind/description', ''],
      ['tools/book/parameters/properties/note/description', ''],
      ['tools/book/parameters/properties/note/anyOf/0/description', 'A text.'],
    ]);
  });

  it('have keys that can be read back', () => {
    const keys = [...componentsOf('', TOOLS).keys()];
    expect(keys.map((key) => componentKey(parseComponent(key)!))).toEqual(keys);
    expect(unknownComponents(keys, TOOLS)).toEqual([]);
    expect(parseComponent('tools/book/parameters/properties/a~1b~0c/description')).toEqual({
      of: 'parameter',
      tool: 'book',
      pointer: ['properties', 'a/b~c'],
    });
  });

  it('are listed up to a bound, however large the schemas are', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, {}]));
    const many = Array.from({ length: 128 }, (_, index) => ({
      type: 'function' as const,
      function: { name: `t${index}`, parameters: { properties } },
    }));
    const listed = componentsOf(null, many);
    expect(listed.size).toBe(5_000);
    expect(listed.has('tools/t127/description')).toBe(true);
  });
});

describe('a key', () => {
  it.each([
    '',
    'system',
    '__proto__',
    'tools/book',
    'tools/book/name',
    'tools//description',
    'tools/a b/description',
    'tools/book/parameters/description',
    'tools/book/parameters/properties/city',
    'tools/book/parameters/properties/~2/description',
    `tools/book/parameters/properties/${'a'.repeat(1_000)}/description`,
  ])('%j is invalid', (key) => {
    expect(parseComponent(key)).toBeUndefined();
  });

  it.each([
    ['of a tool that is not there', 'tools/cancel/description'],
    ['of a property that is not there', 'tools/book/parameters/properties/city/description'],
    ['of a list of names itself', 'tools/book/parameters/properties/description'],
    ['of a default', 'tools/book/parameters/properties/kind/default/description'],
    ['inside an enum', 'tools/book/parameters/properties/kind/enum/0/properties/x/description'],
    ['of a list of schemas itself', 'tools/book/parameters/properties/note/anyOf/description'],
    ['of what every list has', 'tools/book/parameters/properties/note/anyOf/length/description'],
    ['of what every object has', 'tools/book/parameters/properties/constructor/description'],
    ['of the prototype', 'tools/book/parameters/properties/__proto__/description'],
    ['in a tool without parameters', 'tools/list.all/parameters/properties/a/description'],
  ])('%s names nothing in the tools, and changes nothing', (_what, key) => {
    expect(unknownComponents([key], TOOLS)).toEqual([key]);
    expect(describeTools(TOOLS, { [key]: 'Changed.' })).toBe(TOOLS);
  });
});

describe('tools with other descriptions', () => {
  it('have the new texts, the old names and numbers, and leave the old tools as they were', () => {
    const before = JSON.stringify(TOOLS);
    const described = describeTools(TOOLS, {
      'tools/book/description': 'Books a room.',
      'tools/list.all/description': 'Lists rooms.',
      'tools/book/parameters/properties/stay/description': '',
      'tools/book/parameters/properties/guests/items/properties/age/description': 'In years.',
      'tools/book/parameters/properties/note/anyOf/0/description': 'For the host.',
    });
    expect(JSON.stringify(described)).toBe(
      before
        .replace('"description":"Books."', '"description":"Books a room."')
        .replace('"name":"list.all"', '"name":"list.all","description":"Lists rooms."')
        .replace('"description":"When.",', '')
        .replace('"minimum":0.0', '"minimum":0.0,"description":"In years."')
        .replace('A text.', 'For the host.'),
    );
    expect(JSON.stringify(TOOLS)).toBe(before);
  });

  it('are the same list for the same tools and texts', () => {
    const overrides = { 'tools/book/description': 'Books a room.' };
    expect(describeTools(TOOLS, overrides)).toBe(describeTools(TOOLS, overrides));
    expect(describeTools(TOOLS, { ...overrides })).not.toBe(describeTools(TOOLS, overrides));
  });

  it('are the given list when no text differs, so that stored replies still match', () => {
    expect(describeTools(TOOLS, {})).toBe(TOOLS);
    expect(describeTools(TOOLS, Object.fromEntries(componentsOf('Answer briefly.', TOOLS)))).toBe(TOOLS);
  });

  it('may have a property named __proto__', () => {
    const tools = toolsOf('[{"type":"function","function":{"name":"t","parameters":{"properties":{"__proto__":{}}}}}]');
    const key = 'tools/t/parameters/properties/__proto__/description';
    expect([...componentsOf(null, tools).keys()]).toContain(key);
    expect(JSON.stringify(describeTools(tools, { [key]: 'Odd.' }))).toBe(
      '[{"type":"function","function":{"name":"t","parameters":{"properties":{"__proto__":{"description":"Odd."}}}}}]',
    );
    expect(({} as { description?: string }).description).toBeUndefined();
  });
});

describe('the texts of a prompt', () => {
  const messageOf = (schema: typeof PromptComponents | typeof ToolOverrides, value: unknown): string | undefined =>
    schema.safeParse(value).error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`)[0];

  it('are taken by component', () => {
    const texts = { system_prompt: '', 'tools/book/description': 'Books a room.' };
    expect(PromptComponents.parse(texts)).toEqual(texts);
    expect(messageOf(ToolOverrides, texts)).toContain('/system_prompt is not a text');
  });

  it.each([
    ['another key', { prompt: 'a' }, /^\/prompt is not a text .* system_prompt, tools\/<name>\/description, or tools/],
    ['the prototype', parseJson('{"__proto__": "a"}'), /^\/__proto__ is not a text/],
    ['a number', { system_prompt: 5 }, /string/],
    ['no object', [], /record|object/],
    ['too long a text', { system_prompt: 'a'.repeat(50_001) }, /50000/],
    [
      'too many texts',
      Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`tools/t${index}/description`, ''])),
      /at most 500 texts/,
    ],
    [
      'too much text',
      Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`tools/t${index}/description`, 'a'.repeat(45_000)])),
      /has 225000 characters of text, and may have 200000/,
    ],
  ])('are refused with %s', (_what, value, message) => {
    expect(messageOf(PromptComponents, value)).toMatch(message);
  });
});
