import { z } from 'zod';
import { isObject, type JsonObject } from './json.js';

/** A JSON object whose numbers keep their text (see `json.ts`); never cloned. `z.record` would take a kept number for an object. */
export const jsonObject = z.unknown().refine(isObject, 'must be a JSON object').meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<JsonObject>;

/** What providers accept as a function name, and dots, which some dialects use as a separator. */
export const ToolName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of letters, digits, "_", ".", "-"');

/** A tool in OpenAI's function schema. `parameters` is a JSON Schema; left out, the tool takes no arguments. */
export const Tool = z
  .object({
    type: z.literal('function').default('function'),
    function: z
      .looseObject({
        name: ToolName,
        description: z.string().max(20_000).optional(),
        parameters: jsonObject.optional(),
        strict: z.boolean().nullable().optional(),
      }),
    /** What an MCP server says of the tool (readOnlyHint, ...); kept, and sent to no model. */
    annotations: jsonObject.optional(),
  })
  .meta({ id: 'Tool' });
export type Tool = z.infer<typeof Tool>;

export const MAX_TOOLS = 128;
