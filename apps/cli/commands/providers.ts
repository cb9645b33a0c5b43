import { buffer } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { decodeText } from '#lib/contracts/input/decode-text';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { z } from 'zod';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import type { Provider, ProviderTemplate, ProviderTest } from '#lib/contracts/provider';
import {
  commaSeparated,
  examples,
  idOrObject,
  listByDefault,
  serverAction,
  repeatable,
  subcommand,
  integer,
} from '../command.js';
import type { GlobalOptions } from '../command.js';
import { EXIT, NegativeAnswer } from '../exit-codes.js';
import { printList, readAll } from '../lookup/read-list.js';
import { priceColumns } from '../output/price-columns.js';
import { table } from '../output/table.js';
import { print, printError, printJson } from '../output/terminal.js';
import { fillPrices, hasPrices, readKnownPrices } from './fill-prices.js';

interface ModelOption extends GlobalOptions {
  model?: string;
}

interface AddOptions extends GlobalOptions {
  template?: string;
  url?: string;
  kind?: string;
  name?: string;
  models?: string[];
  model?: (string | object)[];
  /** False with --no-prices. */
  prices: boolean;
  apiKeyEnv?: string;
  apiKeyStdin?: boolean;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  maxConcurrency?: number;
}

export function addProviders(program: Command): void {
  const list = serverAction(listProviders);
  const providers = subcommand(program, 'providers', 'list, add and test providers');
  listByDefault(providers, list).addHelpText(...examples('toolmark providers', 'toolmark providers add --help'));
  subcommand(providers, 'list', 'list providers')
    .action(list)
    .addHelpText(...examples('toolmark providers list'));
  addOptions(subcommand(providers, 'add', 'register an endpoint with its key, limits and models')).addHelpText(
    ...examples(
      'toolmark providers add local --url http://127.0.0.1:11434/v1 --models llama3.1:8b',
      'toolmark providers add openai --api-key-env OPENAI_API_KEY --models gpt-x',
    ),
  );
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

const addOptions = (add: Command): Command =>
  add
    .argument('<key>', 'key of the provider, as in provider::model; the key of a known host fills in its address')
    .option('--url <url>', 'base URL of the endpoint, usually ending in /v1')
    .addOption(new Option('--kind <kind>', 'API format of the endpoint').choices(Object.keys(PROVIDER_KINDS)))
    .option('--template <key>', 'known host that fills in address and format (default: the host with the same key)')
    .option('--name <name>', 'display name')
    .option('-m, --models <list>', 'ids of its models, separated by commas', commaSeparated)
    .option(
      '--model <json>',
      'a model as a JSON object: id, input_cost_per_mtok, output_cost_per_mtok, cache_read_cost_per_mtok, limits, ' +
        'default_params, unsupported_params (never sent to it); repeatable',
      repeatable(idOrObject),
    )
    .option('--no-prices', 'do not fill in missing prices from the table of known prices')
    .option('--api-key-env <variable>', 'environment variable that holds the key')
    .option('--api-key-stdin', 'read the key from standard input')
    .option('--requests-per-minute <n>', 'maximum requests per minute', integer)
    .option('--tokens-per-minute <n>', 'maximum tokens per minute', integer)
    .option('--max-concurrency <n>', 'maximum concurrent requests', integer)
    .action(serverAction<AddOptions, [string]>(addProvider));

async function listProviders(client: ApiClient, options: GlobalOptions): Promise<void> {
  const items = await readAll<Provider>(client, '/api/providers');
  printList({ items }, options, 'No providers yet. Add one: toolmark providers add --help', (found) =>
    table([
      ['provider', 'kind', 'address', 'key', 'models', 'requests/min', 'tokens/min', 'concurrent'],
      ...found.map(({ key, kind, base_url, api_key_set, api_key_last4, models, limits }) => [
        key,
        kind,
        base_url,
        api_key_set ? `...${api_key_last4 ?? ''}` : '-',
        String(models.length),
        String(limits.requests_per_minute ?? '-'),
        String(limits.tokens_per_minute ?? '-'),
        String(limits.max_concurrency),
      ]),
    ]),
  );
}

async function addProvider(client: ApiClient, options: AddOptions, key: string): Promise<void> {
  const template =
    options.url !== undefined && !options.template ? undefined : await findTemplate(client, options, key);
  const apiKey = await readApiKey(options);
  if (template?.needs_key && apiKey === undefined)
    throw new Error(`${template.name} needs a key: give --api-key-env VARIABLE or --api-key-stdin.`);
  const unsupported_params = template?.unsupported_params ?? [];
  const base_url = options.url ?? template?.base_url;
  const given = [...(options.models ?? []), ...(options.model ?? [])].map((model) => ({
    unsupported_params,
    ...(typeof model === 'string' ? { id: model } : model),
  }));
  const known = options.prices && !given.every(hasPrices) ? await readKnownPrices(client) : undefined;
  const { models, lines } = known ? fillPrices(given, known, base_url ?? '') : { models: given, lines: [] };
  const provider = await client.call<Provider>('POST', '/api/providers', {
    key,
    name: options.name ?? template?.name,
    kind: options.kind ?? template?.kind,
    base_url,
    api_key: apiKey,
    models,
    limits: {
      requests_per_minute: options.requestsPerMinute,
      tokens_per_minute: options.tokensPerMinute,
      max_concurrency: options.maxConcurrency,
    },
  });
  if (options.json) {
    printError(...lines);
    return printJson(provider);
  }
  for (const quirk of template?.quirks ?? []) printError(`Note: ${quirk}`);
  print(
    `Added ${key} with ${provider.models.length} models. ` +
      (provider.models.length
        ? `Try it: toolmark providers test ${key}`
        : `Its models: toolmark models ${key} --discover`),
    ...lines,
  );
  const sharing = provider.shares_limits_with ?? [];
  if (sharing.length)
    printError(
      `Note: it has the same key and host as ${sharing.join(', ')}. They share one set of limits, the strictest, ` +
        'and pause together when the host asks for it.',
    );
}

async function findTemplate(client: ApiClient, { template = '' }: AddOptions, key: string): Promise<ProviderTemplate> {
  const { items } = await client.call<{ items: ProviderTemplate[] }>('GET', '/api/providers/templates');
  const wanted = template || key;
  const found = items.find((one) => one.key === wanted);
  if (found && !found.base_url.includes('{')) return found;
  if (found)
    throw new Error(`Give --url with your own address in place of ${found.base_url}, and --kind ${found.kind}.`);
  throw new Error(
    `No known host has the key "${wanted}": give --url. ${suggestNames(
      wanted,
      items.map((one) => one.key),
      'the hosts',
    )}`,
  );
}

/** Never from an argument: it would be visible in the machine's process list. */
async function readApiKey({ apiKeyEnv: variable, apiKeyStdin }: AddOptions): Promise<string | undefined> {
  if (variable !== undefined) {
    const key = process.env[variable];
    if (!key) throw new Error(`The environment variable ${variable} is not set.`);
    return key;
  }
  if (!apiKeyStdin) return undefined;
  const key = decodeText(await buffer(process.stdin), { name: 'Standard input' }).trim();
  if (key === '') throw new Error('Standard input contains no key.');
  return key;
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
      learned: learned.flatMap(({ model: id, ...one }) => (id === model.id ? [one] : [])),
    })),
  );
  const none = 'No models yet. Add a provider with models: toolmark providers add --help';
  printList({ items }, options, none, (models) => modelTable(models));
}

type ListedModel = Provider['models'][number] & { provider_key: string; learned: { setting: string; sent: string }[] };

export function modelTable(models: readonly ListedModel[]): string[] {
  const { headings, cellsOf } = priceColumns(models);
  return table([
    ['model', ...headings, 'refused parameters'],
    ...models.map((model) => [
      `${model.provider_key}::${model.id}`,
      ...cellsOf(model),
      [...model.unsupported_params, ...model.learned.map(({ setting, sent }) => `${setting} (${sent})`)].join(', '),
    ]),
  ]);
}

async function discoverModels(client: ApiClient, options: GlobalOptions, key: string | undefined): Promise<void> {
  if (key === undefined) throw new Error('Name the provider: toolmark models PROVIDER --discover');
  const { models } = await client.call<{ models: { id: string }[] }>(
    'GET',
    `/api/providers/${encodeURIComponent(key)}/discover`,
  );
  printList({ items: models }, options, `${key} lists no models.`, (found) => found.map(({ id }) => id));
}
