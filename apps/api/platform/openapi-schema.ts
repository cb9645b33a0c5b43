import { z } from 'zod';

/** Named schemas of an OpenAPI document. */
export type SchemaComponents = Record<string, object>;

/**
 * Converts a zod schema to JSON Schema, without the bounds of safe integers and without patterns that a `format`
 * already implies.
 */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { schema: object; components: SchemaComponents } {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const {
    $defs: components = {},
    $schema: _draft,
    ...rest
  } = JSON.parse(
    JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as z.core.JSONSchema.BaseSchema;
  return { schema: rest, components: components as SchemaComponents };
}
