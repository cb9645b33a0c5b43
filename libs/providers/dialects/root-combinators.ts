import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'];
/** The maximum nesting of branches that is followed. */
const MAX_DEPTH = 4;
/** The maximum number of branches that are read. References may lead to the same ones repeatedly. */
const MAX_BRANCHES = 200;

/** The combinators at the root of a schema. */
export const rootCombinators = (schema: JsonObject): string[] =>
  COMBINATORS.filter((key) => Array.isArray(schema[key]) && (schema[key] as Json[]).length > 0);

/** Whether Gemini would miss the arguments, because it reads them only from the root and does not support `allOf`. */
export const hidesFromGemini = (schema: JsonObject): boolean => {
  const combinators = rootCombinators(schema);
  return combinators.includes('allOf') || (combinators.length > 0 && !isObject(schema.properties));
};

/** The known arguments of an object. */
interface Shape {
  properties: Map<string, Json>;
  required: Set<string>;
  isClosed: boolean;
}

/**
 * A schema without combinators at its root, for formats that reject them there: it declares the arguments of all
 * branches, and requires those that every branch requires. It accepts everything that the schema accepts, and more.
 */
export const mergeRootCombinators = memoize((schema: JsonObject): JsonObject => {
  const combinators = rootCombinators(schema);
  if (combinators.length === 0) return schema;
  const { properties, required, isClosed } = shapeOf(schema, schema, MAX_DEPTH, { left: MAX_BRANCHES });
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !combinators.includes(key)));
  const { required: _required, ...own } = rest;
  return {
    ...own,
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...(isClosed && { additionalProperties: false }),
  };
});

function shapeOf(schema: JsonObject, root: JsonObject, depth: number, branches: { left: number }): Shape {
  const shape: Shape = {
    properties: new Map(isObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: new Set(textsIn(schema.required)),
    isClosed: schema.additionalProperties === false,
  };
  if (depth === 0) return shape;
  const read = (branch: Json): Shape[] => {
    const object = branches.left-- > 0 ? resolve(branch, root) : undefined;
    return object ? [shapeOf(object, root, depth - 1, branches)] : [];
  };
  const listOf = (key: string): Json[] => (Array.isArray(schema[key]) ? schema[key] : []);
  const both = [...(typeof schema.$ref === 'string' && schema !== root ? [{ $ref: schema.$ref }] : [])];
  for (const branch of [...both, ...listOf('allOf')].flatMap(read)) {
    for (const key of branch.required) shape.required.add(key);
    declare(shape, branch);
  }
  for (const key of ['anyOf', 'oneOf']) {
    const listed = listOf(key);
    if (listed.length === 0) continue;
    const either = listed.flatMap(read);
    if (either.length === listed.length)
      for (const name of either[0]!.required)
        if (either.every(({ required }) => required.has(name))) shape.required.add(name);
    const declared: Shape = { properties: new Map(), required: new Set(), isClosed: false };
    for (const [name, values] of alternativesIn(either))
      declared.properties.set(name, values.length === 1 ? values[0]! : { anyOf: values });
    declare(shape, declared);
    shape.isClosed ||= either.length === listed.length && either.every(({ isClosed }) => isClosed);
  }
  return shape;
}

/** Adds the arguments that a schema does not declare itself. A schema that allows no other arguments ignores them. */
function declare(shape: Shape, { properties }: Shape): void {
  if (shape.isClosed) return;
  for (const [name, value] of properties) if (!shape.properties.has(name)) shape.properties.set(name, value);
}

/** The different schemas of each argument. */
function alternativesIn(shapes: readonly Shape[]): Map<string, Json[]> {
  const found = new Map<string, Map<string, Json>>();
  for (const { properties } of shapes)
    for (const [name, value] of properties) {
      const values = found.get(name) ?? new Map<string, Json>();
      found.set(name, values.set(JSON.stringify(value), value));
    }
  return new Map([...found].map(([name, values]) => [name, [...values.values()]]));
}

/** The object that a branch is or references within the schema. */
function resolve(branch: Json, root: JsonObject): JsonObject | undefined {
  if (!isObject(branch) || typeof branch.$ref !== 'string' || Object.keys(branch).length > 1)
    return isObject(branch) ? branch : undefined;
  let at: Json | undefined = root;
  for (const part of branch.$ref.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return branch.$ref.startsWith('#/') && isObject(at) ? at : undefined;
}

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
