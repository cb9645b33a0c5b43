import { toInputErrors } from '#lib/contracts/input/input-errors';
import { flattenDeclarations } from '#lib/contracts/input/tool-shapes';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { Tool } from '#lib/contracts/tool';
import type { Warnings } from '../source/warnings.js';
import { isTemplate } from './template.js';

/** The tools declared in provider options, in the shape of any API. */
export function declaredTools(providers: readonly JsonObject[], warnings: Warnings): Json[] {
  return providers.flatMap(({ config }) => {
    if (!isObject(config)) return [];
    const { toolConfig, tool_config } = config;
    return [
      config.tools,
      config.functions,
      ...[toolConfig, tool_config].map((one) => (isObject(one) ? one.tools : null)),
    ]
      .flatMap((list) => [list ?? []].flat())
      .flatMap((tool): Json[] => {
        if (typeof tool !== 'string') return [tool];
        const why = isTemplate(tool) ? 'are a text, not a list' : 'are in a file, which was not sent';
        warnings.add(
          `The tools of a provider ${why} (${tool.slice(0, 200)}): send them as "tools" with the configuration.`,
        );
        return [];
      });
  });
}

/** Reads declared tools. If several have the same name, the first one counts. */
export function readDeclared(declared: readonly Json[], warnings: Warnings): Tool[] {
  const tools = new Map<string, Tool>();
  const lists = declared.map((tool) => {
    const inner = isObject(tool) ? (tool.functionDeclarations ?? tool.function_declarations) : undefined;
    return Array.isArray(inner) ? { functionDeclarations: inner } : tool;
  });
  for (const one of flattenDeclarations(lists) as Json[]) {
    const described = describedIn(one);
    if (!described || typeof described.name !== 'string') {
      warnings.add(
        `A provider's tool is left out, because it is not a function with a name: ${JSON.stringify(one).slice(0, 80)}`,
      );
      continue;
    }
    const unread = whyUnread(one as JsonObject);
    if (unread) {
      warnings.add(`The tool "${described.name.slice(0, 80)}" is left out: ${unread}.`);
      continue;
    }
    const parsed = Tool.safeParse({ type: 'function', function: described });
    if (!parsed.success)
      warnings.add(
        `The tool "${described.name.slice(0, 80)}" cannot be used: ${toInputErrors(parsed.error.issues)[0]!.message}`,
      );
    else {
      const first = tools.get(described.name.toLowerCase());
      if (!first) tools.set(described.name.toLowerCase(), parsed.data);
      else if (JSON.stringify(first) !== JSON.stringify(parsed.data))
        warnings.add(`Several tools are called "${described.name}", and differ: the first one counts.`);
    }
  }
  return [...tools.values()];
}

/** Why a named tool is not a function with known parameters; undefined if it is one. */
function whyUnread(tool: JsonObject): string | undefined {
  const inner = [tool.function, tool.toolSpec].find(isObject) ?? tool;
  const { parameters, input_schema, inputSchema, parameter_definitions } = inner;
  const schemas = [parameters, input_schema, inputSchema, parameter_definitions].filter(
    (one) => (one ?? null) !== null,
  );
  if (schemas.length === 0)
    return inner === tool && typeof tool.type === 'string' && tool.type !== 'function'
      ? `it is not a function, but of the type "${tool.type.slice(0, 80)}", which its provider runs or reads itself`
      : undefined;
  if ((parameter_definitions ?? null) !== null && schemas.length === 1)
    return 'write its "parameter_definitions" as a JSON Schema in "parameters"';
  return schemas.some(isObject)
    ? undefined
    : `its parameters are not a JSON Schema, but ${JSON.stringify(schemas[0]).slice(0, 80)}: put it into the file`;
}

/** The part of a tool that is sent to a provider, without promptfoo's own marks such as "normalized". */
function describedIn(tool: Json): JsonObject | undefined {
  if (!isObject(tool)) return undefined;
  const inner = [tool.function, tool.toolSpec].find(isObject) ?? tool;
  const { name, description, strict, inputSchema } = inner;
  const schema = [
    inner.parameters,
    inner.input_schema,
    isObject(inputSchema) && isObject(inputSchema.json) ? inputSchema.json : inputSchema,
  ].find(isObject);
  return {
    name: name ?? null,
    ...(typeof description === 'string' && { description }),
    ...(schema && { parameters: schema }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}
