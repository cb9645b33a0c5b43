import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonPointer } from '#lib/contracts/input/problem';

/** A host's requirements for the schema of a tool with `strict: true`. */
export interface StrictRules {
  /** Keywords that the host rejects. */
  refused: ReadonlySet<string>;
  /** Every property must be required; an optional one allows null instead. */
  allRequired: boolean;
  /** Nesting of objects and lists. */
  maxDepth?: number;
  maxEnumValues?: number;
  /** Strict tools in one request. */
  maxTools?: number;
}

export interface SchemaFault {
  /** A pointer into the schema. */
  path: string;
  /** The reason, as part of a sentence: `"oneOf" is refused there`. */
  why: string;
}

const NAMED = new Set(['properties', '$defs', 'definitions']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);

/** The first fault in a schema that a strict host would reject. */
export function findStrictFault(schema: JsonObject, rules: StrictRules): SchemaFault | undefined {
  let enumValues = 0;
  const visit = (node: Json, path: PropertyKey[], depth: number): SchemaFault | undefined => {
    if (!isObject(node)) return undefined;
    const fault = (why: string, ...more: PropertyKey[]): SchemaFault => ({
      path: jsonPointer([...path, ...more]),
      why,
    });
    const refused = Object.keys(node).find((key) => rules.refused.has(key));
    if (refused !== undefined) return fault(`"${refused}" is refused in strict tools`, refused);
    if (Array.isArray(node.enum)) enumValues += node.enum.length;
    if (rules.maxEnumValues !== undefined && enumValues > rules.maxEnumValues)
      return fault(`strict tools may have ${rules.maxEnumValues} values of "enum"`, 'enum');
    const isStructure = isObject(node.properties) || [node.type].flat().includes('object');
    if (rules.maxDepth !== undefined && isStructure && depth > rules.maxDepth)
      return fault(`strict tools may have ${rules.maxDepth} levels of objects`);
    if (isStructure) {
      if (node.additionalProperties !== false) return fault('strict tools need "additionalProperties": false');
      const required = Array.isArray(node.required) ? node.required : [];
      const free = isObject(node.properties) && Object.keys(node.properties).find((name) => !required.includes(name));
      if (rules.allRequired && typeof free === 'string')
        return fault(
          'strict tools need all properties in "required" (one that may be left out allows null)',
          'properties',
          free,
        );
    }
    return firstOf(subschemas(node), ([key, inner]) => visit(inner, [...path, ...key], depth + (isStructure ? 1 : 0)));
  };
  return visit(schema, [], 1);
}

/** The first occurrence of each of these keywords in a schema. */
export function placesOf(keywords: ReadonlySet<string>, schema: JsonObject): Map<string, string> {
  const places = new Map<string, string>();
  const visit = (node: Json, path: PropertyKey[]): void => {
    if (!isObject(node)) return;
    for (const key of Object.keys(node))
      if (keywords.has(key) && !places.has(key)) places.set(key, jsonPointer([...path, key]));
    for (const [key, inner] of subschemas(node)) visit(inner, [...path, ...key]);
  };
  visit(schema, []);
  return places;
}

function* subschemas(node: JsonObject): Generator<[key: PropertyKey[], inner: Json]> {
  for (const [key, value] of Object.entries(node)) {
    if (NAMED.has(key) && isObject(value)) for (const name of Object.keys(value)) yield [[key, name], value[name]!];
    else if (LISTS.has(key) && Array.isArray(value))
      for (const [index, one] of value.entries()) yield [[key, index], one];
    else if (key === 'items') yield [[key], value];
  }
}

function firstOf<Item, Found>(items: Iterable<Item>, find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
