import { isObject } from '#lib/contracts/json/json';
import type { McpTool } from '#lib/contracts/mcp';
import { Tool, ToolName } from '#lib/contracts/tool';

/** Converts a server's tools to a suite's tools, with a warning for each tool that had to be renamed. */
export function toTools(listed: readonly (McpTool | Tool)[]): { tools: Tool[]; warnings: string[] } {
  const warnings: string[] = [];
  const taken = new Set<string>();
  const tools = listed.map((one): Tool => {
    const described: McpTool = isOpenAi(one)
      ? { ...one.function, inputSchema: one.function.parameters, annotations: one.annotations }
      : one;
    const name = freeName(described.name, taken);
    taken.add(name.toLowerCase());
    if (name !== described.name)
      warnings.push(`The tool "${described.name}" is named "${name}" here: ${whyRenamed(described.name)}`);
    const description = described.description ?? described.title ?? undefined;
    if (description && description.length > 20_000)
      warnings.push(`The description of "${name}" was cut to 20,000 characters.`);
    const annotations = {
      ...(described.title ? { title: described.title } : {}),
      ...(isObject(described.annotations) ? described.annotations : {}),
    };
    return {
      type: 'function',
      function: {
        name,
        ...(description && { description: description.slice(0, 20_000) }),
        ...(isObject(described.inputSchema) && { parameters: described.inputSchema }),
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
  });
  return { tools, warnings };
}

const isOpenAi = (one: McpTool | Tool): one is Tool => isObject((one as Tool).function);

const whyRenamed = (name: string): string =>
  ToolName.safeParse(name).success
    ? 'another tool has that name. Names are compared ignoring case.'
    : 'names have up to 64 letters, digits, "_", "." and "-".';

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = ToolName.safeParse(wanted).success
    ? wanted
    : wanted.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64) || 'tool';
  let name = plain;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${plain.slice(0, 64 - String(n).length - 1)}_${n}`;
  return name;
}
