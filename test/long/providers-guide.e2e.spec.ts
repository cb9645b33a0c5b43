import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile } from '../after-file.js';
import { clientOf, type Client } from '../client.js';
import { openCommandLine } from '../command-line.js';
import { sendJson, startHttpServer } from '../http-server.js';
import { startProcess } from '../processes.js';
import { SELF_SIGNED } from '../self-signed.js';
import { joinSystem } from '../system.js';

// Runs the commands of docs/providers.md against an API, and holds what is then sent against what the page says.

const page = readFileSync('docs/providers.md', 'utf8');
const KEY_FILE = '/var/run/keys/llm';
const folder = mkdtempSync(join(tmpdir(), 'toolmark-providers-'));
afterFile(() => rmSync(folder, { recursive: true }));

/** Every command of the page, with its words. */
const commands = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)]
  .flatMap(([, lines]) =>
    lines!
      .replaceAll(/ \\\n +/g, ' ')
      .trim()
      .split('\n'),
  )
  .filter((line) => line.startsWith('toolmark '))
  .map((line) => ({ line, words: wordsOf(line) }));

function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', `toolmark() { printf '%s\\0' "$@"; }; ${line}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}
const valuesOf = (words: string[], option: string): string[] =>
  words.flatMap((word, index) => (word === option ? [words[index + 1]!] : []));
const secretOf = (variable: string): string => `Bearer-of-${variable}`;

/** Of each kind: where a request goes, the header with the key, and what else is sent. */
const kinds = Object.fromEntries(
  [...page.matchAll(/^\| `([a-z-]+)` \| `POST ADDRESS([^`]*)` \| `(\S+): ([^`]*)` \| (.*) \|$/gm)].map(
    ([, kind, path, header, value, others]) => [kind, { path: path!, header: header!, value: value!, others: others! }],
  ),
);

interface Request {
  url: string;
  headers: IncomingHttpHeaders;
}
const received: Request[] = [];
let client: Client;
let hosts: string;
/** The same over TLS, for commands with a client certificate. */
let secureHosts: string;
const note = ({ url, headers }: IncomingMessage): void => void received.push({ url: url!, headers });
beforeAll(async () => {
  const { client: owner, databaseUrl, redisUrl } = await joinSystem();
  const refused = { error: { message: 'no' } };
  const server = await startHttpServer((request, _body, response) => {
    note(request);
    sendJson(response, refused, 401);
  });
  hosts = server.url;
  const secure = createServer({ ...SELF_SIGNED, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    note(request);
    request.resume().once('end', () => sendJson(response, refused, 401));
  });
  await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening));
  afterFile(() => (secure.close(), secure.closeAllConnections()));
  secureHosts = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'ca.pem'), SELF_SIGNED.cert);
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'keys/llm'), secretOf('llm'));
  const { body: me } = await owner.get('/api/me');
  const refs = { keys: [{ ref: `file:${folder}/keys/llm`, teams: [me.team.name] }] };
  writeFileSync(join(folder, 'refs.yaml'), JSON.stringify(refs));
  const { url } = await startProcess('api', {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    TOOLMARK_KEY_REFS_FILE: join(folder, 'refs.yaml'),
    TOOLMARK_EXTRA_CA: join(folder, 'ca.pem'),
  });
  client = clientOf(url, owner.token);
});
const cli = openCommandLine(() => client);

it('the page has a command for each of its hosts and gateways', () => {
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
  const about = ['The fields', 'Headers', 'Client certificates', 'Keys by reference', 'When it does not work'];
  const hostsOfPage = sections.filter((heading) => !about.includes(heading) && heading !== 'Other hosts');
  expect(commands.filter(({ words }) => words[1] === 'add').length).toBeGreaterThanOrEqual(hostsOfPage.length);
  expect(Object.keys(kinds).sort()).toEqual(['anthropic', 'google', 'openai', 'openai-responses']);
});

it.each(commands)('$line', async ({ words }) => {
  const variables = [...valuesOf(words, '--api-key-env'), ...valuesOf(words, '--header-env').map(afterEquals)];
  const [, what, key] = words as [string, string, string];
  writeFileSync(join(cli.folder, 'toolmark.pem'), SELF_SIGNED.cert);
  writeFileSync(join(cli.folder, 'toolmark-key.pem'), SELF_SIGNED.key);
  const { body: templates } = await client.get('/api/providers/templates');
  const known = templates.items.find((template: any) => template.key === key);
  // The same command, for a host that writes down what it gets.
  const stored = what === 'update' ? (await client.get(`/api/providers/${key}`)).body.base_url : known?.base_url;
  const [url = stored] = valuesOf(words, '--url');
  const pathname = new URL(url).pathname.replace(/\/$/, '');
  const server = words.includes('--client-certificate') ? secureHosts : hosts;
  const here = words
    .map((word) => word.replaceAll(KEY_FILE, join(folder, 'keys/llm')))
    .map((word) => (word === url ? server + pathname : word));
  const more = what === 'add' && !words.includes('--url') ? ['--url', hosts + pathname, '--template', key] : [];
  const env = Object.fromEntries(variables.map((variable) => [variable, secretOf(variable)]));
  const { code, err } = await cli.toolmarkWith({ ...cli.toServer(), ...env }, ...here, ...more);
  expect({ code, err: err.replaceAll(/^Note: .*\n/gm, '') }).toMatchObject({ code: 0, err: '' });

  received.length = 0;
  const tested = await client.post(`/api/providers/${key}/test`);
  expect(tested.body.error).toMatch(/refused .* \(401\)/);
  const { body: provider } = await client.get(`/api/providers/${key}`);
  const { path, header, value, others } = kinds[provider.kind]!;
  const [{ id: model }] = provider.models;
  const [request] = received;
  expect(request!.url).toBe(
    pathname.replace(/\/v1(beta)?$/, (version) => (path.startsWith(version) ? '' : version)) +
      path.replace('MODEL', encodeURIComponent(model)),
  );
  // The headers of the format, the key, and those of the command, and no other ones but those of HTTP itself.
  const [apiKey] = valuesOf(words, '--api-key-env').map(secretOf);
  const own = {
    ...Object.fromEntries(valuesOf(words, '--header-env').map((text) => [nameIn(text), secretOf(afterEquals(text))])),
    ...Object.fromEntries(valuesOf(words, '--routing-header').map((text) => [nameIn(text), afterEquals(text)])),
  };
  if (what === 'add') {
    const key = apiKey ?? (words.includes('--api-key-ref') ? secretOf('llm') : undefined);
    if (key) expect(request!.headers[header]).toBe(value.replace('KEY', key));
  }
  expect(request!.headers).toMatchObject(own);
  const formats = `${others.includes('the same') ? kinds.openai!.others : ''} ${others}`.match(/(?<=`)[a-z-]+(?=`)/g)!;
  const allowed = new Set([...formats, header, ...Object.keys(own), 'host', 'connection', 'content-length']);
  expect(Object.keys(request!.headers).filter((name) => !allowed.has(name))).toEqual([]);
});

const nameIn = (text: string): string => text.slice(0, text.indexOf('=')).toLowerCase();
const afterEquals = (text: string): string => text.slice(text.indexOf('=') + 1);
