import { queryOptions } from '@tanstack/react-query';
import type { ImportAnswer, ImportFormat } from '#lib/contracts/import';
import { parseJson } from '#lib/contracts/json/json';
import { client } from '../../../api/client';
import { keys } from '../../../api/keys';

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

/** Imports the whole file or nothing. @param dryRun only reports what would be created */
export function importSuite(
  source: ImportSource,
  dryRun: boolean,
  options: { idempotencyKey?: string } = {},
): Promise<ImportAnswer> {
  const query = new URLSearchParams({ format: source.format });
  if (dryRun) query.set('dry_run', 'true');
  if (source.name.trim() && source.format !== 'native') query.set('name', source.name.trim());
  return client.call<ImportAnswer>('POST', `/api/tool-eval/import?${query}`, bodyOf(source), options);
}

/** A small suite to start from, as the text of a file. */
export const exampleSuiteQuery = queryOptions({
  queryKey: [...keys.suites, 'example'],
  queryFn: async ({ signal }) =>
    JSON.stringify(await client.call<unknown>('GET', '/api/tool-eval/import/example', undefined, { signal }), null, 2),
  staleTime: Infinity,
});
