import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { KnownPrices } from '#lib/contracts/known-prices';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { NegativeAnswer } from '../exit-codes.js';
import { printList } from '../lookup/read-list.js';
import { priceColumns } from '../output/price-columns.js';
import { table } from '../output/table.js';

export const addPrices = (program: Command): Command =>
  subcommand(program, 'prices', 'list the known prices of hosts and their models')
    .argument('[host]', 'host in the address of a provider (default: all hosts)')
    .action(serverAction<GlobalOptions, [string | undefined]>(listPrices))
    .addHelpText(...examples('toolmark prices', 'toolmark prices api.openai.com'));

async function listPrices(client: ApiClient, options: GlobalOptions, host?: string): Promise<void> {
  const { as_of, source, hosts } = await client.call<KnownPrices>('GET', '/api/prices');
  const chosen = host === undefined ? hosts : hosts.filter((one) => one.host === host);
  const names = hosts.map((one) => one.host);
  if (host !== undefined && chosen.length === 0)
    throw new NegativeAnswer(`No prices are known for "${host}". ${suggestNames(host, names, 'the hosts')}`);
  const items = chosen.flatMap(({ host: of, docs, models }) => models.map((model) => ({ host: of, docs, ...model })));
  const list = { items, as_of, source };
  printList(list, options, `The table of ${as_of} has no prices.`, (models) => {
    const { headings, cellsOf } = priceColumns(models);
    return [
      `The table of ${as_of}${source === 'file' ? ', a file of the server' : ''}:`,
      ...table([
        ['host', 'model', ...headings, ''],
        ...models.map((model) => [model.host, model.id, ...cellsOf(model), model.note ?? '']),
      ]),
      ...chosen.map(({ host: of, docs }) => `${of}: ${docs}`),
    ];
  });
}
