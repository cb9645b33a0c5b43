import { isIP } from 'node:net';
import { HostList } from '#lib/runtime/host-list';
import { isNeverAllowed, isPrivateAddress } from './addresses.js';
import type { EgressSettings } from './egress.js';
import { parseProxy, type Proxy } from './proxy.js';

export class AddressNotAllowed extends Error {}

/** Names under which clouds expose credentials to their machines. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'],
  ...['metadata.azure.internal', 'metadata.tencentyun.com', 'metadata.platformequinix.com', 'metadata.packet.net'],
]);

/** Ends of names that no public server has. Only a proxy would resolve such a name, to a host beside it. */
const PRIVATE_ENDS = [
  ...['localhost', 'local', 'localdomain', 'internal', 'intranet', 'private', 'corp', 'lan', 'home', 'home.arpa'],
  ...['svc', 'cluster.local', 'localdomain6', 'consul', 'onion', 'alt', 'test', 'invalid'],
  ...['in-addr.arpa', 'ip6.arpa'],
].map((end) => `.${end}`);

/** The host of a URL, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));
/** A name without the dot at its end, which means its root. */
const nameOf = (url: URL): string => hostOf(url).toLowerCase().replace(/\.$/, '');

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
const isPrivateName = (name: string): boolean =>
  !name.includes('.') || name.endsWith('.') || PRIVATE_ENDS.some((end) => name.endsWith(end));

/** Where https is served. A proxy would also lead to every other port of a host. */
const PROXIED_PORTS: ReadonlySet<number> = new Set([443, 8443]);

const WAY_OUT = 'An operator can allow it in TOOLMARK_ALLOWED_NETWORKS.';

/** Where requests may go. Its methods return what is wrong, as a sentence, or undefined. */
export class EgressPolicy {
  readonly #allowed: HostList;
  readonly #withoutProxy: HostList;
  readonly #proxies: { https: Proxy | undefined; http: Proxy | undefined };

  constructor({ allowedNetworks, noProxy, httpsProxy, httpProxy }: EgressSettings) {
    this.#allowed = new HostList(allowedNetworks);
    this.#withoutProxy = new HostList(noProxy);
    this.#proxies = {
      https: httpsProxy === undefined ? undefined : parseProxy(httpsProxy, 'HTTPS_PROXY'),
      http: httpProxy === undefined ? undefined : parseProxy(httpProxy, 'HTTP_PROXY'),
    };
  }

  /** The proxy that requests to a URL go through. */
  proxyFor(url: URL): Proxy | undefined {
    const proxy = url.protocol === 'https:' ? this.#proxies.https : this.#proxies.http;
    return proxy && !isListed(this.#withoutProxy, url) ? proxy : undefined;
  }

  get httpProxy(): Proxy | undefined {
    return this.#proxies.http;
  }

  /** Whether the operator's list of what is allowed names a host, and so perhaps one inside of a network. */
  isNamed(url: URL): boolean {
    return this.#allowed.hasName(hostOf(url), portOf(url));
  }

  /** What keeps a connection to this host from leading to this address. */
  addressProblem(host: string, port: number, address: string): string | undefined {
    const at = host === address ? host : `${host} is at ${address}, which`;
    if (isNeverAllowed(address))
      return (
        `${at} is a link-local address or a cloud's metadata service. Requests never go there, whatever is ` +
        'allowed.'
      );
    if (!isPrivateAddress(address) || this.#allowed.hasAddress(address, port)) return undefined;
    if (host !== address && this.#allowed.hasName(host, port)) return undefined;
    return `${at} is a private address. ${WAY_OUT}`;
  }

  /** What keeps requests from a URL, as far as that is known without resolving its name. */
  urlProblem(url: URL): string | undefined {
    const host = hostOf(url);
    const proxy = this.proxyFor(url);
    const problem = isIP(host) ? this.addressProblem(host, portOf(url), host) : this.#nameProblem(url, proxy);
    if (problem || !proxy || isListed(this.#allowed, url)) return problem;
    if (url.protocol === 'https:') return PROXIED_PORTS.has(portOf(url)) ? undefined : this.#portProblem(url, proxy);
    // A certificate proves where https ends; nothing proves where the proxy's own connection does.
    return (
      `${host} would be reached over plain http through the proxy of ${proxy.variable}, which needs its name in ` +
      'TOOLMARK_ALLOWED_NETWORKS. Use https, or ask an operator.'
    );
  }

  #portProblem(url: URL, { variable }: Proxy): string {
    return (
      `${hostOf(url)} would be reached at port ${portOf(url)} through the proxy of ${variable}, which is used for ` +
      `the ports 443 and 8443 alone. An operator can allow ${url.host} in TOOLMARK_ALLOWED_NETWORKS.`
    );
  }

  #nameProblem(url: URL, proxy: Proxy | undefined): string | undefined {
    const [host, port, name] = [hostOf(url), portOf(url), nameOf(url)];
    if (METADATA_NAMES.has(name))
      return `${host} is a cloud's metadata service. Requests never go there, whatever is allowed.`;
    if (!proxy) return isLocalhost(name) ? this.#loopbackProblem(host, port) : undefined;
    return isPrivateName(name) && !this.#allowed.hasName(host, port)
      ? `${host} is a name inside a private network. An operator can allow it by its name in TOOLMARK_ALLOWED_NETWORKS.`
      : undefined;
  }

  #loopbackProblem(host: string, port: number): string | undefined {
    const [v4, v6] = ['127.0.0.1', '::1'].map((address) => this.addressProblem(host, port, address));
    return v4 && v6 && v4;
  }
}

function isListed(list: HostList, url: URL): boolean {
  const [host, port] = [hostOf(url), portOf(url)];
  return isIP(host) ? list.hasAddress(host, port) : list.hasName(host, port);
}
