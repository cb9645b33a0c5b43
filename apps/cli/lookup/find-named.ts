import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { NegativeAnswer } from '../exit-codes.js';
import { isWholeId } from './ids.js';
import { matchByName } from './match-by-name.js';

/** A kind of thing that has a name in its team. */
interface Kind<Item> {
  /** "gate" */
  what: string;
  /** The list of all of them. */
  path: string;
  /** What tells it from others of its name. */
  describe: (item: Item) => string;
}

/** The id of the thing that a name, an id or the beginning of an id means. */
export async function findNamed<Item extends { id: string; name: string }>(
  client: ApiClient,
  wanted: string,
  { what, path, describe }: Kind<Item>,
): Promise<string> {
  if (isWholeId(wanted)) return wanted;
  const all: Item[] = [];
  for await (const one of client.all<Item>(path)) all.push(one);
  const found = matchByName(all, wanted);
  if (found.length === 1) return found[0]!.id;
  const each = found.map((one) => `${one.id} (${describe(one)})`);
  if (each.length) throw new NegativeAnswer(`${each.length} ${what}s match "${wanted}". Give the id of one:`, each);
  const names = all.map(({ name }) => name);
  throw new NegativeAnswer(`No ${what} has the name or id "${wanted}". ${suggestNames(wanted, names, `the ${what}s`)}`);
}
