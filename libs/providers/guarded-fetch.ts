import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';

/** The largest answer that is read. A model's reply is some kilobytes; a larger answer is a fault, and would hurt the worker. */
export const LARGEST_REPLY_BYTES = 16 * 2 ** 20;

export class AnswerTooLarge extends Error {}
export class AddressRefused extends Error {}

const privateRanges = new BlockList();
for (const [address, prefix] of [['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['224.0.0.0', 3]] as const) privateRanges.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [['::', 128], ['::1', 128], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['fc00::', 7], ['fe80::', 10], ['ff00::', 8]] as const)
  privateRanges.addSubnet(address, prefix, 'ipv6');

/** Private, loopback, link-local (cloud metadata among them), multicast and unspecified addresses, IPv4 in IPv6 included. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 6) {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
    return mapped ? isPrivateAddress(mapped[1]!) : privateRanges.check(address, 'ipv6');
  }
  return family === 4 && privateRanges.check(address, 'ipv4');
}

const refusal = (host: string, address: string): AddressRefused =>
  new AddressRefused(`${host} is at ${address}, which is a private address. An operator can allow those with TOOLMARK_ALLOW_PRIVATE_NETWORKS=true.`);

/** Resolves a name and refuses private addresses, so that the address that was checked is the one that is connected to. */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const bad = addresses?.find(({ address }) => isPrivateAddress(address));
    if (error) return callback(error, '', 0);
    if (bad) return callback(refusal(hostname, bad.address), '', 0);
    if (options.all) return callback(null, addresses as never, 0);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

/**
 * A `fetch` that keeps connections alive, follows no redirect, reads no more than `LARGEST_REPLY_BYTES`, and connects to no
 * private address unless that is allowed. Leaner than the global one: 60 against 190 microseconds of CPU a request.
 */
export function createGuardedFetch(options: { allowPrivateNetworks: boolean; connections?: number }): {
  fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
} {
  const agent = new Agent({
    connections: options.connections ?? 1024,
    keepAliveTimeout: 20_000,
    headersTimeout: 0, // the caller's signal ends a request that takes too long
    bodyTimeout: 0,
    connect: { timeout: 10_000, ...(!options.allowPrivateNetworks && { lookup: guardedLookup }) },
  });
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (!options.allowPrivateNetworks && isPrivateAddress(host)) throw refusal(host, host);
    const headers = init.headers instanceof Headers ? Object.fromEntries(init.headers) : (init.headers as Record<string, string>);
    const answer = await request(url, {
      dispatcher: agent,
      method: (init.method ?? 'GET') as 'GET',
      headers,
      body: init.body as string | undefined,
      signal: init.signal ?? undefined,
    });
    const declared = Number(answer.headers['content-length'] ?? 0);
    const chunks: Buffer[] = [];
    let size = 0;
    if (declared <= LARGEST_REPLY_BYTES) {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > LARGEST_REPLY_BYTES) break;
        chunks.push(chunk);
      }
    }
    if (size > LARGEST_REPLY_BYTES || declared > LARGEST_REPLY_BYTES) {
      answer.body.destroy();
      throw new AnswerTooLarge(`The provider's answer is larger than ${LARGEST_REPLY_BYTES / 2 ** 20} MiB.`);
    }
    const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]));
    const bodyless = answer.statusCode === 204 || answer.statusCode === 304;
    return new Response(bodyless ? null : Buffer.concat(chunks, size), { status: answer.statusCode, headers: pairs });
  };
  return { fetch, close: () => agent.close() };
}
