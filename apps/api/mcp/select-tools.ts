import type { LeftOutTool, McpTool } from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import { byteLength, MAX_TOOLS_BYTES, type Tool } from '#lib/contracts/tool';

/** A tool as listed by a server, or as stored in a suite. */
export type ListedTool = McpTool | Tool;

/** Maximum number of the server's tools listed in the error for an unknown name. */
const MAX_NAMES = 50;

const nameOf = (tool: ListedTool): string =>
  'function' in tool ? (tool as Tool).function.name : (tool as McpTool).name;

export interface SelectedTools {
  listed: readonly ListedTool[];
  leftOut: LeftOutTool[];
}

/**
 * The tools with these names, or all.
 * @param leftOut tools of the server that cannot be used
 * @throws ProblemError 422 when the server has no tool with one of the names
 */
export function selectTools(
  tools: readonly ListedTool[],
  leftOut: LeftOutTool[],
  names: string[] | undefined,
): SelectedTools {
  if (!names) return { listed: tools, leftOut };
  const has = new Set([...tools.map(nameOf), ...leftOut.map(({ name }) => name)]);
  const missing = names.filter((name) => !has.has(name));
  if (missing.length) {
    const known = tools.map(nameOf).slice(0, MAX_NAMES).join(', ') + (tools.length > MAX_NAMES ? ', ...' : '');
    throw new ProblemError(
      422,
      `The server has no tool ${missing.map((name) => `"${name}"`).join(', ')}. Its tools: ${known}.`,
      [{ path: '/tool_names', message: 'must name tools of the server' }],
    );
  }
  const wanted = new Set(names);
  return {
    listed: tools.filter((tool) => wanted.has(nameOf(tool))),
    leftOut: leftOut.filter(({ name }) => wanted.has(name)),
  };
}

const WAY_OUT = 'Choose some of them.';

/**
 * @param before the suite's current tools: one that is already too large may stay so
 * @throws ProblemError 422 when the tools are too many or too large for a suite
 */
export function checkToolLimits(tools: readonly ListedTool[], before: readonly Tool[] = []): void {
  if (tools.length === 0) throw new ProblemError(422, 'The server has no tools.').as('mcp_no_tools');
  if (tools.length > MAX_TOOLS)
    throw new ProblemError(422, `${tools.length} tools are too many: a suite can hold ${MAX_TOOLS}. ${WAY_OUT}`, [
      { path: '/tool_names', message: `choose at most ${MAX_TOOLS}` },
    ]).as('mcp_too_many_tools', { count: tools.length, limit: MAX_TOOLS });
  const bytes = byteLength(tools);
  if (bytes <= MAX_TOOLS_BYTES || bytes <= byteLength(before)) return;
  throw new ProblemError(
    422,
    `The tools have ${bytes} bytes together; the limit of a suite is ${MAX_TOOLS_BYTES}. ${WAY_OUT}`,
    [{ path: '/tool_names', message: 'choose fewer' }],
  ).as('mcp_too_many_tools', { count: tools.length, limit: MAX_TOOLS });
}
