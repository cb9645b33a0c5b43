import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import {
  McpDiscovered,
  McpDiscoverInput,
  McpImportAnswer,
  McpImportInput,
  McpSyncAnswer,
  McpSyncInput,
  McpSyncQuery,
  MAX_LEFT_OUT,
  type McpServer,
} from '#lib/contracts/mcp';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { McpSyncService } from './mcp-sync.service.js';
import { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { writeCase } from '#lib/db/catalogue/insert-cases';
import { McpSourceRepository, withoutQuery } from '#lib/db/catalogue/mcp-sources';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import { draftCases } from '#lib/mcp/draft-cases';
import { SuiteValidator } from '../suites/suite-validator.js';
import { selectTools } from './select-tools.js';
import { ServerTools, suiteNames } from './server-tools.js';

/** The tools of a suite may have up to 1 MiB, and the list to choose from may be larger. */
const TOOLS_BYTES = 2 * 2 ** 20;

/** Creates suites from the tools of MCP servers. */
@Controller('api')
export class McpController {
  constructor(
    readonly syncService: McpSyncService,
    readonly serverTools: ServerTools,
    readonly validator: SuiteValidator,
  ) {}

  @Post('mcp/discover')
  @About('List the tools of an MCP server', 'Connects, initializes and reads all pages of tools. Stores nothing.')
  @Answers(200, McpDiscovered)
  async discover(
    @Me() { teamId }: Caller,
    @Body({ schema: McpDiscoverInput }) input: McpDiscoverInput,
  ): Promise<z.infer<typeof McpDiscovered>> {
    const { server, tools, ...read } = await this.serverTools.read(teamId, input);
    const { tools: usable, leftOut, warnings } = await this.serverTools.usable(teamId, tools, read);
    warnings.push(...(await this.validator.hostWarnings(teamId, usable)));
    if (tools.length + leftOut.length === 0) warnings.push('The server lists no tools.');
    return { server, tools, left_out: leftOut.slice(0, MAX_LEFT_OUT), warnings };
  }

  @Post('mcp/import')
  @TakesUpTo(TOOLS_BYTES, McpImportInput)
  @About(
    'Create a suite from an MCP server',
    'Reads the tools from the server, or takes the tools of an earlier discovery. The instructions of ' +
      'the server become the system prompt only with `use_instructions`.',
  )
  @Answers(201, McpImportAnswer)
  async import(
    @Me() caller: Caller,
    @Body({ schema: McpImportInput }) input: McpImportInput,
    @Changes() change: Change,
  ): Promise<z.infer<typeof McpImportAnswer>> {
    const { teamId } = caller;
    const { url, tools: given } = input;
    if ((url === undefined) === (given === undefined))
      throw new ProblemError(422, 'Give either "url", to read the tools from there, or "tools".', [
        { path: '/url', message: 'either "url" or "tools" must be given' },
      ]);
    const read = url === undefined ? undefined : await this.serverTools.read(teamId, { ...input, url });
    const server = read?.server ?? null;
    const { listed, leftOut } = selectTools(read?.tools ?? given!, read?.leftOut ?? [], input.tool_names);
    const { tools, warnings } = await this.serverTools.forNewSuite(teamId, listed, {
      leftOut,
      warnings: read?.warnings ?? [],
    });
    const drafts = input.generate_cases ? draftCases(tools) : [];
    warnings.push(
      ...(await this.validator.checkNewCases(teamId, drafts, { tools }, (index) => `/test_cases/${index}`)),
      ...(await this.validator.hostWarnings(teamId, tools)),
      ...instructionWarnings(server?.instructions ?? '', input.use_instructions),
    );
    return change(async (client) => {
      const suite = { ...settingsOf(input, server), tools };
      const id = await new SuiteRepository(client, teamId).create(suite, drafts.map(writeCase));
      const source = read && { ...read.server, url: url!, toolNames: suiteNames(read.tools) };
      const saved = source && (await new McpSourceRepository(client, teamId).save(id, source));
      await audit(client, caller, 'suite.import', id, { after: { ...suite, cases: drafts.length, ...saved?.after } });
      return { suite_id: id, tools_created: tools.length, test_cases_created: drafts.length, server, warnings };
    });
  }

  @Post('tool-suites/:id/mcp-sync')
  @About(
    'Compare a suite with its MCP server',
    'Reads the server again and shows which tools were added, removed and changed, and the cases ' +
      'that each difference affects. With `?apply=true` the suite is changed.',
  )
  @Answers(200, McpSyncAnswer, 404, 409)
  sync(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: McpSyncQuery }) query: McpSyncQuery,
    @Body({ schema: McpSyncInput }) input: McpSyncInput,
    @Changes() change: Change,
  ) {
    return this.syncService.sync(caller, uuid('suite', id), query, input, change);
  }
}

const MAX_SYSTEM_PROMPT = 50_000;

/** The settings of a suite created from a server's tools, or from tools in the request. */
function settingsOf({ suite_name: name, url, use_instructions: isUsed }: McpImportInput, server: McpServer | null) {
  return {
    name: name ?? (server ? `Tools of ${server.name}`.slice(0, 200) : 'Tools of an MCP server'),
    description: server ? `Tools of the MCP server ${server.name} ${server.version} at ${withoutQuery(url!)}.` : '',
    system_prompt: (isUsed && server?.instructions?.slice(0, MAX_SYSTEM_PROMPT)) || null,
    pass_threshold: 1,
  };
}

function instructionWarnings({ length }: string, isUsed: boolean): string[] {
  if (length === 0) return isUsed ? ['The server has no instructions, so the suite has no system prompt.'] : [];
  if (!isUsed)
    return [
      `The server has instructions for models (${length} characters), which the suite does not use: ` +
        'they can become the system prompt of the suite.',
    ];
  if (length <= MAX_SYSTEM_PROMPT) return [];
  return [
    `The server's instructions have ${length} characters; the first ${MAX_SYSTEM_PROMPT} are the ` +
      "suite's system prompt.",
  ];
}
