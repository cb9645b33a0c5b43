import { ProblemError } from '#lib/contracts/input/problem';

const MIB = 2 ** 20;
const SMALL_BYTES = 64 * 1024;
const RETRY_AFTER_MS = 5000;

export interface BytesBounds {
  ofTeam: number;
  /** For all teams together. Small bodies may exceed the share of large ones, which would otherwise keep them out. */
  ofAll: number;
  ofLarge: number;
  /** How long a body waits for others to finish. */
  waitMs: number;
}

/** @param mib total size of large bodies */
export const bytesInHand = (mib: number): BytesBounds => ({
  ofTeam: Math.floor(mib / 3) * MIB,
  ofAll: (mib + 32) * MIB,
  ofLarge: mib * MIB,
  waitMs: 30_000,
});

interface Waiting {
  owner: string;
  bytes: number;
  enter: () => void;
}

/** Counts the bytes of bodies in memory, before they are read. Bodies beyond the limits wait unread. */
export class BytesInHand {
  readonly #held = new Map<string, number>();
  #all = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(readonly bounds: BytesBounds) {}

  /**
   * @param owner a team, or all callers who have not signed in
   * @returns a function that releases the bytes
   * @throws ProblemError 429 when the owner's other bodies do not finish, 503 when those of all owners do not
   */
  async take(owner: string, bytes: number): Promise<() => void> {
    if (!this.#fits(owner, bytes)) await this.#wait(owner, bytes);
    else this.#add(owner, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) this.#add(owner, -bytes);
      isHeld = false;
      this.#admit();
    };
  }

  /** Bodies that wait for others of the same owner do not hold up the teams behind them. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.owner, waiting.bytes)) continue;
      this.#waiting.delete(waiting);
      this.#add(waiting.owner, waiting.bytes);
      waiting.enter();
    }
  }

  #wait(owner: string, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(this.#refusal(owner, bytes));
      }, this.bounds.waitMs);
      const enter = (): void => (clearTimeout(timer), resolve());
      const waiting: Waiting = { owner, bytes, enter };
      this.#waiting.add(waiting);
    });
  }

  #refusal(owner: string, bytes: number): ProblemError {
    const { ofTeam, ofLarge } = this.bounds;
    return (this.#held.get(owner) ?? 0) + bytes > ofTeam
      ? new ProblemError(
          429,
          `Your team is sending bodies of ${ofTeam / MIB} MiB already (the limit). Send fewer at once.`,
          undefined,
          RETRY_AFTER_MS,
        )
      : new ProblemError(
          503,
          `Bodies of ${ofLarge / MIB} MiB are in flight already (the limit). Try again in a few seconds.`,
          undefined,
          RETRY_AFTER_MS,
        );
  }

  #fits(owner: string, bytes: number): boolean {
    const { ofTeam, ofAll, ofLarge } = this.bounds;
    const most = bytes > SMALL_BYTES ? ofLarge : ofAll;
    return (this.#held.get(owner) ?? 0) + bytes <= ofTeam && this.#all + bytes <= most;
  }

  #add(owner: string, bytes: number): void {
    this.#all += bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
