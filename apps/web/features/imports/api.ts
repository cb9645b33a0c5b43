import type { z } from 'zod';
import type { ImportAnswer, ImportFormat } from '#lib/contracts/import';
import { parseJson } from '#lib/contracts/json/json';
import type { McpDiscovered, McpImportAnswer, McpSyncAnswer, McpTransport } from '#lib/contracts/mcp';
import type { Sent } from '../../api/action';
import { client, pathWith } from '../../api/client';

/** A file, with the settings that its format lacks. */
export interface ImportSource {
  format: ImportFormat;
  text: string;
  /** Of the new suite; empty: taken from the file. */
  name: string;
  /** JSON; empty: taken from the file. */
  tools: string;
  /** For BFCL, whose answers are in a separate file. */
  answers: string;
}

/** @throws SyntaxError when the tools are not JSON */
function bodyOf({ format, text, tools, answers }: ImportSource): unknown {
  if (format === 'native') return text;
  return {
    text,
    ...(tools.trim() && { tools: parseJson(tools) }),
    ...(format === 'bfcl' && answers && { possible_answers: answers }),
  };
}

/** Imports the whole file or nothing. @param isDry only reports what would be created */
export function importSuite(source: ImportSource, isDry: boolean, options: Sent): Promise<ImportAnswer> {
  const { format, name } = source;
  const query = { format, dry_run: isDry || undefined, name: format === 'native' ? undefined : name.trim() };
  return client.call('POST', pathWith('/api/tool-eval/import', query), bodyOf(source), options);
}

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

export const discoverTools = (address: McpAddress, options: Sent): Promise<Discovered> =>
  client.call('POST', '/api/mcp/discover', serverOf(address), options);

export interface McpChoice {
  tool_names: string[];
  suite_name?: string;
  use_instructions: boolean;
  generate_cases: boolean;
}
export const importTools = (address: McpAddress, choice: McpChoice, options: Sent): Promise<Imported> =>
  client.call('POST', '/api/mcp/import', { ...serverOf(address), ...choice }, options);

/** @param apply changes the suite; otherwise only reports the differences */
export function syncTools(
  suiteId: string,
  address: McpAddress,
  { apply, keepRemoved }: { apply: boolean; keepRemoved: boolean },
  options: Sent,
): Promise<McpSyncAnswer> {
  const { transport, ...server } = serverOf(address);
  return client.call(
    'POST',
    pathWith(`/api/tool-suites/${encodeURIComponent(suiteId)}/mcp-sync`, { apply, keep_removed: keepRemoved }),
    // `auto` would override the transport that worked before.
    { ...server, ...(transport !== 'auto' && { transport }) },
    options,
  );
}
