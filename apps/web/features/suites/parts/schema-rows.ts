import { isObject, toText, type Json } from '#lib/contracts/json/json';

export interface SchemaRow {
  /** The name, prefixed with those of the enclosing objects. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

const MAX_ROWS = 200;
const MAX_DEPTH = 8;
const MAX_VALUES = 12;

/** The arguments of a JSON Schema, one per row, inner ones below their object. */
export function schemaRows(schema: Json | undefined): SchemaRow[] {
  const rows: SchemaRow[] = [];
  collect(schema, '', 0, rows);
  return rows;
}

function collect(schema: Json | undefined, prefix: string, depth: number, rows: SchemaRow[]): void {
  if (!isObject(schema) || !isObject(schema.properties) || depth > MAX_DEPTH) return;
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [key, inner] of Object.entries(schema.properties)) {
    if (rows.length === MAX_ROWS) return;
    const name = `${prefix}${key}`;
    const description = isObject(inner) && typeof inner.description === 'string' ? inner.description : '';
    rows.push({ name, type: typeOf(inner), isRequired: required.includes(key), description });
    collect(inner, `${name}.`, depth + 1, rows);
    if (isObject(inner)) collect(inner.items, `${name}[].`, depth + 1, rows);
  }
}

/** The type of a schema in words. */
export function typeOf(schema: Json | undefined): string {
  if (!isObject(schema)) return 'any';
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = Array.isArray(schema.type) ? schema.type.map((one) => toText(one)).join(' or ') : toText(schema.type);
  if (type === 'array') return `list of ${isObject(schema.items) ? typeOf(schema.items) : 'any'}`;
  const either = schema.anyOf ?? schema.oneOf;
  const words = type || (Array.isArray(either) ? either.slice(0, MAX_VALUES).map(typeOf).join(' or ') : 'any');
  return schema.default === undefined ? words : `${words}, default ${JSON.stringify(schema.default)}`;
}

function oneOf(values: Json[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  return `one of ${shown.join(', ')}${values.length > MAX_VALUES ? ', ...' : ''}`;
}
