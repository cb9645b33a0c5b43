import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import {
  McpDiscovered,
  McpDiscoverInput,
  McpImportAnswer,
  McpImportInput,
  McpSyncAnswer,
  McpSyncInput,
  McpSyncQuery,
} from '#lib/contracts/mcp';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { McpSyncService } from './mcp-sync.service.js';
import { McpService } from './mcp.service.js';

/** The tools of a suite may have up to 1 MiB, and the list to choose from may be larger. */
const TOOLS_BYTES = 2 * 2 ** 20;

@Controller('api')
export class McpController {
  constructor(
    readonly service: McpService,
    readonly syncService: McpSyncService,
  ) {}

  @Post('mcp/discover')
  @About('List the tools of an MCP server', 'Connects, initializes and reads all pages of tools. Stores nothing.')
  @Answers(200, McpDiscovered)
  discover(@Me() caller: Caller, @Body({ schema: McpDiscoverInput }) input: McpDiscoverInput) {
    return this.service.discover(caller, input);
  }

  @Post('mcp/import')
  @TakesUpTo(TOOLS_BYTES, McpImportInput)
  @About(
    'Create a suite from an MCP server',
    'Reads the tools from the server, or takes the tools of an earlier discovery. The instructions of ' +
      'the server become the system prompt only with `use_instructions`.',
  )
  @Answers(201, McpImportAnswer)
  import(@Me() caller: Caller, @Body({ schema: McpImportInput }) input: McpImportInput, @Changes() change: Change) {
    return this.service.import(caller, input, change);
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
