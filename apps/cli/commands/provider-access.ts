import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ApiError, type ApiClient } from '#lib/client/api-client';
import { decodeText } from '#lib/contracts/input/decode-text';
import type { KeyReferences, Provider, ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { repeatable } from '../command.js';
import { readText } from '../suite-files/read-suite-file.js';

/** How an endpoint is asked: its key, its headers and the client certificate. */
export interface AccessOptions {
  apiKeyEnv?: string;
  apiKeyStdin?: boolean;
  apiKeyRef?: string;
  headerEnv?: NamedText[];
  routingHeader?: NamedText[];
  /** False with --no-client-certificate. */
  clientCertificate?: string | false;
  clientKey?: string;
  clientKeyPassphraseEnv?: string;
}
type NamedText = [name: string, text: string];

/** Never a secret as an argument: it would be visible in the machine's process list. */
export const addAccessOptions = (command: Command): Command =>
  command
    .option('--api-key-env <variable>', 'environment variable that holds the key')
    .option('--api-key-stdin', 'read the key from standard input')
    .addOption(
      new Option('--api-key-ref <ref>', 'key that the operator keeps on the server: file:/path or env:NAME').conflicts([
        'apiKeyEnv',
        'apiKeyStdin',
      ]),
    )
    .option(
      '--header-env <name=variable>',
      'send a header whose secret value is in an environment variable; repeatable',
      repeatable(namedText),
    )
    .option(
      '--routing-header <name=value>',
      'send a header whose value leads to an account, a region or a model; repeatable',
      repeatable(namedText),
    )
    .option('--client-certificate <file>', 'PEM file with the client certificate, for endpoints that demand mutual TLS')
    .option('--client-key <file>', 'PEM file with the private key of the client certificate')
    .option('--client-key-passphrase-env <variable>', 'environment variable that holds the passphrase of that key');

function namedText(text: string): NamedText {
  const at = text.indexOf('=');
  if (at <= 0 || at === text.length - 1) throw new InvalidArgumentError('Expected NAME=, and more after it.');
  return [text.slice(0, at), text.slice(at + 1)];
}

export const readKeyRefs = (client: Pick<ApiClient, 'call'>): Promise<KeyReferences> =>
  client.call('GET', '/api/providers/key-refs');

/** Adds to a refusal of --api-key-ref which references there are. */
export async function sendProvider(
  client: Pick<ApiClient, 'call'>,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<Provider> {
  try {
    return await client.call<Provider>(method, path, body);
  } catch (error) {
    if (error instanceof ApiError && error.problem.errors?.some((one) => one.path === '/api_key_ref')) {
      const refs = await readKeyRefs(client).then(
        ({ items }) => items.map(({ ref }) => ref),
        () => undefined,
      );
      if (refs) error.lines.push(`Keys by reference that your team may use: ${refs.join(', ') || 'none'}`);
    }
    throw error;
  }
}

type Access = Pick<ProviderInput, 'api_key' | 'api_key_ref' | 'headers' | 'client_certificate'>;

/** The given part of a request. */
export async function readAccess(options: AccessOptions): Promise<Partial<Access>> {
  const { apiKeyRef: ref } = options;
  const apiKey = await readApiKey(options);
  const headers = headersOf(options);
  const certificate = certificateOf(options);
  return {
    ...(apiKey !== undefined && { api_key: apiKey }),
    ...(ref !== undefined && { api_key_ref: ref }),
    ...(headers.length > 0 && { headers }),
    ...(certificate && { client_certificate: certificate }),
  };
}

const headersOf = ({ headerEnv = [], routingHeader = [] }: AccessOptions): Access['headers'] => [
  ...headerEnv.map(([name, variable]) => ({ name, kind: 'secret' as const, value: fromEnvironment(variable) })),
  ...routingHeader.map(([name, value]) => ({ name, kind: 'routing' as const, value })),
];

/** The whole list of a provider's headers: the given ones, and those of its others that stay. */
export function changedHeaders(
  { key, headers: stored = [] }: Pick<Provider, 'key' | 'headers'>,
  given: Access['headers'] = [],
  removed: readonly string[] = [],
): NonNullable<ProviderPatch['headers']> {
  const isIn = (names: readonly string[], name: string): boolean =>
    names.some((one) => one.toLowerCase() === name.toLowerCase());
  const names = stored.map(({ name }) => name);
  const unknown = removed.find((name) => !isIn(names, name));
  if (unknown !== undefined)
    throw new Error(`${key} has no header "${unknown}" to remove. It has: ${names.join(', ') || 'none'}.`);
  const gone = [...removed, ...given.map(({ name }) => name)];
  return [...stored.filter(({ name }) => !isIn(gone, name)).map(({ name, kind }) => ({ name, kind })), ...given];
}

function certificateOf(options: AccessOptions): Access['client_certificate'] | undefined {
  const { clientCertificate: certificate, clientKey: key, clientKeyPassphraseEnv: variable } = options;
  if (!certificate && key === undefined && variable === undefined) return undefined;
  if (!certificate || key === undefined) throw new Error('Give --client-certificate and --client-key together.');
  return {
    certificate: readText(certificate),
    private_key: readText(key),
    ...(variable !== undefined && { passphrase: fromEnvironment(variable) }),
  };
}

function fromEnvironment(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`The environment variable ${variable} is not set.`);
  return value;
}

async function readApiKey({ apiKeyEnv: variable, apiKeyStdin }: AccessOptions): Promise<string | undefined> {
  if (variable !== undefined) return fromEnvironment(variable);
  if (!apiKeyStdin) return undefined;
  const key = decodeText(await buffer(process.stdin), { name: 'Standard input' }).trim();
  if (key === '') throw new Error('Standard input contains no key.');
  return key;
}
