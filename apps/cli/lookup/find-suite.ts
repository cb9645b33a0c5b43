import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Suite } from '#lib/contracts/suite';
import { NegativeAnswer } from '../exit-codes.js';
import { isWholeId } from './ids.js';
import { matchByName } from './match-by-name.js';

/**
 * The id of the suite that a name, an id or the beginning of an id means.
 * @param also what else was looked for, for the message
 */
export async function findSuite(client: ApiClient, suite: string, also = ''): Promise<string> {
  if (isWholeId(suite)) return suite;
  const suites: Suite[] = [];
  for await (const one of client.suites()) suites.push(one);
  const found = matchByName(suites, suite);
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1) {
    const each = found.map(
      ({ id, name, version, test_cases_count: cases, updated_at: at }) =>
        `${id} (${name} v${version}, ${cases} cases, changed ${at})`,
    );
    const what = found.every(({ name }) => name === found[0]!.name) ? 'are named' : 'match';
    throw new NegativeAnswer(`${found.length} suites ${what} "${suite}". Give the id of one:`, each);
  }
  const names = suites.map(({ name }) => name);
  throw new NegativeAnswer(
    `No suite has the name or id "${suite}"${also}. ${suggestNames(suite, names, "the server's suites")}`,
  );
}
