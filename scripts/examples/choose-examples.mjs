// Chooses a few small examples of each schema, which together cover every field that occurs.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { named, parts } from './transcript.mjs';

const MOST_EXAMPLES = 4;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ANY_FORMAT = { 'date-time': true, date: true, uri: true };
const [LONG_TEXT, CUT_TEXT] = [300, 200];

/** @returns `{<schema>: {<title>: <example>}}` */
export function chooseExamples({ document, calls }) {
  const { schemas } = document.components;
  const ajv = new Ajv2020({ strict: false, formats: { ...ANY_FORMAT, uuid: UUID } }).addSchema({
    ...document,
    $id: 'api',
  });
  const isValid = (name, value) => ajv.validate({ $ref: `api#/components/schemas/${name}` }, value);
  /** The smallest value of each schema for each set of covered fields. */
  const candidates = {};
  for (const { title, request, answer } of calls) {
    for (const side of [request, answer]) {
      for (const [name, value] of side ? named(schemas, side.schema, side.value) : []) {
        const shows = [...shown(schemas[name], value)].sort().join();
        const size = JSON.stringify(value).length;
        const of = (candidates[name] ??= new Map());
        if ((of.get(shows)?.size ?? Infinity) <= size || !isValid(name, value)) continue;
        of.set(shows, { title, value, size, isRequest: side === request });
      }
    }
  }
  const small = (name, { title, value, isRequest }) => {
    const made = isRequest ? value : cut(schemas, schemas[name], value);
    return { title, value: isValid(name, made) ? made : value };
  };
  return Object.fromEntries(
    Object.keys(schemas).flatMap((name) => {
      const all = [...(candidates[name]?.values() ?? [])].map((one) => small(name, one));
      return all.length ? [[name, titled(chooseFew(schemas[name], all))]] : [];
    }),
  );
}

/** The fields that an example covers: those it has, and which of them are neither null nor empty. */
function shown(schema, value, path = '', found = new Set()) {
  found.add(path);
  if (value !== null && !(typeof value === 'object' && Object.keys(value).length === 0)) found.add(`${path}!`);
  if (schema.type === 'null' && value === null) found.add(`${path}/null`);
  if (schema.$ref) return found;
  for (const [inner, part, key] of parts(schema, value)) shown(inner, part, key ? `${path}/${key}` : path, found);
  return found;
}

/** Greedy choice: the example that adds the most fields, the smallest of those, until all fields are covered. */
function chooseFew(schema, candidates) {
  const left = candidates
    .map((one) => ({ ...one, shows: shown(schema, one.value), size: JSON.stringify(one.value).length }))
    .sort((a, b) => a.size - b.size);
  const seen = new Set();
  const chosen = [];
  for (;;) {
    let best = { gain: 0 };
    for (const one of left) {
      const added = [...one.shows].filter((field) => !seen.has(field));
      const fields = added.filter((field) => !field.endsWith('!')).length;
      const gain = chosen.length < MOST_EXAMPLES ? fields + added.length : fields;
      if (gain > best.gain) best = { ...one, added, gain };
    }
    if (best.gain === 0) return chosen;
    chosen.push(best);
    for (const field of best.shows) seen.add(field);
  }
}

/** Titles each example after its schema, the later ones after the fields that they add. */
function titled(chosen) {
  return Object.fromEntries(
    chosen.map(({ title, value, added }, index) => {
      const names = new Set(
        added.map((path) => path.replace('!', '').split('/').at(-1)).filter((key) => /\w/.test(key)),
      );
      const more = [...names].slice(0, 3).join(', ');
      return [index === 0 ? title : `${title}: with ${more || `other values (${index + 1})`}`, value];
    }),
  );
}

/** Shortens a value: lists of one or two elements, and short texts. */
function cut(schemas, schema, value) {
  if (typeof value === 'string') return value.length > LONG_TEXT ? `${value.slice(0, CUT_TEXT).trimEnd()} …` : value;
  if (typeof value !== 'object' || value === null) return value;
  const innerOf = (part, key) => innerSchema(schemas, schema, part, key);
  if (Array.isArray(value)) {
    const isTuple = allParts(schemas, schema).some(({ prefixItems }) => prefixItems);
    const few = isTuple ? value : mostTelling(innerOf('[]', 0) ?? {}, value);
    return few.map((part, index) => cut(schemas, innerOf('[]', index) ?? {}, part));
  }
  const fields = new Set(allParts(schemas, schema).flatMap(({ properties }) => Object.keys(properties ?? {})));
  const entries = Object.entries(value);
  // Two entries are enough of a map with arbitrary keys; a JSON value of arbitrary shape is kept whole.
  const isMap = entries.length > 0 && fields.size === 0 && allParts(schemas, schema).some(isMapSchema);
  return Object.fromEntries(
    (isMap ? entries.slice(0, 2) : entries).map(([key, part]) => [
      key,
      cut(schemas, innerOf('field', key) ?? {}, part),
    ]),
  );
}

const isMapSchema = ({ additionalProperties }) => typeof additionalProperties === 'object';

/** One element, or two if another covers more of the fields. */
function mostTelling(schema, list) {
  if (list.length < 2) return list;
  const chosen = chooseFew(
    schema,
    list.slice(0, 50).map((value) => ({ value, title: '' })),
  ).slice(0, 2);
  return list.filter((one) => chosen.some(({ value }) => value === one)).slice(0, 2);
}

/** A schema and the schemas it is composed of. */
function allParts(schemas, schema, depth = 0) {
  if (depth > 6) return [];
  const name = schema.$ref?.split('/').at(-1);
  if (name) return allParts(schemas, schemas[name], depth + 1);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...inner.flatMap((one) => allParts(schemas, one, depth + 1))];
}

function innerSchema(schemas, schema, kind, key) {
  for (const { properties, additionalProperties, items, prefixItems } of allParts(schemas, schema)) {
    const found =
      kind === '[]'
        ? (prefixItems?.[key] ?? items)
        : properties && Object.hasOwn(properties, key)
          ? properties[key]
          : additionalProperties;
    if (typeof found === 'object') return found;
  }
  return undefined;
}
