import { isObject, type Json, type JsonObject } from './json/json.js';
import { memoize } from './memoize.js';

const isStrict = (tool: Json): boolean => isObject(tool) && isObject(tool.function) && 'strict' in tool.function;

export const hasStrictTools = memoize((tools: readonly Json[]): boolean => tools.some(isStrict));

/** Returns the same list for the same tools, because digests, token counts and names are memoized by it. */
export const withoutStrict = memoize((tools: readonly Json[]): Json[] =>
  tools.map((tool) => {
    if (!isStrict(tool)) return tool;
    const { strict: _strict, ...described } = (tool as JsonObject).function as JsonObject;
    return { ...(tool as JsonObject), function: described };
  }),
);
