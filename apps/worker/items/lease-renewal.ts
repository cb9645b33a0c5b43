import { LEASE_MS, type LeasedItem } from '#lib/db/engine/claim-items';

/**
 * Messages from the main thread to the thread that renews leases. Claims are numbered, because an item that was handed
 * back may be claimed again with the same token.
 */
export type LeaseCommand = { claim: number; hold: LeasedItem } | { claim: number; drop: true };

/**
 * Messages to the main thread: that leases were renewed, which claims were lost to others, or why nothing was renewed.
 */
export type LeaseReport = { renewed: true } | { lost: number[] } | { failed: string };

/** The initial data of the thread. The main thread increments `beats` once a second. */
export interface LeaseThreadData {
  databaseUrl: string;
  workerId: string;
  beats: Int32Array;
}

export const RENEW_EVERY_MS = Math.floor(LEASE_MS / 3);

/** The leases of a process whose main thread is blocked for longer expire: it may be blocked forever. */
export const MAX_BLOCKED_MS = 60_000;

/** Renews the leases of the main thread's claims, in a thread that is never blocked. */
export class LeaseRenewal {
  readonly #held = new Map<number, LeasedItem>();
  #lastBeat: number | undefined;
  #beatAt = 0;
  #isRenewing = false;

  /** @param of.renew returns the tokens that this worker still holds */
  constructor(
    readonly of: {
      renew: (items: LeasedItem[]) => Promise<number[]>;
      beats: () => number;
      tell: (message: LeaseReport) => void;
    },
  ) {}

  take(message: LeaseCommand): void {
    if ('hold' in message) this.#held.set(message.claim, message.hold);
    else this.#held.delete(message.claim);
  }

  /** @param now monotonic, in milliseconds */
  async renew(now: number): Promise<void> {
    if (this.#isRenewing || !this.#isMainAlive(now)) return;
    this.#isRenewing = true;
    try {
      const claims = [...this.#held];
      // A restarted thread does not know the claims yet, and until then the main thread renews them.
      if (claims.length === 0) return;
      const kept = new Set(await this.of.renew(claims.map(([, item]) => item)));
      const lost = claims.filter(([claim, { token }]) => !kept.has(token) && this.#held.delete(claim));
      if (lost.length) this.of.tell({ lost: lost.map(([claim]) => claim) });
      this.of.tell({ renewed: true });
    } catch (error) {
      this.of.tell({ failed: (error as Error).message });
    } finally {
      this.#isRenewing = false;
    }
  }

  #isMainAlive(now: number): boolean {
    const beat = this.of.beats();
    if (beat !== this.#lastBeat) [this.#lastBeat, this.#beatAt] = [beat, now];
    return now - this.#beatAt <= MAX_BLOCKED_MS;
  }
}
