import { z } from 'zod';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, type JsonObject } from './json/json.js';
import { flattenDeclarations, toOpenAiTool } from './input/tool-shapes.js';
import { MAX_TOOLS } from './values/suites.js';

/**
 * A JSON object whose numbers keep their text (see `json.ts`). It is never cloned. `z.record` would mistake a kept
 * number for an object.
 */
export const jsonObject = z
  .unknown()
  .refine(isObject, 'must be a JSON object')
  .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<JsonObject>;

export const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of letters, digits, "_", ".", "-"')
  .describe(
    'The name of a tool. Names are compared ignoring case; a provider that takes no dots is sent another name.',
  );

/** In UTF-16 units. */
export const MAX_TOOL_DESCRIPTION = 20_000;

const isMissing = ({ input }: { input?: unknown }): string | undefined =>
  input === undefined ? NO_FUNCTION : undefined;
const NO_FUNCTION =
  'is missing: a tool is {"type": "function", "function": {"name", "description", "parameters"}}. ' +
  'Tools in the shapes of Anthropic (name, input_schema), Gemini (functionDeclarations), MCP (name, ' +
  "inputSchema) and OpenAI's Responses (type, name, parameters) are converted";

export const Tool = z
  .preprocess(
    (tool) => toOpenAiTool(tool),
    z.strictObject({
      type: z.literal('function').default('function').describe('Always `function`.'),
      function: z
        .looseObject(
          {
            name: ToolName,
            description: z
              .string()
              .max(MAX_TOOL_DESCRIPTION)
              .optional()
              .describe('What the tool does, as models read it.'),
            parameters: jsonObject
              .optional()
              .describe('The JSON Schema of the arguments. If left out, the tool takes none.'),
            strict: z
              .boolean()
              .nullable()
              .optional()
              .describe('Whether the provider must hold the model to the schema. It is sent unchanged.'),
          },
          { error: isMissing },
        )
        .describe('The function that models see. Further fields are sent unchanged.'),
      annotations: jsonObject
        .optional()
        .describe(
          'Hints of an MCP server about the tool (`readOnlyHint`, ...). They are stored, and sent to no model.',
        ),
    }),
  )
  .superRefine((tool, context) => {
    const fault = findToolFault(tool);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    id: 'Tool',
    description:
      "A tool in OpenAI's function format, with at most 64 KiB of JSON and 500 property names in its " +
      "schema, including nested ones. Tools in the formats of Anthropic, Gemini, MCP and OpenAI's " +
      'Responses are converted, and a warning says so.',
  });
export type Tool = z.infer<typeof Tool>;

/** A list of tools, or of items that represent tools. Gemini's lists of declarations are flattened. */
export const toolList = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(flattenDeclarations, z.array(item).min(1).max(MAX_TOOLS).superRefine(boundTools));

/** Compile time grows faster than the size of a schema. A schema of this size takes up to a second. */
const MAX_TOOL_BYTES = 64 * 1024;
export const MAX_TOOL_PROPERTIES = 500;
export const MAX_TOOLS_BYTES = 2 ** 20;
/** Keywords whose value is an object keyed by names. */
const NAMING = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
]);

/** The UTF-8 bytes of a text, or of a value's JSON. */
export function byteLength(value: unknown): number {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
}

/** Says why a tool is too large, or returns undefined. Call it before any work on the tool's schema. */
export function findToolFault(tool: { function: { parameters?: unknown } }): string | undefined {
  if (isDeeperThan(tool, MAX_JSON_DEPTH)) return `must not nest lists and objects deeper than ${MAX_JSON_DEPTH} levels`;
  const bytes = byteLength(tool);
  if (bytes > MAX_TOOL_BYTES)
    return (
      `has ${bytes} bytes, and a tool may have ${MAX_TOOL_BYTES}: shorten its descriptions, or ` +
      'split it into several tools'
    );
  const names = countNames(tool.function.parameters);
  if (names > MAX_TOOL_PROPERTIES)
    return (
      `has ${names} properties in its schema, inner ones included, and a tool may have ` +
      `${MAX_TOOL_PROPERTIES}: split it into several tools`
    );
  return undefined;
}

function countNames(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, inner) => sum + countNames(inner), 0);
  if (!isObject(schema)) return 0;
  return Object.entries(schema).reduce(
    (sum, [key, inner]) =>
      sum + (NAMING.has(key) && isObject(inner) ? Object.keys(inner).length : 0) + countNames(inner),
    0,
  );
}

/** Says why the tools of a suite are too large together, or returns undefined. */
export function findToolsFault(tools: readonly unknown[]): string | undefined {
  const bytes = byteLength(tools);
  return bytes <= MAX_TOOLS_BYTES
    ? undefined
    : `have ${bytes} bytes together, and may have ${MAX_TOOLS_BYTES}: use fewer tools, or shorter descriptions`;
}

/** For `superRefine` of a list of tools or tool names. */
function boundTools(tools: readonly unknown[], context: z.core.$RefinementCtx): void {
  const message = findToolsFault(tools);
  if (message) context.issues.push({ code: 'custom', input: tools, message });
}
