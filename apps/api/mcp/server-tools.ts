import { Inject, Injectable } from '@nestjs/common';
import type { McpDiscoverInput } from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_TOOLS, findToolFault, type Tool } from '#lib/contracts/tool';
import { discoverTools, type DiscoveredServer } from '#lib/mcp/discover-tools';
import { toTools } from '#lib/mcp/to-tools';
import type { Env } from '#lib/runtime/env';
import { ENV } from '../platform/stores.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { checkToolLimits, type ListedTool } from './select-tools.js';

/** A person waits for it. */
const TIMEOUT_MS = 30_000;

export interface UsableTools {
  tools: Tool[];
  /** Which tools are left out, and why. */
  warnings: string[];
}

/** Reads the tools of MCP servers. */
@Injectable()
export class ServerTools {
  constructor(
    @Inject(ENV) readonly env: Env,
    readonly suiteThreads: SuiteThreads,
  ) {}

  /** @throws ProblemError 422 when the server cannot be read */
  read(server: McpDiscoverInput): Promise<DiscoveredServer> {
    const allowPrivateNetworks = this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS;
    return discoverTools(server, { allowPrivateNetworks, timeoutMs: TIMEOUT_MS });
  }

  /**
   * The listed tools that a suite can have. The author of a server may be out of reach, so one tool that cannot be
   * used does not spoil the others.
   */
  async usable(teamId: string, listed: readonly ListedTool[]): Promise<UsableTools> {
    const { tools, warnings } = toTools(listed);
    const leaveOut = (tool: Tool, why: string): void =>
      void warnings.push(`The tool "${tool.function.name}" is left out: ${why}`);
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
    return { tools: valid, warnings };
  }

  /** @throws ProblemError 422 when no tool can be used, or they are too many or too large for a suite */
  async forNewSuite(teamId: string, listed: readonly ListedTool[]): Promise<UsableTools> {
    if (listed.length > MAX_TOOLS || listed.length === 0) checkToolLimits(listed);
    const usable = await this.usable(teamId, listed);
    if (usable.tools.length === 0)
      throw new ProblemError(422, `No tool of the server can be used. ${usable.warnings[0]}`);
    checkToolLimits(usable.tools);
    return usable;
  }
}
