import type { McpServer } from '#lib/contracts/mcp';
import type { Pool, PoolClient } from '../connection/pool.js';

/** The MCP server that a suite's tools were read from. */
export interface McpSource extends McpServer {
  url: string;
  toolNames: string[];
}

export async function keepSource(
  client: Pool | PoolClient,
  suiteId: string,
  { url, transport, name, version, instructions, toolNames }: McpSource,
): Promise<void> {
  await client.query(
    `INSERT INTO mcp_source (suite_id, url, transport, server_name, server_version, instructions, tool_names)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (suite_id) DO UPDATE SET url = $2, transport = $3, server_name = $4, server_version = $5,
       instructions = $6, tool_names = $7, read_at = now()`,
    [suiteId, url, transport, name, version, instructions, toolNames],
  );
}

/** By a suite that the caller may see; undefined where its tools came from elsewhere. */
export async function readSource(
  pool: Pool,
  suiteId: string,
): Promise<{ url: string; transport: McpServer['transport']; toolNames: string[] } | undefined> {
  const { rows } = await pool.query<{ url: string; transport: McpServer['transport']; tool_names: string[] }>(
    'SELECT url, transport, tool_names FROM mcp_source WHERE suite_id = $1',
    [suiteId],
  );
  return rows[0] && { url: rows[0].url, transport: rows[0].transport, toolNames: rows[0].tool_names };
}
