import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Page } from '#lib/contracts/page';
import { integer, type GlobalOptions } from '../command.js';
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

export const DEFAULT_LIMIT = 50;
export const addListOptions = (command: Command): Command =>
  command
    .option('-l, --limit <n>', 'maximum entries to list', integer, DEFAULT_LIMIT)
    .option('--cursor <cursor>', 'continue where an earlier list ended (next_cursor)');

/** Every entry of a list. */
export async function readAll<Item>(client: ApiClient, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of client.all<Item>(path)) items.push(item);
  return items;
}

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

/**
 * Prints a list as text or JSON.
 * @param layout formats its lines; not called for an empty list
 */
export function printList<Item>(
  list: List<Item>,
  { json }: GlobalOptions,
  none: string,
  layout: (items: Item[]) => string[],
): void {
  if (json) return printJson(list);
  print(...(list.items.length ? layout(list.items) : [none]));
  if (list.next_cursor !== undefined) printError(`There are more. Continue with: --cursor ${list.next_cursor}`);
}
