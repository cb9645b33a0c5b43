import type { ApiClient } from '#lib/client/api-client';
import type { Rescore } from '#lib/contracts/rescore';
import { NegativeAnswer } from '../exit-codes.js';
import { isIdPrefix, startsWithId } from './ids.js';

/** The rescore of a run that an id or its beginning means. The API lists rescores, and answers none alone. */
export async function readRescore(client: ApiClient, runId: string, id: string): Promise<Rescore> {
  const found: Rescore[] = [];
  for await (const rescore of client.all<Rescore>(`/api/tool-eval/history/${runId}/rescores`))
    if (isIdPrefix(id) && startsWithId(rescore.id, id)) found.push(rescore);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new NegativeAnswer(`Run ${runId} has no rescore with the id "${id}".`);
  const each = found.map((rescore) => `${rescore.id} (${rescore.status}, ${rescore.created_at})`);
  throw new NegativeAnswer(`${found.length} rescores begin with "${id}". Give more of the id:`, each);
}
