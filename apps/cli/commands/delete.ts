import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { print, printJson } from '../output/terminal.js';

/**
 * A group's command that deletes an item.
 * @param what "gate"
 * @param find the URL path of the item, which ends with its id
 */
export function addDelete(
  group: Command,
  what: string,
  [description, example]: readonly [description: string, example: string],
  argument: readonly [name: string, description: string],
  find: (client: ApiClient, wanted: string) => Promise<string>,
): void {
  const remove = async (client: ApiClient, { json }: GlobalOptions, wanted: string): Promise<void> => {
    const path = await find(client, wanted);
    const id = path.slice(path.lastIndexOf('/') + 1);
    await client.call('DELETE', path);
    if (json) printJson({ id });
    else print(`Deleted ${what} ${id}`);
  };
  const command = subcommand(group, 'delete', description);
  command
    .argument(...argument)
    .action(serverAction<GlobalOptions, [string]>(remove))
    .addHelpText(...examples(example));
}
