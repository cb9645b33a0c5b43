import { existsSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import { findSuite } from '../lookup/find-named.js';
import { printWarning } from '../output/terminal.js';
import { readSuiteFile } from './read-suite-file.js';

/** The suite of a command; `forget` deletes it if it was imported for a command that failed. */
export interface ChosenSuite {
  suiteId: string;
  forget(): Promise<void>;
}

/** Finds a suite by file, name or id. A file is imported unless the server has a suite with its content. */
export async function chooseSuite(client: ApiClient, suite: string): Promise<ChosenSuite> {
  const keep = async (): Promise<void> => {};
  if (!existsSync(suite))
    return { suiteId: await findSuite(client, suite, ', and there is no file of that name'), forget: keep };
  const text = readSuiteFile(suite);
  const known = await findEqualSuite(client, text);
  if (known !== undefined) return { suiteId: known, forget: keep };
  const { suite_id, warnings } = await client.importSuite(text);
  const suiteId = suite_id!;
  warnings.forEach(printWarning);
  return { suiteId, forget: () => client.deleteSuite(suiteId) };
}

/**
 * The newest suite whose export equals a file. Both are parsed with the schema that the server uses for an import, so
 * that defaults, converted tools and the order of a case's fields make no difference. Contents are compared, rather
 * than a hash stored at import: a suite that was edited since is another suite.
 */
async function findEqualSuite(client: ApiClient, text: string): Promise<string | undefined> {
  const { canonicalSuite } = await import('./canonical-suite.js');
  const wanted = canonicalSuite(text);
  if (!wanted) return undefined;
  for await (const { id, name, test_cases_count: count } of client.suites()) {
    if (name !== wanted.name || count !== wanted.cases) continue;
    if (canonicalSuite(await client.text(`/api/tool-suites/${id}/export?format=json`))?.text === wanted.text) return id;
  }
  return undefined;
}
