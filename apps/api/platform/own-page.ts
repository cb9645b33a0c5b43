import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { PAGE_HEADER } from '#lib/contracts/page-header';

/**
 * Whether a page of this server sent a request, so that the cookie of a session may count: other pages can make a
 * browser send requests, too, and a cookie with them. The browser says so in Sec-Fetch-Site, or in Origin where it
 * leaves that out: on WebSockets, and without TLS. Where it has neither (reading without TLS), the page says so itself,
 * with a header that no other origin can send.
 */
export function isFromOwnPage(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, [PAGE_HEADER]: own } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined ? own === '1' : isOwnOrigin(origin, request);
}

function isOwnOrigin(origin: string, request: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const known = protocolOf(request);
  const hosts = [firstOf(request.headers['x-forwarded-host']), request.headers.host];
  const isSameHost = hosts.some(
    (name) => URL.canParse(`${protocol}//${name}`) && new URL(`${protocol}//${name}`).host === host,
  );
  return isSameHost && (known === undefined || known === protocol);
}

/**
 * Whether the browser sees TLS: it says so itself with Origin, and a proxy with X-Forwarded-Proto. A client that lies
 * about either only spoils its own cookie.
 */
export function isOverTls(request: IncomingMessage): boolean {
  const { origin = '' } = request.headers;
  return (URL.canParse(origin) ? new URL(origin).protocol : protocolOf(request)) === 'https:';
}

/** The scheme of the address that the browser shows, as far as it is known: a proxy may not tell. */
function protocolOf({ headers, socket }: IncomingMessage): 'http:' | 'https:' | undefined {
  const forwarded = firstOf(headers['x-forwarded-proto']);
  // Some proxies name the scheme of the WebSocket.
  if (forwarded !== undefined) return /^(https|wss)$/i.test(forwarded) ? 'https:' : 'http:';
  return (socket as TLSSocket).encrypted ? 'https:' : undefined;
}

/** What the proxy that is nearest to the browser wrote. */
const firstOf = (header: string | string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',')[0]!.trim();
