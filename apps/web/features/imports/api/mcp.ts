import type { z } from 'zod';
import type { McpDiscovered, McpImportAnswer, McpSyncAnswer, McpTransport } from '#lib/contracts/mcp';
import { client } from '../../../api/client';

export type Discovered = z.infer<typeof McpDiscovered>;
export type Imported = z.infer<typeof McpImportAnswer>;

/** How to reach a server. Its headers are sent with each request and stored nowhere. */
export interface McpAddress {
  /** Empty for a suite that was read from a server: use that server. */
  url: string;
  transport: McpTransport;
  headers: { name: string; value: string }[];
}

const serverOf = ({ url, transport, headers }: McpAddress) => ({
  ...(url.trim() && { url: url.trim() }),
  transport,
  headers: Object.fromEntries(headers.filter(({ name }) => name.trim()).map(({ name, value }) => [name.trim(), value])),
});

type Options = { idempotencyKey?: string };

export const discoverTools = (address: McpAddress, options?: Options): Promise<Discovered> =>
  client.call('POST', '/api/mcp/discover', serverOf(address), options);

export interface McpChoice {
  tool_names: string[];
  suite_name?: string;
  use_instructions: boolean;
  generate_cases: boolean;
}
export const importTools = (address: McpAddress, choice: McpChoice, options?: Options): Promise<Imported> =>
  client.call('POST', '/api/mcp/import', { ...serverOf(address), ...choice }, options);

/** @param apply changes the suite; otherwise only reports the differences */
export function syncTools(
  suiteId: string,
  address: McpAddress,
  { apply, keepRemoved }: { apply: boolean; keepRemoved: boolean },
  options?: Options,
): Promise<McpSyncAnswer> {
  const { transport, ...server } = serverOf(address);
  return client.call(
    'POST',
    `/api/tool-suites/${encodeURIComponent(suiteId)}/mcp-sync?apply=${apply}&keep_removed=${keepRemoved}`,
    // `auto` would override the transport that worked before.
    { ...server, ...(transport !== 'auto' && { transport }) },
    options,
  );
}
