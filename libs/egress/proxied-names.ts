import { promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isPrivateAddress } from './addresses.js';
import type { EgressPolicy } from './policy.js';
import { ProxyProblem } from './proxy.js';

/** What this machine knows about a name. */
interface Answer {
  addresses: readonly string[];
  /** Whether a name server did not answer in time, so that there may be more addresses. */
  isIncomplete: boolean;
}
export type LookUp = (host: string) => Promise<Answer>;

/** Each name server has this long. */
const WAIT_MS = 1000;
const KEPT_MS = 5000;
/** Where only the proxy resolves names, name servers may be out of reach. */
const KEPT_INCOMPLETE_MS = 30_000;
const MAX_KEPT = 2000;
/** Names whose answers are waited for. */
const MAX_PENDING = 500;

/**
 * Looks whether names that a proxy will resolve lead to private addresses here. The proxy decides in the end, so this
 * is not what keeps requests from going astray: names inside of networks are refused without it, and https proves who
 * answers.
 */
export class ProxiedNames {
  readonly #kept = new Map<string, { until: number; answer: Promise<Answer> }>();
  #pending = 0;

  constructor(
    readonly policy: EgressPolicy,
    readonly lookUp: LookUp = byNameServers(),
  ) {}

  /**
   * @returns what keeps requests from the host, and whether what it answers counts as private
   * @throws ProxyProblem while too many names wait for an answer
   */
  async look(host: string, port: number): Promise<{ problem: string | undefined; isPrivate: boolean }> {
    const { addresses, isIncomplete } = await this.#answerFor(host);
    return {
      problem: addresses.map((address) => this.policy.addressProblem(host, port, address)).find(Boolean),
      isPrivate: isIncomplete || addresses.some(isPrivateAddress),
    };
  }

  #answerFor(host: string): Promise<Answer> {
    const known = this.#kept.get(host);
    if (known && Date.now() < known.until) return known.answer;
    if (this.#pending >= MAX_PENDING)
      throw new ProxyProblem(`${MAX_PENDING} names of hosts wait for the answer of a name server. Try again.`, true);
    this.#pending++;
    // What cannot be asked is not known, like what does not answer.
    const answer = this.lookUp(host).catch((): Answer => ({ addresses: [], isIncomplete: true }));
    const kept = { until: Infinity, answer };
    void answer.then(({ isIncomplete }) => {
      this.#pending--;
      kept.until = Date.now() + (isIncomplete ? KEPT_INCOMPLETE_MS : KEPT_MS);
    });
    this.#kept.delete(host);
    this.#kept.set(host, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest!);
    return answer;
  }
}

/**
 * Asks the name servers, without Node's threads, which names that hang would hold up. /etc/hosts, which name servers do
 * not know, is read once.
 */
export function byNameServers(servers?: readonly string[]): LookUp {
  let ready: { resolver: dns.Resolver; hosts: Map<string, string[]> } | undefined;
  const prepare = () => {
    const resolver = new dns.Resolver({ timeout: WAIT_MS, tries: 1 });
    if (servers) resolver.setServers(servers);
    return { resolver, hosts: readHostsFile() };
  };
  return async (host) => {
    const { resolver, hosts } = (ready ??= prepare());
    const name = host.toLowerCase().replace(/\.$/, '');
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return {
      addresses: [
        ...(hosts.get(name) ?? []),
        ...answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
      ],
      isIncomplete: answers.some((answer) => answer.status === 'rejected' && isTimeout(answer.reason)),
    };
  };
}

const isTimeout = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === dns.TIMEOUT;

function readHostsFile(): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of textOf('/etc/hosts').split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
