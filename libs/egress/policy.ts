import { isIP } from 'node:net';
import { HostList } from '#lib/runtime/host-list';
import { isNeverAllowed, isPrivateAddress } from './addresses.js';
import type { EgressSettings } from './egress.js';

export class AddressNotAllowed extends Error {}

/** Names under which clouds expose credentials to their machines. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'],
  ...['metadata.azure.internal', 'metadata.tencentyun.com', 'metadata.platformequinix.com', 'metadata.packet.net'],
]);

/** The host of a URL, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));
/** A name without the dots at its end, which mean its root. */
const nameOf = (url: URL): string => hostOf(url).toLowerCase().replace(/\.+$/, '');

const WAY_OUT = 'An operator can allow it in TOOLMARK_ALLOWED_NETWORKS.';

/** Where requests may go. Its methods return what is wrong, as a sentence, or undefined. */
export class EgressPolicy {
  readonly #allowed: HostList;

  constructor({ allowedNetworks }: EgressSettings) {
    this.#allowed = new HostList(allowedNetworks);
  }

  /** What keeps a connection to this host from leading to this address. */
  addressProblem(host: string, port: number, address: string): string | undefined {
    const at = host === address ? host : `${host} is at ${address}, which`;
    if (isNeverAllowed(address))
      return `${at} is a link-local address or a cloud's metadata service. Requests never go there, whatever is allowed.`;
    if (!isPrivateAddress(address) || this.#allowed.hasAddress(address, port)) return undefined;
    if (host !== address && this.#allowed.hasName(host, port)) return undefined;
    return `${at} is a private address. ${WAY_OUT}`;
  }

  /** What keeps requests from a URL, as far as that is known without resolving its name. */
  urlProblem(url: URL): string | undefined {
    const [host, port, name] = [hostOf(url), portOf(url), nameOf(url)];
    if (isIP(host)) return this.addressProblem(host, port, host);
    if (METADATA_NAMES.has(name)) return `${host} is a cloud's metadata service. Requests never go there.`;
    if ((name === 'localhost' || name.endsWith('.localhost')) && !this.#allowsLoopback(host, port))
      return `${host} is at 127.0.0.1, which is a private address. ${WAY_OUT}`;
    return undefined;
  }

  #allowsLoopback(host: string, port: number): boolean {
    return ['127.0.0.1', '::1'].some((address) => this.addressProblem(host, port, address) === undefined);
  }
}
