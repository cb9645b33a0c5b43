import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES } from '#lib/contracts/examples/examples';
import { isObject } from '#lib/contracts/json/json';

/** The part of JSON Schema that this file reads. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  prefixItems?: Schema[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
}
interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

/**
 * Adds the examples of `libs/contracts/examples` to requests and responses, and to each field its part of an example.
 */
export function addExamples({ paths, components }: OpenAPIObject): void {
  const schemas = components!.schemas as Record<string, Schema>;
  for (const [name, schema] of Object.entries(schemas)) spread(schema, Object.values(EXAMPLES[name] ?? {}));
  const shared: Record<string, object> = (components!.examples = {});
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item)) {
      for (const parameter of operation.parameters ?? []) {
        // Not as `example`: /docs would fill it in and send it, such as a cursor, an id or `?apply=true`.
        const found = exampleOf(parameter.schema ?? {});
        if (found !== undefined)
          parameter.schema = { ...parameter.schema, description: undefined, example: undefined, examples: [found] };
      }
      for (const holder of [operation.requestBody, ...Object.values(operation.responses ?? {})]) {
        for (const content of Object.values((holder?.content ?? {}) as Record<string, Content>)) exemplify(content);
      }
    }
  }

  function exemplify(content: Content): void {
    if (!content.schema || content.example !== undefined || content.examples) return;
    const name = nameOf(content.schema);
    if (name === undefined || !EXAMPLES[name]) {
      content.example = exampleOf(content.schema);
      spread(content.schema, [content.example]);
      return;
    }
    content.examples = Object.fromEntries(
      Object.entries(EXAMPLES[name]).map(([summary, value], index) => {
        const key = index === 0 ? name : `${name}-${index + 1}`;
        shared[key] = { summary, value };
        return [key, { $ref: `#/components/examples/${key}` }];
      }),
    );
  }
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** Gives each field of a schema the first value that an example has for it. */
function spread(schema: Schema, values: unknown[]): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const there = values
      .flatMap((value) => (isObject(value) && value[name] !== undefined ? [value[name] as unknown] : []))
      .filter((value) => field.type !== 'null' || value === null);
    if (there.length) field.examples ??= [there.find((value) => value !== null && !isEmpty(value)) ?? there[0]];
    spread(field, there);
  }
  if (schema.items)
    spread(
      schema.items,
      values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [])),
    );
  if (isObject(schema.additionalProperties))
    spread(
      schema.additionalProperties,
      values.flatMap((value) => (isObject(value) ? Object.values(value) : [])),
    );
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) spread(part, values);
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Builds an example of an unnamed schema from the examples of its parts; undefined if they have none. */
function exampleOf(schema: Schema): unknown {
  const name = nameOf(schema);
  if (name !== undefined) return Object.values(EXAMPLES[name] ?? {})[0];
  const own = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  if (own !== undefined) return own;
  if (schema.items) return [exampleOf(schema.items)];
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([key, field]) => [key, exampleOf(field)]));
  const [first] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return first && exampleOf(first);
}
