import { z } from 'zod';
import { id } from './page.js';
import { jsonObject, MAX_TOOLS, Tool, ToolName } from './tool.js';

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://example.com/mcp' }).max(2000).regex(/^[^@]*$|^https?:\/\/[^/@]*\//i, 'must hold no user and password: give them in "headers"');
/** Sent with every request to the server, and not kept: here belongs a token. */
const headers = z
  .record(z.string().regex(/^(?!(host|connection|content-length|transfer-encoding|content-type|accept)$)[A-Za-z0-9-]{1,100}$/i, 'cannot be set'), z.string().regex(/^[\x20-\x7e\t]{0,8000}$/, 'must be visible ASCII characters'))
  .default({});
export const McpTransport = z.enum(['auto', 'streamable-http', 'sse']);
export type McpTransport = z.infer<typeof McpTransport>;
const server = { url, headers, transport: McpTransport.default('auto') };

export const McpDiscoverInput = z.strictObject(server).meta({ id: 'McpDiscoverInput' });
export type McpDiscoverInput = z.infer<typeof McpDiscoverInput>;

/** A tool as MCP servers describe theirs, loosely: their names may be of any kind. */
export const McpTool = z
  .looseObject({ name: z.string().min(1).max(1000), title: z.string().nullish(), description: z.string().nullish(), inputSchema: jsonObject.nullish(), annotations: jsonObject.nullish() })
  .meta({ id: 'McpTool' });
export type McpTool = z.infer<typeof McpTool>;

export const McpServer = z
  .object({
    name: z.string(),
    version: z.string(),
    protocol_version: z.string().nullable(),
    transport: z.enum(['streamable-http', 'sse']),
    instructions: z.string().nullable(),
  })
  .meta({ id: 'McpServer' });
export type McpServer = z.infer<typeof McpServer>;
export const McpDiscovered = z.object({ server: McpServer, tools: z.array(McpTool), warnings: z.array(z.string()) }).meta({ id: 'McpDiscovered' });

export const McpImportInput = z
  .strictObject({
    url: url.optional(),
    headers,
    transport: server.transport,
    /** Tools that were discovered before, as MCP or as OpenAI describes them, instead of `url`. */
    tools: z.array(z.union([Tool, McpTool])).min(1).max(MAX_TOOLS).optional(),
    /** Of the server's tools those of these names; a server may have more than a suite can hold. */
    tool_names: z.array(z.string()).min(1).max(MAX_TOOLS).optional(),
    suite_name: z.string().trim().min(1).max(200).optional(),
    use_instructions: z.boolean().default(false).meta({ description: 'Makes the instructions of the server the system prompt of the suite, under which every case is judged' }),
    /** A draft of a case for each tool. */
    generate_cases: z.boolean().default(false),
  })
  .meta({ id: 'McpImportInput' });
export type McpImportInput = z.infer<typeof McpImportInput>;
export const McpImportAnswer = z.object({ suite_id: id, tools_created: z.int(), test_cases_created: z.int(), server: McpServer.nullable(), warnings: z.array(z.string()) });

export const McpSyncInput = z.strictObject({ headers, url: url.optional(), transport: McpTransport.optional() }).default({ headers: {} }).meta({ id: 'McpSyncInput' });
export type McpSyncInput = z.infer<typeof McpSyncInput>;
const flag = z.enum(['true', 'false']).transform((text) => text === 'true').default(false);
export const McpSyncQuery = z.strictObject({
  apply: flag,
  /** Tools that the server no longer has stay in the suite. */
  keep_removed: flag,
});
export type McpSyncQuery = z.infer<typeof McpSyncQuery>;

const concerned = { cases: z.array(z.object({ id, position: z.int(), name: z.string().nullable() })) };
export const McpSyncAnswer = z
  .object({
    server: McpServer,
    added: z.array(z.object({ name: ToolName, tool: Tool })),
    removed: z.array(z.object({ name: ToolName, ...concerned })),
    changed: z.array(z.object({ name: ToolName, fields: z.array(z.enum(['description', 'parameters', 'annotations'])), before: Tool, after: Tool, ...concerned })),
    applied: z.boolean(),
    version: z.int(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'McpSyncAnswer' });
export type McpSyncAnswer = z.infer<typeof McpSyncAnswer>;
