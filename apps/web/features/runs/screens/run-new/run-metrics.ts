import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

/** A metric of the run, with the options that differ from its defaults. */
export interface ChosenMetric {
  id: string;
  /** The name of its scores; empty for the metric's id. */
  as: string;
  options: JsonObject;
}

/** The metrics of an earlier run, without their versions: the current ones are used. */
export const metricsOf = (metrics: Json | undefined): ChosenMetric[] =>
  (Array.isArray(metrics) ? metrics : []).map((metric) => {
    if (!isObject(metric)) return { id: toText(metric), as: '', options: {} };
    const { id, as, options } = metric;
    const name = as === undefined || as === id ? '' : toText(as);
    return { id: toText(id), as: name, options: isObject(options) ? options : {} };
  });

/** In the API's format. */
export const metricsAsked = (metrics: readonly ChosenMetric[]): Json[] =>
  metrics.map(({ id, as, options }) => {
    const name = as.trim();
    if (name === '' && Object.keys(options).length === 0) return id;
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
