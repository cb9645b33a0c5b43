import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { followSealingKey } from '#lib/db/catalogue/chosen-sealing-key';
import { countSealed, type SealedCount } from '#lib/db/catalogue/sealed-secrets';
import type { Pool } from '#lib/db/connection/pool';
import { Sealer } from '#lib/runtime/seal';
import { POOL } from '../platform/stores.js';

const FOLLOW_MS = 10_000;
/** Counting reads all providers and sessions. */
const MAX_AGE_MS = 10_000;

/** How far the rotation of the sealing key is. Meanwhile this process seals with the key that was chosen. */
@Injectable()
export class SealedCounts implements OnApplicationBootstrap, OnApplicationShutdown {
  #counts: Promise<SealedCount[]> | undefined;
  #countedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly sealer: Sealer,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void followSealingKey(this.pool, this.sealer).catch(() => {}), FOLLOW_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** Not older than some seconds. */
  async read(): Promise<SealedCount[]> {
    if (!this.#counts || performance.now() - this.#countedAt >= MAX_AGE_MS) {
      const counts = followSealingKey(this.pool, this.sealer).then(() => countSealed(this.pool, this.sealer));
      this.#counts = counts;
      this.#countedAt = performance.now();
      counts.catch(() => {
        if (this.#counts === counts) this.#counts = undefined;
      });
    }
    return this.#counts;
  }
}
