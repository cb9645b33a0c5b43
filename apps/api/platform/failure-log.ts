import type { Logger } from '#lib/runtime/logger';

const EVERY_MS = 60_000;
/** More addresses than these share a line. */
const MOST_ADDRESSES = 100;
const OTHERS = 'other addresses';

/** Logs failed sign-ins: the first of an address at once, then how many more came, at most one line a minute. */
export class FailureLog {
  readonly #addresses = new Map<string, { failures: number; route: string }>();

  constructor(
    readonly logger: Logger,
    readonly everyMs = EVERY_MS,
  ) {}

  /** @param route without anything that was sent */
  note(from: string, route: string): void {
    const address = this.#addresses.has(from) || this.#addresses.size < MOST_ADDRESSES ? from : OTHERS;
    const known = this.#addresses.get(address);
    if (known) Object.assign(known, { failures: known.failures + 1, route });
    else this.#log(address, 1, route);
  }

  #log(address: string, failures: number, route: string): void {
    this.logger.warn({ address, route, failures }, 'Sign-ins failed, or tokens are unknown');
    const later = { failures: 0, route };
    this.#addresses.set(address, later);
    setTimeout(() => {
      this.#addresses.delete(address);
      if (later.failures > 0) this.#log(address, later.failures, later.route);
    }, this.everyMs).unref();
  }
}
