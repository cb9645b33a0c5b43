import type { Tool } from '#lib/contracts/tool';
import { checkArguments, checkTools } from './check-tools.js';

const tool = (parameters: object): Tool => ({
  type: 'function',
  function: { name: 'f', parameters: parameters as never },
});
const problemsOf = (parameters: object, args: object): string[] =>
  checkArguments(tool(parameters), args as never, 0).map(({ path }) => path);

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const NEWEST = 'https://json-schema.org/draft/2020-12/schema';
const range = { type: 'array', items: [{ type: 'integer' }, { type: 'integer' }], additionalItems: false };
const ttl = { type: 'integer', minimum: 0, exclusiveMinimum: true };

describe('a schema', () => {
  test.each([
    DRAFT_04,
    'http://json-schema.org/draft-06/schema#',
    DRAFT_07,
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
    'https://www.json-schema.org/draft-07/schema/',
    'http://json-schema.org/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://schemas.example.com/own',
    7,
    undefined,
  ])('with a tuple in "items" is read under its own draft, %s', ($schema) => {
    const parameters = { ...($schema && { $schema }), type: 'object', properties: { range } };
    expect(checkTools([tool(parameters)])).toEqual([]);
    expect(problemsOf(parameters, { range: [1, 2] })).toEqual([]);
    expect(problemsOf(parameters, { range: [1, 'x'] })).toEqual(['/range/1']);
    expect(problemsOf(parameters, { range: [1, 2, 3] })).toEqual(['/range']);
  });

  test.each([DRAFT_04, DRAFT_07, NEWEST, 'https://json-schema.org/draft-04/schema', undefined])(
    'may have boolean and numeric forms of "exclusiveMinimum", %s',
    ($schema) => {
      const mixed = { over: { exclusiveMinimum: 5 }, upTo: { maximum: 9, exclusiveMaximum: false } };
      for (const others of [{}, mixed]) {
        const parameters = { ...($schema && { $schema }), type: 'object', properties: { ttl, ...others } };
        expect(checkTools([tool(parameters)])).toEqual([]);
        expect(problemsOf(parameters, { ttl: 1 })).toEqual([]);
        expect(problemsOf(parameters, { ttl: 0 })).toEqual(['/ttl']);
        if (others === mixed) expect(problemsOf(parameters, { over: 5, upTo: 9 })).toEqual(['/over']);
      }
    },
  );

  test('of the newest draft is validated against it', () => {
    expect(checkTools([tool({ $schema: NEWEST, properties: { pair: { prefixItems: [{}] } } })])).toEqual([]);
    expect(checkTools([tool({ $schema: NEWEST, properties: { range } })])).toMatchObject([
      { message: 'is not a valid JSON Schema: schema is invalid: data/properties/range/items must be object,boolean' },
    ]);
  });

  test.each([
    [NEWEST, '$id'],
    [DRAFT_07, '$id'],
    [DRAFT_04, 'id'],
  ])('refers to itself by its id, %s', ($schema, idKey) => {
    const parameters = (id: string, type: string) => ({
      $schema,
      [idKey]: id,
      properties: { a: { $ref: `${id}#/definitions/a` }, b: { $ref: 'root.json#/definitions/a' } },
      definitions: { a: { type } },
    });
    for (const type of ['string', 'number']) {
      const one = parameters('https://a.example/root.json', type);
      expect(checkTools([tool(one)])).toEqual([]);
      expect(problemsOf(one, { a: type === 'string' ? 1 : 'x' })).toEqual(['/a']);
    }
  });

  test('that is valid only under the newest draft is accepted whatever draft it declares', () => {
    const parameters = { $schema: DRAFT_04, properties: { n: { type: 'number', exclusiveMinimum: 0 } } };
    expect(checkTools([tool(parameters)])).toEqual([]);
    expect(problemsOf({ ...parameters, $defs: {} }, { n: 0 })).toEqual(['/n']);
  });

  test.each([DRAFT_04, DRAFT_07, 'https://json-schema.org/draft/2019-09/schema', undefined])(
    'may have "definitions" and "dependencies", %s',
    ($schema) => {
      const parameters = {
        ...($schema && { $schema }),
        properties: { a: { $ref: '#/definitions/text' } },
        definitions: { text: { type: 'string' } },
        dependencies: { a: ['b'] },
      };
      expect(checkTools([tool(parameters)])).toEqual([]);
      expect(problemsOf(parameters, { a: 1, b: 1 })).toEqual(['/a', '/b']);
      expect(problemsOf(parameters, { a: 'x' })).toEqual(['/b']);
    },
  );

  test('of draft-04 may refer to inner ids, which other schemas cannot see', () => {
    const parameters = {
      $schema: DRAFT_04,
      id: 'https://a.example/root',
      properties: { a: { $ref: '#text' }, b: { id: '#text', type: 'string' } },
    };
    const other = tool({ $schema: DRAFT_04, properties: { a: { $ref: 'https://a.example/root#text' } } });
    for (const _time of [1, 2]) {
      expect(checkTools([tool(parameters)])).toEqual([]);
      expect(problemsOf(parameters, { a: 1 })).toEqual(['/a']);
      expect(checkTools([other])).toMatchObject([{ message: expect.stringContaining("can't resolve reference") }]);
    }
  });

  test.each([DRAFT_07, undefined])('of a newer draft ignores "id", %s', ($schema) => {
    const parameters = { ...($schema && { $schema }), id: 'f', properties: { id: { id: 'x', type: 'string' } } };
    expect(checkTools([tool(parameters)])).toEqual([]);
    expect(problemsOf(parameters, { id: 1 })).toEqual(['/id']);
  });

  test.each([
    { $ref: '#/$defs/x', nullable: true },
    { anyOf: [{ type: 'string' }, { $ref: '#/$defs/x' }], nullable: false },
    { allOf: [{ nullable: true }, { type: 'string' }] },
    { type: 'string', nullable: 'yes' },
  ])('ignores "nullable" where it has no meaning: %j', (a) => {
    const parameters = { properties: { a }, $defs: { x: { type: 'string' } } };
    expect(checkTools([tool(parameters)])).toEqual([]);
    expect(problemsOf(parameters, { a: 1 })).toContain('/a');
  });

  test('keeps the meaning of "nullable" next to a type, and arguments of that name', () => {
    const parameters = {
      properties: { a: { type: 'string', nullable: true }, nullable: true },
      required: ['nullable'],
      additionalProperties: false,
    };
    expect(checkTools([tool(parameters)])).toEqual([]);
    expect(problemsOf(parameters, { a: null, nullable: 1 })).toEqual([]);
    expect(problemsOf(parameters, { a: 1 })).toEqual(['/nullable', '/a']);
  });

  test.each([
    { dependencies: { a: { $ref: '#' } } },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', allOf: [{ $recursiveRef: '#' }] },
    { $schema: DRAFT_04, definitions: { a: { id: '#a', allOf: [{ $ref: '#a' }] } } },
  ])('of an older draft that never ends is refused: %j', (parameters) => {
    expect(checkTools([tool(parameters)])).toMatchObject([{ message: expect.stringContaining('never ends') }]);
  });
});
