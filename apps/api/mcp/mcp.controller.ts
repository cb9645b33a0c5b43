import { Body, Controller, Inject, Param, Post, Query } from '@nestjs/common';
import {
  McpDiscovered,
  McpDiscoverInput,
  McpImportAnswer,
  McpImportInput,
  McpSyncAnswer,
  McpSyncInput,
  McpSyncQuery,
  type McpTool,
} from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/problem';
import type { Suite } from '#lib/contracts/suite';
import { byteLength, MAX_TOOLS_BYTES, MAX_TOOLS, findToolFault, type Tool } from '#lib/contracts/tool';
import { audit } from '#lib/db/catalogue/audit';
import { McpSourceRepository } from '#lib/db/catalogue/mcp-sources';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SuiteChanged, SuiteRepository } from '#lib/db/catalogue/suites';
import { writeCase } from '#lib/db/catalogue/insert-cases';
import type { Pool } from '#lib/db/connection/pool';
import type { Caller } from '#lib/db/catalogue/callers';
import { discoverTools, type DiscoveredServer } from '#lib/mcp/discover-tools';
import { applyDiff, compareTools } from '#lib/mcp/compare-tools';
import { draftCases } from '#lib/mcp/draft-cases';
import { toTools } from '#lib/mcp/to-tools';
import { refuseBadCases, refuseBadTools, refuseMisfits } from '../suites/check-suite-change.js';
import type { Env } from '#lib/runtime/env';
import { ENV, POOL } from '../platform/stores.js';
import { SuiteThreads } from '../suites/suite-threads.js';
import { About, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';

/** A person waits for it. */
const LONGEST_MS = 30_000;
/** Cases that are listed for each tool that changed. */
const MOST_CONCERNED = 1000;
const LONGEST_PROMPT = 50_000;

/** Tools out of MCP servers. */
@Controller('api')
export class McpController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    readonly suiteThreads: SuiteThreads,
  ) {}

  @Post('mcp/discover')
  @About('List the tools of an MCP server', 'Connects, shakes hands and reads all pages of tools. Nothing is kept.')
  @Answers(200, McpDiscovered)
  async discover(@Me() caller: Caller, @Body({ schema: McpDiscoverInput }) input: McpDiscoverInput) {
    const { server, tools } = await this.#ask(input);
    return { server, tools, warnings: (await this.#readable(caller, tools)).warnings };
  }

  @Post('mcp/import')
  @About(
    "Make a suite of an MCP server's tools",
    'Reads the tools from the server, or takes those of an earlier discovery. Cases are judged under ' +
      'the instructions of the server only with `use_instructions`.',
  )
  @Answers(201, McpImportAnswer)
  async import(
    @Me() caller: Caller,
    @Body({ schema: McpImportInput }) input: McpImportInput,
    @Changes() change: Change,
  ) {
    const { url, tools: given } = input;
    if ((url === undefined) === (given === undefined))
      throw new ProblemError(422, 'Give either "url", and the tools are read from there, or "tools".', [
        { path: '/url', message: 'either "url" or "tools" must be given' },
      ]);
    const answered = url === undefined ? undefined : await this.#ask({ ...input, url });
    const { tools, warnings } = await this.#usable(caller, chosen(answered?.tools ?? given!, input.tool_names));
    const toolNames = answered ? toTools(answered.tools).tools.map((tool) => tool.function.name) : [];
    const server = answered?.server ?? null;
    const suite = {
      name: input.suite_name ?? (server ? `Tools of ${server.name}`.slice(0, 200) : 'Tools of an MCP server'),
      description: server ? `Tools of the MCP server ${server.name} ${server.version} at ${withoutQuery(url!)}.` : '',
      system_prompt: (input.use_instructions && server?.instructions?.slice(0, LONGEST_PROMPT)) || null,
      pass_threshold: 1,
      tools,
    };
    const drafts = input.generate_cases ? draftCases(tools) : [];
    warnings.push(...(await refuseBadCases(this, caller.teamId, drafts, tools, (index) => `/test_cases/${index}`)));
    warnings.push(...aboutInstructions(server?.instructions ?? '', input.use_instructions));
    return change(async (client) => {
      const id = await new SuiteRepository(client, caller.teamId).create(suite, drafts.map(writeCase));
      if (server) await new McpSourceRepository(client, caller.teamId).save(id, { ...server, url: url!, toolNames });
      await audit(client, caller, 'suite.import', id);
      return { suite_id: id, tools_created: tools.length, test_cases_created: drafts.length, server, warnings };
    });
  }

  @Post('tool-suites/:id/mcp-sync')
  @About(
    'Compare a suite with its MCP server',
    'Reads the server again and shows which tools were added, removed and changed, and the cases ' +
      'that each difference concerns. With `?apply=true` the suite is changed.',
  )
  @Answers(200, McpSyncAnswer, 404, 409)
  async sync(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: McpSyncQuery }) { apply, keep_removed: keepRemoved }: McpSyncQuery,
    @Body({ schema: McpSyncInput }) input: McpSyncInput,
    @Changes() change: Change,
  ): Promise<McpSyncAnswer> {
    const suite = await new SuiteRepository(this.pool, caller.teamId).read(uuid('suite', id));
    const source = await new McpSourceRepository(this.pool, caller.teamId).find(suite.id);
    const url = input.url ?? source?.url;
    if (url === undefined)
      throw new ProblemError(409, 'The tools of this suite were not read from an MCP server. Give its "url".');
    const { server, tools: listed } = await this.#ask({
      url,
      headers: input.headers,
      transport: input.transport ?? source?.transport ?? 'auto',
    });
    const { tools: now, warnings } = await this.#readable(caller, listed);
    const changed = () => new ProblemError(409, 'The suite was changed by someone else meanwhile. Look again.');
    const diff = await this.#compare(suite, source?.toolNames ?? [], now, caller.teamId, warnings).catch(
      orChanged(changed),
    );
    if (!apply) return { server, ...diff, applied: false, version: suite.version, warnings };
    const tools = applyDiff(suite.tools, diff, keepRemoved);
    const changes = diff.added.length + diff.changed.length + (keepRemoved ? 0 : diff.removed.length);
    if (changes) {
      refuseTooMany(tools, suite.tools);
      await refuseBadTools(this, caller.teamId, tools);
      const wayOut = ' Change or delete it first, or keep the tool with ?keep_removed=true.';
      warnings.push(...(await refuseMisfits(this, caller.teamId, suite, tools, wayOut).catch(orChanged(changed))));
    }
    return change(async (client) => {
      if (changes) {
        await new SuiteRepository(client, caller.teamId)
          .update(suite.id, { tools }, suite.version)
          .catch(orChanged(changed));
        await audit(client, caller, 'suite.update', suite.id);
      }
      await new McpSourceRepository(client, caller.teamId).save(suite.id, {
        ...server,
        url,
        toolNames: now.map((tool) => tool.function.name),
      });
      return { server, ...diff, applied: true, version: suite.version + (changes ? 1 : 0), warnings };
    });
  }

  async #usable(caller: Caller, listed: readonly (McpTool | Tool)[]): Promise<{ tools: Tool[]; warnings: string[] }> {
    if (listed.length > MAX_TOOLS || listed.length === 0) refuseTooMany(listed);
    const made = await this.#readable(caller, listed);
    if (made.tools.length === 0) throw new ProblemError(422, `No tool of the server can be used. ${made.warnings[0]}`);
    refuseTooMany(made.tools);
    return made;
  }

  /** A server's author may be far away: a tool that cannot be used is told, and the others are. */
  async #readable(caller: Caller, listed: readonly (McpTool | Tool)[]): Promise<{ tools: Tool[]; warnings: string[] }> {
    const { tools, warnings } = toTools(listed);
    const leaveOut = (tool: Tool, why: string): void =>
      void warnings.push(`The tool "${tool.function.name}" is left out: ${why}`);
    const fitting = tools.filter((tool) => {
      const fault = findToolFault(tool);
      if (fault) leaveOut(tool, `it ${fault}.`);
      return !fault;
    });
    const found = await this.suiteThreads.run(caller.teamId, {
      what: 'check-each-tool',
      tools: JSON.stringify(fitting),
    });
    const good = fitting.filter((tool, index) => {
      const wrong = found[index];
      if (wrong) leaveOut(tool, `its schema ${wrong.message}`);
      return !wrong;
    });
    return { tools: good, warnings };
  }

  /** What the server's tools are now against what the suite has, with the first cases that each difference concerns. */
  async #compare(suite: Suite, known: readonly string[], now: readonly Tool[], teamId: string, warnings: string[]) {
    const diff = compareTools(suite.tools, known, now);
    const concerned = new Map([...diff.removed, ...diff.changed].map(({ name, cases }) => [name, cases]));
    const names = [...concerned.keys()];
    let left = 0;
    const pages = new CaseRepository(this.pool, teamId).pages(suite.id, suite.version);
    for await (const page of names.length ? pages : []) {
      const found = await this.suiteThreads.run(teamId, {
        what: 'find-uses',
        names,
        cases: page.map(({ body }) => body),
      });
      for (const { index, name, uses } of found) {
        const { id, position } = page[index]!;
        for (const list of uses.map((use) => concerned.get(use)!)) {
          if (list.length < MOST_CONCERNED) list.push({ id, position, name });
          else left++;
        }
      }
    }
    if (left)
      warnings.push(
        `Of the cases that a difference concerns the first ${MOST_CONCERNED} are listed; ${left} more are not.`,
      );
    return diff;
  }

  #ask(input: McpDiscoverInput): Promise<DiscoveredServer> {
    return discoverTools(input, {
      allowPrivateNetworks: this.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS,
      timeoutMs: LONGEST_MS,
    });
  }
}

function chosen(tools: readonly (McpTool | Tool)[], names: string[] | undefined): readonly (McpTool | Tool)[] {
  const nameOf = (tool: McpTool | Tool): string =>
    'function' in tool ? (tool as Tool).function.name : (tool as McpTool).name;
  if (!names) return tools;
  const missing = names.filter((name) => !tools.some((tool) => nameOf(tool) === name));
  if (missing.length)
    throw new ProblemError(
      422,
      `The server has no tool ${missing.map((name) => `"${name}"`).join(', ')}. Its tools: ` +
        `${tools.map(nameOf).slice(0, 50).join(', ')}${tools.length > 50 ? ', ...' : ''}.`,
      [{ path: '/tool_names', message: 'must name tools of the server' }],
    );
  return tools.filter((tool) => names.includes(nameOf(tool)));
}

/** @throws ProblemError 422 when a suite could not have so many or so large tools; what it had before, it may keep */
function refuseTooMany(tools: readonly (McpTool | Tool)[], before: readonly Tool[] = []): void {
  if (tools.length === 0) throw new ProblemError(422, 'The server has no tools.');
  const choose = 'Choose some by "tool_names"; POST /api/mcp/discover lists them.';
  if (tools.length > MAX_TOOLS) {
    throw new ProblemError(
      422,
      `${tools.length} tools are more than the ${MAX_TOOLS} that a suite can hold. ${choose}`,
      [{ path: '/tool_names', message: `choose at most ${MAX_TOOLS}` }],
    );
  }
  const bytes = byteLength(tools);
  if (bytes <= MAX_TOOLS_BYTES || bytes <= byteLength(before)) return;
  throw new ProblemError(
    422,
    `The tools have ${bytes} bytes together, and those of a suite may have ${MAX_TOOLS_BYTES}. ${choose}`,
    [{ path: '/tool_names', message: 'choose fewer' }],
  );
}

/** For `catch`: a suite that was changed meanwhile is another problem than the rest. */
const orChanged =
  (problem: () => ProblemError) =>
  (error: unknown): never => {
    throw error instanceof SuiteChanged ? problem() : error;
  };

function aboutInstructions({ length }: string, isUsed: boolean): string[] {
  if (length === 0) return isUsed ? ['The server has no instructions, so the suite has no system prompt.'] : [];
  if (!isUsed)
    return [
      `The server has instructions for models (${length} characters), which no case is judged under: ` +
        `with "use_instructions": true they become the suite's system prompt.`,
    ];
  return length > LONGEST_PROMPT
    ? [
        `The server's instructions have ${length} characters; the first ${LONGEST_PROMPT} are the ` +
          "suite's system prompt.",
      ]
    : [];
}

/** Some put a token there. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
