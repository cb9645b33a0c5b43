import type { ApiClient } from '#lib/client/api-client';
import type { Rescore } from '#lib/contracts/rescore';
import { isIdPrefix, startsWithId, onlyMatch } from './match.js';
import { readAll } from './read-list.js';

export const rescoreIdOf = async (client: ApiClient, runId: string, id?: string): Promise<string | undefined> =>
  id === undefined ? undefined : (await readRescore(client, runId, id)).id;

/** The rescore of a run by its id or an id prefix. The API has no endpoint for a single rescore. */
export async function readRescore(client: ApiClient, runId: string, id: string): Promise<Rescore> {
  const all = await readAll<Rescore>(client, `/api/tool-eval/history/${runId}/rescores`);
  const found = all.filter((rescore) => isIdPrefix(id) && startsWithId(rescore.id, id));
  return onlyMatch(found, {
    none: () => `Run ${runId} has no rescore with the id "${id}".`,
    several: (count) => `${count} rescores begin with "${id}". Use a longer prefix:`,
    each: (rescore) => `${rescore.id} (${rescore.status}, ${rescore.created_at})`,
  });
}
