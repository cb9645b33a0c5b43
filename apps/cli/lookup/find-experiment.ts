import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Experiment } from '#lib/contracts/experiment';
import { NegativeAnswer } from '../exit-codes.js';
import { isWholeId } from './ids.js';
import { matchByName } from './match-by-name.js';

/** The id of the experiment, archived or not, that a name, an id or the beginning of an id means. */
export async function findExperiment(client: ApiClient, wanted: string): Promise<string> {
  if (isWholeId(wanted)) return wanted;
  const all: Experiment[] = [];
  for await (const one of client.all<Experiment>('/api/experiments?status=all')) all.push(one);
  const found = matchByName(all, wanted);
  if (found.length === 1) return found[0]!.id;
  const each = found.map(
    ({ id, name, status, suite_name: suite, created_at: at }) =>
      `${id} (${name}, ${status}, over ${suite ?? 'a deleted suite'}, ${at})`,
  );
  if (each.length) throw new NegativeAnswer(`${each.length} experiments match "${wanted}". Give the id of one:`, each);
  const names = all.map(({ name }) => name);
  throw new NegativeAnswer(
    `No experiment has the name or id "${wanted}". ${suggestNames(wanted, names, 'the experiments')}`,
  );
}
