import { isDeeperThan, isObject, MAX_JSON_DEPTH, type Json, type JsonObject } from '#lib/contracts/json/json';
import { findUnstorable } from '#lib/contracts/json/storable';
import { jsonPointer } from '#lib/contracts/input/problem';
import { MAX_MCP_TOOL_NAME, type LeftOutTool, type McpTool } from '#lib/contracts/mcp';

export interface ListedTools {
  tools: McpTool[];
  leftOut: LeftOutTool[];
  /** Differences between the tools as read and as the server wrote them. */
  warnings: string[];
}

/** Any of these marks a schema without a `type` as an object schema. */
const OBJECT_KEYWORDS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'required',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
];

/** Reads a server's list of tools. One unusable tool does not affect the others. */
export function readListedTools(listed: readonly unknown[]): ListedTools {
  const read: ListedTools = { tools: [], leftOut: [], warnings: [] };
  listed.forEach((value, index) => {
    const fault = faultOf(value);
    if (fault) read.leftOut.push({ name: nameOf(value) ?? `tool ${index + 1} of the list`, reason: fault });
    else read.tools.push(toMcpTool(value as JsonObject, read.warnings));
  });
  return read;
}

const nameOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.name === 'string' && value.name !== '' && !findUnstorable(value.name)
    ? value.name.slice(0, MAX_MCP_TOOL_NAME)
    : undefined;

function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not an object.';
  const { name, inputSchema: schema } = value;
  if (typeof name !== 'string' || name === '') return 'it has no name.';
  if (name.length > MAX_MCP_TOOL_NAME) return `its name has more than ${MAX_MCP_TOOL_NAME} characters.`;
  if (isDeeperThan(value, MAX_JSON_DEPTH)) return `it nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`;
  const bad = findUnstorable(value);
  if (bad) return `${bad.path.length ? jsonPointer(bad.path) : 'it'} ${bad.why}`;
  if (schema == null) return 'it has no "inputSchema".';
  if (!isObject(schema)) return 'its "inputSchema" is not an object.';
  if (schema.type !== undefined)
    return [schema.type].flat().includes('object')
      ? undefined
      : `its "inputSchema" is of type ${JSON.stringify(schema.type).slice(0, 100)}; arguments must be an "object".`;
  return OBJECT_KEYWORDS.some((key) => Object.hasOwn(schema, key))
    ? undefined
    : 'its "inputSchema" does not say that the arguments are an object ("type": "object").';
}

function toMcpTool(value: JsonObject, warnings: string[]): McpTool {
  const tool = { ...value } as JsonObject & { name: string; inputSchema: JsonObject };
  const { name, inputSchema } = tool;
  if (inputSchema.type === undefined) {
    warnings.push(`The schema of "${name}" has no "type"; it is read as the schema of an object.`);
    tool.inputSchema = { type: 'object', ...inputSchema };
  } else if (Array.isArray(inputSchema.type)) {
    warnings.push(`The schema of "${name}" has a list as its "type"; it is read as the schema of an object.`);
    tool.inputSchema = { ...inputSchema, type: 'object' };
  }
  const drop = (field: string, isRight: (value: Json) => boolean): void => {
    if (tool[field] == null || isRight(tool[field])) return;
    warnings.push(`The "${field}" of "${name}" does not have the type that MCP defines, and is left out.`);
    delete tool[field];
  };
  drop('title', (value) => typeof value === 'string');
  drop('description', (value) => typeof value === 'string');
  drop('annotations', isObject);
  return tool as unknown as McpTool;
}
