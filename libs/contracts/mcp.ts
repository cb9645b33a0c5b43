import { z } from 'zod';
import { id } from './page.js';
import { jsonObject, MAX_TOOLS, Tool, ToolName } from './tool.js';

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://example.com/mcp' })
  .max(2000)
  .regex(/^[^@]*$|^https?:\/\/[^/@]*\//i, 'must hold no user and password: give them in "headers"');
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
  .meta({ description: 'Sent with every request to the server, and not kept: here belongs a token.' });
export const McpTransport = z.enum(['auto', 'streamable-http', 'sse']).meta({
  description: 'How the server is spoken to; `auto` tries streamable HTTP first, then the older server-sent events.',
});
export type McpTransport = z.infer<typeof McpTransport>;
const server = {
  url: url.meta({ description: 'The address of the MCP server, without user and password.' }),
  headers,
  transport: McpTransport.default('auto'),
};

export const McpDiscoverInput = z
  .strictObject(server)
  .meta({ id: 'McpDiscoverInput', description: 'The MCP server to ask.' });
export type McpDiscoverInput = z.infer<typeof McpDiscoverInput>;

export const McpTool = z
  .looseObject({
    name: z.string().min(1).max(1000).meta({ description: 'Its name at the server, which may be of any kind.' }),
    title: z.string().nullish().meta({ description: 'A name for people; null or left out when it has none.' }),
    description: z.string().nullish().meta({ description: 'What the tool does, as models read it.' }),
    inputSchema: jsonObject.nullish().meta({ description: 'The JSON Schema of its arguments.' }),
    annotations: jsonObject.nullish().meta({ description: 'Hints such as `readOnlyHint`.' }),
  })
  .meta({ id: 'McpTool', description: 'A tool as MCP servers describe theirs.' });
export type McpTool = z.infer<typeof McpTool>;

export const McpServer = z
  .object({
    name: z.string().meta({ description: 'What the server calls itself.' }),
    version: z.string().meta({ description: 'Its own version.' }),
    protocol_version: z
      .string()
      .nullable()
      .meta({ description: 'The version of MCP that it speaks; null when it did not say.' }),
    transport: z.enum(['streamable-http', 'sse']).meta({ description: 'How it was spoken to.' }),
    instructions: z
      .string()
      .nullable()
      .meta({ description: 'What it tells models about its tools; null when nothing.' }),
  })
  .meta({ id: 'McpServer', description: 'An MCP server that answered.' });
export type McpServer = z.infer<typeof McpServer>;
export const McpDiscovered = z
  .object({
    server: McpServer.meta({ description: 'The server, as it names itself.' }),
    tools: z.array(McpTool).meta({ description: 'Its tools, all pages of them.' }),
    warnings: z.array(z.string()).meta({ description: 'Tools that an import would leave out or change, and why.' }),
  })
  .meta({ id: 'McpDiscovered', description: 'What an MCP server offers.' });

export const McpImportInput = z
  .strictObject({
    url: url
      .optional()
      .meta({ description: 'The address of the MCP server whose tools are read. Give this, or `tools`.' }),
    headers,
    transport: server.transport,
    tools: z
      .array(z.union([Tool, McpTool]))
      .min(1)
      .max(MAX_TOOLS)
      .optional()
      .meta({
        description: 'Tools that were discovered before, as MCP or as OpenAI describes them, instead of `url`.',
      }),
    tool_names: z
      .array(z.string())
      .min(1)
      .max(MAX_TOOLS)
      .optional()
      .meta({
        description:
          "Of the server's tools those of these names, since a server may have more than a suite can " +
          'hold. Left out, all of them.',
      }),
    suite_name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'What the new suite is called; after the server when left out.' }),
    use_instructions: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether the instructions of the server become the system prompt of the suite, under which ' +
          'every case is judged.',
      }),
    generate_cases: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether a draft of a case is made for each tool. Drafts take part in no run until their ' +
          '`draft` is taken away.',
      }),
  })
  .meta({ id: 'McpImportInput', description: 'A suite to make of the tools of an MCP server.' });
export type McpImportInput = z.infer<typeof McpImportInput>;
export const McpImportAnswer = z
  .object({
    suite_id: id.meta({ description: 'The suite that was made.' }),
    tools_created: z.int().meta({ description: 'How many tools it has.' }),
    test_cases_created: z.int().meta({ description: 'How many drafts of cases it has.' }),
    server: McpServer.nullable().meta({ description: 'The server that was asked; null when the tools were given.' }),
    warnings: z.array(z.string()).meta({ description: 'What was left out or changed, and why.' }),
  })
  .meta({ id: 'McpImportAnswer', description: 'What was made of the tools of an MCP server.' });

export const McpSyncInput = z
  .strictObject({
    headers,
    url: url.optional().meta({
      description:
        'Another address of the server, kept from then on when the changes are applied; that of ' +
        'the import when left out.',
    }),
    transport: McpTransport.optional().meta({
      description: 'Another way to speak to it; that of the import when left out.',
    }),
  })
  .default({ headers: {} })
  .meta({
    id: 'McpSyncInput',
    description: 'How the MCP server of a suite is asked again. Tokens are not kept, so give them again.',
  });
export type McpSyncInput = z.infer<typeof McpSyncInput>;
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false);
export const McpSyncQuery = z.strictObject({
  apply: flag.meta({ description: 'With `true` the suite is changed; otherwise the answer only shows what would be.' }),
  keep_removed: flag.meta({ description: 'With `true` tools that the server no longer has stay in the suite.' }),
});
export type McpSyncQuery = z.infer<typeof McpSyncQuery>;

const concerned = {
  cases: z
    .array(
      z.object({
        id: id.meta({ description: 'The id of the case.' }),
        position: z.int().meta({ description: 'Its place in the suite, from 0.' }),
        name: z.string().nullable().meta({ description: 'Its name; null when it has none.' }),
      }),
    )
    .meta({ description: 'The cases that name the tool, the first 1,000 at most.' }),
};
export const McpSyncAnswer = z
  .object({
    server: McpServer.meta({ description: 'The server that was asked again.' }),
    added: z
      .array(z.object({ name: ToolName, tool: Tool.meta({ description: 'The tool as the server has it.' }) }))
      .meta({ description: 'Tools that the server has and had not.' }),
    removed: z
      .array(z.object({ name: ToolName, ...concerned }))
      .meta({ description: 'Tools that the server had and has no more.' }),
    changed: z
      .array(
        z.object({
          name: ToolName,
          fields: z.array(z.enum(['description', 'parameters', 'annotations'])).meta({ description: 'What differs.' }),
          before: Tool.meta({ description: 'The tool as the suite has it.' }),
          after: Tool.meta({ description: 'The tool as the server has it.' }),
          ...concerned,
        }),
      )
      .meta({ description: 'Tools that are not as they were.' }),
    applied: z.boolean().meta({ description: 'Whether the suite was changed.' }),
    version: z.int().meta({ description: 'The version of the suite, after the change if there was one.' }),
    warnings: z.array(z.string()).meta({ description: 'Tools that were left out, and what else is worth knowing.' }),
  })
  .meta({ id: 'McpSyncAnswer', description: 'How the tools of an MCP server differ from those of a suite.' });
export type McpSyncAnswer = z.infer<typeof McpSyncAnswer>;
