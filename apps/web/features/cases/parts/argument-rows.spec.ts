import { argumentRows, kindFor } from './argument-rows.js';

const tool = (name: string, parameters: object) => ({ type: 'function', function: { name, parameters } }) as never;

it('each argument of the schema is typed in a field of its kind, whatever its spelling', () => {
  const tools = [
    tool('book', {
      type: 'object',
      required: ['city', 'when'],
      $defs: { when: { type: 'string', description: 'A day' } },
      properties: {
        city: { type: 'string', description: 'Where' },
        when: { $ref: '#/$defs/when' },
        nights: { type: ['integer', 'null'] },
        price: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        paid: { type: 'boolean' },
        size: { enum: ['s', 'm', 3] },
        tags: { type: 'array', items: { type: 'string' } },
        days: { type: 'array', items: { type: 'integer' } },
        guests: { type: 'array', items: { type: 'object' } },
        either: { type: ['string', 'number'] },
        any: true,
        lost: { $ref: '#/nowhere' },
      },
    }),
  ];
  const rows = argumentRows(tools, ['BOOK'], { city: 'Rome', typo: 1 });
  expect(rows.map(({ name, kind }) => [name, kind])).toEqual([
    ['city', 'text'],
    ['when', 'text'],
    ['nights', 'number'],
    ['price', 'number'],
    ['paid', 'boolean'],
    ['size', 'choice'],
    ['tags', 'texts'],
    ['days', 'numbers'],
    ['guests', 'json'],
    ['either', 'free'],
    ['any', 'free'],
    ['lost', 'free'],
    ['typo', 'free'],
  ]);
  expect(rows.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(['city', 'when']);
  expect(rows[1]).toMatchObject({ description: 'A day' });
  expect(rows.at(-1)).toMatchObject({ name: 'typo', isKnown: false });
});

it('of several tools, an argument is required if each of them requires it', () => {
  const a = tool('a', { required: ['x', 'y'], properties: { x: { type: 'string' }, y: {} } });
  const b = tool('b', { required: ['x'], properties: { x: { type: 'number' }, y: {}, z: {} } });
  const rows = argumentRows([a, b], ['a', 'b', 'gone'], undefined);
  expect(rows.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['x', 'text', true],
    ['y', 'free', false],
    ['z', 'free', false],
  ]);
});

it('a value that its field cannot show is shown as JSON', () => {
  expect(kindFor('text', 5)).toBe('free');
  expect(kindFor('boolean', 'true')).toBe('free');
  expect(kindFor('texts', ['a', 'b'])).toBe('texts');
  expect(kindFor('texts', ['two\nlines'])).toBe('free');
  expect(kindFor('texts', [])).toBe('free');
  expect(kindFor('number', undefined)).toBe('number');
});
