import { createHash } from 'node:crypto';
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import { isNeverAllowed, isPrivateAddress } from './addresses.js';
import { secureContextOf, type ClientKeyPair } from './authorities.js';
import type { EgressSettings } from './egress.js';
import { AddressNotAllowed, EgressPolicy, hostOf, portOf } from './policy.js';
import { PrivateHosts } from './private-hosts.js';
import { ProxiedNames, type LookUp } from './proxied-names.js';
import { connectionProblem, openTunnel, refusalOf, serverNameOf, type Proxy } from './proxy.js';

export interface AgentOptions {
  egress: EgressSettings;
  /** To one origin. Default: 1024. */
  connections?: number;
  /** Replaces the system's resolver. */
  resolve?: Resolve;
  /** Replaces the name servers where a proxy resolves names. */
  lookUp?: LookUp;
}
type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

const CONNECT_TIMEOUT_MS = 10_000;

/** The maximum number of agents with a client certificate. The one that was used the longest ago closes. */
const MAX_CLIENTS = 100;
const IDLE_MS = 60_000;
const LEAVING_MS = 5000;

interface ClientAgent {
  agent: Agent;
  idle: NodeJS.Timeout;
}

interface RequestParts {
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
}

/** What sends a request, and what to give to its `dispatch` or `request`. */
export interface Prepared {
  dispatcher: Dispatcher;
  options: Dispatcher.DispatchOptions & { origin: string };
  /** @throws ProxyProblem if a response with this status is one of the proxy instead of the host */
  checkStatus(status: number): void;
}

/** Connects only to where the policy of an operator lets requests go. */
export class GuardedAgent {
  readonly #policy: EgressPolicy;
  readonly #names: ProxiedNames;
  readonly #agent: Agent;
  /** Connects to the proxy of plain http, which nobody but the operator chose. */
  readonly #toProxy: Agent;
  /** By a digest of certificate and private key, in the order of their last use. */
  readonly #clients = new Map<string, ClientAgent>();
  readonly #leaving = new Set<Agent>();
  readonly #privateHosts = new PrivateHosts();

  constructor(readonly options: AgentOptions) {
    this.#policy = new EgressPolicy(options.egress);
    this.#names = new ProxiedNames(this.#policy, options.lookUp);
    this.#agent = this.#agentAs(undefined);
    this.#toProxy = this.#agentWith((origin) => this.#connectorToProxy(origin));
  }

  /**
   * Makes a request ready to be sent.
   * @param client whom it comes from. Its connections are not those of others, who could speak in its name.
   * @throws AddressNotAllowed
   */
  async prepare(url: URL, { method = 'GET', headers = {}, body }: RequestParts, client?: ClientKeyPair | null) {
    const refused = this.#policy.urlProblem(url);
    if (refused) throw new AddressNotAllowed(refused);
    const proxy = this.#policy.proxyFor(url);
    if (proxy) await this.#checkProxied(url);
    const path = url.pathname + url.search;
    const request = { origin: url.origin, path, method: method as Dispatcher.HttpMethod, headers, body };
    const direct: Prepared = {
      dispatcher: client ? this.#agentOf(client) : this.#agent,
      options: request,
      checkStatus: () => {},
    };
    return proxy && url.protocol === 'http:' ? this.#forwarded(url, request, proxy) : direct;
  }

  /** @throws AddressNotAllowed */
  async #checkProxied(url: URL): Promise<void> {
    const [host, port] = [hostOf(url), portOf(url)];
    const { problem, isPrivate } = isIP(host)
      ? { problem: undefined, isPrivate: isPrivateAddress(host) }
      : await this.#names.look(host, port);
    if (problem) throw new AddressNotAllowed(problem);
    // Who answers plain http beyond a proxy is not known. A host that the operator named may be inside.
    if (isPrivate || url.protocol === 'http:' || this.#policy.isNamed(url)) this.#privateHosts.add(host);
  }

  /** A proxy takes plain http with the whole URL as its path. */
  #forwarded(url: URL, request: Prepared['options'] & { headers: Record<string, string> }, proxy: Proxy): Prepared {
    const headers = Object.entries(request.headers).filter(([name]) => !/^(host|proxy-.*)$/i.test(name));
    const options = {
      ...request,
      origin: proxy.origin,
      path: url.origin + request.path,
      headers: {
        ...Object.fromEntries(headers),
        host: url.host,
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
      servername: proxy.host, // undici would take it from the host header, and connect again for each host
    };
    const checkStatus = (status: number): void => {
      if (status === 407) throw refusalOf(proxy, status, url.host);
    };
    return { dispatcher: this.#toProxy, options, checkStatus };
  }

  /** Whether a connection for this URL led to a private address, by the address of its socket. */
  reachedPrivate(url: URL): boolean {
    return this.#privateHosts.has(hostOf(url));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((agent) => agent.close()));
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all().map((agent) => agent.destroy()));
  }

  #all(): Agent[] {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const { idle } of clients) clearTimeout(idle);
    return [this.#agent, this.#toProxy, ...this.#leaving, ...clients.map(({ agent }) => agent)];
  }

  #agentOf(client: ClientKeyPair): Agent {
    const digest = digestOf(client);
    const known = this.#clients.get(digest);
    this.#clients.delete(digest);
    const used = known ?? {
      agent: this.#agentAs(client),
      idle: setTimeout(() => this.#drop(digest), IDLE_MS).unref(),
    };
    this.#clients.set(digest, used);
    used.idle.refresh();
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MAX_CLIENTS) this.#drop(oldest!);
    return used.agent;
  }

  /** Its requests end first, and those that are about to start. */
  #drop(digest: string): void {
    const { agent, idle } = this.#clients.get(digest)!;
    this.#clients.delete(digest);
    clearTimeout(idle);
    this.#leaving.add(agent);
    const leave = () =>
      void agent
        .close()
        .catch(() => {}) // it may have been destroyed
        .then(() => this.#leaving.delete(agent));
    setTimeout(leave, LEAVING_MS).unref();
  }

  #agentAs(client: ClientKeyPair | undefined): Agent {
    let own: SecureContext | undefined; // made once: with more authorities it takes dozens of milliseconds
    const contextOf = () => (own ??= secureContextOf(this.options.egress.extraCa, client));
    return this.#agentWith((origin) => this.#connectorTo(origin, contextOf));
  }

  /** A connector for each origin: what is allowed depends on its port, which a lookup does not know. */
  #agentWith(connectorTo: (origin: URL) => buildConnector.connector): Agent {
    return new Agent({
      connections: this.options.connections ?? 1024,
      keepAliveTimeout: 20_000,
      headersTimeout: 0, // the caller's signal ends a request that takes too long
      bodyTimeout: 0,
      factory: (origin, settings) => new Pool(origin, { ...settings, connect: connectorTo(new URL(origin)) }),
    });
  }

  #connectorTo(url: URL, contextOf: () => SecureContext | undefined): buildConnector.connector {
    const { extraCa } = this.options.egress;
    const [host, port] = [hostOf(url), portOf(url)];
    const secureContext = url.protocol === 'https:' ? contextOf() : undefined;
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      lookup: this.#lookupFor(port),
      ...(secureContext && { secureContext }),
    });
    const proxy = this.#policy.proxyFor(url);
    if (proxy)
      return (target, done) =>
        void openTunnel(proxy, host, port, secureContextOf(extraCa, undefined)).then(
          (httpSocket) => connect({ ...target, httpSocket }, done),
          (error: Error) => done(error, null),
        );
    return (target, done) =>
      connect(target, (...made) => {
        const [error, socket] = made;
        if (!error && (!socket.remoteAddress || isPrivateAddress(socket.remoteAddress))) this.#privateHosts.add(host);
        done(...made);
      });
  }

  #connectorToProxy(origin: URL): buildConnector.connector {
    const secureContext = secureContextOf(this.options.egress.extraCa, undefined);
    const isSecure = origin.protocol === 'https:';
    const proxy = this.#policy.httpProxy!;
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      ...(isSecure && secureContext && { secureContext }),
    });
    return (target, done) =>
      connect({ ...target, servername: serverNameOf(proxy) }, (...made) => {
        const [error] = made;
        if (error) done(connectionProblem(proxy, error), null);
        else done(...made);
      });
  }

  /** Resolves a name and checks the addresses, so that the connection goes to an address that was checked. */
  #lookupFor(port: number): LookupFunction {
    const { resolve = dnsLookup } = this.options;
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const problems = addresses.map(({ address }) => this.#policy.addressProblem(hostname, port, address));
        const allowed = addresses.filter((_, index) => problems[index] === undefined);
        // A name that leads to the machine itself and elsewhere leads to where it may.
        if (allowed.length === 0 || addresses.some(({ address }) => isNeverAllowed(address)))
          return callback(new AddressNotAllowed(problems.find(Boolean) ?? `${hostname} has no address.`), '', 0);
        if (options.all) return callback(null, allowed as never, 0);
        callback(null, allowed[0]!.address, allowed[0]!.family);
      });
    };
  }
}

const digests = new WeakMap<ClientKeyPair, string>();

/** Of both: whoever has the certificate alone, which is public, is somebody else. */
function digestOf(client: ClientKeyPair): string {
  const digest =
    digests.get(client) ??
    createHash('sha256')
      .update(JSON.stringify([client.certificate, client.privateKey]))
      .digest('hex');
  digests.set(client, digest);
  return digest;
}
