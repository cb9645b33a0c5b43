import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { PAGE_HEADER } from '#lib/contracts/page-header';
import { forwarded, publicOriginOf } from './trusted-proxies.js';

/**
 * Whether a request comes from a page of this server, so that its session cookie may count: other pages can make a
 * browser send requests with the cookie too. The browser says so in Sec-Fetch-Site, or in Origin when it omits that
 * header: on WebSockets, and without TLS. When it sends neither (reads without TLS), the page itself sends a header
 * that no other origin can send.
 */
export function isFromOwnPage(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, [PAGE_HEADER]: own } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined ? own === '1' : isOwnOrigin(origin, request);
}

function isOwnOrigin(origin: string, request: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host, origin: sent } = new URL(origin);
  if (sent === publicOriginOf(request)) return true;
  const known = protocolOf(request);
  const hosts = [forwarded(request, 'x-forwarded-host'), request.headers.host];
  const isSameHost = hosts.some(
    (name) => URL.canParse(`${protocol}//${name}`) && new URL(`${protocol}//${name}`).host === host,
  );
  return isSameHost && (known === undefined || known === protocol);
}

/** Whether the browser uses TLS: the browser says so in Origin, and a trusted proxy in X-Forwarded-Proto. */
export function isOverTls(request: IncomingMessage): boolean {
  const { origin = '' } = request.headers;
  return (URL.canParse(origin) ? new URL(origin).protocol : protocolOf(request)) === 'https:';
}

/** The address of this server, as the caller knows it. */
export function originOf(request: IncomingMessage): string {
  const scheme = isOverTls(request) ? 'https:' : 'http:';
  const hosts = [forwarded(request, 'x-forwarded-host'), request.headers.host ?? 'localhost'];
  const known = hosts.find((host) => host !== undefined && URL.canParse(`${scheme}//${host}`));
  return new URL(`${scheme}//${known ?? 'localhost'}`).origin;
}

/** The scheme of the address in the browser, as far as it is known: a proxy may not pass it on, or not be trusted. */
function protocolOf(request: IncomingMessage): 'http:' | 'https:' | undefined {
  const scheme = forwarded(request, 'x-forwarded-proto');
  // Some proxies send the scheme of the WebSocket.
  if (scheme !== undefined) return /^(https|wss)$/i.test(scheme) ? 'https:' : 'http:';
  return (request.socket as TLSSocket).encrypted ? 'https:' : undefined;
}
