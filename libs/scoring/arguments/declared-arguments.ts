import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { DeclaredArguments } from './match-arguments.js';

/** What a tool's schema declares about arguments that a call omits. */
export function declaredArguments({ function: { parameters, strict } }: Tool): DeclaredArguments {
  const properties = isObject(parameters?.properties) ? Object.entries(parameters.properties) : [];
  const required = new Set(Array.isArray(parameters?.required) ? parameters.required : []);
  return {
    defaults: Object.fromEntries(
      properties.flatMap(([key, schema]) =>
        isObject(schema) && Object.hasOwn(schema, 'default') ? [[key, schema.default!]] : [],
      ),
    ),
    nullable:
      strict === true
        ? 'all'
        : new Set(
            properties.flatMap(([key, schema]) => (required.has(key) && allowsNull(schema, parameters!) ? [key] : [])),
          ),
  };
}

/** Whether the type of a schema allows null, as strict mode requires for an optional argument. */
function allowsNull(schema: Json, parameters: JsonObject, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false;
  if ([schema.type].flat().includes('null') || schema.nullable === true) return true;
  if (schema.type === undefined && Array.isArray(schema.enum) && schema.enum.includes(null)) return true;
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray) as Json[] | undefined;
  if (alternatives) return alternatives.some((one) => allowsNull(one, parameters, depth + 1));
  const target = typeof schema.$ref === 'string' ? definition(schema.$ref, parameters) : undefined;
  return target !== undefined && allowsNull(target, parameters, depth + 1);
}
const MAX_DEPTH = 3;

function definition(reference: string, { $defs, definitions }: JsonObject): Json | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) ?? [];
  const held = place === '$defs' ? $defs : definitions;
  return name !== undefined && isObject(held) && Object.hasOwn(held, name) ? held[name] : undefined;
}
