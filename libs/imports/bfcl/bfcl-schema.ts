import { toText, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** BFCL's type names (Python's, and some of Java's) in JSON Schema. Null means any value. */
const JSON_TYPES: Record<string, string | null> = {
  dict: 'object',
  object: 'object',
  float: 'number',
  number: 'number',
  double: 'number',
  integer: 'integer',
  int: 'integer',
  long: 'integer',
  short: 'integer',
  byte: 'integer',
  string: 'string',
  str: 'string',
  char: 'string',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  tuple: 'array',
  set: 'array',
  null: 'null',
  any: null,
};
const BFCL_TYPES: Record<string, string> = { object: 'dict', number: 'float' };

/** In some entries these keywords have a value of a type that JSON Schema does not allow. */
const fits = (key: string, value: Json): boolean => {
  if (key === 'required' || key === 'enum') return Array.isArray(value);
  return key !== 'default' || value !== undefined;
};

/**
 * Converts a parameter's description in BFCL's dialect to JSON Schema.
 * @param unknown called with each type that neither dialect has
 */
export function toJsonSchema(schema: Json, unknown: (type: string) => void): JsonObject {
  if (!isObject(schema)) return {};
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      if (key === 'type') {
        const types = [value].flat().map((type) => jsonType(type, unknown));
        if (types.includes(null)) return [];
        return [[key, Array.isArray(value) ? (types as Json) : types[0]!]];
      }
      if (key === 'properties' && isObject(value))
        return [[key, mapValues(value, (inner) => toJsonSchema(inner, unknown))]];
      if (key === 'items' || (key === 'additionalProperties' && isObject(value)))
        return [[key, toJsonSchema(value, unknown)]];
      return fits(key, value) ? [[key, value]] : [];
    }),
  );
}

function jsonType(type: Json, unknown: (type: string) => void): string | null {
  const known = typeof type === 'string' ? JSON_TYPES[type.toLowerCase()] : undefined;
  if (known === undefined) unknown(toText(type));
  return known ?? null;
}

/** Converts a JSON Schema to BFCL's dialect. */
export function toBfclSchema(schema: Json): JsonObject {
  if (!isObject(schema)) return { type: 'any' };
  const { type, ...rest } = schema;
  return {
    type: Array.isArray(type) || type === undefined ? 'any' : (BFCL_TYPES[type as string] ?? type),
    ...Object.fromEntries(
      Object.entries(rest).map(([key, value]): [string, Json] => {
        if (key === 'properties' && isObject(value)) return [key, mapValues(value, toBfclSchema)];
        return [key, key === 'items' ? toBfclSchema(value) : value];
      }),
    ),
  };
}

const mapValues = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
