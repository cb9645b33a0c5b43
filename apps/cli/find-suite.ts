import type { ApiClient } from '#lib/client/api-client';
import { insteadOf } from '#lib/contracts/input/nearest';
import type { Suite } from '#lib/contracts/suite';

export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The id of the suite that an id or a name means. @param what else was looked for, for the message */
export async function findSuite(client: ApiClient, suite: string, what = ''): Promise<string> {
  if (UUID.test(suite)) return suite;
  const suites: Suite[] = [];
  for await (const one of client.suites()) suites.push(one);
  const exact = suites.filter(({ name }) => name === suite);
  const found = exact.length ? exact : suites.filter(({ name }) => name.toLowerCase() === suite.toLowerCase());
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1) {
    const each = found.map(
      ({ id, version, test_cases_count: cases, updated_at: at }) =>
        `${id} (v${version}, ${cases} cases, changed ${at})`,
    );
    throw new Error(`${found.length} suites are named "${suite}". Give the id of one: ${each.join(', ')}`);
  }
  throw new Error(
    `No suite has the name or id "${suite}"${what}. ${insteadOf(
      suite,
      suites.map(({ name }) => name),
      "the server's suites",
    )}`,
  );
}
