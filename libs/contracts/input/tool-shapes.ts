import { isObject, type Json, type JsonObject } from '../json/json.js';

/**
 * The original shape of each converted tool, keyed by its converted parameters. This works because schemas are never
 * cloned.
 */
const shapes = new WeakMap<object, string>();

/**
 * Converts a tool from the shape of another API to that of OpenAI's chat completions. Returns anything else unchanged.
 */
export function toOpenAiTool(tool: unknown, bare = 'of a function by itself'): unknown {
  if (!isObject(tool) || tool.function !== undefined || typeof tool.name !== 'string') return tool;
  const { name, description, strict, title } = tool;
  const made = (shape: string, parameters: Json | undefined, known: readonly string[]): JsonObject => {
    const schema = isObject(parameters)
      ? { ...parameters }
      : parameters == null
        ? { type: 'object', properties: {} }
        : parameters;
    const others = Object.keys(tool).filter((key) => !['name', 'description', 'strict', ...known].includes(key));
    if (isObject(schema))
      shapes.set(
        schema,
        others.length
          ? `${shape}, without ${others
              .slice(0, 5)
              .map((key) => JSON.stringify(key.slice(0, 40)))
              .join(', ')}`
          : shape,
      );
    const annotations = known.includes('annotations')
      ? { ...(title != null && { title }), ...(isObject(tool.annotations) && tool.annotations) }
      : {};
    return {
      type: 'function',
      function: {
        name,
        ...(description != null && { description }),
        parameters: schema,
        ...(strict !== undefined && { strict }),
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
  };
  if (isObject(tool.input_schema))
    return made('of Anthropic (input_schema)', tool.input_schema, ['input_schema', 'type']);
  if (isObject(tool.inputSchema))
    return made('of MCP (inputSchema)', tool.inputSchema, ['inputSchema', 'title', 'annotations']);
  if (tool.type === 'function')
    return made('of OpenAI\'s Responses (no "function" around it)', tool.parameters, ['type', 'parameters']);
  if (tool.type !== undefined) return tool; // A built-in tool that the provider runs.
  const declared = tool.parametersJsonSchema ?? tool.parameters_json_schema;
  if (declared !== undefined) return made(bare, declared, ['parametersJsonSchema', 'parameters_json_schema']);
  return isObject(tool.parameters) ? made(bare, fromGemini(tool.parameters), ['parameters']) : tool;
}

const SCHEMA_KEYS = ['parameters', 'parametersJsonSchema', 'parameters_json_schema'];
const GEMINI = 'of Gemini (functionDeclarations)';

/** Flattens a list of tools: replaces each of Gemini's lists of declarations with its declarations. */
export function flattenDeclarations(tools: unknown): unknown {
  const list = isObject(tools) && declarationsIn(tools) ? [tools] : tools;
  return Array.isArray(list)
    ? list.flatMap((tool: unknown) => (isObject(tool) && declarationsIn(tool)?.map(fromDeclaration)) || [tool])
    : list;
}

function declarationsIn(tool: JsonObject): Json[] | undefined {
  const declared = tool.functionDeclarations ?? tool.function_declarations;
  return Array.isArray(declared) && Object.keys(tool).length === 1 ? declared : undefined;
}

function fromDeclaration(declared: Json): unknown {
  // A function without arguments has no parameters at all.
  const takesNothing = isObject(declared) && !SCHEMA_KEYS.some((key) => key in declared);
  return toOpenAiTool(
    takesNothing ? { ...declared, parameters: { type: 'object', properties: {} } } : declared,
    GEMINI,
  );
}

/** Protocol Buffers write 64-bit integers as strings. */
const COUNTS = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);

/**
 * Converts Gemini's Schema to JSON Schema: types in lower case, null as its own type. A schema nested deeper than the
 * limit for tools stays unchanged.
 */
function fromGemini(schema: JsonObject, depth = 0): JsonObject {
  if (depth > 100) return schema;
  const inner = (value: Json): Json => (isObject(value) ? fromGemini(value, depth + 1) : value);
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'type' && typeof value === 'string')
      return /^[A-Z]+$/.test(value) ? [[key, value.toLowerCase()]] : value === 'TYPE_UNSPECIFIED' ? [] : [[key, value]];
    if (key === 'properties' && isObject(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))]];
    if (key === 'anyOf' && Array.isArray(value)) return [[key, value.map(inner)]];
    if (key === 'items' || key === 'additionalProperties') return [[key, inner(value)]];
    return COUNTS.has(key) && typeof value === 'string' && /^\d{1,15}$/.test(value)
      ? [[key, Number(value)]]
      : [[key, value]];
  });
  const made = Object.fromEntries(entries);
  if (made.nullable !== true || typeof made.type !== 'string') return made;
  const { nullable: _nullable, ...rest } = made;
  return { ...rest, type: [made.type, 'null'], ...(Array.isArray(made.enum) && { enum: [...made.enum, null] }) };
}

/** One sentence per shape that tools were converted from. The tools must come straight from their schema. */
export function conversionWarnings(tools: readonly unknown[]): string[] {
  const byShape = new Map<string, string[]>();
  for (const tool of tools as { function?: { name: string; parameters?: object } }[]) {
    const shape = tool.function?.parameters && shapes.get(tool.function.parameters);
    if (shape !== undefined) byShape.set(shape, [...(byShape.get(shape) ?? []), tool.function!.name]);
  }
  return [...byShape].map(
    ([shape, names]) =>
      `${names.length === 1 ? 'The tool' : `${names.length} tools`} ` +
      `(${names.slice(0, 5).join(', ')}${names.length > 5 ? ', ...' : ''}) came in the shape ` +
      `${shape}, and ${names.length === 1 ? 'is' : 'are'} kept in that of OpenAI's chat completions.`,
  );
}
