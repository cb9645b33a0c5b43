import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { ToolName, type Tool } from '#lib/contracts/tool';
import { toBfclSchema, toJsonSchema } from './bfcl-schema.js';

/**
 * Converts a BFCL function to a tool. Properties that a tool cannot express (a tuple, a name that providers reject) are
 * kept in the tool's annotations for the export.
 * @param unknown called with each unknown type
 */
export function toTool(described: JsonObject & { name: string }, unknown: (type: string) => void): Tool {
  const name = ToolName.safeParse(described.name).success
    ? described.name
    : described.name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64) || 'function';
  const parameters = toJsonSchema(described.parameters ?? {}, unknown);
  const description = typeof described.description === 'string' ? { description: described.description } : {};
  const tool: Tool = {
    type: 'function',
    function: {
      name,
      ...description,
      parameters: { ...parameters, type: 'object', properties: parameters.properties ?? {} },
    },
  };
  return isDeepStrictEqual(toFunction(tool), described) ? tool : { ...tool, annotations: { bfcl: described } };
}

/** Converts a tool to a BFCL function. An unchanged tool that came from BFCL is returned in its original form. */
export function toFunction(tool: Tool): JsonObject & { name: string } {
  const { name, description, parameters } = tool.function;
  const kept = tool.annotations?.bfcl;
  if (
    isObject(kept) &&
    typeof kept.name === 'string' &&
    isDeepStrictEqual(toTool(kept as JsonObject & { name: string }, () => {}).function, tool.function)
  )
    return kept as JsonObject & { name: string };
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: toBfclSchema({ type: 'object', properties: {}, ...parameters }),
  };
}
