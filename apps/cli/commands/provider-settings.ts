import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Provider, ProviderPatch, ProviderTemplate } from '#lib/contracts/provider';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import {
  commaSeparated,
  examples,
  idOrObject,
  integer,
  limit,
  repeatable,
  serverAction,
  subcommand,
  type GlobalOptions,
} from '../command.js';
import { print, printError, printJson } from '../output/terminal.js';
import { fillPrices, hasPrices, readKnownPrices } from './fill-prices.js';
import { addAccessOptions, changedHeaders, readAccess, sendProvider, type AccessOptions } from './provider-access.js';

interface SettingsOptions extends GlobalOptions, AccessOptions {
  url?: string;
  kind?: string;
  name?: string;
  models?: string[];
  model?: (string | object)[];
  /** False with --no-prices. */
  prices: boolean;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  maxConcurrency?: number;
}

export function addProviderSettings(providers: Command): void {
  const add = subcommand(providers, 'add', 'register an endpoint with its key, headers, limits and models')
    .argument('<key>', 'key of the provider, as in provider::model; the key of a known host fills in its address')
    .option('--template <key>', 'known host that fills in address and format (default: the host with the same key)');
  addSettingsOptions(add)
    .action(serverAction<AddOptions, [string]>(addProvider))
    .addHelpText(
      ...examples(
        'toolmark providers add local --url http://127.0.0.1:11434/v1 --models llama3.1:8b',
        'toolmark providers add openai --api-key-env OPENAI_API_KEY --models gpt-x',
        'toolmark providers add gateway --url https://llm.example.com/v1 --header-env x-gateway-key=GATEWAY_KEY ' +
          '--routing-header x-team=search --models gpt-x',
      ),
    );
  const update = subcommand(
    providers,
    'update',
    'change settings of a provider; what is not given stays. Headers and ' +
      'models are read and written back as whole lists: of two people who change them at once, the last one wins',
  )
    .argument('<key>', 'key of the provider')
    .option('--no-api-key', 'remove the key, or the reference to one')
    .option('--remove-header <name>', 'remove a header; repeatable', repeatable(String))
    .option('--no-client-certificate', 'remove the client certificate')
    .option('--remove-model <id>', 'remove a model; repeatable', repeatable(String));
  addSettingsOptions(update)
    .action(serverAction<UpdateOptions, [string]>(updateProvider))
    .addHelpText(
      ...examples(
        'toolmark providers update openai --api-key-env OPENAI_API_KEY --max-concurrency 16',
        'toolmark providers update gateway --routing-header x-team=ads --remove-header x-gateway-key',
      ),
    );
}

const addSettingsOptions = (command: Command): Command =>
  addAccessOptions(
    command
      .option('--url <url>', 'base URL of the endpoint, usually ending in /v1')
      .addOption(new Option('--kind <kind>', 'API format of the endpoint').choices(Object.keys(PROVIDER_KINDS)))
      .option('--name <name>', 'display name')
      .option('-m, --models <list>', 'ids of its models, separated by commas', commaSeparated)
      .option(
        '--model <json>',
        'a model as a JSON object: id, input_cost_per_mtok, output_cost_per_mtok, cache_read_cost_per_mtok, limits, ' +
          'default_params, unsupported_params (never sent to it); repeatable',
        repeatable(idOrObject),
      )
      .option('--no-prices', 'do not fill in missing prices from the table of known prices'),
  )
    .option('--requests-per-minute <n>', 'maximum requests per minute, or none', limit)
    .option('--tokens-per-minute <n>', 'maximum tokens per minute, or none', limit)
    .option('--max-concurrency <n>', 'maximum concurrent requests', integer);

/** `none` is Infinity, which JSON writes as null. */
const limitsOf = (options: SettingsOptions): Record<string, number | undefined> => ({
  requests_per_minute: options.requestsPerMinute,
  tokens_per_minute: options.tokensPerMinute,
  max_concurrency: options.maxConcurrency,
});

type ModelInput = { id?: unknown } & object;
const modelsOf = ({ models = [], model = [] }: SettingsOptions): ModelInput[] =>
  [...models, ...model].map((one) => (typeof one === 'string' ? { id: one } : one));

/** Gives models their known prices, unless --no-prices was given. */
async function priced(
  client: ApiClient,
  { prices }: SettingsOptions,
  models: readonly object[],
  baseUrl: string,
): Promise<{ models: object[]; lines: string[] }> {
  const known = prices && !models.every(hasPrices) ? await readKnownPrices(client) : undefined;
  return known ? fillPrices(models, known, baseUrl) : { models: [...models], lines: [] };
}

interface AddOptions extends SettingsOptions {
  template?: string;
}

async function addProvider(client: ApiClient, options: AddOptions, key: string): Promise<void> {
  const template =
    options.url !== undefined && !options.template ? undefined : await findTemplate(client, options, key);
  const access = await readAccess(options);
  if (template?.needs_key && Object.keys(access).length === 0)
    throw new Error(`${template.name} needs a key: give --api-key-env VARIABLE or --api-key-stdin.`);
  const unsupported_params = template?.unsupported_params ?? [];
  const base_url = options.url ?? template?.base_url;
  const given = modelsOf(options).map((model) => ({ unsupported_params, ...model }));
  const { models, lines } = await priced(client, options, given, base_url ?? '');
  const provider = await sendProvider(client, 'POST', '/api/providers', {
    key,
    name: options.name ?? template?.name,
    kind: options.kind ?? template?.kind,
    base_url,
    ...access,
    models,
    limits: limitsOf(options),
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
  noteSharing(provider);
}

function noteSharing({ shares_limits_with: sharing = [] }: Provider): void {
  if (sharing.length)
    printError(
      `Note: it has the same key, headers and host as ${sharing.join(', ')}. They share one set of ` +
        'limits, the strictest, and pause together when the host asks for it.',
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

interface UpdateOptions extends SettingsOptions {
  /** False with --no-api-key. */
  apiKey: boolean;
  removeHeader?: string[];
  removeModel?: string[];
}

async function updateProvider(client: ApiClient, options: UpdateOptions, key: string): Promise<void> {
  const path = `/api/providers/${encodeURIComponent(key)}`;
  const stored = await client.call<Provider>('GET', path);
  const { body, lines } = await patchOf(client, options, stored);
  if (Object.keys(body).length === 0) throw new Error('Say what to change: toolmark providers update --help');
  const provider = await sendProvider(client, 'PATCH', path, body);
  if (options.json) {
    printError(...lines);
    return printJson(provider);
  }
  print(`Updated ${key}. See it: toolmark providers show ${key}`, ...lines);
  noteSharing(provider);
}

async function patchOf(
  client: ApiClient,
  options: UpdateOptions,
  stored: Provider,
): Promise<{ body: object; lines: string[] }> {
  const { headers, ...access } = await readAccess(options);
  const limits = Object.entries(limitsOf(options)).filter(([, value]) => value !== undefined);
  const models = changedModels(stored.models, modelsOf(options), options.removeModel);
  const { models: pricedModels, lines } = models
    ? await priced(client, options, models, options.url ?? stored.base_url)
    : { lines: [] };
  const settings: ProviderPatch = {
    name: options.name,
    kind: options.kind as ProviderPatch['kind'],
    base_url: options.url,
    ...access,
    ...(options.apiKey ? {} : { api_key: null, api_key_ref: null }),
    ...((headers ?? options.removeHeader) && { headers: changedHeaders(stored, headers, options.removeHeader) }),
    ...(options.clientCertificate === false && { client_certificate: null }),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return {
    body: {
      ...Object.fromEntries(given),
      ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
      ...(pricedModels && { models: pricedModels }),
    },
    lines,
  };
}

/**
 * The stored models with the given ones, which are added or change the one with their id.
 * @returns undefined if nothing changes
 */
function changedModels(
  stored: Provider['models'],
  given: readonly ModelInput[],
  removed: readonly string[] = [],
): object[] | undefined {
  const unknown = removed.find((id) => !stored.some((model) => model.id === id));
  if (unknown !== undefined) throw new Error(`The provider has no model "${unknown}" to remove.`);
  if (given.length === 0 && removed.length === 0) return undefined;
  const kept = stored
    .filter(({ id }) => !removed.includes(id))
    .map((model) => given.reduce<object>((all, one) => (one.id === model.id ? { ...all, ...one } : all), model));
  return [...kept, ...given.filter(({ id }) => !stored.some((model) => model.id === id))];
}
