import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { hasFormOfId, timeOfId } from '#lib/runtime/ids';

/** What a server knows of the way to it. */
interface Surroundings {
  isProxy(address: string): boolean;
  /** The origin of the page in browsers. */
  publicOrigin: string | undefined;
}

/** Connections of servers that know their surroundings. Of all others, no header about the caller is believed. */
const known = new WeakMap<Socket, Surroundings>();

/** A chain of proxies is short; whoever writes a longer one invents it. */
const MAX_HOPS = 20;
/** The audit finds the entries of an id that has a time around that time. */
const CLOCKS_MS = 60_000;
const REQUEST_ID = /^[\w.-]{1,100}$/;

/**
 * Makes the requests of a server believe what these proxies say about the caller, and nobody else.
 * @param proxies addresses and networks, as TOOLMARK_TRUSTED_PROXIES
 */
export function trustProxies(server: Server, proxies: readonly string[] = [], publicOrigin?: string): void {
  const networks = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string): boolean => networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  server.on('connection', (socket) => known.set(socket, { isProxy, publicOrigin }));
}

/** The origin of the page in browsers, if the operator has said it. */
export const publicOriginOf = ({ socket }: IncomingMessage): string | undefined => known.get(socket)?.publicOrigin;

/** The value of a header that the trusted proxy nearest to the caller has set. */
export function forwarded(
  request: IncomingMessage,
  name: 'x-forwarded-host' | 'x-forwarded-proto',
): string | undefined {
  const value = isFromProxy(request) ? request.headers[name] : undefined;
  return value === undefined ? undefined : String(value).split(',', 1)[0]!.trim();
}

/** The id that a trusted proxy gave the request. */
export function forwardedId(request: IncomingMessage): string | undefined {
  const id = isFromProxy(request) ? request.headers['x-request-id'] : undefined;
  if (typeof id !== 'string' || !REQUEST_ID.test(id)) return undefined;
  return hasFormOfId(id) && Math.abs(timeOfId(id).getTime() - Date.now()) > CLOCKS_MS ? undefined : id;
}

/** The address of whoever sent a request: of its connection, or what trusted proxies say about those before them. */
export function addressOf({ socket, headers }: IncomingMessage): string | null {
  let address = plainAddress(socket.remoteAddress ?? '');
  const { isProxy } = known.get(socket) ?? {};
  const hops = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .slice(-MAX_HOPS);
  while (address !== undefined && isProxy?.(address)) {
    const before = plainAddress(hops.pop() ?? '');
    if (before === undefined) break;
    address = before;
  }
  return address ?? null;
}

function isFromProxy({ socket }: IncomingMessage): boolean {
  const address = plainAddress(socket.remoteAddress ?? '');
  return address !== undefined && (known.get(socket)?.isProxy(address) ?? false);
}

/** An address without port, brackets, zone, and as IPv4 where it is one; undefined for any other text. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim().slice(0, MAX_ADDRESS);
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const address = (bracketed ?? dotted ?? trimmed).split('%', 1)[0]!.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) ? address.toLowerCase() : undefined;
}
const MAX_ADDRESS = 80;
