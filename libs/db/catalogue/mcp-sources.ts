import type { McpServer } from '#lib/contracts/mcp';
import { TeamScoped } from '../team-isolation.js';

/** The MCP server that a suite's tools were read from. */
export interface McpSource extends McpServer {
  url: string;
  toolNames: string[];
}

/** Some addresses carry a token in their query. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** What the audit says of a source. */
interface SourceFacts {
  mcp_url: string;
  mcp_tools: number;
}
const factsOf = ({ url, toolNames }: Pick<McpSource, 'url' | 'toolNames'>): SourceFacts => ({
  mcp_url: withoutQuery(url),
  mcp_tools: toolNames.length,
});

/** The MCP servers that the tools of a team's suites were read from. */
export class McpSourceRepository extends TeamScoped {
  /**
   * Stores the source of a suite, replacing the previous one.
   * @returns both
   */
  async save(suiteId: string, source: McpSource): Promise<{ before: SourceFacts | undefined; after: SourceFacts }> {
    const { url, transport, name, version, instructions, toolNames } = source;
    await this.db.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE', [suiteId, this.teamId]);
    const before = await this.find(suiteId);
    await this.db.query(
      `INSERT INTO mcp_source (suite_id, url, transport, server_name, server_version, instructions, tool_names)
       SELECT id, $3, $4, $5, $6, $7, $8 FROM suite WHERE id = $1 AND team_id = $2
       ON CONFLICT (suite_id) DO UPDATE SET url = $3, transport = $4, server_name = $5, server_version = $6,
         instructions = $7, tool_names = $8, read_at = now()`,
      [suiteId, this.teamId, url, transport, name, version, instructions, toolNames],
    );
    return { before: before && factsOf(before), after: factsOf(source) };
  }

  /** Undefined when the tools of the suite came from elsewhere. */
  async find(suiteId: string): Promise<Pick<McpSource, 'url' | 'transport' | 'toolNames'> | undefined> {
    const { rows } = await this.db.query<Pick<McpSource, 'url' | 'transport' | 'toolNames'>>(
      `SELECT m.url, m.transport, m.tool_names AS "toolNames" FROM mcp_source m JOIN suite s ON s.id = m.suite_id
        WHERE m.suite_id = $1 AND s.team_id = $2`,
      [suiteId, this.teamId],
    );
    return rows[0];
  }
}
