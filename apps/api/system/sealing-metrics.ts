import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { countSealed, SEALED_PLACES } from '#lib/db/catalogue/sealed-secrets';
import type { Pool } from '#lib/db/connection/pool';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { Sealer } from '#lib/runtime/seal';
import { POOL } from '../platform/stores.js';

/** Counting reads all providers and sessions. */
const MAX_AGE_MS = 10_000;

const left = new Gauge({
  name: 'toolmark_secrets_to_reseal',
  help: 'Secrets that the first sealing key has not sealed yet.',
  labelNames: ['place'],
  registers: [registry],
});

/** Says how far the rotation of the sealing key is; nothing while Postgres does not answer. */
@Injectable()
export class SealingMetrics {
  #readAt = -Infinity;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly sealer: Sealer,
  ) {}

  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < MAX_AGE_MS) return;
    this.#readAt = performance.now();
    const health = await checkHealth(
      countSealed(this.pool, this.sealer).then((counts) => {
        for (const place of SEALED_PLACES) {
          const ofPlace = counts.filter((count) => count.place === place && count.isLeft);
          left.set(
            { place },
            ofPlace.reduce((sum, { secrets }) => sum + secrets, 0),
          );
        }
      }),
    );
    if (health === 'down') left.reset();
  }
}
