import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

/** The metrics of an earlier run, without their versions: the current ones are used. */
export const metricsOf = (metrics: Json | undefined): JsonObject[] =>
  (Array.isArray(metrics) ? metrics : []).map((metric) => {
    if (!isObject(metric)) return { id: metric, options: {} };
    const { id = '', as = id, options = {} } = metric;
    return { id, ...(as !== id && { as }), options };
  });

/** In the API's format, from their fields. */
export const metricsAsked = (metrics: Json | undefined): Json[] =>
  (Array.isArray(metrics) ? metrics : []).filter(isObject).map(({ id = '', as, options = {} }) => {
    const name = toText(as).trim();
    if (name === '' && isObject(options) && Object.keys(options).length === 0) return id;
    return { id, ...(name !== '' && { as: name }), options };
  });

/** The kind of an option, from its JSON Schema. */
export type OptionKind =
  | { kind: 'boolean' }
  | { kind: 'number' }
  | { kind: 'json' }
  | { kind: 'choice'; values: string[] }
  | { kind: 'several'; values: string[] };

export function optionKind(schema: Json | undefined): OptionKind {
  if (!isObject(schema)) return { kind: 'json' };
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum.map((value) => toText(value)) };
  const { items } = schema;
  if (schema.type === 'array' && isObject(items) && Array.isArray(items.enum))
    return { kind: 'several', values: items.enum.map((value) => toText(value)) };
  if (schema.type === 'boolean') return { kind: 'boolean' };
  return { kind: schema.type === 'number' || schema.type === 'integer' ? 'number' : 'json' };
}
