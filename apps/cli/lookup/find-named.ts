import type { ApiClient } from '#lib/client/api-client';
import type { Experiment } from '#lib/contracts/experiment';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Page } from '#lib/contracts/page';
import type { Suite } from '#lib/contracts/suite';
import type { Team } from '#lib/contracts/team';
import type { Gate } from '#lib/gate/contract';
import { isWholeId, matchByName, onlyMatch } from './match.js';
import { readAll } from './read-list.js';

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
  return onlyMatch(found, {
    none: () => {
      const names = all.map(({ name }) => name);
      return `No ${what} has the name or id "${wanted}"${also}. ${suggestNames(wanted, names, `the ${what}s`)}`;
    },
    several: (count) => `${count} ${what}s ${words} "${wanted}". Give the id of one:`,
    each: (one) => `${one.id} (${describe(one)})`,
  }).id;
}

/** The id of a team by its name, its id or an id prefix, for an operator, who sees all of them. */
export const findTeam = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Team>(client, wanted, {
    what: 'team',
    path: '/api/teams',
    describe: ({ name, created_at: at }) => `${name}, ${at}`,
  });

/** The id of an experiment, archived or not, by its name, its id or an id prefix. */
export const findExperiment = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Experiment>(client, wanted, {
    what: 'experiment',
    path: '/api/experiments?status=all',
    describe: ({ name, status, suite_name: suite, created_at: at }) =>
      `${name}, ${status}, over ${suite ?? 'a deleted suite'}, ${at}`,
  });

/** The id of a gate by its name, its id or an id prefix. */
export async function findGate(client: ApiClient, wanted: string): Promise<string> {
  if (!isWholeId(wanted)) {
    const { items }: Page<Gate> = await client.page(`/api/gates?${new URLSearchParams({ name: wanted })}`);
    if (items.length === 1) return items[0]!.id;
  }
  return findNamed<Gate>(client, wanted, {
    what: 'gate',
    path: '/api/gates',
    describe: ({ name, version, suite_name: suite }) => `${name} v${version}, over ${suite ?? 'a deleted suite'}`,
  });
}

/**
 * The id of a suite by its name, its id or an id prefix.
 * @param also what else was searched, for the message
 */
export const findSuite = (client: ApiClient, wanted: string, also = ''): Promise<string> =>
  findNamed<Suite>(client, wanted, {
    what: 'suite',
    path: '/api/tool-suites',
    describe: ({ name, version, test_cases_count: cases, updated_at: at }) =>
      `${name} v${version}, ${cases} cases, changed ${at}`,
    also,
  });
