// Values that a careless server trips over, and values that a JSON Schema allows, as fast-check arbitraries.
import fc from 'fast-check';

/** Text that goes into JSON unchanged: numbers that JavaScript cannot hold, keys twice, depth without recursion. */
class Raw {
  constructor(text) {
    this.text = text;
  }
}
const nested = (open, inside, close, depth) => new Raw(open.repeat(depth) + inside + close.repeat(depth));

/** JSON.stringify, with `Raw` text in place. */
export function toText(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => toText(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${toText(field)}`).join(',')}}`;
}

/** Ids that are filled in when a request is sent: what kind of thing, and whose. */
export const placeholder = (kind, whose = 'own') => `«${whose}.${kind}»`;
export const NOTHING = '«nothing»';

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff\ud800',
  '\u202egnp.exe',
  '\ufeff\u200b\u2028',
  '🏳️‍🌈'.repeat(60),
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE run; --",
  "' OR '1'='1",
  '\u001b[31m\u001b]0;title\u0007',
  'a\r\nSet-Cookie: toolmark_session=x',
  '../../etc/passwd',
  '%00%2e%2e%2f',
  '<script>alert(1)</script>',
  '=1+1',
  '(a+)+$',
  '[',
  '\\',
  'NaN',
  'Infinity',
  '1e999999',
  '0x10',
  '-1',
  '٣',
  'true',
  'null',
  '{}',
  '[]',
  '2026-02-30T25:61:61Z',
  '+275761-01-01T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '294277-01-01T00:00:00Z',
  'simulator::',
  '::',
  'a::b::c',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'x'.repeat(257),
  'x'.repeat(10_000),
  'é'.repeat(70_000),
  'x'.repeat(1_200_000),
];

const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1.5,
  255,
  32_768,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  new Raw('1e999999'),
  new Raw('-1e999999'),
  new Raw('1e-999999'),
  new Raw('9223372036854775808'),
  new Raw('123456789012345678901234567890.5'),
];

const withProto = (value) => Object.defineProperty({}, '__proto__', { value, enumerable: true });
const HOSTILE_SHAPES = [
  null,
  true,
  [],
  {},
  [null],
  [[]],
  withProto({ role: 'owner', isAdmin: true }),
  { constructor: { prototype: { role: 'owner' } } },
  nested('[', '', ']', 40),
  nested('[', '', ']', 5000),
  nested('{"a":', '1', '}', 200),
  nested('{"a":', '1', '}', 3000),
  new Raw('{"a":1,"a":2}'),
  new Raw(`[${'0,'.repeat(50_000)}0]`),
  new Raw(`{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`).join(',')}}`),
  new Raw('[1,'),
  new Raw('{"a"}'),
  new Raw("{'a': 1}"),
  new Raw('undefined'),
  new Raw('\u0000'),
];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
export const hostileValue = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_SHAPES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(NOTHING, placeholder('suite', 'other'), placeholder('run', 'other')) },
);

const FORMATS = {
  uuid: fc.constantFrom(NOTHING, placeholder('suite'), placeholder('run', 'other')),
  'date-time': fc.constantFrom('2099-01-01T00:00:00Z', '2020-02-29T23:59:59.999+14:00'),
  date: fc.constantFrom('2099-01-01', '2024-02-29'),
  uri: fc.constantFrom('«simulator»/v1', 'http://127.0.0.1:1/v1'),
};
const MAX_DEPTH = 5;
/** A field that may be left out is there as often as not, and less often the deeper it is. */
const optional = (arbitrary, depth) => fc.option(arbitrary, { nil: undefined, freq: depth > 1 ? 1 : 3 });

/** Values that a schema of an OpenAPI document allows, as far as the schema says what they are. */
export function allowedBy(schema, document, depth = 0) {
  const resolved = deref(schema, document);
  const examples = [...(resolved.examples ?? []), ...('example' in resolved ? [resolved.example] : [])];
  const made = depth > MAX_DEPTH && examples.length ? undefined : madeFrom(resolved, document, depth);
  const choices = [
    ...(examples.length ? [{ weight: 3, arbitrary: fc.constantFrom(...examples) }] : []),
    ...(made ? [{ weight: 2, arbitrary: made }] : []),
  ];
  return choices.length ? fc.oneof(...choices) : hostileValue;
}

export function deref(schema, document) {
  if (!schema?.$ref) return schema ?? {};
  return deref(
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((of, key) => of[key], document),
    document,
  );
}

function madeFrom(schema, document, depth) {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return fc.oneof(...parts.map((part) => allowedBy(part, document, depth + 1)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((part) => allowedBy(part, document, depth + 1)))
      .map((all) => Object.assign({}, ...all));
  const types = [schema.type ?? (schema.properties ? 'object' : undefined)].flat();
  const made = types.flatMap((type) => ofType(type, schema, document, depth) ?? []);
  return made.length ? fc.oneof(...made) : undefined;
}

function ofType(type, schema, document, depth) {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer(within(schema, 2 ** 31 - 1));
    case 'number':
      return fc.double({ ...within(schema, 1e9), noNaN: true });
    case 'string':
      return FORMATS[schema.format] ?? textWithin(schema);
    case 'array':
      return fc.array(allowedBy(schema.items, document, depth + 1), {
        minLength: Math.min(schema.minItems ?? 0, 3),
        maxLength: Math.max(Math.min(schema.maxItems ?? 3, 3), Math.min(schema.minItems ?? 0, 3)),
      });
    case 'object':
      return objectOf(schema, document, depth);
    default:
      return undefined;
  }
}

function within({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }, most) {
  const min = Math.max(-most, minimum ?? exclusiveMinimum ?? -most);
  return { min, max: Math.max(min, Math.min(most, maximum ?? exclusiveMaximum ?? most)) };
}

/** Texts at both ends of what is allowed. */
function textWithin({ minLength = 0, maxLength = 300 }) {
  const lengths = [minLength, Math.min(maxLength, 20_000), Math.min(maxLength, minLength + 5)];
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) }),
    fc.constantFrom(...lengths.map((length) => 'a'.repeat(length))),
  );
}

function objectOf({ properties = {}, required = [], additionalProperties }, document, depth) {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const value = allowedBy(field, document, depth + 1);
      return [name, required.includes(name) ? value : optional(value, depth)];
    }),
  );
  const own = fc.record(fields);
  if (!additionalProperties) return own;
  const values = additionalProperties === true ? fc.jsonValue({ maxDepth: 2 }) : additionalProperties;
  const more = fc.dictionary(
    fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), hostileText),
    additionalProperties === true ? values : allowedBy(values, document, depth + 1),
    { maxKeys: 3 },
  );
  return fc.tuple(own, more).map(([those, others]) => ({ ...others, ...those }));
}

const CHANGES = ['replace', 'remove', 'add', 'wrap', 'repeat', 'stringify', 'other'];

/** A value with up to three places changed: near-misses of what it was. */
export const nearly = (values) =>
  fc
    .tuple(
      values,
      fc.array(fc.record({ at: fc.nat(9999), change: fc.constantFrom(...CHANGES), by: hostileValue }), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([value, changes]) => changes.reduce(changed, value));

function changed(value, { at, change, by }) {
  const places = placesIn(value);
  const [head, ...rest] = places[at % places.length];
  if (head === undefined) return changedHere(value, change, by);
  return changedAt(value, [head, ...rest], change, by);
}

function changedAt(value, [key, ...rest], change, by) {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (rest.length === 0 && change === 'remove') {
    if (Array.isArray(copy)) copy.splice(key, 1);
    else delete copy[key];
  } else copy[key] = rest.length ? changedAt(value[key], rest, change, by) : changedHere(value[key], change, by);
  return copy;
}

function changedHere(value, change, by) {
  const isObject = typeof value === 'object' && value !== null && !(value instanceof Raw);
  if (change === 'add' && Array.isArray(value)) return [...value, by];
  if (change === 'add' && isObject) return { ...value, [typeof by === 'string' ? by.slice(0, 300) : 'extra']: by };
  if (change === 'wrap') return [value];
  if (change === 'repeat' && Array.isArray(value) && value.length) return Array.from({ length: 300 }, () => value[0]);
  if (change === 'stringify') return toText(value);
  if (change === 'other' && typeof value === 'string' && value.includes('«own.'))
    return value.replaceAll('«own.', '«other.');
  return by;
}

/** The paths of all values in a value, its own first, at most a few hundred. */
function placesIn(value, path = [], found = []) {
  found.push(path);
  if (found.length > 400 || typeof value !== 'object' || value === null || value instanceof Raw) return found;
  for (const [key, part] of Object.entries(value))
    placesIn(part, [...path, Array.isArray(value) ? Number(key) : key], found);
  return found;
}
