import { isObject, type Json, type JsonObject } from '#lib/contracts/json';
import { bfclAst } from '../scoring/compatible/bfcl.js';

/**
 * Why no reply can satisfy a BFCL entry; undefined if one can. The replies tried hold the first acceptable value of each
 * parameter: all of them, those alone that must be there, and those that the function describes.
 */
export function unwinnable(category: string, functions: JsonObject[], possible_answer: JsonObject[]): string | undefined {
  let why: string | undefined;
  const attempts: ((accepted: Json, described: boolean) => boolean)[] = [() => true, (accepted) => !mayBeOmitted(accepted), (_accepted, described) => described];
  for (const isGiven of attempts) {
    const model_output = possible_answer.map((call) => {
      const [[name, params]] = Object.entries(call) as [[string, JsonObject]];
      const properties = (functions.find((one) => one.name === name)?.parameters as JsonObject | undefined)?.properties;
      const given = Object.entries(params).filter(([key, accepted]) => firstOf(accepted) !== undefined && isGiven(accepted, isObject(properties) && Object.hasOwn(properties, key)));
      return { [name]: Object.fromEntries(given.map(([key, accepted]) => [key, valueOf(firstOf(accepted)!)])) };
    });
    try {
      const verdict = bfclAst({ category, functions, model_output, possible_answer, underscore_to_dot: false, decode_failed: false });
      if (verdict.valid) return undefined;
      why ??= verdict.error_type;
    } catch (error) {
      why ??= (error as Error).message;
    }
  }
  return why ?? 'unknown';
}

const listOf = (accepted: Json): Json[] => (Array.isArray(accepted) ? accepted : [accepted]);
const mayBeOmitted = (accepted: Json): boolean => listOf(accepted).includes('');
const firstOf = (accepted: Json): Json | undefined => listOf(accepted).find((value) => value !== '');

/** An acceptable value as a model would send it: of an object's lists of acceptable values the first each. */
function valueOf(value: Json): Json {
  if (Array.isArray(value) && value.every(isObject)) return value.map(valueOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, accepted]) => {
    const first = firstOf(accepted);
    return first === undefined ? [] : [[key, first]];
  }));
}
