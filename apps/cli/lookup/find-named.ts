import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isWholeId } from './ids.js';
import { matchByName } from './match-by-name.js';
import { readAll } from './read-list.js';
import { theOne } from './the-one.js';

/** A kind of thing that has a name in its team. */
interface Kind<Item> {
  /** "gate" */
  what: string;
  /** The list of all of them. */
  path: string;
  /** What tells it from others of its name. */
  describe: (item: Item) => string;
  /** What else was looked for, for the message. */
  also?: string;
}

/** The id of the thing that a name, an id or the beginning of an id means. */
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
