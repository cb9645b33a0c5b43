import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Page } from '#lib/contracts/page';
import { wholeNumber, type GlobalOptions } from '../command.js';
import { print, printError, printJson } from '../output/terminal.js';

export interface ListOptions extends GlobalOptions {
  limit: number;
  cursor?: string;
}
/** The shape of every list with --json. */
export interface List<Item> {
  items: Item[];
  next_cursor?: string;
}

const DEFAULT_LIMIT = 50;
export const addListOptions = (command: Command): Command =>
  command
    .option('-l, --limit <n>', 'most entries to list', wholeNumber, DEFAULT_LIMIT)
    .option('--cursor <cursor>', 'go on where an earlier list ended (next_cursor)');

/** The first entries of a list that the API filters. */
export async function readList<Item>(client: ApiClient, path: string, options: ListOptions): Promise<List<Item>> {
  const items: Item[] = [];
  let cursor: string | null | undefined = options.cursor;
  do {
    const page: Page<Item> = await client.page(path, options.limit - items.length, cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && items.length < options.limit);
  return { items, ...(cursor !== null && { next_cursor: cursor }) };
}

const PAGE = 200;
const MAX_PAGES = 10;
/** The first entries that match, among the newest 2,000: for filters that the API does not have. */
export async function findInList<Item>(
  client: ApiClient,
  path: string,
  { limit, cursor: start }: ListOptions,
  matches: (item: Item) => boolean,
): Promise<List<Item>> {
  const items: Item[] = [];
  let cursor: string | null | undefined = start;
  for (let page = 0; page < MAX_PAGES && cursor !== null && items.length < limit; page++) {
    const { items: read, next_cursor }: Page<Item> = await client.page(path, PAGE, cursor);
    items.push(...read.filter(matches));
    cursor = next_cursor;
  }
  return { items: items.slice(0, limit) };
}

/**
 * Prints a list for people or programs.
 * @param layout makes its lines; not called for an empty list
 */
export function printList<Item>(
  list: List<Item>,
  { json }: GlobalOptions,
  none: string,
  layout: (items: Item[]) => string[],
): void {
  if (json) return printJson(list);
  print(...(list.items.length ? layout(list.items) : [none]));
  if (list.next_cursor !== undefined) printError(`There are more. Go on with: --cursor ${list.next_cursor}`);
}
