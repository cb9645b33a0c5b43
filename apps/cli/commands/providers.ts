import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { z } from 'zod';
import type { Provider, ProviderTest } from '#lib/contracts/provider';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { EXIT, NegativeAnswer } from '../exit-codes.js';
import { printList, readAll } from '../lookup/read-list.js';
import { modelTable, providerLines, providerTable, refusalsOf } from '../output/provider-lines.js';
import { table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { readKeyRefs } from './provider-access.js';
import { addProviderSettings } from './provider-settings.js';

interface ModelOption extends GlobalOptions {
  model?: string;
}

export function addProviders(program: Command): void {
  const list = serverAction(listProviders);
  const providers = subcommand(program, 'providers', 'list, add and test providers');
  listByDefault(providers, list).addHelpText(...examples('toolmark providers', 'toolmark providers add --help'));
  subcommand(providers, 'list', 'list providers')
    .action(list)
    .addHelpText(...examples('toolmark providers list'));
  subcommand(providers, 'show', 'show what is sent to a provider, its limits and its models')
    .argument('<key>', 'key of the provider')
    .action(serverAction<GlobalOptions, [string]>(showProvider))
    .addHelpText(...examples('toolmark providers show simulator'));
  addProviderSettings(providers);
  subcommand(providers, 'key-refs', 'list the keys that the operator keeps for your team, for --api-key-ref')
    .action(serverAction(listKeyRefs))
    .addHelpText(...examples('toolmark providers key-refs'));
  subcommand(providers, 'test', 'send a model a request with default settings, and report which of them it refuses')
    .argument('<key>', 'key of the provider')
    .option('--model <id>', 'id of a model (default: the first)')
    .action(serverAction<ModelOption, [string]>(testProvider))
    .addHelpText(
      ...examples('toolmark providers test simulator', 'toolmark providers test simulator --model perfect-ish'),
    );
  subcommand(providers, 'forget', 'forget the settings that models refused, so that runs send them again')
    .argument('<key>', 'key of the provider')
    .option('--model <id>', 'id of a model (default: all)')
    .action(serverAction<ModelOption, [string]>(forgetRefusals))
    .addHelpText(...examples('toolmark providers forget openai'));

  const models = subcommand(program, 'models', 'list the models of providers')
    .argument('[provider]', 'key of a provider (default: all providers)')
    .option('--discover', 'ask the endpoint of the provider for its models')
    .action(serverAction<{ discover?: boolean }, [string | undefined]>(listModels));
  models.addHelpText(...examples('toolmark models', 'toolmark models simulator --discover'));
}

async function listProviders(client: ApiClient, options: GlobalOptions): Promise<void> {
  const items = await readAll<Provider>(client, '/api/providers');
  printList({ items }, options, 'No providers yet. Add one: toolmark providers add --help', providerTable);
}

async function showProvider(client: ApiClient, { json }: GlobalOptions, key: string): Promise<void> {
  const provider = await client.call<Provider>('GET', `/api/providers/${encodeURIComponent(key)}`);
  if (json) return printJson(provider);
  print(...providerLines(provider));
}

async function listKeyRefs(client: ApiClient, options: GlobalOptions): Promise<void> {
  printList(await readKeyRefs(client), options, 'The operator keeps no keys for your team.', (items) =>
    table([['reference', 'sent to'], ...items.map(({ ref, origins }) => [ref, origins?.join(', ') ?? 'any address'])]),
  );
}

const pathOf = (key: string, what: string, { model }: ModelOption): string => {
  const query = model === undefined ? '' : `?model=${encodeURIComponent(model)}`;
  return `/api/providers/${encodeURIComponent(key)}/${what}${query}`;
};

async function testProvider(client: ApiClient, options: ModelOption, key: string): Promise<void> {
  const test = await client.call<z.infer<typeof ProviderTest>>('POST', pathOf(key, 'test', options));
  if (!test.ok) process.exitCode = EXIT.negative;
  if (options.json) return printJson(test);
  print(test.ok ? `${key} answered after ${test.latency_ms} ms.` : `${key} does not answer: ${test.error}`);
  const { learned = [] } = test; // Servers of earlier releases do not send it.
  if (learned.length === 0) return;
  print('It refuses some default settings. Runs replace them, and report that:');
  print(
    ...table([
      ['setting', 'sent instead', 'its error'],
      ...learned.map(({ setting, sent, said }) => [setting, sent, said]),
    ]),
  );
}

async function forgetRefusals(client: ApiClient, options: ModelOption, key: string): Promise<void> {
  await client.call('DELETE', pathOf(key, 'learned', options));
  if (options.json) return printJson({ forgotten: true });
  print(`${key}${options.model === undefined ? '' : `::${options.model}`} gets all settings of runs again.`);
}

async function listModels(
  client: ApiClient,
  options: { discover?: boolean } & GlobalOptions,
  key?: string,
): Promise<void> {
  if (options.discover) return discoverModels(client, options, key);
  const providers = await readAll<Provider>(client, '/api/providers');
  const chosen = key === undefined ? providers : providers.filter((provider) => provider.key === key);
  if (key !== undefined && chosen.length === 0)
    throw new NegativeAnswer(
      `No provider has the key "${key}". ${suggestNames(
        key,
        providers.map((provider) => provider.key),
        'the providers',
      )}`,
    );
  const items = chosen.flatMap(({ key: provider_key, models, learned = [] }) =>
    models.map((model) => ({
      provider_key,
      ...model,
      learned: refusalsOf(model.id, learned),
    })),
  );
  const none = 'No models yet. Add a provider with models: toolmark providers add --help';
  printList({ items }, options, none, modelTable);
}

async function discoverModels(client: ApiClient, options: GlobalOptions, key: string | undefined): Promise<void> {
  if (key === undefined) throw new Error('Name the provider: toolmark models PROVIDER --discover');
  const { models } = await client.call<{ models: { id: string }[] }>(
    'GET',
    `/api/providers/${encodeURIComponent(key)}/discover`,
  );
  printList({ items: models }, options, `${key} lists no models.`, (found) => found.map(({ id }) => id));
}
