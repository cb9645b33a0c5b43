import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isWholeId } from './ids.js';
import { matchByName } from './match-by-name.js';
import { readAll } from './read-list.js';
import { theOne } from './the-one.js';

/** A kind of item that has a name in its team. */
interface Kind<Item> {
  /** "gate" */
  what: string;
  /** The path of the list of all items. */
  path: string;
  /** Distinguishes it from others with the same name. */
  describe: (item: Item) => string;
  /** What else was searched, for the message. */
  also?: string;
}

/** The id of an item by its name, its id or an id prefix. */
export async function findNamed<Item extends { id: string; name: string }>(
  client: ApiClient,
  wanted: string,
  { what, path, describe, also = '' }: Kind<Item>,
): Promise<string> {
  if (isWholeId(wanted)) return wanted;
  const all = await readAll<Item>(client, path);
  const found = matchByName(all, wanted);
  const words = found.every(({ name }) => name === found[0]!.name) ? 'are named' : 'match';
  return theOne(found, {
    none: () => {
      const names = all.map(({ name }) => name);
      return `No ${what} has the name or id "${wanted}"${also}. ${suggestNames(wanted, names, `the ${what}s`)}`;
    },
    several: (count) => `${count} ${what}s ${words} "${wanted}". Give the id of one:`,
    each: (one) => `${one.id} (${describe(one)})`,
  }).id;
}
