import { z } from 'zod';
import { named, namedInput } from './named.js';
import { id } from './page.js';
import { MAX_TOOLS } from './values/suites.js';
import { jsonObject, Tool, ToolName } from './tool.js';

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://example.com/mcp' })
  .max(2000)
  .regex(/^[^@]*$|^https?:\/\/[^/@]*\//i, 'must not contain a user or password: give them in "headers"');
const headers = z
  .record(
    z
      .string()
      .regex(
        /^(?!(host|connection|content-length|transfer-encoding|content-type|accept)$)[A-Za-z0-9-]{1,100}$/i,
        'cannot be set',
      ),
    z.string().regex(/^[\x20-\x7e\t]{0,8000}$/, 'must be visible ASCII characters'),
  )
  .default({})
  .describe('Headers of every request to the server, such as a token. They are not stored.');
export const McpTransport = z
  .enum(['auto', 'streamable-http', 'sse'])
  .describe('The transport of the server. `auto` tries streamable HTTP first, then the older server-sent events.');
export type McpTransport = z.infer<typeof McpTransport>;
const server = {
  url: url.describe('The address of the MCP server, without user and password.'),
  headers,
  transport: McpTransport.default('auto'),
};

export const McpDiscoverInput = z
  .strictObject(server)
  .meta({ id: 'McpDiscoverInput', description: 'The MCP server to ask.' });
export type McpDiscoverInput = z.infer<typeof McpDiscoverInput>;

/** In UTF-16 units. */
export const MAX_MCP_TOOL_NAME = 1000;
export const McpTool = z
  .looseObject({
    name: z.string().min(1).max(MAX_MCP_TOOL_NAME).describe('The name of the tool at the server. It may be any text.'),
    title: z.string().nullish().describe('A display name; null or left out when the tool has none.'),
    description: z.string().nullish().describe('What the tool does, as models read it.'),
    inputSchema: jsonObject.nullish().describe('The JSON Schema of the arguments.'),
    annotations: jsonObject.nullish().describe('Hints such as `readOnlyHint`.'),
  })
  .meta({ id: 'McpTool', description: 'A tool in the format of MCP servers.' });
export type McpTool = z.infer<typeof McpTool>;

export const McpServer = named('McpServer', 'An MCP server that answered.', {
  name: z.string().describe('The name that the server gives itself.'),
  version: z.string().describe('The version of the server.'),
  protocol_version: z
    .string()
    .nullable()
    .describe('The version of MCP that the server speaks; null when it did not say.'),
  transport: z.enum(['streamable-http', 'sse']).describe('The transport that worked.'),
  instructions: z.string().nullable().describe('Instructions of the server for models; null when it has none.'),
});
export type McpServer = z.infer<typeof McpServer>;
export const LeftOutTool = named('LeftOutTool', 'A tool that an MCP server lists and that cannot be used.', {
  name: z.string().describe('The name of the tool, or its place in the list when it has none.'),
  reason: z.string().describe('Why the tool cannot be used.'),
});
export type LeftOutTool = z.infer<typeof LeftOutTool>;
/** An answer names this many omitted tools and only counts the rest. */
export const MAX_LEFT_OUT = 100;
export const McpDiscovered = named('McpDiscovered', 'What an MCP server offers.', {
  server: McpServer.describe('The server, as it names itself.'),
  tools: z.array(McpTool).describe('The tools of the server, from all pages of its list.'),
  left_out: z
    .array(LeftOutTool)
    .describe(`Tools that an import leaves out, and why, the first ${MAX_LEFT_OUT} at most.`),
  warnings: z.array(z.string()).describe('Tools that an import would leave out or change, and why.'),
});

export const McpImportInput = namedInput('McpImportInput', 'Imports the tools of an MCP server as a suite.', {
  url: url.optional().describe('The address of the MCP server that has the tools. Give either this or `tools`.'),
  headers,
  transport: server.transport,
  tools: z
    .array(z.union([Tool, McpTool]))
    .min(1)
    .max(MAX_TOOLS)
    .optional()
    .describe('Tools that were discovered before, in the format of MCP or OpenAI, instead of `url`.'),
  tool_names: z
    .array(z.string())
    .min(1)
    .max(MAX_TOOLS)
    .optional()
    .describe(
      'The names of the tools to import, since a server may have more than a suite can hold. If left ' +
        'out, all tools are imported.',
    ),
  suite_name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('The name of the new suite. Defaults to the name of the server.'),
  use_instructions: z
    .boolean()
    .default(false)
    .describe(
      'Whether the instructions of the server become the system prompt of the suite, which applies to every case.',
    ),
  generate_cases: z
    .boolean()
    .default(false)
    .describe('Whether to create a draft case for each tool. Runs skip drafts until you remove their `draft` field.'),
});
export type McpImportInput = z.infer<typeof McpImportInput>;
export const McpImportAnswer = named('McpImportAnswer', 'The result of importing the tools of an MCP server.', {
  suite_id: id.describe('The suite that was created.'),
  tools_created: z.int().describe('How many tools the suite has.'),
  test_cases_created: z.int().describe('How many draft cases the suite has.'),
  server: McpServer.nullable().describe('The server; null when the request gave the tools.'),
  warnings: z.array(z.string()).describe('What was left out or changed, and why.'),
});

export const McpSyncInput = z
  .strictObject({
    headers,
    url: url
      .optional()
      .describe(
        'Another address of the server. It is kept when the changes are applied. Defaults to the ' +
          'address of the import.',
      ),
    transport: McpTransport.optional().describe('Another transport. Defaults to the transport of the import.'),
  })
  .default({ headers: {} })
  .meta({
    id: 'McpSyncInput',
    description: 'How to connect to the MCP server of a suite again. Tokens are not stored, so give them again.',
  });
export type McpSyncInput = z.infer<typeof McpSyncInput>;
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false);
export const McpSyncQuery = z.strictObject({
  apply: flag.describe('With `true`, the suite is changed. Otherwise the response only shows the changes.'),
  keep_removed: flag.describe('With `true`, the suite keeps tools that the server no longer has.'),
});
export type McpSyncQuery = z.infer<typeof McpSyncQuery>;

const concerned = {
  cases: z
    .array(
      z.object({
        id: id.describe('The id of the case.'),
        position: z.int().describe('The position of the case in the suite, from 0.'),
        name: z.string().nullable().describe('The name of the case; null when it has none.'),
      }),
    )
    .describe('The cases that name the tool, the first 1,000 at most.'),
};
export const McpSyncAnswer = named('McpSyncAnswer', 'How the tools of an MCP server differ from those of a suite.', {
  server: McpServer.describe('The MCP server.'),
  added: z
    .array(z.object({ name: ToolName, tool: Tool.describe('The tool as the server has it.') }))
    .describe('Tools that the server has and the suite does not.'),
  removed: z.array(z.object({ name: ToolName, ...concerned })).describe('Tools that the server no longer has.'),
  changed: z
    .array(
      z.object({
        name: ToolName,
        fields: z.array(z.enum(['description', 'parameters', 'annotations'])).describe('The differences.'),
        before: Tool.describe('The tool as the suite has it.'),
        after: Tool.describe('The tool as the server has it.'),
        ...concerned,
      }),
    )
    .describe('Tools that have changed.'),
  applied: z.boolean().describe('Whether the suite was changed.'),
  version: z.int().describe('The version of the suite, after the change if there was one.'),
  warnings: z.array(z.string()).describe('Tools that were left out, and other things worth knowing.'),
});
export type McpSyncAnswer = z.infer<typeof McpSyncAnswer>;
