import type { LookupAddress } from 'node:dns';
import { Semaphore } from '#lib/runtime/semaphore';
import { isPrivateAddress } from './addresses.js';
import type { EgressPolicy } from './policy.js';

/** A request waits this long for the answer. Where only the proxy resolves names there is none. */
const WAIT_MS = 1000;
const KEPT_MS = 5000;
const KEPT_AFTER_FAILURE_MS = 60_000;
const MAX_KEPT = 1000;
/** Each takes one of Node's four threads, which files need, too. */
const AT_ONCE = 2;

interface Found {
  problem: string | undefined;
  isPrivate: boolean;
}
const NOTHING: Found = { problem: undefined, isPrivate: false };

/**
 * Looks whether names that a proxy will resolve lead to private addresses here. The proxy decides in the end, so this
 * is not what keeps requests from going astray: names inside of networks are refused as they are, and https proves who
 * answers.
 */
export class ProxiedNames {
  readonly #kept = new Map<string, { until: number; found: Promise<Found> }>();
  readonly #turns = new Semaphore(AT_ONCE);

  constructor(
    readonly policy: EgressPolicy,
    readonly resolve: (host: string) => Promise<LookupAddress[]>,
  ) {}

  look(host: string, port: number): Promise<Found> {
    const key = `${host}:${port}`;
    const known = this.#kept.get(key);
    if (known && Date.now() < known.until) return known.found;
    const kept = { until: Infinity, found: Promise.resolve(NOTHING) };
    const looking = this.#turns
      .run(() => this.resolve(host))
      .then(
        (addresses) => {
          kept.until = Date.now() + KEPT_MS;
          kept.found = Promise.resolve(this.#read(host, port, addresses));
          return kept.found;
        },
        () => {
          kept.until = Date.now() + KEPT_AFTER_FAILURE_MS;
          return NOTHING;
        },
      );
    kept.found = within(WAIT_MS, looking);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest!);
    return kept.found;
  }

  #read(host: string, port: number, addresses: readonly LookupAddress[]): Found {
    return {
      problem: addresses.map(({ address }) => this.policy.addressProblem(host, port, address)).find(Boolean),
      isPrivate: addresses.some(({ address }) => isPrivateAddress(address)),
    };
  }
}

function within(ms: number, looking: Promise<Found>): Promise<Found> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(NOTHING), ms);
    void looking.then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
