/** Where Redis is, as REDIS_URL says it. */
export type RedisAddress = { kind: 'server'; url: string } | SentinelAddress | ClusterAddress;

interface Node {
  host: string;
  port: number;
}
interface Credentials {
  username: string | undefined;
  password: string | undefined;
  tls: boolean;
}
export interface SentinelAddress extends Credentials {
  kind: 'sentinel';
  /** The Sentinels. */
  nodes: Node[];
  /** What the Sentinels call the master. */
  master: string;
  database: number;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}
export interface ClusterAddress extends Credentials {
  kind: 'cluster';
  /** Some nodes, from which the others are learned. */
  nodes: Node[];
}

export const REDIS_URL_FORMS =
  'redis://host:6379, redis+sentinel://host1:26379,host2:26379/mymaster or redis+cluster://host1:6379,host2:6379 ' +
  '(rediss... with TLS)';

const URL_OF_SEVERAL = new RegExp(
  '^(?<scheme>rediss?)[+](?<kind>sentinel|cluster)://' +
    '(?:(?<username>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?' +
    '(?<nodes>[^/?@]+)(?<path>/[^?]*)?(?:[?](?<query>.*))?$',
);
const NODE = /^(?:\[(?<ipv6>[\da-fA-F:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/;
const DEFAULT_PORTS = { sentinel: 26_379, cluster: 6379 };

/** @throws what is wrong, as the end of a sentence that begins with the name of the variable */
export function parseRedisUrl(url: string): RedisAddress {
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) return { kind: 'server', url };
  const parts = URL_OF_SEVERAL.exec(url)?.groups;
  if (!parts) throw new Error(`must be a URL such as ${REDIS_URL_FORMS}`);
  const kind = parts.kind as 'sentinel' | 'cluster';
  const query = new URLSearchParams(parts.query);
  const of = {
    nodes: parts.nodes!.split(',').map((node) => parseNode(node, DEFAULT_PORTS[kind])),
    username: decoded(parts.username),
    password: decoded(parts.password),
    tls: parts.scheme === 'rediss',
  };
  const path = (parts.path ?? '').split('/').slice(1);
  const taken = kind === 'sentinel' ? ['sentinel_username', 'sentinel_password'] : [];
  const unknown = [...query.keys()].find((name) => !taken.includes(name));
  if (unknown) throw new Error(`has "${unknown}" after its "?", which is not known`);
  if (kind === 'cluster') {
    if (path.some((part) => part && part !== '0'))
      throw new Error('names a database, but a Redis Cluster has only one');
    return { kind, ...of };
  }
  const [master, database = '0', ...rest] = path;
  if (!master) throw new Error('must name the master that the Sentinels watch, as in .../mymaster');
  if (!/^\d{1,5}$/.test(database) || rest.length) throw new Error('must end with /master or /master/<database>');
  return {
    kind,
    ...of,
    master: decoded(master)!,
    database: Number(database),
    sentinelUsername: query.get('sentinel_username') ?? undefined,
    sentinelPassword: query.get('sentinel_password') ?? undefined,
  };
}

function parseNode(text: string, defaultPort: number): Node {
  const { ipv6, name, port = defaultPort } = NODE.exec(text)?.groups ?? {};
  const host = ipv6 ?? name;
  if (!host || Number(port) < 1 || Number(port) > 65_535) throw new Error(`has "${text}" where a host:port has to be`);
  return { host, port: Number(port) };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text ? decodeURIComponent(text) : undefined;
  } catch {
    throw new Error('has a "%" that is not followed by two hexadecimal digits; write it as %25');
  }
}
