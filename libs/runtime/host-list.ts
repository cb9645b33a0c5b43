import { BlockList, isIP } from 'node:net';

interface Pattern {
  /** `*`, a name in lower case, or a suffix that begins with a dot. */
  name?: string;
  network?: BlockList;
  port?: number;
}

/**
 * Networks, addresses and host names, each with a port if only that is meant: `10.0.0.0/8`, `127.0.0.1:8502`,
 * `[::1]:11434`, `llm.example.internal`, `*.example.internal` or `.example.internal` (its subdomains), `*` (all).
 */
export class HostList {
  readonly #patterns: Pattern[];

  /** @throws Error for a text that is not a pattern */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((text) => {
      const pattern = parsePattern(text);
      if (!pattern) throw new Error(`"${text}" is neither a network, an address nor a host name.`);
      return pattern;
    });
  }

  /** Whether a host is named in it. @param host a name or an address, without brackets */
  hasName(host: string, port: number): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    return this.#patterns.some((pattern) => isPort(pattern, port) && isNamed(pattern, name));
  }

  /** Whether an address is in one of its networks. @param address IPv4 or IPv6, without brackets */
  hasAddress(address: string, port: number): boolean {
    const family = isIP(address);
    return this.#patterns.some(
      (pattern) =>
        isPort(pattern, port) &&
        (pattern.name === '*' || pattern.network?.check(address, family === 6 ? 'ipv6' : 'ipv4') === true),
    );
  }
}

export const isHostPattern = (text: string): boolean => parsePattern(text) !== undefined;

const isPort = (pattern: Pattern, port: number): boolean => pattern.port === undefined || pattern.port === port;

function isNamed({ name }: Pattern, host: string): boolean {
  if (name === undefined) return false;
  return name === '*' || (name.startsWith('.') ? host.endsWith(name) : host === name);
}

const NAME = /^(\*|\*?\.?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*)$/;
const MAX_NAME = 253;

function parsePattern(text: string): Pattern | undefined {
  const [, host, port] =
    /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text) ?? /^([^:]+|[^:]*:[^:]*:.*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  const of = port === undefined ? {} : { port: Number(port) };
  const network = parseNetwork(host);
  if (network) return { network, ...of };
  const name = host.toLowerCase();
  if (name.length > MAX_NAME || !NAME.test(name) || /^[\d.]+$/.test(name)) return undefined;
  return { name: name.replace(/^\*\./, '.'), ...of };
}

function parseNetwork(text: string): BlockList | undefined {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  if (family === 0 || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined;
  if (Number(prefix ?? bits) > bits) return undefined;
  const list = new BlockList();
  list.addSubnet(address, Number(prefix ?? bits), family === 6 ? 'ipv6' : 'ipv4');
  return list;
}
