import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { isUntrusted } from './authorities.js';

export type ProxyVariable = 'HTTPS_PROXY' | 'HTTP_PROXY';

/** A forward proxy, as the operator has set it. */
export interface Proxy {
  variable: ProxyVariable;
  /** http or https, without user and password. */
  origin: string;
  host: string;
  port: number;
  /** Its `Proxy-Authorization`. */
  authorization: string | undefined;
}

/** A proxy that does not let a request through. Messages name its variable, and neither its host nor its password. */
export class ProxyProblem extends Error {
  constructor(
    message: string,
    /** Whether it may work later without a change of settings. */
    readonly isRetryable: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The connection to a proxy, and its answer to CONNECT. It tries the host, which may take its time to answer. */
const TUNNEL_TIMEOUT_MS = 20_000;

export function parseProxy(text: string, variable: ProxyVariable): Proxy {
  const { protocol, host, hostname, port, username, password } = new URL(text);
  const user = `${decoded(username)}:${decoded(password)}`;
  return {
    variable,
    origin: `${protocol}//${host}`,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}

/** A password with a bare percent sign is meant as it is written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isSecureProxy = ({ origin }: Proxy): boolean => origin.startsWith('https:');
/** TLS names no addresses. */
export const serverNameOf = ({ host }: Proxy): string => (isIP(host) ? '' : host);

/**
 * Opens a connection to a host through a proxy (CONNECT).
 * @param secureContext of the connection to the proxy itself, if that is https
 * @throws ProxyProblem
 */
export function openTunnel(
  proxy: Proxy,
  host: string,
  port: number,
  secureContext: SecureContext | undefined,
): Promise<Socket> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = (isSecureProxy(proxy) ? httpsRequest : httpRequest)({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: {
        host: target,
        'proxy-connection': 'keep-alive',
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
      ...(isSecureProxy(proxy) && { servername: serverNameOf(proxy), ...(secureContext && { secureContext }) }),
    });
    const late = setTimeout(() => request.destroy(tookTooLong(proxy, target)), TUNNEL_TIMEOUT_MS);
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      clearTimeout(late);
      // It may break before the next owner listens.
      socket.on('error', () => {});
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(socket);
      socket.destroy();
      reject(refusalOf(proxy, statusCode, target));
    });
    request.once('error', (error) => {
      clearTimeout(late);
      reject(error instanceof ProxyProblem ? error : connectionProblem(proxy, error));
    });
    request.end();
  });
}

const named = ({ variable }: Proxy): string => `The proxy of ${variable}`;

const tookTooLong = (proxy: Proxy, target: string): ProxyProblem =>
  new ProxyProblem(`${named(proxy)} opened no connection to ${target} within ${TUNNEL_TIMEOUT_MS / 1000} s.`, true);

/** What the status of a proxy's own answer means. */
export function refusalOf(proxy: Proxy, status: number, target: string): ProxyProblem {
  const { variable, authorization } = proxy;
  // tinyproxy answers 401 to a wrong password.
  if (status === 407 || status === 401)
    return new ProxyProblem(
      authorization === undefined
        ? `${named(proxy)} wants a user name and a password (${status}). An operator can add them to ${variable}: ` +
            'http://user:password@host:port.'
        : `${named(proxy)} refuses the user name and password in ${variable} (${status}). An operator can mend them.`,
      false,
    );
  if (status >= 500 || status === 429)
    return new ProxyProblem(`${named(proxy)} could not open a connection to ${target} (${status}).`, true);
  return new ProxyProblem(
    `${named(proxy)} does not let requests go to ${target} (${status}). Its administrator can allow that host.`,
    false,
  );
}

/** What keeps a connection to the proxy itself from being made. */
export function connectionProblem(proxy: Proxy, error: Error): ProxyProblem {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (isUntrusted(code))
    return new ProxyProblem(
      `${named(proxy)} has a certificate that cannot be trusted (${code}). An operator can add its authority with ` +
        'TOOLMARK_EXTRA_CA.',
      false,
      error,
    );
  return new ProxyProblem(`${named(proxy)} cannot be reached${code && ` (${code})`}.`, true, error);
}
