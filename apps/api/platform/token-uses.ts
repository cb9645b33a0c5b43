import { noteTokenUses, type TokenUse } from '#lib/db/catalogue/tokens';
import type { Pool } from '#lib/db/connection/pool';

/** A use within this time of the one before is not written. */
const EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Writes when and from where tokens were last used. No request waits for it, and all tokens share one
 * connection. A use that cannot be written is forgotten; the next one comes soon.
 */
export class TokenUses {
  readonly #writtenMs = new Map<string, number>();
  #unwritten = new Map<string, TokenUse>();
  #isWriting = false;

  constructor(readonly pool: Pool) {}

  note(use: TokenUse): void {
    const nowMs = Date.now();
    if ((this.#writtenMs.get(use.tokenId) ?? 0) > nowMs - EVERY_MS) return;
    if (this.#writtenMs.size >= MAX_REMEMBERED) this.#writtenMs.clear();
    this.#writtenMs.set(use.tokenId, nowMs);
    this.#unwritten.set(use.tokenId, use);
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#unwritten.size) {
      const uses = [...this.#unwritten.values()];
      this.#unwritten = new Map();
      await noteTokenUses(this.pool, uses).catch(() => {});
    }
    this.#isWriting = false;
  }
}
