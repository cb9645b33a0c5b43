import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { toInputErrors } from './input-errors.js';

const faults = (schema: z.ZodType, input: unknown) => toInputErrors(schema.safeParse(input).error?.issues ?? []);
const colours = z.enum(['red', 'green', 'blue']);

describe("zod's errors are reworded", () => {
  it.each<[z.core.$ZodIssue['code'], z.ZodType, unknown, string, string]>([
    ['invalid_type', z.object({ a: z.string() }), { a: 5 }, '/a', 'must be of type string'],
    ['invalid_type', z.object({ a: z.string() }), {}, '/a', 'is missing'],
    ['invalid_type', z.strictObject({}), undefined, '', 'is missing'],
    ['invalid_type', z.int(), 1.5, '', 'must be of type integer'],
    ['invalid_type', z.coerce.number(), 'x', '', 'must be of type number'],
    ['invalid_type', z.record(z.string(), z.string()), 5, '', 'must be of type object'],
    ['invalid_type', z.object({ a: z.never().optional() }), { a: 1 }, '/a', 'must be left out'],
    ['too_small', z.string().min(1), '', '', 'must not be empty'],
    ['too_small', z.array(z.int()).min(1), [], '', 'must not be empty'],
    ['too_small', z.string().min(3), 'ab', '', 'must have at least 3 characters'],
    ['too_small', z.number().min(1), 0, '', 'must be at least 1'],
    ['too_small', z.number().positive(), 0, '', 'must be more than 0'],
    ['too_small', z.string().length(1), '', '', 'must have exactly 1 characters'],
    ['too_big', z.array(z.int()).max(2), [1, 2, 3], '', 'must have at most 2 entries'],
    ['too_big', z.object({ 'a/b': z.number().max(2) }), { 'a/b': 3 }, '/a~1b', 'must be at most 2'],
    ['too_big', z.number().lt(2), 2, '', 'must be less than 2'],
    ['too_big', z.set(z.int()).max(1), new Set([1, 2]), '', 'must have at most 1 entries'],
    ['not_multiple_of', z.number().multipleOf(5), 6, '', 'must be a multiple of 5'],
    [
      'invalid_value',
      z.object({ a: colours }),
      { a: 'gren' },
      '/a',
      'must be one of "red", "green", "blue". Did you mean "green"?',
    ],
    ['invalid_value', colours, 'x', '', 'must be one of "red", "green", "blue"'],
    ['invalid_value', z.object({ a: colours }), {}, '/a', 'is missing'],
    ['invalid_value', z.literal(true), false, '', 'must be true'],
    [
      'invalid_format',
      z.object({ suite_id: z.uuid() }),
      { suite_id: 'Weather' },
      '/suite_id',
      'is not an id: ids look like 0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e. There is no suite with the id ' + '"Weather".',
    ],
    [
      'invalid_format',
      z.object({ job_id: z.uuid() }),
      { job_id: 'abc123' },
      '/job_id',
      'is not an id: ids look like 0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e. There is no job with the id ' + '"abc123".',
    ],
    [
      'invalid_format',
      z.object({ baseline_eval_id: z.uuid() }),
      { baseline_eval_id: 'x' },
      '/baseline_eval_id',
      'is not an id: ids look like 0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e. There is no run with the id ' + '"x".',
    ],
    [
      'invalid_format',
      z.uuid(),
      'x'.repeat(81),
      '',
      `is not an id: ids look like 0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e. It is "${'x'.repeat(80)}...".`,
    ],
    ['invalid_format', z.iso.datetime(), 'yesterday', '', 'must be a time of UTC such as 2026-01-31T12:00:00Z'],
    ['invalid_format', z.string().regex(/^a$/), 'b', '', 'must match the pattern /^a$/'],
    ['invalid_format', z.string().startsWith('tm_'), 'b', '', 'must start with "tm_"'],
    ['invalid_format', z.string().includes('@'), 'b', '', 'must include "@"'],
    ['invalid_format', z.email(), 'b', '', 'must be of the format "email"'],
    [
      'unrecognized_keys',
      z.strictObject({ samples: z.int() }),
      { samples: 1, sampels: 1 },
      '/sampels',
      'is not a field of this object. Did you mean "samples"?',
    ],
    [
      'unrecognized_keys',
      z.strictObject({ samples: z.int() }),
      { samples: 1, colour: 1 },
      '/colour',
      'is not a field of this object. Is it misspelt?',
    ],
    [
      'unrecognized_keys',
      z.record(colours, z.int()),
      { red: 1, green: 1, blue: 1, pink: 1 },
      '/pink',
      'is not a field of this object. Is it misspelt?',
    ],
    ['invalid_union', z.union([z.string(), z.array(z.string())]), 5, '', 'must be of one of the types string, array'],
    ['invalid_union', z.object({ a: z.union([z.string(), z.array(z.string())]) }), {}, '/a', 'is missing'],
    [
      'invalid_union',
      z.union([z.string(), z.strictObject({ a: z.int() })]),
      { a: 'x' },
      '/a',
      'must be of type number',
    ],
    [
      'invalid_union',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      { kind: 'c' },
      '/kind',
      'must be one of "a", "b"',
    ],
    [
      'invalid_union',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]),
      5,
      '',
      'must be of type object',
    ],
    [
      'invalid_union',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]),
      { b: 'x' },
      '/b',
      'must be of type number',
    ],
    [
      'invalid_union',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]),
      {},
      '',
      'must have one of the fields "a", "b"',
    ],
    [
      'invalid_union',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]),
      { a: 1, b: 1 },
      '/b',
      'cannot be combined with "a"',
    ],
    ['invalid_union', z.xor([z.string(), z.string()]), 'x', '', 'must match exactly one of the allowed shapes'],
    ['invalid_key', z.record(z.string().max(2), z.int()), { abc: 1 }, '/abc', 'must have at most 2 characters'],
    ['invalid_element', z.map(z.object({}), z.int()), new Map([[{}, 'x']]), '', 'must be of type number'],
    ['custom', z.unknown().refine(() => false), 5, '', 'is not allowed here'],
    ['custom', z.unknown().refine(() => false, 'must be a JSON object'), 5, '', 'must be a JSON object'],
  ])('%s', (code, schema, input, path, message) => {
    expect(schema.safeParse(input).error!.issues[0]!.code).toBe(code);
    expect(faults(schema, input)).toEqual([{ path, message }]);
  });

  it('a misspelt field among those of all shapes', () => {
    const schema = z.union([
      z.strictObject({ contains: z.union([z.string(), z.array(z.string())]) }),
      z.strictObject({ regex: z.string() }),
    ]);
    expect(faults(schema, { regx: 'x' })).toEqual([
      { path: '', message: 'must have one of the fields "contains", "regex"' },
      { path: '/regx', message: 'is not a field of this object. Did you mean "regex"?' },
    ]);
  });

  it('at most a hundred of them', () => {
    expect(faults(z.array(z.string()), Array(5000).fill(5))).toHaveLength(100);
    expect(
      faults(
        z.strictObject({ a: z.int() }),
        Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1])),
      ),
    ).toHaveLength(100);
  });
});

describe('no message of zod is shown', () => {
  const ZODS = /^Invalid|Too (?:small|big)|expected .*received|Unrecognized|[<>]=/;
  const ODD = [
    undefined,
    null,
    true,
    -1,
    0,
    1.5,
    1e15,
    '',
    'x',
    'x'.repeat(60_000),
    [],
    ['x', 'x'],
    {},
    { nobodys: 1 },
    { '\n': '\n' },
  ];

  /** Schemas already visited: they give the same errors wherever they are used. */
  const looked = new Set<z.core.$ZodType>();

  /** Values that each break one rule of a schema, at any depth. */
  function* spoilt(schema: z.core.$ZodType): Generator<unknown> {
    yield* ODD;
    if (!looked.has(schema)) yield* spoiltWithin(schema);
  }

  /** The same, without the values that are odd for every schema. */
  function* spoiltWithin(schema: z.core.$ZodType): Generator<unknown> {
    looked.add(schema);
    const { def } = (schema as z.ZodType)._zod as unknown as { def: Record<string, any> };
    for (const inner of [def.innerType, def.in, ...(def.type === 'union' ? def.options : [])])
      if (inner) yield* spoiltWithin(inner);
    if (def.type === 'array') for (const item of spoilt(def.element)) yield [item];
    if (def.type === 'record') for (const value of spoilt(def.valueType)) yield { key: value };
    if (def.type !== 'object') return;
    for (const [key, inner] of Object.entries(def.shape as Record<string, z.ZodType>))
      for (const value of spoilt(inner)) yield { [key]: value };
  }

  const files = readdirSync('libs/contracts')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => `contracts/${file}`);
  const kinds = ['gate', 'param-tune', 'prompt-tune', 'judge', 'tuning'].map((kind) => `${kind}/contract.ts`);
  it.each([...files, ...kinds])('by the schemas of %s', async (file) => {
    const schemas = Object.entries(await import(`../../${file.replace('.ts', '.js')}`)).filter(
      (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
    );
    for (const [name, schema] of schemas) {
      const through = [...ODD, ...spoiltWithin(schema)]
        .flatMap((input) => faults(schema, input))
        .filter(({ message }) => ZODS.test(message));
      expect([name, through]).toEqual([name, []]);
    }
  });
});
