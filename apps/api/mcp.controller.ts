import { Body, Controller, Inject, Param, Post, Query } from '@nestjs/common';
import { McpDiscovered, McpDiscoverInput, McpImportAnswer, McpImportInput, McpSyncAnswer, McpSyncInput, McpSyncQuery, type McpTool } from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/problem';
import type { SuiteFile } from '#lib/contracts/suite';
import { MAX_TOOLS, type Tool } from '#lib/contracts/tool';
import { audit } from '#lib/db/audit';
import { keepSource, readSource } from '#lib/db/mcp-sources';
import { createSuite, readWholeSuite, updateSuite } from '#lib/db/suites';
import type { Caller } from '#lib/db/teams';
import { askServer, type Answered } from '#lib/mcp/ask-server';
import { applyDiff, compareTools } from '#lib/mcp/compare-tools';
import { draftCases } from '#lib/mcp/draft-cases';
import { toTools } from '#lib/mcp/to-tools';
import { checkCase } from '#lib/scoring/check-case';
import { checkTools } from '#lib/scoring/check-tools';
import { Deps } from './deps.js';
import { prefixed, refuse } from './refuse.js';
import { Answers, Me, uuid } from './route.js';

/** A person waits for it. */
const LONGEST_MS = 30_000;

/** Tools out of MCP servers. */
@Controller('api')
export class McpController {
  constructor(@Inject(Deps) readonly deps: Deps) {}

  @Post('mcp/discover')
  @Answers(200, McpDiscovered)
  async discover(@Body({ schema: McpDiscoverInput }) input: McpDiscoverInput) {
    const { server, tools } = await this.#ask(input);
    return { server, tools, warnings: readable(tools).warnings };
  }

  @Post('mcp/import')
  @Answers(201, McpImportAnswer)
  async import(@Me() caller: Caller, @Body({ schema: McpImportInput }) input: McpImportInput) {
    const { url, tools: given } = input;
    if ((url === undefined) === (given === undefined)) throw new ProblemError(422, 'Give either "url", and the tools are read from there, or "tools".', [{ path: '/url', message: 'either "url" or "tools" must be given' }]);
    const answered = url === undefined ? undefined : await this.#ask({ ...input, url });
    const { tools, warnings } = usable(chosen(answered?.tools ?? given!, input.tool_names));
    const toolNames = answered ? toTools(answered.tools).tools.map((tool) => tool.function.name) : [];
    const server = answered?.server ?? null;
    const suite: SuiteFile = {
      name: input.suite_name ?? (server ? `Tools of ${server.name}`.slice(0, 200) : 'Tools of an MCP server'),
      description: server ? `Tools of the MCP server ${server.name} ${server.version} at ${withoutQuery(url!)}.` : '',
      system_prompt: server?.instructions?.slice(0, 50_000) ?? null,
      pass_threshold: 1,
      tools,
      test_cases: input.generate_cases ? draftCases(tools) : [],
    };
    refuse(suite.test_cases.flatMap((draft, index) => prefixed(`/test_cases/${index}`, checkCase(draft, tools))));
    const id = await createSuite(this.deps.pool, caller.teamId, suite, async (client, suiteId) => {
      if (server) await keepSource(client, suiteId, { ...server, url: url!, toolNames });
    });
    await audit(this.deps.pool, caller, 'suite.import', id);
    if (server?.instructions) warnings.push('The server\'s instructions are the system prompt of the suite.');
    return { suite_id: id, tools_created: tools.length, test_cases_created: suite.test_cases.length, server, warnings };
  }

  @Post('tool-suites/:id/mcp-sync')
  @Answers(200, McpSyncAnswer, 404, 409)
  async sync(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: McpSyncQuery }) { apply, keep_removed: keepRemoved }: McpSyncQuery, @Body({ schema: McpSyncInput }) input: McpSyncInput): Promise<McpSyncAnswer> {
    const suite = await readWholeSuite(this.deps.pool, caller.teamId, uuid('suite', id));
    const source = await readSource(this.deps.pool, suite.id);
    const url = input.url ?? source?.url;
    if (url === undefined) throw new ProblemError(409, 'The tools of this suite were not read from an MCP server. Give its "url".');
    const { server, tools: listed } = await this.#ask({ url, headers: input.headers, transport: input.transport ?? source?.transport ?? 'auto' });
    const { tools: now, warnings } = readable(listed);
    const diff = compareTools(suite.tools, source?.toolNames ?? [], now, suite.test_cases);
    if (!apply) return { server, ...diff, applied: false, version: suite.version, warnings };
    const tools = usable(applyDiff(suite.tools, diff, keepRemoved)).tools;
    const changes = diff.added.length + diff.changed.length + (keepRemoved ? 0 : diff.removed.length);
    if (changes) {
      refuse(prefixed('/tools', checkTools(tools)));
      await updateSuite(this.deps.pool, caller.teamId, suite.id, { tools }, (_tools, cases) =>
        refuse(cases.flatMap((one) => checkCase(one, tools).map(({ message }) => ({ path: '/tools', message: `Case ${one.position}${one.name ? ` ("${one.name}")` : ''} would not fit any more: ${message} Change or delete it first, or keep the tool with ?keep_removed=true.` })))), suite.version);
      await audit(this.deps.pool, caller, 'suite.update', suite.id);
    }
    await keepSource(this.deps.pool, suite.id, { ...server, url, toolNames: now.map((tool) => tool.function.name) });
    return { server, ...diff, applied: true, version: suite.version + (changes ? 1 : 0), warnings };
  }

  #ask(input: McpDiscoverInput): Promise<Answered> {
    return askServer(input, { allowPrivateNetworks: this.deps.env.TOOLMARK_ALLOW_PRIVATE_NETWORKS, timeoutMs: LONGEST_MS });
  }
}

function chosen(tools: readonly (McpTool | Tool)[], names: string[] | undefined): readonly (McpTool | Tool)[] {
  const nameOf = (tool: McpTool | Tool): string => ('function' in tool ? (tool as Tool).function.name : (tool as McpTool).name);
  if (!names) return tools;
  const missing = names.filter((name) => !tools.some((tool) => nameOf(tool) === name));
  if (missing.length) throw new ProblemError(422, `The server has no tool ${missing.map((name) => `"${name}"`).join(', ')}. Its tools: ${tools.map(nameOf).slice(0, 50).join(', ')}${tools.length > 50 ? ', ...' : ''}.`, [{ path: '/tool_names', message: 'must name tools of the server' }]);
  return tools.filter((tool) => names.includes(nameOf(tool)));
}

function usable(tools: readonly (McpTool | Tool)[]): { tools: Tool[]; warnings: string[] } {
  if (tools.length === 0) throw new ProblemError(422, 'The server has no tools.');
  if (tools.length > MAX_TOOLS) throw new ProblemError(422, `${tools.length} tools are more than the ${MAX_TOOLS} that a suite can hold. Choose some by "tool_names"; POST /api/mcp/discover lists them.`, [{ path: '/tool_names', message: `choose at most ${MAX_TOOLS}` }]);
  const made = readable(tools);
  if (made.tools.length === 0) throw new ProblemError(422, `No tool of the server can be used. ${made.warnings[0]}`);
  return made;
}

/** A server's author may be far away: a tool that cannot be used is told, and the others are. */
function readable(listed: readonly (McpTool | Tool)[]): { tools: Tool[]; warnings: string[] } {
  const { tools, warnings } = toTools(listed);
  const good = tools.filter((tool) => {
    const [wrong] = checkTools([tool]);
    if (wrong) warnings.push(`The tool "${tool.function.name}" is left out: its schema ${wrong.message}`);
    return !wrong;
  });
  return { tools: good, warnings };
}

/** Some put a token there. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
