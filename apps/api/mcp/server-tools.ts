import { Injectable } from '@nestjs/common';
import { MAX_LEFT_OUT, type LeftOutTool, type McpDiscoverInput, type McpTool } from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import { findToolFault, type Tool } from '#lib/contracts/tool';
import type { DiscoveredServer } from '#lib/mcp/discover-tools';
import type { ListedTools } from '#lib/mcp/read-listed-tools';
import { toTools } from '#lib/mcp/to-tools';
import { SuiteThreads } from '../threads/suite-threads.js';
import { Discoveries } from './discoveries.js';
import { checkToolLimits, type ListedTool } from './select-tools.js';

export interface UsableTools {
  tools: Tool[];
  leftOut: LeftOutTool[];
  /** What is left out or changed, and why. */
  warnings: string[];
}

/** The names that a suite gives to tools of a server. */
export const suiteNames = (listed: readonly Pick<McpTool, 'name'>[]): string[] =>
  toTools(listed).tools.map((tool) => tool.function.name);

/** Reads the tools of MCP servers. */
@Injectable()
export class ServerTools {
  constructor(
    readonly discoveries: Discoveries,
    readonly suiteThreads: SuiteThreads,
  ) {}

  /** @throws ProblemError 422 when the server cannot be read, 429 */
  read(teamId: string, server: McpDiscoverInput): Promise<DiscoveredServer> {
    return this.discoveries.read(teamId, server);
  }

  /**
   * The listed tools that a suite can have. The author of a server may be out of reach, so one unusable tool does not
   * spoil the others.
   * @param read the tools left out and the warnings from reading the list
   */
  async usable(
    teamId: string,
    listed: readonly ListedTool[],
    read: Pick<ListedTools, 'leftOut' | 'warnings'>,
  ): Promise<UsableTools> {
    const { tools, warnings } = toTools(listed);
    const leftOut = [...read.leftOut];
    const leaveOut = (tool: Tool, reason: string): void => void leftOut.push({ name: tool.function.name, reason });
    const fitting = tools.filter((tool) => {
      const fault = findToolFault(tool);
      if (fault) leaveOut(tool, `it ${fault}.`);
      return !fault;
    });
    const errors = await this.suiteThreads.run(teamId, {
      what: 'check-each-tool',
      tools: JSON.stringify(fitting),
    });
    const valid = fitting.filter((tool, index) => {
      const error = errors[index];
      if (error) leaveOut(tool, `its schema ${error.message}`);
      return !error;
    });
    const changes = bounded([...read.warnings, ...warnings], 'tools were changed');
    return { tools: valid, leftOut, warnings: [...changes, ...leftOutWarnings(leftOut)] };
  }

  /** @throws ProblemError 422 when no tool is usable, or they are too many or too large for a suite */
  async forNewSuite(
    teamId: string,
    listed: readonly ListedTool[],
    read: Pick<ListedTools, 'leftOut' | 'warnings'>,
  ): Promise<UsableTools> {
    if (listed.length > MAX_TOOLS || listed.length + read.leftOut.length === 0) checkToolLimits(listed);
    const usable = await this.usable(teamId, listed, read);
    if (usable.tools.length === 0)
      throw new ProblemError(422, `No tool of the server can be used. ${usable.warnings[0]}`);
    checkToolLimits(usable.tools);
    return usable;
  }
}

const leftOutWarnings = (leftOut: readonly LeftOutTool[]): string[] =>
  bounded(
    leftOut.map(({ name, reason }) => `The tool "${name}" is left out: ${reason}`),
    'tools are left out',
  );

/** The first lines, and the number of further ones. */
const bounded = (lines: readonly string[], what: string): string[] =>
  lines.length <= MAX_LEFT_OUT
    ? [...lines]
    : [...lines.slice(0, MAX_LEFT_OUT), `${lines.length - MAX_LEFT_OUT} more ${what}.`];
