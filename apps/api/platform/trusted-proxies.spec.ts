import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '#lib/runtime/ids';
import { addressOf, forwarded, forwardedId, trustProxies } from './trusted-proxies.js';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** What a server that trusts these proxies makes of the headers of a request from 127.0.0.1. */
async function understood(proxies: string[], headers: Record<string, string>) {
  const server = createServer((request, response) => {
    const [host, id] = [forwarded(request, 'x-forwarded-host'), forwardedId(request)];
    response.end(JSON.stringify({ address: addressOf(request), host, id }));
  });
  servers.push(server);
  trustProxies(server, proxies);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (await fetch(url, { headers: { connection: 'close', ...headers } })).json() as any;
}

it.each<[what: string, header: string, address: string]>([
  ['nothing', '', '127.0.0.1'],
  ['one address', '192.0.2.1', '192.0.2.1'],
  ['what the caller invents', '198.51.100.1, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
  ['several proxies', '192.0.2.1,fd00::7 , 10.1.2.3', '192.0.2.1'],
  ['a word', '192.0.2.1, unknown', '127.0.0.1'],
  ['garbage before a proxy', '192.0.2.1, <script>, 10.1.2.3', '10.1.2.3'],
  ['a port', '192.0.2.1:4711', '192.0.2.1'],
  ['a port of IPv6', '[2001:DB8::1]:4711', '2001:db8::1'],
  ['a zone', 'fe80::1%eth0', 'fe80::1'],
  ['IPv4 as IPv6', '::ffff:192.0.2.1', '192.0.2.1'],
  ['a proxy as IPv6', '192.0.2.1, ::ffff:10.0.0.1', '192.0.2.1'],
  ['another way to write an address', '0x7f.1', '127.0.0.1'],
  ['hundreds of proxies', `192.0.2.1, ${'10.0.0.1,'.repeat(900)}10.0.0.2`, '10.0.0.1'],
  ['a number without end', `192.0.2.1, ${'9'.repeat(5000)}`, '127.0.0.1'],
])('of X-Forwarded-For, what trusted proxies wrote counts: %s', async (_what, header, address) => {
  const headers = { 'x-forwarded-for': header };
  const trusted = await understood(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], headers);
  const untrusted = await understood(['10.0.0.0/8'], headers);
  expect([trusted.address, untrusted.address]).toEqual([address, '127.0.0.1']);
});

it('host and id of a request are believed from trusted proxies only', async () => {
  const headers = { 'x-forwarded-host': 'tools.example, inner', 'x-request-id': 'a-1.b_2' };
  expect(await understood(['127.0.0.0/8'], headers)).toMatchObject({ host: 'tools.example', id: 'a-1.b_2' });
  expect(await understood([], headers)).toEqual({ address: '127.0.0.1' });
  expect((await understood(['127.0.0.1'], { 'x-request-id': 'a b' })).id).toBeUndefined();
  expect((await understood(['127.0.0.1'], { 'x-request-id': 'x'.repeat(101) })).id).toBeUndefined();
  // The audit looks for an id like ours around its time.
  const idOf = async (atMs: number) => (await understood(['127.0.0.1'], { 'x-request-id': newId(atMs) })).id;
  expect(await Promise.all([idOf(Date.now()), idOf(0), idOf(Date.now() + 3600_000)])).toEqual([
    expect.any(String),
    undefined,
    undefined,
  ]);
});
