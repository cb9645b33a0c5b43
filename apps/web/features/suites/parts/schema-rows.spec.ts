import { schemaRows } from './schema-rows.js';

it('every argument is a row, nested ones after their object', () => {
  const schema = {
    type: 'object',
    required: ['city'],
    properties: {
      city: { type: 'string', description: 'Where' },
      unit: { enum: ['c', 'f'] },
      days: { type: 'array', items: { type: 'object', properties: { n: { type: ['integer', 'null'] } } } },
      limit: { type: 'integer', default: 5 },
      any: true,
    },
  };
  expect(schemaRows(schema).map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
    ['city', 'string', true],
    ['unit', 'one of "c", "f"', false],
    ['days', 'list of object', false],
    ['days[].n', 'integer or null', false],
    ['limit', 'integer, default 5', false],
    ['any', 'any', false],
  ]);
});

it('only object schemas have rows, and there are 200 at most', () => {
  expect(schemaRows(undefined)).toEqual([]);
  expect(schemaRows({ type: 'string' })).toEqual([]);
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, {}]));
  expect(schemaRows({ properties })).toHaveLength(200);
});
